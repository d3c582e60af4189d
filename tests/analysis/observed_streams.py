"""Streams of observations with known means, for the tests of confidence sequences."""

from fractions import Fraction as F
from functools import cache

import numpy as np

from fltheory.analysis.confidence.observations import Bounded, BoundedVariance, SubGaussian
from fltheory.core.randomness import Purpose, normals, uniforms

REPLICATIONS, TIMES = 2000, 500
ERROR = F(1, 20)
UNIT = Bounded(0, 1)


def numbers(draw, index: int, *, replications: int = REPLICATIONS, times: int = TIMES):
    return draw(11, Purpose.SEARCH, np.arange(times), np.arange(replications)[:, None], index)


def coin(chance: float, **size):
    return (numbers(uniforms, 0, **size) < chance).astype(float)


def adaptive(**size):
    """Mean 1/2 given the past, but spread wide after gains and narrow after losses."""
    signs = 2 * coin(0.5, **size) - 1
    path, total = np.empty_like(signs), np.zeros(len(signs))
    for t in range(signs.shape[1]):
        path[:, t] = 0.5 + signs[:, t] * np.where(total >= 0, 0.5, 0.1)
        total += path[:, t] - 0.5
    return path


IN_UNIT = {
    "fair coin": (lambda **size: coin(0.5, **size), 0.5),
    "rare coin": (lambda **size: coin(1 / 20, **size), 1 / 20),
    "frequent coin": (lambda **size: coin(19 / 20, **size), 19 / 20),
    "uniform": (lambda **size: numbers(uniforms, 1, **size), 0.5),
    "skewed": (lambda **size: numbers(uniforms, 2, **size) ** 4, 1 / 5),
    "constant": (lambda **size: 0 * coin(0.5, **size) + 0.3, 0.3),
    "adaptive": (adaptive, 0.5),
}
WITHOUT_ENDS = {
    "normal": (lambda **size: 3 + numbers(normals, 3, **size), 3.0, SubGaussian(1)),
    "signs": (lambda **size: 2 * coin(0.5, **size) - 1, 0.0, SubGaussian(1)),
    "normal, variance known": (
        lambda **size: 3 + numbers(normals, 3, **size),
        3.0,
        BoundedVariance(1),
    ),
    "exponential": (
        lambda **size: -np.log1p(-numbers(uniforms, 4, **size)),
        1.0,
        BoundedVariance(1),
    ),
    "heavy tail": (
        lambda **size: (1 - numbers(uniforms, 5, **size)) ** -0.4,
        5 / 3,
        BoundedVariance(F(20, 9)),
    ),  # P(x > y) = y^-2.5
    "two far apart": (
        lambda **size: 10 * coin(1 / 101, **size),
        10 / 101,
        BoundedVariance(F(10000, 10201)),
    ),
}


@cache
def data(name: str):
    return (IN_UNIT | WITHOUT_ENDS)[name][0]()
