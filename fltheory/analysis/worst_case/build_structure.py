"""From an encoding to the data of the interior-point method.

If there is an optimum, functions are taken without their slope there: f_i(x) - <grad f_i(x*), x -
x*> is in the same class, and the slopes cancel in the global loss. In this basis, slopes that do
not influence the run disappear, so that the multipliers have an interior.
"""

from typing import NamedTuple

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding, Term, ValueName
from fltheory.analysis.worst_case.structure import Part, Structure
from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, FloatArray, IntArray

MAX_VECTORS = 300
"""Largest basis that is tried: the number of pairs of points, and so the time, grows quickly."""

NEGLIGIBLE = 1e-12
"""Coefficients below this are rounding errors."""


class Piece(NamedTuple):
    """<left, X right> + factor <square, X square>, with rows over the whole basis."""

    left: FloatArray
    right: FloatArray
    factor: float
    square: FloatArray


def structure(encoding: Encoding) -> Structure:
    """Every constraint of an encoding, in its order, scaled to the units of the problem."""
    recording = encoding.recording
    owners = np.array(recording.owners)
    if len(owners) > MAX_VECTORS:
        raise InvalidInput(
            "basis of the worst case",
            f"have at most {MAX_VECTORS} vectors (fewer rounds, steps or classes)",
            f"{len(owners)} vectors",
        )
    points = [np.array([r.point for r in records], float) for records in recording.records]
    slopes = [np.array([r.gradient for r in records], float) for records in recording.records]
    moved, units, whole = _basis(encoding, owners, slopes)
    wide = len(owners)
    lefts, rights, squares, factors, own = [], [], [], [], []
    names: dict[ValueName, int] = {}
    coefficients: list[tuple[IntArray, IntArray, FloatArray]] = []
    first: list[BoolArray] = []
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
                np.array([names.setdefault(name, len(names)) for name, _ in told], int),
                np.array([float(x) for _, x in told]),
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
        sum(abs(part).sum(axis=0) for part in rows) + sum(abs(row) for _, row in pieces)
        > NEGLIGIBLE
    )
    values = np.zeros((len(bounds), len(names)))
    for at, numbers, data in coefficients:
        np.add.at(values, (at, numbers), data)
    wanted = np.zeros(len(names))
    for name, weight in told_values.items():
        wanted[names[name]] = float(weight)
    used: BoolArray = np.any(values != 0, axis=0)
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


def _basis(
    encoding: Encoding, owners: IntArray, slopes: list[FloatArray]
) -> tuple[FloatArray, FloatArray, float]:
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


def _nothing(wide: int) -> Piece:
    return Piece(np.zeros(wide), np.zeros(wide), 0.0, np.zeros(wide))


def _piece(encoding: Encoding, term: Term, owners: IntArray) -> Piece:
    """A term as a piece: a multiple of a square, or a product of two vectors."""
    matrix = term.matrix.astype(float)
    left, right, _, row = _nothing(len(owners))
    if not matrix.any():  # for example the distance of a single client from the mean
        return Piece(left, right, 0.0, row)
    here = owners == term.block
    vectors = encoding.vectors(term.block)[list(term.places)].astype(float)
    k = int(np.argmax(abs(np.diag(matrix))))
    if matrix[k, k] == 0:
        left[here], right[here] = 2 * matrix[0, 1] * vectors[0], vectors[1]
        return Piece(left, right, 0.0, row)
    row[here] = (matrix[k] / matrix[k, k]) @ vectors
    return Piece(left, right, float(matrix[k, k]), row)


def _scaled(
    rows: list[FloatArray],
    factors: FloatArray,
    owner: IntArray,
    values: FloatArray,
    bounds: FloatArray,
    pieces: list[tuple[float, FloatArray]],
    wanted: FloatArray,
    first: BoolArray,
    blocks: list[IntArray],
    unit: float,
    free: BoolArray,
    back: FloatArray,
    names: list[ValueName],
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
        here = np.flatnonzero((abs(one) + abs(two) + abs(three)).max(axis=1) > NEGLIGIBLE)
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
