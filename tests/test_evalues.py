"""E-values: at most 1/error with probability at most error under the null at any time, large under an alternative, safely combined."""

from fractions import Fraction as F
from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp
from scipy.stats import binomtest

from fltheory import InvalidInput
from fltheory.evalues import (
    MeanAtMost,
    average_of_dependent,
    e_value,
    product_of_independent,
    rejected_with_false_discovery_rate,
    rejected_with_total_error,
)
from fltheory.observations import Bounded, BoundedVariance, NonNegative, SubGaussian
from fltheory.randomness import Purpose, normals, uniforms

REPLICATIONS, TIMES, ERROR = 2000, 500, 0.05
PLACES = (Purpose.SEARCH, np.arange(TIMES), np.arange(REPLICATIONS)[:, None])
UNIFORM, NORMAL = uniforms(5, *PLACES), normals(6, *PLACES)

NULLS = {
    "fair coin": ((UNIFORM < 0.5).astype(float), F(1, 2), (Bounded(0, 1), NonNegative(), SubGaussian("1/2"), BoundedVariance("1/4"))),
    "rare coin": ((UNIFORM < 0.05).astype(float), F(1, 20), (Bounded(0, 1), NonNegative(), SubGaussian("1/2"), BoundedVariance("19/400"))),
    "mean below the null": (UNIFORM, F(11, 20), (Bounded(0, 1), NonNegative(), SubGaussian("1/2"), BoundedVariance("1/12"))),
    "normal": (NORMAL - 2, F(-2), (SubGaussian(1), BoundedVariance(1))),
    "infinite variance": ((1 - UNIFORM) ** (-1 / 1.5), F(3), (NonNegative(),)),  # P(x > y) = y^-1.5
    "lottery": (100 * (UNIFORM < 0.01), F(1), (NonNegative(), Bounded(0, 100), BoundedVariance(99))),
}
PAIRS = [(name, law) for name, (_, _, laws) in NULLS.items() for law in laws]


@pytest.mark.parametrize(("name", "law"), PAIRS, ids=[f"{name}-{type(law).__name__}" for name, law in PAIRS])
def test_false_alarms_under_constant_peeking_stay_below_the_error(name, law):
    observations, mean, _ = NULLS[name]
    path = MeanAtMost(mean, law).log_e_values(observations)
    assert (path.max(axis=-1) >= log(1 / ERROR)).mean() <= ERROR
    assert np.exp(path[:, 9]).mean() < 1.1, "an e-value has mean at most 1"


def test_the_measurement_would_see_a_wrong_null():
    """Were "the mean is at most 9/20" true of these coins, so many alarms in 2000 replications would have probability below 1/10^6."""
    path = MeanAtMost("9/20", Bounded(0, 1)).log_e_values(NULLS["fair coin"][0])
    alarms = int((path.max(axis=-1) >= log(1 / ERROR)).sum())
    assert binomtest(alarms, REPLICATIONS, ERROR, alternative="greater").pvalue < 1e-6


@pytest.mark.parametrize(("law", "at_most"), [(Bounded(0, 1), "2/5"), (NonNegative(), "2/5"), (SubGaussian("1/2"), "1/4"),
                                              (BoundedVariance("1/4"), "1/4")])
def test_power(law, at_most):
    """Within 500 fair tosses nine in ten tests at 1/20, and most at 1/1000, see that the mean is above."""
    path = MeanAtMost(at_most, law).log_e_values(NULLS["fair coin"][0][:200])
    assert (path.max(axis=-1) >= log(20)).mean() > 0.9
    assert (path.max(axis=-1) >= log(1000)).mean() > 0.5


