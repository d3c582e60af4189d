"""Exact probability: every tool against plain enumeration, and against itself by another way."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import InvalidInput
from fltheory.claims.checks.probability import (
    any_of,
    coin_flips,
    exceedance,
    expected_wait_bounds,
    mean,
    staleness_law,
    tail,
    total_staleness_law,
)
from fltheory.traces.selection import expected_wait
from fltheory.traces.trace_statistics import rounds_since

chance = st.fractions(Fraction(1, 10), 1, max_denominator=10)


@pytest.mark.slow
@given(st.lists(chance, min_size=1, max_size=2), st.integers(1, 4))
def test_patterns_are_a_probability(chances, num_rounds):
    patterns = list(coin_flips(chances, num_rounds))
    assert sum(mass for _, mass in patterns) == 1
    assert all(matrix[0].all() for matrix, _ in patterns)


@pytest.mark.slow
@given(st.lists(chance, min_size=1, max_size=2), st.integers(1, 4))
def test_the_law_of_the_summed_staleness_is_that_of_all_patterns(chances, num_rounds):
    counted: dict[int, Fraction] = {}
    for matrix, mass in coin_flips(chances, num_rounds):
        total = int(rounds_since(matrix).sum())
        counted[total] = counted.get(total, Fraction(0)) + mass
    assert total_staleness_law(chances, num_rounds) == dict(sorted(counted.items()))


@given(chance, st.integers(1, 6), st.lists(st.integers(-1, 2), min_size=6, max_size=6))
def test_the_chain_of_runs_is_right(probability, num_rounds, steps):
    limits = sorted(steps)
    counted = sum(
        mass
        for matrix, mass in coin_flips([probability], num_rounds)
        if any(int(age) > limits[t] for t, age in enumerate(rounds_since(matrix)[:, 0]))
    )
    exact = exceedance(probability, lambda t: limits[t - 1], num_rounds)
    assert exact == (counted, counted)
    low, high = exceedance(probability, lambda t: limits[t - 1], num_rounds, bits=30)
    assert low <= counted <= high <= low + Fraction(1, 2**20)


def test_an_off_by_one_limit_would_be_noticed():
    assert exceedance("1/2", lambda t: 1, 4) != exceedance("1/2", lambda t: 2, 4)


@pytest.mark.slow
@given(st.lists(chance, min_size=1, max_size=4), st.data())
def test_the_series_encloses_inclusion_and_exclusion(chances, data):
    size = data.draw(st.integers(1, len(chances)))
    kinds = {p: chances.count(p) for p in chances}
    low, high = expected_wait_bounds(kinds, sample_size=size, terms=60)
    assert low <= expected_wait(chances, sample_size=size) <= high


def test_a_uniform_sample_averages_over_the_subsets():
    chances = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]
    waits = [expected_wait(list(pair)) for pair in combinations(chances, 2)]
    assert expected_wait(chances, sample_size=2) == sum(waits) / 3 == Fraction(3808984, 513513)


def test_golden_waits_of_the_experiment():
    labels = dict(
        zip([Fraction(k + 1, 10) for k in range(9)], (21, 15, 16, 18, 12, 9, 7, 1, 1), strict=True)
    )
    low, high = expected_wait_bounds(labels, terms=400)
    assert round(float(low), 4) == round(float(high), 4) == 35.3011
    low, high = expected_wait_bounds(labels, sample_size=50, terms=180)
    assert low < Fraction("28.9967") < high + Fraction(1, 10000)
    assert high - low < Fraction(1, 1000)


@pytest.mark.parametrize(
    ("chances", "value"),
    [
        (("1/2", "1/2"), "8/3"),
        (("1/2",) * 3, "22/7"),
        (("1/10", "1/2"), "112/11"),
        (("1/10", "1/2", "9/10"), "333099922/32693661"),
    ],
)
def test_golden_maxima_of_geometric_times(chances, value):
    assert expected_wait(chances) == Fraction(value)


def test_small_facts():
    assert tail(staleness_law("1/2", 3), 4) == 0
    assert mean(staleness_law(1, 5)) == 0
    assert any_of((Fraction(0), Fraction(1, 2)), 3) == (0, Fraction(7, 8))


@pytest.mark.parametrize(
    "broken",
    [
        lambda: list(coin_flips(["1/2"], 40)),
        lambda: staleness_law(0, 3),
        lambda: exceedance("1/2", lambda t: -t, 3),
        lambda: expected_wait_bounds({"1/2": 1}, sample_size=2),
        lambda: expected_wait_bounds({"1/2": 0}),
    ],
)
def test_bad_input_is_refused(broken):
    with pytest.raises(InvalidInput):
        broken()
