"""The data of the interior-point method: each constraint is a sum of a few products of recorded
vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding, ValueName
from fltheory.core.types import BoolArray, FloatArray, IntArray


class Part(NamedTuple):
    """The pieces that involve one block, as rows over the block's basis."""

    pieces: IntArray
    left: FloatArray
    right: FloatArray
    square: FloatArray
    factors: FloatArray


@dataclass(frozen=True)
class Structure:
    """Constraint k is the sum of its pieces <left, X right> + factor <square, X square>, plus
    values[k] f, and is at most bounds[k].

    X is one symmetric matrix per block. `owner[p]` is the constraint of piece p. All numbers are in
    units of the problem: the multiplier of the encoding's constraint k is `unit` / `scales[k]`
    times ours, and its metric is `unit` times ours. `first` marks the constraints of the first
    attempt: neighbours in time, pairs with the optimum, and everything that is not interpolation.
    """

    parts: tuple[Part, ...]
    owner: IntArray
    values: FloatArray
    bounds: FloatArray
    objective: tuple[FloatArray, ...]
    objective_values: FloatArray
    first: BoolArray
    scales: FloatArray
    unit: float
    free: BoolArray
    """Which constraints are equalities; their multipliers may have any sign."""
    back: tuple[FloatArray, ...]
    """Per block, the encoding's basis vectors in terms of ours."""
    names: tuple[ValueName, ...]

    @property
    def size(self) -> int:
        """The sum of the block sizes."""
        return sum(len(block) for block in self.objective)

    def only(self, which: IntArray) -> "Structure":
        """The structure with some of the constraints, in order."""
        place = np.full(len(self.bounds), -1)
        place[which] = np.arange(len(which))
        owner = place[self.owner]
        kept = np.cumsum(owner >= 0) - 1
        parts = []
        for part in self.parts:
            here = owner[part.pieces] >= 0
            parts.append(Part(kept[part.pieces[here]], *(field[here] for field in part[1:])))
        return Structure(
            tuple(parts),
            owner[owner >= 0],
            self.values[which],
            self.bounds[which],
            self.objective,
            self.objective_values,
            self.first[which],
            self.scales[which],
            self.unit,
            self.free[which],
            self.back,
            self.names,
        )

    def recovered(
        self, encoding: Encoding, gram: Sequence[FloatArray], values: FloatArray
    ) -> tuple[list[FloatArray], dict[ValueName, float]]:
        """Gram matrices of the encoding's blocks, and its values, with the slopes at the optimum
        restored."""
        recording = encoding.recording
        owners = np.array(recording.owners)
        whole = np.zeros((len(owners), len(owners)))
        for rows, block in zip(self.back, gram, strict=True):
            whole += rows @ block @ rows.T
        found = {name: float(x) * self.unit for name, x in zip(self.names, values, strict=True)}
        if recording.has_optimum:
            for c, records in enumerate(recording.records):
                slope = np.array(records[0].gradient, float) @ whole
                for r in range(1, len(records)):
                    found[c, r] += float(slope @ np.array(records[r].point, float))
        return [
            whole[np.ix_(owners == b, owners == b)] for b in range(len(encoding.block_sizes))
        ], found

    def forms(self, gram: Sequence[FloatArray]) -> FloatArray:
        """The quadratic part of every constraint at a Gram matrix."""
        total = np.zeros(len(self.owner))
        for part, block in zip(self.parts, gram, strict=True):
            products = np.einsum("pi,pi->p", part.left @ block, part.right)
            total[part.pieces] += products + part.factors * np.einsum(
                "pi,pi->p", part.square @ block, part.square
            )
        found: FloatArray = np.bincount(self.owner, total, len(self.bounds)).astype(
            float, copy=False
        )
        return found

    def combine(self, multipliers: FloatArray) -> list[FloatArray]:
        """sum_k y_k A_k in each block."""
        each = multipliers[self.owner]
        result = []
        for part in self.parts:
            weights = each[part.pieces][:, None]
            product = part.left.T @ (weights * part.right)
            result.append(
                (product + product.T) / 2
                + part.square.T @ (weights * part.factors[:, None] * part.square)
            )
        return result

    def products(self, gram: Sequence[FloatArray], inverse: Sequence[FloatArray]) -> FloatArray:
        """M[k, l] = trace(A_k X A_l W) for the Gram matrix X and the inverse W of the remainder."""
        count = len(self.owner)
        total = np.zeros((count, count))
        for part, one, two in zip(self.parts, gram, inverse, strict=True):
            half, size = part.left / 2, len(part.left)
            rows = (half, part.right, part.square)
            x, w = (
                {
                    (k, m): row @ rows[m].T
                    for k, row in enumerate([row @ matrix for row in rows])
                    for m in range(k, 3)
                }
                for matrix in (one, two)
            )
            result = x[0, 1].T
            result *= w[0, 1]  # in place, here and below: these are the largest arrays
            result += result.T.copy()
            mixed = x[1, 2]
            mixed *= w[0, 2]
            x[0, 2] *= w[1, 2]
            mixed += x[0, 2]
            mixed *= part.factors
            x[2, 2] *= w[2, 2]
            x[2, 2] *= np.outer(part.factors, part.factors)
            x[1, 1] *= w[0, 0]
            x[0, 0] *= w[1, 1]
            for piece in (mixed, mixed.T, x[2, 2], x[1, 1], x[0, 0]):
                result += piece
            if size == count:
                total += result
            else:
                total[np.ix_(part.pieces, part.pieces)] += result
        if count == len(self.bounds):
            return total
        begin = np.searchsorted(self.owner, np.arange(len(self.bounds)))
        return np.add.reduceat(np.add.reduceat(total, begin, axis=0), begin, axis=1)
