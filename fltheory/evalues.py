"""E-values: non-negative numbers with mean at most 1 under a null hypothesis; a large one is evidence against it.

By Markov's inequality P(e >= 1/a) <= a. The e-values here are capitals that never grow in expectation under the null, so by Ville's
inequality the same holds for their largest value over time: one may look after every observation and stop at will. They multiply
when independent and average whatever their dependence, which no p-value does. All are kept as logarithms, rounded down.
"""

from dataclasses import dataclass
from math import log
from typing import Any, NamedTuple

import numpy as np

from fltheory.betting import STAKE, influence
from fltheory.errors import InvalidInput
from fltheory.exact import shares
from fltheory.observations import (
    TINY,
    Bounded,
    BoundedVariance,
    Law,
    NonNegative,
    SubGaussian,
    moderate,
    observed,
    predictable,
    probability,
    rounded_up,
    sums,
)
from fltheory.randomness import FloatArray


class Evaluation(NamedTuple):
    """`log_e` is the logarithm of the e-value now, less a bound on its rounding errors; the others are sums to go on from."""

    seen: int
    total: FloatArray
    squares: FloatArray
    capital: FloatArray
    rounding: FloatArray

    @property
    def log_e(self) -> FloatArray:
        return self.capital - TINY * self.rounding


@dataclass(frozen=True)
class MeanAtMost:
    """E-values against "the mean is at most `value`", for every law of the observations; negate them for "at least".

    Bounded and non-negative observations: prod (1 + b_i (x_i - value)), bets b_i >= 0 that keep each factor at least 1/4.
    Sub-Gaussian: exp(sum b_i (x_i - value) - b_i^2 scale^2/2). Bounded variance: the same with Catoni's influence of x_i.
    Each factor has mean at most 1 under the null given the past, for the bets depend on the past only (nearly the ones that
    would have grown the capital fastest).

    >>> test = MeanAtMost("1/2", Bounded(0, 1))
    >>> state = test.update(test.start(), [0.7] * 100)
    >>> round(float(state.log_e), 2) == round(float(test.update(test.update(test.start(), [0.7] * 60), [0.7] * 40).log_e), 2)
    True
    """

    value: Any
    law: Law

    def __post_init__(self) -> None:
        value = moderate(self.value, "mean under the null")
        object.__setattr__(self, "value", value)
        if isinstance(self.law, Bounded) and not 0 < self.law.unit(rounded_up(value)) < 1:
            raise InvalidInput("mean under the null", f"lie strictly between {self.law.low} and {self.law.high}", value)
        if isinstance(self.law, NonNegative) and value <= 0:
            raise InvalidInput("mean under the null", "be above 0", value)

    def start(self, shape: tuple[int, ...] = ()) -> Evaluation:
        none = np.zeros(shape)
        return Evaluation(0, none, none, none, none)

    def update(self, state: Evaluation, batch: Any) -> Evaluation:
        """The state after further observations."""
        return self._path(state, batch)[1]

    def log_e_values(self, observations: Any) -> FloatArray:
        """The logarithm of the e-value after each observation."""
        return self._path(self.start(np.shape(observations)[:-1]), observations)[0]

    def _path(self, state: Evaluation, batch: Any) -> tuple[FloatArray, Evaluation]:
        values, null = self._in_units(observed(batch, state.total.shape, self.law))
        past = predictable(state.seen, state.total, state.squares, values, guess=null)
        edge = np.maximum(past.means - null, 0)
        away = values - null
        if isinstance(self.law, SubGaussian):
            bets = edge
            gains = bets * (away - bets / 2)
        elif isinstance(self.law, BoundedVariance):
            bets = edge / (1 + edge**2)
            gains = influence(bets * away) - bets**2 / 2
        else:
            bets = np.minimum(edge / (past.variances + edge**2), STAKE / null)
            gains = np.log1p(bets * away)
        capital = sums(state.capital, gains)
        # half a unit of each partial sum, and a few of the numbers that make up a gain
        rounding = sums(state.rounding, 1 + np.abs(capital[..., 1:]) + np.abs(gains) + bets * (np.abs(values) + null))
        after = Evaluation(state.seen + values.shape[-1], past.total, past.squares, capital[..., -1], rounding[..., -1])
        return capital[..., 1:] - TINY * rounding[..., 1:], after

    def _in_units(self, values: FloatArray) -> tuple[FloatArray, float]:
        """Observations and the null mean in units of the law; rounding the null mean up makes the null larger, hence safer."""
        null = rounded_up(self.value)
        if isinstance(self.law, Bounded):
            return self.law.unit(values), float(self.law.unit(null))
        if isinstance(self.law, NonNegative):
            return values / null, 1.0
        unit = rounded_up(self.law.scale) if isinstance(self.law, SubGaussian) else rounded_up(self.law.variance) ** 0.5
        return (values - null) / unit, 0.0


def e_value(observations: Any, *, at_most: Any, law: Law) -> Any:
    """The e-value of all observations against "the mean is at most `at_most`"; 1/error or more rejects it with that error probability.

    >>> bool(e_value([0.9] * 60, at_most="1/2", law=Bounded(0, 1)) > 10**6)
    True
    """
    return np.exp(MeanAtMost(at_most, law).log_e_values(observations)[..., -1])


def product_of_independent(log_e: Any) -> FloatArray:
    """One e-value from independent ones (last axis) against the same null: E of the product is the product of the E.

    >>> float(product_of_independent([1.0, 2.0]))
    3.0
    """
    return np.asarray(log_e, np.float64).sum(axis=-1)


def average_of_dependent(log_e: Any) -> FloatArray:
    """One e-value from any ones (last axis) against the same null, however they depend on each other: their mean.

    >>> round(float(average_of_dependent([log(3.0), log(1.0)])), 12) == round(log(2.0), 12)
    True
    """
    values = np.asarray(log_e, np.float64)
    return np.logaddexp.reduce(values, axis=-1) - log(values.shape[-1])


def rejected_with_total_error(log_e: Any, *, error: Any, weights: Any = None) -> Any:
    """Which of several nulls (last axis) fall when the chance of a single false rejection is at most `error` in total.

    e_i >= 1/(weight_i error), weights sum to 1: a union bound over Ville's inequality, for any dependence and any stopping times.

    >>> rejected_with_total_error([15.0, 13.9, 0.0], error="1/1000000").tolist()
    [True, False, False]
    """
    values = np.asarray(log_e, np.float64)
    budget = [-log(share * probability(error)) if share else np.inf for share in shares(weights, values.shape[-1], "weight")]
    return values >= np.array(budget)


def rejected_with_false_discovery_rate(log_e: Any, *, rate: Any) -> Any:
    """Which of several nulls (last axis) fall when the expected share of false ones among the rejected is at most `rate`.

    The e-BH procedure: reject the k largest e-values, for the largest k with e_(k) >= count/(k rate); any dependence is allowed.

    >>> rejected_with_false_discovery_rate([3.8, 3.1, 0.0], rate="1/10").tolist()
    [True, True, False]
    """
    values = np.asarray(log_e, np.float64)
    count = values.shape[-1]
    ordered = -np.sort(-values, axis=-1)
    passes = ordered >= np.log(count / np.arange(1, count + 1)) - log(probability(rate, "false discovery rate"))
    chosen = np.where(passes, np.arange(1, count + 1), 0).max(axis=-1, keepdims=True)
    least = np.take_along_axis(ordered, np.maximum(chosen - 1, 0), axis=-1)
    return (values >= least) & (chosen > 0)
