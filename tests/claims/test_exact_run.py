"""Exact scenarios over a region: edges, draws, roots from inside, and means over samples."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import InvalidInput, Trace
from fltheory.claims.checks.exact_run import (
    Region,
    below_root,
    mean_measure,
    sample_sequences,
    tilted,
)
from fltheory.claims.scenario import Scenario

ONE = [(Fraction(1, 4), Fraction(1))]


def one_step(problem, trace):
    return ONE


@given(st.fractions(0, 50, max_denominator=1000), st.integers(0, 8))
def test_a_root_is_inside_and_next_to_the_edge(square, digits):
    root = below_root(square, digits=digits)
    assert root**2 <= square < (root + Fraction(1, 10**digits)) ** 2


def test_a_root_of_a_negative_number_is_refused():
    with pytest.raises(InvalidInput, match="square must be at least 0"):
        below_root(-1)


@given(st.integers(1, 7), st.fractions(0, 5, max_denominator=7))
def test_tilts_reach_the_spread_exactly(clients, spread):
    assert tilted(clients, spread=spread).constants.dissimilarity_squared == (
        spread**2 if clients > 1 else 0
    )


def test_edges_hold_every_extreme_simplest_first():
    region = Region("afa-cd")
    runs = list(region.edges(one_step))
    assert runs[0].trace == Trace.fresh([[1]])
    assert {r.trace.num_clients for r in runs} == {1, 3}
    assert {int(r.trace.local_steps.max()) for r in runs} == {1, 3}
    assert {int(r.trace.delays.max()) for r in runs} == {0, 2}
    assert {int(r.trace.delivers[0].sum()) for r in runs} == {1, 3}
    assert {r.problem.noise_squared for r in runs} == {0, 1}


def test_draws_are_reproducible_and_prefix_consistent():
    region = Region("afa-cd", rounds=(1, 3, 6), delays=(0, 1, 3))
    few, many = (list(region.draws(one_step, count=n, seed=5)) for n in (6, 15))
    assert few == many[:6]
    assert many != list(region.draws(one_step, count=15, seed=6))


def test_draws_stay_in_the_region_and_reach_all_of_it():
    region = Region("afa-cs", everyone_first=True)
    runs = list(region.draws(one_step, count=60, seed=1))
    assert all(r.trace.delivers[0].all() and r.trace.delivers.any(axis=1).all() for r in runs)
    assert {r.trace.num_clients for r in runs} == {1, 2, 3}
    assert {r.trace.num_rounds for r in runs} == set(region.rounds)
    assert {int(r.trace.delays.max()) for r in runs} == {0, 1, 2}
    assert {int(r.trace.local_steps.max()) for r in runs} == {1, 2, 3}
    moving = [
        r
        for r in runs
        if r.start[0] or r.problem.noise_squared or r.problem.constants.dissimilarity_squared
    ]
    assert moving == runs


@given(
    st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n), st.integers(1, 2)))
)
def test_sample_sequences_are_all_different_and_fair(sizes):
    clients, per_round, rounds = sizes
    matrices = list(sample_sequences(clients, per_round, rounds))
    assert len({m.tobytes() for m in matrices}) == len(matrices)
    assert all((m.sum(axis=1) == per_round).all() for m in matrices)
    assert all(
        int(sum(m[t, i] for m in matrices)) * clients == per_round * len(matrices)
        for t in range(rounds)
        for i in range(clients)
    )


@pytest.mark.parametrize(
    ("sizes", "message"),
    [((2, 3, 1), "clients per round"), ((2, 0, 1), "clients per round"), ((6, 3, 5), "at most")],
)
def test_impossible_or_huge_samples_are_refused(sizes, message):
    with pytest.raises(InvalidInput, match=message):
        list(sample_sequences(*sizes))


def test_a_mean_is_over_all_scenarios_and_needs_one():
    runs = [
        Scenario("afa-cd", tilted(2), Trace.fresh(rows), start=0, local_step_size="1/2")
        for rows in sample_sequences(2, 1, 2)
    ]
    assert mean_measure(runs, "mean_squared_gradient") == Fraction(1, 8)
    assert mean_measure(runs[:1], "num_rounds") == 2
    with pytest.raises(InvalidInput, match="at least one"):
        mean_measure([], "num_rounds")
