"""From an encoding to the data of the interior-point method.

If there is an optimum, functions are taken without their slope there: f_i(x) - <grad f_i(x*), x -
x*> is in the same class, and the slopes cancel in the global loss. In this basis, slopes that do
not influence the run disappear, so that the multipliers have an interior.
"""

import numpy as np

from fltheory.analysis.worst_case.all_constraints import (
    NEGLIGIBLE,
    AllConstraints,
    Others,
    Piece,
    Records,
)
from fltheory.analysis.worst_case.encoding import Encoding, Term, ValueName
from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray, IntArray

MAX_VECTORS = 300
"""Largest basis that is tried: the number of pairs of points, and so the time, grows quickly."""


def structure(encoding: Encoding) -> AllConstraints:
    """Every constraint of an encoding, in its order."""
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
    back = moved * units
    names: dict[ValueName, int] = {}
    held, first = [], []
    for which, (x, g) in enumerate(zip(points, slopes, strict=True)):
        tilted = g - g[0] if recording.has_optimum else g
        at_zero = recording.has_optimum or which > 0
        fixed = (np.arange(len(x)) == 0) & at_zero | (len(x) == 1)  # one record is in no pair
        numbers = np.array(
            [-1 if fixed[r] else names.setdefault((which, r), len(names)) for r in range(len(x))]
        )
        held.append(Records(x @ back, tilted @ back, numbers))
        i, j = np.array(encoding.pairs(which), dtype=int).reshape(-1, 2).T
        first.append((i == 0) | (j == 0) | (abs(i - j) == 1))
    given = list(encoding.other_constraints())
    pieces, owner, told = [], [], []
    for k, constraint in enumerate(given):
        made = [_piece(encoding, term, owners) for term in constraint.terms]
        for one, two, factor, row in made or [_nothing(len(owners))]:
            pieces.append(Piece(one @ back, two @ back, factor, row @ back))
            owner.append(k)
        for name, share in constraint.values.items():
            told.append((k, names.setdefault(name, len(names)), float(share)))
    values = np.zeros((len(given), len(names)))
    for k, number, coefficient in told:
        values[k, number] += coefficient
    terms, told_values = encoding.objective()
    wanted = np.zeros(len(names))
    for name, weight in told_values.items():
        if name in names:  # otherwise no constraint has it
            wanted[names[name]] = float(weight)
    objective = []
    for term in terms:
        _, _, factor, row = _piece(encoding, term, owners)
        objective.append((factor, row @ back))
    kept = _kept(held, pieces, [row for _, row in objective])
    free = np.array([constraint.equal for constraint in given], dtype=bool)
    return AllConstraints(
        tuple(held),
        Others(
            pieces,
            np.array(owner, dtype=int),
            values,
            np.array([float(constraint.bound) for constraint in given]),
            free,
        ),
        encoding.functions.form().astype(float),
        tuple(kept[owners[kept] == block] for block in sorted(set(owners[kept]))),
        tuple(objective),
        wanted * whole,
        np.concatenate([*first, np.ones(len(given), bool)]),
        whole,
        back,
        tuple(names),
    )


def _kept(held: list[Records], pieces: list[Piece], rows: list[FloatArray]) -> IntArray:
    """The basis vectors that some constraint or the metric involves."""
    total = sum((abs(row) for row in rows), np.zeros(held[0].points.shape[1]))
    for one, two, _, row in pieces:
        total += abs(one) + abs(two) + abs(row)
    for points, slopes, _ in held:
        if len(points) > 1:  # differences of all pairs are sums of differences of neighbours
            total += abs(np.diff(points, axis=0)).sum(axis=0) + abs(slopes).sum(axis=0)
    return np.flatnonzero(total > NEGLIGIBLE)


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