@given(cuts=st.lists(st.integers(0, 60), max_size=4))
@pytest.mark.parametrize("law", [Bounded(0, 1), NonNegative(), SubGaussian(1), BoundedVariance(1)], ids=lambda law: type(law).__name__)
def test_any_batching_gives_the_same_bits(law, cuts):
    test, observations = MeanAtMost("1/3", law), UNIFORM[:2, :60]
    state = test.start((2,))
    for part in np.split(observations, sorted(cuts), axis=-1):
        state = test.update(state, part)
    assert np.array_equal(state.log_e, test.log_e_values(observations)[:, -1])
    assert state.seen == 60


def test_the_logarithm_is_rounded_down():
    values = NORMAL[0] * 1000 + 12345
    test = MeanAtMost(12345, SubGaussian(1000))
    state = test.update(test.start(), values)
    with mp.workdps(40):
        total, capital = mp.mpf(0), mp.mpf(0)
        for t, x in enumerate(((values - 12345) / 1000).tolist(), start=1):
            bet = mp.mpf(max(float(total) / t, 0))
            capital += bet * (mp.mpf(x) - bet / 2)
            total += mp.mpf(x)
        assert 0 < capital - mp.mpf(float(state.log_e)) < 1e-9


def test_products_and_averages():
    assert exp(product_of_independent([log(2), log(3)])) == pytest.approx(6)
    assert exp(average_of_dependent([log(2), log(4)])) == pytest.approx(3)
    assert float(average_of_dependent([-np.inf, log(4)])) == pytest.approx(log(2))
    many = average_of_dependent([[1000.0, 1000.0], [-2000.0, -2000.0]])
    assert many.tolist() == pytest.approx([1000, -2000])


def test_products_and_averages_keep_the_error_over_claims():
    """Twenty nulls at once: the same data for all (dependent), or data of their own (independent)."""
    path = MeanAtMost("1/2", Bounded(0, 1)).log_e_values(NULLS["fair coin"][0][:, :100])[:, -1]
    apart = path.reshape(-1, 20)
    assert (product_of_independent(apart) >= log(1 / ERROR)).mean() <= ERROR
    assert (average_of_dependent(np.repeat(path[:, None], 20, axis=1)) >= log(1 / ERROR)).mean() <= ERROR
    assert rejected_with_total_error(apart, error="1/20").any(axis=-1).mean() <= ERROR
    assert rejected_with_false_discovery_rate(apart, rate="1/20").any(axis=-1).mean() <= ERROR


def test_error_budgets_may_be_shared_unevenly():
    log_e = [log(30.0), log(30.0), 99.0]
    assert rejected_with_total_error(log_e, error="1/20").tolist() == [False, False, True]
    assert rejected_with_total_error(log_e, error="1/20", weights=("4/5", "1/5", 0)).tolist() == [True, False, False]


@given(st.lists(st.floats(-5, 10), min_size=1, max_size=8))
def test_false_discovery_rule_against_its_definition(log_e):
    count, rate = len(log_e), 0.1
    best = max((k for k in range(1, count + 1) if sorted(log_e)[-k] >= np.log(count / k) - log(F(1, 10))), default=0)
    expected = sorted(log_e)[-best:] if best else []
    rejected = rejected_with_false_discovery_rate(log_e, rate=rate)
    assert [e for e in sorted(log_e) if rejected[log_e.index(e)]] == [e for e in sorted(log_e) if expected and e >= expected[0]]


@pytest.mark.parametrize("make", [
    lambda: MeanAtMost(1, Bounded(0, 1)), lambda: MeanAtMost(0, NonNegative()), lambda: MeanAtMost("nan", SubGaussian(1)),
    lambda: e_value([-1.0], at_most=1, law=NonNegative()), lambda: e_value([np.nan], at_most=1, law=SubGaussian(1)),
    lambda: rejected_with_total_error([1.0], error=0), lambda: rejected_with_total_error([1.0, 1.0], error="1/2", weights=(1, 1)),
    lambda: rejected_with_false_discovery_rate([1.0], rate=2),
])
def test_bad_input_is_refused(make):
    with pytest.raises(InvalidInput):
        make()
