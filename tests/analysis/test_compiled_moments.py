"""Moments by compiled code against those in fractions."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import RATIONAL, FedAvg, InvalidInput, Mifa, Quadratic, Trace
from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.moments import expected_gap, mean_squares, state_moments
from fltheory.engine.compiled import NUMBA
from fltheory.engine.compiled.moments import (
    can_compile,
    compiled_adjoint,
    compiled_mean_squares,
    tables_of,
)
from fltheory.testing import traces

SERVERS = (
    Mifa(),
    FedAvg(),
    FedLaAvg(),
    AfaCrossDevice(),
    AfaCrossSilo(),
    WeightedAggregation((F(1), F(1, 2), F(1, 3))),
    WeightedAggregation([[F(t + 1), F(1, 2), F(i)] for t, i in enumerate(range(7))]),
)


def compiled_against_fractions(algorithm, trace):
    """Other code for the same numbers: both passes, with steps that change and steps that do not,
    against fractions."""
    problem = Quadratic((1, 2, 3), (1, -2, "1/2"), noise_squared=3)
    for size in (F(1, 8), lambda index: F(1, index + 9)):
        run = {
            "start": 2,
            "local_step_size": size,
            "server_step_size": lambda index: F(index + 1, index + 2),
        }
        exact = expected_gap(
            algorithm, problem, trace, average=lambda index: index + 1, arithmetic=RATIONAL, **run
        )
        assert can_compile(algorithm, problem, trace)
        found = expected_gap(algorithm, problem, trace, average=lambda index: index + 1, **run)
        assert float(found.noise) == pytest.approx(float(exact.noise), rel=1e-12)
        assert float(found.bias) == pytest.approx(float(exact.bias), rel=1e-10, abs=1e-12)
        states = state_moments(algorithm, problem, trace, arithmetic=RATIONAL, **run)
        squares = [mean[0] ** 2 + covariance[0, 0] for mean, covariance in states]
        assert mean_squares(algorithm, problem, trace, **run) == pytest.approx(
            np.array(squares, float), rel=1e-12
        )


@pytest.mark.slow
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@settings(max_examples=8)
@given(
    delivers=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=7),
    local_steps=st.integers(1, 3),
)
@pytest.mark.parametrize("algorithm", SERVERS, ids=lambda one: type(one).__name__)
def test_compiled_moments_are_the_rational_ones_up_to_rounding(algorithm, delivers, local_steps):
    compiled_against_fractions(algorithm, Trace.fresh(delivers, local_steps=local_steps))


@pytest.mark.slow
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@settings(max_examples=12)
@given(trace=traces(num_clients=3, max_rounds=7, max_delay=3))
@pytest.mark.parametrize("algorithm", SERVERS, ids=lambda one: type(one).__name__)
def test_compiled_moments_of_late_and_uneven_work_are_the_rational_ones(algorithm, trace):
    compiled_against_fractions(algorithm, trace)


@pytest.mark.slow
@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@settings(max_examples=10)
@given(
    trace=traces(num_clients=3, max_rounds=4, max_delay=2),
    cycle=st.integers(1, 4),
    rounds=st.integers(1, 20),
)
@pytest.mark.parametrize("algorithm", SERVERS[:6], ids=lambda one: type(one).__name__)
def test_tables_that_repeat_stand_for_long_ones(algorithm, trace, cycle, rounds):
    cycle, short = min(cycle, trace.num_rounds), tables_of(trace)
    at = [
        t if t < trace.num_rounds else trace.num_rounds - cycle + (t - trace.num_rounds) % cycle
        for t in range(rounds)
    ]
    late = {} if short.even else {"delays": short.delays[at], "local_steps": short.local_steps[at]}
    long = short._replace(rounds=rounds, cycle=rounds, delivers=short.delivers[at], **late)
    problem, run = (
        Quadratic((1, 2, 3), (1, -2, "1/2"), noise_squared=3),
        {"start": 2, "local_step_size": 0.1, "server_step_size": 1},
    )
    for found in (
        lambda tables: compiled_adjoint(
            algorithm, problem, tables, weights=np.arange(1.0, rounds + 2), **run
        ),
        lambda tables: compiled_mean_squares(algorithm, problem, tables, **run),
    ):
        assert np.array_equal(found(short._replace(rounds=rounds, cycle=cycle)), found(long))


def test_other_runs_are_not_compiled():
    line, trace = Quadratic((1, 2), (0, 1)), Trace.fresh([[1, 1], [1, 1]])
    assert can_compile(Mifa(), line, trace) == NUMBA
    assert not can_compile(Mifa(), Quadratic([(1, 1), (1, 1)], [(0, 0), (0, 0)]), trace)
    assert not can_compile(FedAvg(worker=proximal(1)), line, trace)
    for wrong in ((1,), ((1, 1),), ((1, 1), (1,))):
        assert not can_compile(WeightedAggregation(wrong), line, trace)
        with pytest.raises(InvalidInput, match="weights"):
            expected_gap(WeightedAggregation(wrong), line, trace, start=0, local_step_size=1)
