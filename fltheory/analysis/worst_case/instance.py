"""Explicit members of a class of functions: separable quadratic clients along the recorded run,
exact or in floating point.

Two clients represent a class of several, with the mean plus and minus the deviation, because only
shares matter (see `Compact`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding, ValueName
from fltheory.core.types import Array, BoolArray

Losses = dict[ValueName, Array]
"""Losses by (class, record), one number per coordinate."""

MEANS = 0
"""The block of the class means."""


@dataclass(frozen=True)
class QuadraticInstance:
    """`basis[k]` holds the coordinates of basis vector k, and `losses[c, r]` the loss of class c at
    record r in each coordinate, measured as the encoding measures values."""

    basis: Array
    losses: Losses

    def rows(self, encoding: Encoding, block: int) -> Array:
        """The vectors of a block, one row of coordinates each."""
        return encoding.vectors(block) @ self.basis[np.array(encoding.recording.owners) == block]


def quadratics(
    encoding: Encoding,
    curvatures: Array,
    optima: Array,
    start: Array,
    given: Mapping[int, Array] | None = None,
) -> QuadraticInstance:
    """The instance f_i(x) = sum_j h_ij / 2 (x_j - c_ij)^2; curvatures and optima have the shape
    (class, member, coordinate), with one or two members per class.

    The coordinates are independent, so one call can also compute many one-dimensional instances.
    `given` holds basis vectors that are known in advance, such as noise: if each draw has its own
    coordinate, inner products are expectations.
    """
    recording = encoding.recording
    owners, exact = np.array(recording.owners), curvatures.dtype == object
    zero = np.array(Fraction(0) if exact else 0.0)
    basis = np.full((len(owners), curvatures.shape[-1]), zero)
    shares = np.array(recording.shares if exact else [float(s) for s in recording.shares])[:, None]
    sizes = np.array([[2 if c in recording.blocks else 1] for c in range(len(shares))])
    here = np.array([[[True], [c in recording.blocks]] for c in range(len(shares))])
    curved = np.where(here, curvatures, zero)
    total = (shares * curved.sum(axis=1) / sizes).sum(axis=0)
    origin = (
        (shares * (curved * optima).sum(axis=1) / sizes).sum(axis=0) / total
        if recording.has_optimum
        else start
    )
    known = np.zeros(len(owners), bool)
    if recording.has_optimum:
        basis[0], known[0] = start - origin, True
    for given_vector, row in (given or {}).items():
        basis[given_vector], known[given_vector] = row, True
    losses: Losses = {}
    for c, r in _in_order(encoding, known):
        point, gradient = (
            np.array(row) if exact else np.array(row, float) for row in recording.records[c][r]
        )
        means, spread = (
            np.where(part, point, zero) @ basis for part in (owners == MEANS, owners != MEANS)
        )
        sides = (1, -1) if c in recording.blocks else (1,)
        found = [
            curvatures[c, m] * (means + side * spread + origin - optima[c, m])
            for m, side in enumerate(sides)
        ]
        losses[c, r] = sum(
            curvatures[c, m] * (means + side * spread + origin - optima[c, m]) ** 2
            for m, side in enumerate(sides)
        )
        losses[c, r] = losses[c, r] / (2 * len(sides))
        mean = sum(found) / len(sides)
        for k in np.flatnonzero(gradient):
            if not known[k]:
                known[k] = True
                rest = np.where(owners == owners[k], gradient, zero) @ basis
                basis[k] = ((mean if owners[k] == MEANS else found[0] - mean) - rest) / gradient[k]
    lowest = (shares * (curved * (origin - optima) ** 2).sum(axis=1) / sizes).sum(axis=0) / 2
    if not recording.has_optimum:
        middle = (shares * (curved * optima).sum(axis=1) / sizes).sum(axis=0) / total
        lowest = (shares * (curved * (middle - optima) ** 2).sum(axis=1) / sizes).sum(axis=0) / 2
    return QuadraticInstance(basis, _from_zero(encoding, losses, lowest))


def _in_order(encoding: Encoding, known: BoolArray) -> Iterator[tuple[int, int]]:
    """Records in an order in which each needs at most one new vector per block; the caller updates
    `known` meanwhile."""
    recording = encoding.recording
    owners = np.array(recording.owners)
    pending = [(c, r) for c, records in enumerate(recording.records) for r in range(len(records))]
    while pending:
        for c, r in pending:
            point, gradient = (np.array(row).astype(bool) for row in recording.records[c][r])
            if known[point].all() and (~known & gradient & (owners == MEANS)).sum() <= 1:
                pending.remove((c, r))
                yield c, r
                break


def _from_zero(encoding: Encoding, losses: Losses, lowest: Array) -> Losses:
    """Losses measured as the encoding measures values: from the optimum, or such that f* = 0 and
    all classes but the first start at 0."""
    recording = encoding.recording
    base = [losses[c, 0] for c in range(len(recording.records))]
    if not recording.has_optimum:
        shares = (
            recording.shares if lowest.dtype == object else [float(s) for s in recording.shares]
        )
        base[0] = (
            lowest - sum((s * b for s, b in zip(shares[1:], base[1:], strict=True)), 0 * lowest)
        ) / shares[0]
    return {(c, r): loss - base[c] for (c, r), loss in losses.items()}
