"""Confidence sequences: intervals for a mean that are right at all times at once, so that sampling
may stop whenever one likes.

Observations come one after the other, each with the same mean given its past (independent ones do).
For the true mean some M_t >= 0 with M_0 = 1 never grows in expectation, whatever was seen; Ville's
inequality P(M_t >= 1/a for some t) <= a then covers every stopping time, and what it excludes once
stays excluded: all intervals here only shrink.

Observations are arrays (..., times): leading axes are replications, and any way to cut the times
into batches gives the same bits. An end that is computed in floats is moved outwards by a bound on
its rounding errors, written beside each formula. If lower > upper, either the observations do not
obey their law, or what has probability below `error` has happened.
"""

from dataclasses import dataclass
from math import inf, log
from typing import Any, NamedTuple, Protocol

import numpy as np

from fltheory.analysis.confidence.observations import (
    ERROR,
    TINY,
    Bounded,
    SubGaussian,
    lowered,
    observed,
    plug_in_bets,
    predictable,
    probability,
    raised,
    rounded_up,
    sums,
)
from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray


class Interval(Protocol):
    """What is known after `seen` observations: lower <= mean <= upper for each replication."""

    @property
    def seen(self) -> int: ...

    @property
    def lower(self) -> FloatArray: ...

    @property
    def upper(self) -> FloatArray: ...


class ConfidenceSequence(Protocol):
    """`start` knows nothing yet; `update` is pure and may be given any number of further
    observations."""

    def start(self, shape: tuple[int, ...] = ()) -> Any: ...

    def update(self, state: Any, batch: Any) -> Any: ...


class MixtureState(NamedTuple):
    """State of NormalMixture; `rounding` is the sum of the absolute partial sums, which bounds the
    rounding of `total`."""

    seen: int
    total: FloatArray
    rounding: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True)
class NormalMixture:
    """Two-sided sequence for sub-Gaussian observations: |S_t - t mean| < sqrt((V + r) log((V +
    r)/(r error^2))), V = t scale^2.

    exp(b (S_t - t mean) - b^2 V/2) never grows in expectation for any b; neither does its average
    over b ~ Normal(0, 1/r), which is sqrt(r/(V + r)) exp((S_t - t mean)^2 / (2 (V + r))). r makes
    the interval narrowest near `tuned_for` observations.

    >>> sequence = NormalMixture(SubGaussian(1), error="1/20")
    >>> found = sequence.update(sequence.start(), [0.5, -0.5] * 500)
    >>> round(float(found.lower), 3), round(float(found.upper), 3)
    (-0.096, 0.096)
    """

    law: SubGaussian
    error: Any = ERROR
    tuned_for: int = 1000

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", probability(self.error))
        if self.tuned_for < 1:
            raise InvalidInput(
                "number of observations to tune for", "be at least 1", self.tuned_for
            )

    def start(self, shape: tuple[int, ...] = ()) -> MixtureState:
        return MixtureState(
            0, np.zeros(shape), np.zeros(shape), np.full(shape, -inf), np.full(shape, inf)
        )

    def update(self, state: MixtureState, batch: Any) -> MixtureState:
        values = observed(batch, state.total.shape, self.law)
        counts = state.seen + 1 + np.arange(values.shape[-1])
        variance, doubt = rounded_up(self.law.scale) ** 2, log(1 / self.error)
        prior = self.tuned_for * variance / (2 * doubt + np.log1p(2 * doubt))
        totals = sums(state.total, values)
        rounding = sums(state.rounding, np.abs(totals[..., 1:]))
        spread = counts * variance + prior
        radius = np.sqrt(spread * (2 * doubt + np.log(spread / prior)))
        # a sequential sum is off by at most half a unit of each partial sum; the rest are a few
        # operations
        reach = radius + TINY * (rounding[..., 1:] + np.abs(totals[..., 1:]) + radius)
        lower, upper = (totals[..., 1:] - reach) / counts, (totals[..., 1:] + reach) / counts
        return MixtureState(
            state.seen + len(counts),
            totals[..., -1],
            rounding[..., -1],
            raised(state.lower, lower),
            lowered(state.upper, upper),
        )


class BernsteinState(NamedTuple):
    """State of EmpiricalBernstein, in units of the range: sums of values, squares, bets, bets times
    values, penalties."""

    seen: int
    total: FloatArray
    squares: FloatArray
    bets: FloatArray
    centre: FloatArray
    penalty: FloatArray
    lower: FloatArray
    upper: FloatArray


@dataclass(frozen=True)
class EmpiricalBernstein:
    """Closed-form sequence for bounded observations whose width follows their variance; in units of
    the range, with bets b_i < 1,

    |sum b_i x_i / sum b_i - mean| < (log(2/error) + sum (x_i - m_{i-1})^2 (-log(1 - b_i) - b_i)) / sum b_i.

    exp(b (x - mean) - (x - m)^2 (-log(1 - b) - b)) has mean at most 1 when b and m depend on the
    past only (Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting,
    Theorem 2), so the product never grows; same for 1 - x.

    >>> sequence = EmpiricalBernstein(Bounded(0, 1), error="1/20")
    >>> found = sequence.update(sequence.start(), [0.5, 0.6] * 500)
    >>> round(float(found.lower), 3), round(float(found.upper), 3)
    (0.542, 0.558)
    """

    law: Bounded
    error: Any = ERROR

    def __post_init__(self) -> None:
        object.__setattr__(self, "error", probability(self.error))

    def start(self, shape: tuple[int, ...] = ()) -> BernsteinState:
        (low, high), none = self.law.ends, np.zeros(shape)
        return BernsteinState(
            0, none, none, none, none, none, np.full(shape, low), np.full(shape, high)
        )

    def update(self, state: BernsteinState, batch: Any) -> BernsteinState:
        values = self.law.unit(observed(batch, state.total.shape, self.law))
        past = predictable(state.seen, state.total, state.squares, values)
        bets = np.minimum(plug_in_bets(past.variances, past.counts, self.error), 0.5)
        sum_bets = sums(state.bets, bets)
        centre = sums(state.centre, bets * values)
        penalty = sums(state.penalty, (values - past.means) ** 2 * (-np.log1p(-bets) - bets))
        middle = centre[..., 1:] / sum_bets[..., 1:]
        radius = (log(2 / self.error) + penalty[..., 1:]) / sum_bets[..., 1:]
        # sums of t non-negative terms are off by a relative t half-units; the move back to [low,
        # high] by a few of its ends
        reach = radius + TINY * past.counts * (1 + radius)
        low, high = self.law.ends
        edge = TINY * (abs(low) + abs(high))
        lower, upper = (
            low + (middle - reach) * (high - low) - edge,
            low + (middle + reach) * (high - low) + edge,
        )
        return BernsteinState(
            state.seen + values.shape[-1],
            past.total,
            past.squares,
            sum_bets[..., -1],
            centre[..., -1],
            penalty[..., -1],
            raised(state.lower, lower),
            lowered(state.upper, upper),
        )
