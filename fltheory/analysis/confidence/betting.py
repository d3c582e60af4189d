"""Confidence sequences by betting: one bets against each candidate mean, and those against which
one grew rich are excluded.

Bets that the mean is larger can only win more against a smaller candidate, and the other way round;
so what is excluded from below is everything up to the largest candidate beaten, and no grid error
arises: ends are beaten candidates, on the safe side of the truth between two of them. The two
capitals get half of the error each.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import inf, log, nextafter
from typing import Any, NamedTuple

import numpy as np

from fltheory.analysis.confidence.anytime import ConfidenceSequence, NormalMixture
from fltheory.analysis.confidence.observations import (
    ERROR,
    Bounded,
    BoundedVariance,
    Law,
    SubGaussian,
    observed,
    plug_in_bets,
    predictable,
    probability,
    rounded_up,
)
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import FloatArray

STAKE = 0.75
"""Largest share of the capital that a bet may lose."""

POOR = -2048.0
"""A capital below exp(POOR) is given up, so that rounding errors of its logarithm stay below
ROUNDING for each observation."""

ROUNDING = 2.0**-40
"""Added to the capital that is needed, in logarithm, for each observation: half a unit of 2048 and
of a few operations on one term."""

BLOCK = 1 << 19
"""Numbers in one block of (replications, times, candidates)."""

EVEN, NEAR = 255, 20
"""Candidates: evenly spaced ones, and halvings of the distance to a point of interest."""


class Capital(NamedTuple):
    """Sums of what was seen, and for each candidate the logarithm of the capital that bet on a
    larger and on a smaller mean."""

    seen: int
    total: FloatArray
    squares: FloatArray
    larger: FloatArray
    smaller: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True)
class Betting:
    """Two-sided sequence for bounded observations: candidate m is beaten when prod (1 + b_i (x_i -
    m)) >= 2/error, or the same for 1 - x.

    Each bet depends on the past only and keeps 1 + b (x - m) at least 1/4, so for m = mean the
    capital is a non-negative martingale (Waudby-Smith and Ramdas, Estimating means of bounded
    random variables by betting, Theorem 3, bets by predictable plug-in).

    >>> sequence = Betting(Bounded(0, 1), error="1/20")
    >>> found = sequence.update(sequence.start(), [0.5, 0.6] * 500)
    >>> float(found.lower), float(found.upper)
    (0.54296875, 0.55859375)
    """

    law: Bounded
    error: Any = ERROR
    candidates: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", probability(self.error))
        low, high = self.law.ends
        chosen = self.candidates or tuple(
            low + (high - low) * k / (EVEN + 1) for k in range(1, EVEN + 1)
        )
        object.__setattr__(
            self, "candidates", _sorted([c for c in chosen if 0 < self.law.unit(c) < 1])
        )

    def start(self, shape: tuple[int, ...] = ()) -> Capital:
        return _nothing(shape, len(self.candidates), *self.law.ends)

    def update(self, state: Capital, batch: Any) -> Capital:
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


@dataclass(frozen=True)
class Catoni:
    """Two-sided sequence when only the variance is bounded: m is beaten when sum p(b_i (x_i - m)) -
    b_i^2 variance/2 >= log(2/error).

    p(y) = log(1 + y + y^2/2) for y >= 0 and -p(-y) below: heavy tails count little. E exp(p(b (x -
    mean))) <= 1 + b^2 variance/2, so the product never grows for m = mean (Wang and Ramdas,
    Catoni-style confidence sequences for heavy-tailed mean estimation).

    >>> sequence = Catoni(BoundedVariance(1), candidates=(-0.5, -0.1, 0.1, 0.5), error="1/20")
    >>> found = sequence.update(sequence.start(), [1, -1] * 500)
    >>> float(found.lower), float(found.upper)
    (-0.1, 0.1)
    """

    law: BoundedVariance
    candidates: tuple[float, ...]
    error: Any = ERROR

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", probability(self.error))
        object.__setattr__(self, "candidates", _sorted(self.candidates))

    def start(self, shape: tuple[int, ...] = ()) -> Capital:
        return _nothing(shape, len(self.candidates), -inf, inf)

    def update(self, state: Capital, batch: Any) -> Capital:
        values, means = observed(batch, state.total.shape, self.law), np.array(self.candidates)
        variance = rounded_up(self.law.variance)

        def gains(before: Capital, part: FloatArray) -> tuple[FloatArray, ...]:
            bets = plug_in_bets(variance, before.seen + 1 + np.arange(part.shape[-1]), self.error)[
                :, None
            ]
            toward, cost = influence(bets * (part[..., None] - means)), bets**2 * variance / 2
            return toward - cost, -toward - cost, before.total, before.squares

        return _grown(state, values, gains, means, self.error)


def influence(values: Any) -> Any:
    """p(y) = sign(y) log(1 + |y| + y^2/2), between the two functions that a bounded variance needs.

    >>> float(influence(0.0)), bool(influence(2.0) == -influence(-2.0))
    (0.0, True)
    """
    size = np.abs(values)
    return np.copysign(np.log1p(size * (1 + size / 2)), values)


def confidence_sequence(law: Law, *, error: Any = ERROR, near: Any = None) -> ConfidenceSequence:
    """The sequence for a law; candidates are dense `near` a value that one wants to tell the mean
    from.

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
    """A value's own float neighbours, and distances from it that shrink by a factor sqrt(2)."""
    middle = float(centre)
    steps = [width * 2 ** (-k / 2) for k in range(2 * NEAR)]
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
    """The capitals after further observations, block by block, and the candidates that they beat on
    the way."""
    length = max(1, BLOCK // max(1, state.larger.size))
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
    """Partial sums along the times, from `start` on; a capital that once was too poor is given up
    for good."""
    gains[..., 0, :] += start
    path = np.cumsum(gains, axis=-2)
    if path.min(initial=0) < POOR:
        path[np.minimum.accumulate(path, axis=-2) < POOR] = -inf
    return path
