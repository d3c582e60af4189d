"""The encoding as the interior-point method wants it: each constraint is a sum of a few products of
recorded vectors.

Where there is an optimum, functions are taken without their slope there: f_i(x) - <grad f_i(x*), x
- x*> is in the same class, and the slopes cancel in the global loss. In this basis slopes that do
not move the run leave no trace, so that the multipliers keep room.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding, Term
from fltheory.core.errors import InvalidInput

MOST_VECTORS = 200
"""Largest basis that is tried: the number of pairs of points, and the time, grow quickly with
it."""

GONE = 1e-12
"""Coefficients below this are what rounding leaves of nothing."""


class Part(NamedTuple):
    """What one block sees of the pieces that reach it: rows over the block's basis."""

    pieces: Any
    left: Any
    right: Any
    square: Any
    factors: Any


@dataclass(frozen=True)
class Structure:
    """Constraint k is the sum of its pieces <left, X right> + factor <square, X square>, plus
    values[k] f, and is at most bounds[k].

    X is one symmetric matrix per block. `owner[p]` is the constraint of piece p. Everything is
    measured in units of the problem: the multiplier of the encoding's constraint k is `unit` /
    `scales[k]` times ours, its metric `unit` times ours. `first` marks the constraints that a first
    attempt keeps: neighbours in time, pairs with the optimum, and everything that is not
    interpolation.
    """

    parts: tuple[Part, ...]
    owner: Any
    values: Any
    bounds: Any
    objective: tuple[Any, ...]
    objective_values: Any
    first: Any
    scales: Any
    unit: float
    free: Any
    """Which constraints are equalities: their multipliers have any sign."""
    back: tuple[Any, ...]
    """Per block, the encoding's basis vectors over ours."""
    names: tuple[Any, ...]

    @property
    def size(self) -> int:
        return sum(len(block) for block in self.objective)

    def only(self, which: Any) -> "Structure":
        """The same with some of the constraints, in order."""
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
        self, encoding: Encoding, gram: Any, values: Any
    ) -> tuple[list[Any], dict[tuple[int, ...], float]]:
        """Gram matrices of the encoding's blocks, and its values, with the slopes at the optimum
        put back."""
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

    def forms(self, gram: Any) -> Any:
        """The quadratic part of every constraint at a Gram matrix."""
        total = np.zeros(len(self.owner))
        for part, block in zip(self.parts, gram, strict=True):
            products = np.einsum("pi,pi->p", part.left @ block, part.right)
            total[part.pieces] += products + part.factors * np.einsum(
                "pi,pi->p", part.square @ block, part.square
            )
        return np.bincount(self.owner, total, len(self.bounds))

    def combine(self, multipliers: Any) -> list[Any]:
        """sum_k y_k A_k."""
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

    def products(self, gram: Any, inverse: Any) -> Any:
        """M[k, l] = trace(A_k X A_l W)."""
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
            result *= w[0, 1]  # here and below in place: these are the largest arrays of all
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


def structure(encoding: Encoding) -> Structure:
    """Every constraint of an encoding, in its order."""
    recording = encoding.recording
    owners = np.array(recording.owners)
    if len(owners) > MOST_VECTORS:
        raise InvalidInput(
            "basis of the worst case",
            f"have at most {MOST_VECTORS} vectors (fewer rounds, steps or classes)",
            f"{len(owners)} vectors",
        )
    points = [np.array([r.point for r in records], float) for records in recording.records]
    slopes = [np.array([r.gradient for r in records], float) for records in recording.records]
    moved, units, whole = _basis(encoding, owners, slopes)
    wide = len(owners)
    lefts, rights, squares, factors, own = [], [], [], [], []
    names: dict[Any, int] = {}
    coefficients: list[Any] = []
    first: list[Any] = []
    form = encoding.functions.form().astype(float)
    count = 0
    for which, (x, g) in enumerate(zip(points, slopes, strict=True)):
        tilted = g - g[0] if recording.has_optimum else g
        i, j = np.array(encoding.pairs(which), dtype=int).reshape(-1, 2).T
        step, change = x[i] - x[j], tilted[i] - tilted[j]
        lefts.append(tilted[j] + form[0, 0] * step + 2 * form[0, 2] * change)
        rights.append(step)
        squares.append(change)
        factors.append(np.full(len(i), form[2, 2]))
        own.append(np.arange(count, count + len(i)))
        first.append((i == 0) | (j == 0) | (abs(i - j) == 1))
        for sign, chosen in ((1.0, j), (-1.0, i)):
            numbers = np.array([names.setdefault((which, r), len(names)) for r in range(len(x))])
            counted = (chosen > 0) | (not (recording.has_optimum or which > 0))
            coefficients.append(
                (
                    np.arange(count, count + len(i))[counted],
                    numbers[chosen[counted]],
                    np.full(counted.sum(), sign),
                )
            )
        count += len(i)
    others = list(encoding.other_constraints())
    for k, constraint in enumerate(others, start=count):
        for one, two, factor, row in [
            _piece(encoding, term, owners) for term in constraint.terms
        ] or [_nothing(wide)]:
            lefts.append(one[None])
            rights.append(two[None])
            squares.append(row[None])
            factors.append(np.array([factor]))
            own.append(np.array([k]))
        told = constraint.values.items()
        coefficients.append(
            (
                np.full(len(told), k),
                [names.setdefault(name, len(names)) for name, _ in told],
                [float(x) for _, x in told],
            )
        )
    first.append(np.ones(len(others), bool))
    bounds = np.concatenate([np.zeros(count), [float(constraint.bound) for constraint in others]])
    rows = [np.concatenate(parts) @ moved * units for parts in (lefts, rights, squares)]
    terms, told_values = encoding.objective()
    pieces = [
        (factor, row @ moved * units)
        for _, _, factor, row in (_piece(encoding, term, owners) for term in terms)
    ]
    free = np.concatenate(
        [np.zeros(count, bool), [constraint.equal for constraint in others]]
    ).astype(bool)
    kept = np.flatnonzero(
        sum(abs(part).sum(axis=0) for part in rows) + sum(abs(row) for _, row in pieces) > GONE
    )
    values = np.zeros((len(bounds), len(names)))
    for at, numbers, data in coefficients:
        np.add.at(values, (at, numbers), data)
    wanted = np.zeros(len(names))
    for name, weight in told_values.items():
        wanted[names[name]] = float(weight)
    used: Any = abs(values).any(axis=0)
    blocks = [kept[owners[kept] == block] for block in sorted(set(owners[kept]))]
    return _scaled(
        rows,
        np.concatenate(factors),
        np.concatenate(own),
        values[:, used] * whole,
        bounds,
        pieces,
        wanted[used] * whole,
        np.concatenate(first),
        blocks,
        whole,
        free,
        moved * units,
        [name for name, at in names.items() if used[at]],
    )


