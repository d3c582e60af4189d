"""Confidence sequences by betting: bet against each candidate mean, and exclude a candidate once
the capital that bets against it is large.

A bet on a larger mean wins more against a smaller candidate, and vice versa. So everything up to
the largest beaten candidate is excluded from below, and the grid of candidates causes no error: the
ends of the interval are beaten candidates, on the safe side of the mean. Each of the two capitals
gets half of the error probability.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import inf, log, nextafter
from typing import NamedTuple

import numpy as np

from fltheory.analysis.confidence.anytime import ConfidenceSequence, NormalMixture
from fltheory.analysis.confidence.observations import (
    ERROR,
    Bounded,
    BoundedVariance,
    Law,
    Observations,
    SubGaussian,
    observed,
    plug_in_bets,
    predictable,
    probability,
    rounded_up,
)
from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike, FloatArray

STAKE = 0.75
"""Largest share of the capital that a bet may lose."""

RUIN = -2048.0
"""Bets stop once the capital is below exp(RUIN), so that the rounding error of its logarithm stays
below ROUNDING per observation."""

ROUNDING = 2.0**-40
"""Added to the required log capital for each observation: half a unit of 2048 and the rounding of a
few operations on one term."""

BLOCK_NUMBERS = 1 << 19
"""Numbers in one block of (replications, times, candidates)."""

EVEN_CANDIDATES = 255
"""How many candidates are evenly spaced over the range."""

NEAR_HALVINGS = 20
"""How often the distance to a value of interest is halved for further candidates."""


class Capital(NamedTuple):
    """Sums of the observations, and for each candidate the logarithms of the capitals that bet on a
    larger and on a smaller mean."""

    seen: int
    total: FloatArray
    squares: FloatArray
    larger: FloatArray
    smaller: FloatArray
    lower: FloatArray
    upper: FloatArray


@frozen
class Betting:
    """Two-sided sequence for bounded observations: candidate m is beaten when prod (1 + b_i (x_i -
    m)) >= 2/error, or the same for 1 - x.

    Each bet depends on the past only and keeps 1 + b (x - m) at least 1/4, so for m = mean the
    capital is a non-negative martingale (Waudby-Smith and Ramdas, Estimating means of bounded
    random variables by betting, Theorem 3, with predictable plug-in bets).

    >>> sequence = Betting(Bounded(0, 1), error="1/20")
    >>> found = sequence.update(sequence.start(), [0.5, 0.6] * 500)
    >>> float(found.lower), float(found.upper)
    (0.54296875, 0.55859375)
    """

    law: Bounded
    error: Checked[ExactLike, Fraction] = default(ERROR)
    candidates: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", probability(self.error))
        low, high = self.law.ends
        chosen = self.candidates or tuple(
            low + (high - low) * k / (EVEN_CANDIDATES + 1) for k in range(1, EVEN_CANDIDATES + 1)
        )
        inside = (self.law.unit(np.array(chosen)) > 0) & (self.law.unit(np.array(chosen)) < 1)
        object.__setattr__(self, "candidates", _sorted(np.array(chosen)[inside].tolist()))

    def start(self, shape: tuple[int, ...] = ()) -> Capital:
        return _nothing(shape, len(self.candidates), *self.law.ends)

    def update(self, state: Capital, batch: Observations) -> Capital:
        values = self.law.unit(observed(batch, state.total.shape, self.law))
        means = self.law.unit(np.array(self.candidates))
        most_up, most_down = STAKE / means, STAKE / (1 - means)

        def gains(before: Capital, part: FloatArray) -> tuple[FloatArray, ...]:
            past = predictable(before.seen, before.total, before.squares, part)
            bets = plug_in_bets(past.variances, past.counts, self.error)[..., None]
            away = part[..., None] - means
            return (
                np.log1p(np.minimum(bets, most_up) * away),
                np.log1p(-np.minimum(bets, most_down) * away),
                past.total,
                past.squares,
            )

        return _grown(state, values, gains, np.array(self.candidates), self.error)


@frozen
class Catoni:
    """Two-sided sequence when only the variance is bounded: m is beaten when sum p(b_i (x_i - m)) -
    b_i^2 variance/2 >= log(2/error).

    p(y) = log(1 + y + y^2/2) for y >= 0 and -p(-y) below limits the influence of heavy tails.
    E exp(p(b (x - mean))) <= 1 + b^2 variance/2, so the expected product never grows for m = mean
    (Wang and Ramdas, Catoni-style confidence sequences for heavy-tailed mean estimation).

    >>> sequence = Catoni(BoundedVariance(1), candidates=(-0.5, -0.1, 0.1, 0.5), error="1/20")
    >>> found = sequence.update(sequence.start(), [1, -1] * 500)
    >>> float(found.lower), float(found.upper)
    (-0.1, 0.1)
    """

    law: BoundedVariance
    candidates: tuple[float, ...]
    error: Checked[ExactLike, Fraction] = default(ERROR)

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", probability(self.error))
        object.__setattr__(self, "candidates", _sorted(self.candidates))

    def start(self, shape: tuple[int, ...] = ()) -> Capital:
        return _nothing(shape, len(self.candidates), -inf, inf)

    def update(self, state: Capital, batch: Observations) -> Capital:
        values, means = observed(batch, state.total.shape, self.law), np.array(self.candidates)
        variance = rounded_up(self.law.variance)

        def gains(before: Capital, part: FloatArray) -> tuple[FloatArray, ...]:
            bets = plug_in_bets(variance, before.seen + 1 + np.arange(part.shape[-1]), self.error)[
                :, None
            ]
            toward, cost = influence(bets * (part[..., None] - means)), bets**2 * variance / 2
            return toward - cost, -toward - cost, before.total, before.squares

        return _grown(state, values, gains, means, self.error)


def influence(values: FloatArray) -> FloatArray:
    """p(y) = sign(y) log(1 + |y| + y^2/2), Catoni's influence function.

    >>> (influence(np.array([0.0, 2.0])) == -influence(np.array([0.0, -2.0]))).tolist()
    [True, True]
    """
    size = np.abs(values)
    return np.copysign(np.log1p(size * (1 + size / 2)), values)


def confidence_sequence(
    law: Law, *, error: ExactLike = ERROR, near: ExactLike | None = None
) -> ConfidenceSequence:
    """The sequence for a law; candidates are dense `near` a value to be compared with the mean.

    >>> confidence_sequence(SubGaussian(2))
    NormalMixture(law=SubGaussian(scale=Fraction(2, 1)), error=Fraction(1, 1000000), tuned_for=1000)
    """
    if isinstance(law, SubGaussian):
        return NormalMixture(law, error)
    if isinstance(law, Bounded):
        plain = Betting(law, error)
        low, high = law.ends
        return (
            plain
            if near is None
            else Betting(law, error, (*plain.candidates, *_around(exact(near), high - low)))
        )
    if isinstance(law, BoundedVariance):
        return Catoni(law, _around(exact(near or 0), 1024 * rounded_up(law.variance) ** 0.5), error)
    raise InvalidInput("law of the observations", "bound their mean from both sides", law)


def _around(centre: Fraction, width: float) -> tuple[float, ...]:
    """A value, its float neighbours, and points at distances that shrink by a factor sqrt(2)."""
    middle = float(centre)
    steps = [width * 2 ** (-k / 2) for k in range(2 * NEAR_HALVINGS)]
    return (
        nextafter(middle, -inf),
        middle,
        nextafter(middle, inf),
        *(middle - s for s in steps),
        *(middle + s for s in steps),
    )


def _sorted(candidates: Iterable[float]) -> tuple[float, ...]:
    chosen = sorted({float(c) for c in candidates})
    if not chosen or not np.isfinite(chosen).all():
        raise InvalidInput(
            "candidates for the mean",
            "be finite numbers within the range of the observations",
            chosen or "none",
        )
    return tuple(chosen)


def _nothing(shape: tuple[int, ...], candidates: int, lower: float, upper: float) -> Capital:
    none, even = np.zeros(shape), np.zeros((*shape, candidates))
    return Capital(0, none, none, even, even, np.full(shape, lower), np.full(shape, upper))


def _grown(
    state: Capital,
    values: FloatArray,
    gains: Callable[[Capital, FloatArray], tuple[FloatArray, ...]],
    candidates: FloatArray,
    error: Fraction,
) -> Capital:
    """The capitals after further observations, block by block, and the remaining interval."""
    length = max(1, BLOCK_NUMBERS // max(1, state.larger.size))
    for first in range(0, values.shape[-1], length):
        part = values[..., first : first + length]
        larger, smaller, total, squares = gains(state, part)
        needed = log(2 / error) + ROUNDING * (state.seen + 1 + np.arange(part.shape[-1]))[:, None]
        larger, smaller = _capitals(state.larger, larger), _capitals(state.smaller, smaller)
        lower = np.where((larger >= needed).any(axis=-2), candidates, -inf).max(axis=-1)
        upper = np.where((smaller >= needed).any(axis=-2), candidates, inf).min(axis=-1)
        state = Capital(
            state.seen + part.shape[-1],
            total,
            squares,
            larger[..., -1, :],
            smaller[..., -1, :],
            np.maximum(state.lower, lower),
            np.minimum(state.upper, upper),
        )
    return state


def _capitals(start: FloatArray, gains: FloatArray) -> FloatArray:
    """Partial sums along the times from `start` on; a capital that fell below exp(RUIN) stays 0."""
    gains[..., 0, :] += start
    path = np.cumsum(gains, axis=-2)
    if path.min(initial=0) < RUIN:
        path[np.minimum.accumulate(path, axis=-2) < RUIN] = -inf
    return path
