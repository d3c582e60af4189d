"""Weights that give every client its influence, with a cap on extreme ones and what it costs."""

import numpy as np

from fltheory.core.types import FloatArray

MOST_TIMES = 20.0
"""Largest factor on a client's importance, as a multiple of the smallest one: a client that comes
more than so many times as rarely as the most frequent one gets less influence than it should,
because a single arrival would shake the model."""


def capped(wanted: FloatArray, shares: FloatArray) -> FloatArray:
    """Importance over share, at most MOST_TIMES times that of the most frequent client with the
    same importance; 0 for a client that never came.

    >>> capped(np.array([0.5, 0.5]), np.array([0.5, 0.01])).tolist()
    [1.0, 20.0]
    """
    most = max(float(shares.max()), 1e-300)
    return np.where(shares > 0, wanted / np.maximum(shares, most / MOST_TIMES), 0.0)


def misplaced(wanted: FloatArray, influence: FloatArray) -> float:
    """Part of the influence that sits with the wrong clients: half the sum of |q_i - p_i|, for
    influences scaled to sum to 1.

    >>> misplaced(np.array([0.5, 0.5]), np.array([3.0, 1.0]))
    0.25
    """
    return float(np.abs(influence / max(influence.sum(), 1e-300) - wanted).sum() / 2)
