"""Confidence sequences: intervals for a mean that are valid at all times at once, so that sampling
may stop at any time.

Observations come one after the other, each with the same mean given its past (for example,
independent ones). For the true mean there is a process M_t >= 0 with M_0 = 1 whose expectation
never grows; Ville's inequality P(M_t >= 1/a for some t) <= a then covers every stopping time. A
value that is excluded once stays excluded, so the intervals only shrink.

Observations are arrays (..., times) whose leading axes are replications; the bits do not depend on
how the times are cut into batches. Ends computed in floats are moved outwards by a bound on their
rounding errors, stated beside each formula. If lower > upper, either the observations violate their
law or an event of probability below `error` has happened.
"""

from fractions import Fraction
from math import inf, log
from typing import Any, NamedTuple, Protocol

import numpy as np

from fltheory.analysis.confidence.observations import (
    ERROR,
    TINY,
    Observations,
    SubGaussian,
    lowered,
    observed,
    probability,
    raised,
    rounded_up,
    sums,
)
from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.types import ExactLike, FloatArray


class Interval(Protocol):
    """The interval after `seen` observations: lower <= mean <= upper for each replication."""

    @property
    def seen(self) -> int: ...

    @property
    def lower(self) -> FloatArray: ...

    @property
    def upper(self) -> FloatArray: ...


class ConfidenceSequence(Protocol):
    """`start` gives the state before any observation; `update` is pure and accepts any number of
    further observations. A state is an Interval of the sequence's own kind."""

    def start(self, shape: tuple[int, ...] = ()) -> Interval: ...

    def update(self, state: Any, batch: Observations) -> Interval: ...


class MixtureState(NamedTuple):
    """State of NormalMixture; `rounding` is the sum of the absolute partial sums, which bounds the
    rounding error of `total`."""

    seen: int
    total: FloatArray
    rounding: FloatArray
    lower: FloatArray
    upper: FloatArray


@frozen
class NormalMixture:
    """Two-sided sequence for sub-Gaussian observations: |S_t - t mean| < sqrt((V + r) log((V +
    r)/(r error^2))), V = t scale^2.

    The expectation of exp(b (S_t - t mean) - b^2 V/2) never grows, for any b; neither does that of
    its average over b ~ Normal(0, 1/r), sqrt(r/(V + r)) exp((S_t - t mean)^2 / (2 (V + r))). The
    choice of r makes the interval narrowest near `tuned_for` observations.

    >>> sequence = NormalMixture(SubGaussian(1), error="1/20")
    >>> found = sequence.update(sequence.start(), [0.5, -0.5] * 500)
    >>> round(float(found.lower), 3), round(float(found.upper), 3)
    (-0.096, 0.096)
    """

    law: SubGaussian
    error: Checked[ExactLike, Fraction] = default(ERROR)
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

    def update(self, state: MixtureState, batch: Observations) -> MixtureState:
        values = observed(batch, state.total.shape, self.law)
        counts = state.seen + 1 + np.arange(values.shape[-1])
        variance, doubt = rounded_up(self.law.scale) ** 2, log(1 / self.error)
        prior = self.tuned_for * variance / (2 * doubt + np.log1p(2 * doubt))
        totals = sums(state.total, values)
        rounding = sums(state.rounding, np.abs(totals[..., 1:]))
        spread = counts * variance + prior
        radius = np.sqrt(spread * (2 * doubt + np.log(spread / prior)))
        # the error of a sequential sum is at most half a unit of each partial sum; the rest are a
        # few operations
        reach = radius + TINY * (rounding[..., 1:] + np.abs(totals[..., 1:]) + radius)
        lower, upper = (totals[..., 1:] - reach) / counts, (totals[..., 1:] + reach) / counts
        return MixtureState(
            state.seen + len(counts),
            totals[..., -1],
            rounding[..., -1],
            raised(state.lower, lower),
            lowered(state.upper, upper),
        )
