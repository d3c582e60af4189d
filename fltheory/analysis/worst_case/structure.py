"""The data of the interior-point method: each constraint is a sum of a few products of recorded
vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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
    units of the problem: with its unit of loss, the multiplier of the encoding's constraint is
    unit / `scales[k]` times ours, and its metric is unit times ours.
    """

    parts: tuple[Part, ...]
    owner: IntArray
    values: FloatArray
    bounds: FloatArray
    objective: tuple[FloatArray, ...]
    objective_values: FloatArray
    scales: FloatArray
    free: BoolArray
    """Which constraints are equalities; their multipliers may have any sign."""
    squares: tuple[tuple[tuple[float, FloatArray], ...], ...]
    """Per block, the metric's quadratic part as factors times squares of rows."""

    @property
    def size(self) -> int:
        """The sum of the block sizes."""
        return sum(len(block) for block in self.objective)

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
