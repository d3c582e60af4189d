"""Local slopes of a quantity on a doubly logarithmic scale, and whether they have settled."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray

TOLERANCE = 0.02
"""Largest change of a slope that counts as settled, and the tolerance of a measured exponent."""

NEGLIGIBLE = TOLERANCE / 10
"""Changes of a slope below this count as zero: the limits as rounds grow are no more accurate."""

MIN_SLOPES = 3
"""Number of slopes needed to see how their changes change."""

NOT_YET = "not yet asymptotic"


@dataclass(frozen=True)
class Trend:
    """Successive slopes and their extrapolated limit; `settled` says whether it is reliable."""

    slopes: tuple[float, ...]
    limit: float
    settled: bool


def trend(slopes: Iterable[float]) -> Trend:
    """Rule 3 of `fltheory.analysis.rates`: extrapolate the last two changes geometrically.

    limit = last + change^2 / (change before - change).

    >>> trend([-0.9, -0.97, -0.991])
    Trend(slopes=(-0.9, -0.97, -0.991), limit=-1.0, settled=False)
    >>> trend([-0.97, -0.991, -0.9973])
    Trend(slopes=(-0.97, -0.991, -0.9973), limit=-1.0, settled=True)
    >>> trend([-0.5, -0.6, -0.7]).settled
    False
    """
    found = tuple(float(slope) for slope in slopes)
    if len(found) < MIN_SLOPES:
        return Trend(found, found[-1] if found else float("nan"), False)
    before, change = found[-2] - found[-3], found[-1] - found[-2]
    if abs(change) <= NEGLIGIBLE:
        return Trend(found, found[-1], abs(before) <= TOLERANCE)
    if abs(change) >= abs(before):
        return Trend(found, found[-1], False)
    rest = change * change / (before - change)
    return Trend(
        found, round(found[-1] + rest, 9), abs(change) <= TOLERANCE and abs(rest) <= TOLERANCE
    )


def local_slopes(values: Sequence[float], quantities: Sequence[float]) -> FloatArray:
    """log(quantity) over log(value) between neighbours; every quantity must be positive.

    >>> local_slopes([1, 2, 4], [1.0, 0.5, 0.25]).tolist()
    [-1.0, -1.0]
    """
    y = np.asarray(quantities, float)
    if not (np.isfinite(y).all() and (y > 0).all()):
        worst = int(np.flatnonzero(~(np.isfinite(y) & (y > 0)))[0])
        raise InvalidInput(
            f"quantity at {values[worst]:g}", "be a positive number, for a rate", y[worst]
        )
    return np.diff(np.log(y)) / np.diff(np.log(np.asarray(values, float)))
