"""Numbers from curves of expected gaps: when a target is met, and how much longer others take."""

import math

import numpy as np

from fltheory.core.types import FloatArray, IntArray

POINTS = 80
"""Points of a curve."""
MOST_REGRET = 100.0
"""Largest factor on the least time that counts; one for a target that is never reached."""


def settled(gaps: FloatArray, target: float) -> float:
    """The round from which on the gap stays at or below the target; infinite if that is in the last
    quarter.

    >>> settled(np.array([1.0, 0.5, 0.1, 0.1, 0.1]), 0.2), settled(np.array([1.0, 0.1, 0.5]), 0.2)
    (2.0, inf)
    """
    above = np.flatnonzero(gaps > target)
    found = int(above[-1]) + 1 if len(above) else 0
    return float(found) if found <= 3 * (len(gaps) - 1) // 4 else math.inf


def over_least(costs: FloatArray) -> FloatArray:
    """Costs over the least of their row, at most MOST_REGRET; 1 where nothing reaches the target.

    >>> over_least(np.array([[10.0, 20.0], [np.inf, np.inf], [1.0, np.inf]])).tolist()
    [[1.0, 2.0], [1.0, 1.0], [1.0, 100.0]]
    """
    least = costs.min(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        ratio = np.maximum(costs, 1e-9) / np.maximum(least, 1e-9)
    return np.where(np.isfinite(least), np.minimum(ratio, MOST_REGRET), 1.0)


def curve_points(rounds: int) -> IntArray:
    """Rounds at which a curve is drawn, dense at the beginning.

    >>> curve_points(6).tolist()
    [0, 1, 2, 3, 4, 5, 6]
    """
    at: IntArray = np.unique(np.geomspace(1, rounds + 1, POINTS).round().astype(np.int64) - 1)
    return at