def _basis(encoding: Encoding, owners: Any, slopes: list[Any]) -> tuple[Any, Any, float]:
    """The change of basis to gradients without the slopes at the optimum, a length for each vector,
    and a unit of loss."""
    known, smoothness = encoding.conditions, float(encoding.functions.smoothness)
    squared = (
        float(known.distance_squared or 0) or 2 * float(known.loss_gap or 0) / smoothness or 1.0
    )
    moved, units = np.eye(len(owners)), np.full(len(owners), smoothness * np.sqrt(squared))
    if encoding.recording.has_optimum:
        units[0] = np.sqrt(squared)
        for rows in slopes:
            units[np.flatnonzero(rows[0])] = np.sqrt(float(known.heterogeneity or 0)) or units[-1]
        for rows in slopes:
            for k in {int(k) for row in rows[1:] for k in np.flatnonzero(row)}:
                moved[k] += np.where(owners == owners[k], rows[0], 0.0)
    return moved, units, smoothness * squared


def _nothing(wide: int) -> tuple[Any, Any, float, Any]:
    return np.zeros(wide), np.zeros(wide), 0.0, np.zeros(wide)


def _piece(encoding: Encoding, term: Term, owners: Any) -> tuple[Any, Any, float, Any]:
    """A term as <left, X right> + factor <row, X row>: a multiple of a square, or a product of two
    vectors."""
    matrix = term.matrix.astype(float)
    left, right, _, row = _nothing(len(owners))
    if not matrix.any():  # such as how far a single client is from the mean
        return left, right, 0.0, row
    here = owners == term.block
    vectors = encoding.vectors(term.block)[list(term.places)].astype(float)
    k = int(np.argmax(abs(np.diag(matrix))))
    if matrix[k, k] == 0:
        left[here], right[here] = 2 * matrix[0, 1] * vectors[0], vectors[1]
        return left, right, 0.0, row
    row[here] = (matrix[k] / matrix[k, k]) @ vectors
    return left, right, float(matrix[k, k]), row


def _scaled(
    rows: list[Any],
    factors: Any,
    owner: Any,
    values: Any,
    bounds: Any,
    pieces: list[Any],
    wanted: Any,
    first: Any,
    blocks: list[Any],
    unit: float,
    free: Any,
    back: Any,
    names: list[Any],
) -> Structure:
    """Constraints divided by their size, the metric by the unit of loss."""
    left, right, square = rows
    sizes = (
        np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        + abs(factors) * np.linalg.norm(square, axis=1) ** 2
    )
    scales = np.maximum(
        np.bincount(owner, sizes, len(bounds)), abs(values).max(axis=1, initial=0.0)
    )
    scales[scales == 0] = 1.0
    each = scales[owner]
    parts, objective = [], []
    for columns in blocks:
        one, two, three = (part[:, columns] for part in rows)
        here = np.flatnonzero((abs(one) + abs(two) + abs(three)).max(axis=1) > GONE)
        parts.append(
            Part(
                here,
                one[here] / each[here][:, None],
                two[here],
                three[here],
                factors[here] / each[here],
            )
        )
        objective.append(
            sum(
                (factor / unit * np.outer(row[columns], row[columns]) for factor, row in pieces),
                np.zeros((len(columns), len(columns))),
            )
        )
    return Structure(
        tuple(parts),
        owner,
        values / scales[:, None],
        bounds / scales,
        tuple(objective),
        wanted / unit,
        first,
        scales,
        unit,
        free,
        tuple(back[:, columns] for columns in blocks),
        tuple(names),
    )
