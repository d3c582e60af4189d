"""Explicit members of a class: separable quadratic clients along the recorded run, exact or in
floating point.

A class of several clients is shown by two of them, the mean plus and minus the deviation: only
shares matter (see `Compact`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding

MEANS = 0


@dataclass(frozen=True)
class Instance:
    """`basis[k]` are the coordinates of basis vector k, `losses[c, r]` the class's loss at record r
    in each coordinate, from its zero."""

    basis: Any
    losses: dict[tuple[int, ...], Any]

    def rows(self, encoding: Encoding, block: int) -> Any:
        """The vectors of a block, one row of coordinates each."""
        return encoding.vectors(block) @ self.basis[np.array(encoding.recording.owners) == block]


def quadratics(
    encoding: Encoding,
    curvatures: Any,
    optima: Any,
    start: Any,
    given: Mapping[int, Any] | None = None,
) -> Instance:
    """f_i(x) = sum_j h_ij / 2 (x_j - c_ij)^2 for the one or two members of each class: arrays of
    shape (class, member, coordinate).

    The coordinates do not see each other, so that one call also serves many one-dimensional
    instances at once. `given` are basis vectors known beforehand, such as noise: each draw in a
    coordinate of its own makes inner products expectations.
    """
    recording = encoding.recording
    owners, exact = np.array(recording.owners), curvatures.dtype == object
    zero: Any = Fraction(0) if exact else 0.0
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
    losses: dict[tuple[int, ...], Any] = {}
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
    return Instance(basis, _from_zero(encoding, losses, lowest))


def _in_order(encoding: Encoding, known: Any) -> Iterator[tuple[int, int]]:
    """Records in an order in which each needs one new vector per block at most; `known` grows
    meanwhile."""
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


def _from_zero(
    encoding: Encoding, losses: dict[tuple[int, ...], Any], lowest: Any
) -> dict[tuple[int, ...], Any]:
    """Losses counted as the encoding counts values: from the optimum, or such that f* = 0 and all
    classes but the first start at 0."""
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
