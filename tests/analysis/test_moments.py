"""Exact moments: golden values, every algorithm against its own responses to single draws of noise,
adjoint against covariance."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fltheory.algorithms
from fltheory import FLOAT, RATIONAL, FedAvg, InvalidInput, Mifa, Quadratic, Trace, named_arithmetic
from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.confidence.betting import confidence_sequence
from fltheory.analysis.confidence.observations import BoundedVariance
from fltheory.analysis.moments import expected_gap, mean_squares, state_moments
from fltheory.core.errors import Diverged
from fltheory.core.registry import Settings, members
from fltheory.engine.compiled import NUMBA
from fltheory.engine.compiled.moments import (
    can_compile,
    compiled_adjoint,
    compiled_mean_squares,
    covariance_is_known,
    tables_of,
)
from fltheory.engine.noise import Gaussian
from fltheory.engine.simulate import simulate
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.objective import loss_gap
from fltheory.testing import traces

OFFSET = 100


def mifa_step(local_steps: int = 1, *, strong_convexity: int = 1):
    """4/(mu K (t + a)) with t = round + 1."""
    return lambda index: F(4, strong_convexity * local_steps * (index + 1 + OFFSET))


def mifa_weight(index: int) -> int:
    """(t + a - 1)(t + a - 2) with t = index + 1."""
    return (index + OFFSET) * (index + OFFSET - 1)


def test_heterogeneous_instance_of_theorem_5_1():
    delivers = [[True] * 3] + [[(t + i) % (i + 1) == 0 for i in range(3)] for t in range(2, 40)]
    problem = Quadratic((1, 2, 3), (1, -2, "1/2"), noise_squared=4)
    trace = Trace.fresh(delivers, local_steps=2)
    given_as = {"start": 2, "local_step_size": mifa_step(2), "average": mifa_weight}
    exact = expected_gap(Mifa(), problem, trace, arithmetic=RATIONAL, **given_as)
    assert round(float(exact.total), 6) == 0.380863
    assert expected_gap(Mifa(), problem, trace, **given_as).total == pytest.approx(
        float(exact.total), rel=1e-13
    )


@pytest.mark.parametrize(
    ("iterates", "ratio"),
    [(2, "49/50"), (10, "3675/4387"), (100, "14700/68753"), (1000, "700/349943")],
)
def test_closed_form_without_noise(iterates, ratio):
    trace = Trace.fresh(np.ones((iterates - 1, 1), bool))
    gap = expected_gap(
        Mifa(),
        Quadratic((1,), (0,)),
        trace,
        start=1,
        local_step_size=mifa_step(),
        average=mifa_weight,
        arithmetic=RATIONAL,
    )
    assert (gap.bias, gap.noise) == (F(ratio) ** 2 / 2, 0)


@pytest.mark.parametrize(("iterates", "gap"), [(2, "1/5000"), (10, 0.00180003), (100, 0.00348438)])
def test_closed_form_of_the_noise(iterates, gap):
    trace = Trace.fresh(np.ones((iterates - 1, 1), bool))
    problem = Quadratic((1,), (0,), noise_squared=1)
    found = expected_gap(
        Mifa(),
        problem,
        trace,
        start=0,
        local_step_size=mifa_step(),
        average=mifa_weight,
        arithmetic=RATIONAL,
    )
    assert found.bias == 0
    assert (
        found.noise == F(gap)
        if isinstance(gap, str)
        else float(found.noise) == pytest.approx(gap, abs=5e-9)
    )


@pytest.mark.parametrize("period", [1, 2, 5, 11, 21])
def test_asymptote_of_the_noise(period):
    """gap T -> 24/35 (2 taubar + 1) sigma^2/(mu N K), within 1 % at T = 1e5."""
    rounds = 100_000 // period * period
    delivers = np.zeros((rounds, 2), bool)
    delivers[::period] = True
    problem = Quadratic((1, 1), (0, 0), noise_squared=1)
    gap = expected_gap(
        Mifa(),
        problem,
        Trace.fresh(delivers),
        start=0,
        local_step_size=lambda t: 4 / (t + 1 + OFFSET),
        average=mifa_weight,
    )
    mean_staleness = (period - 1) / 2
    assert gap.noise * 2 * rounds == pytest.approx(24 / 35 * (2 * mean_staleness + 1), rel=0.01)
    assert gap.noise * 2 * rounds != pytest.approx(24 / 35 * (2 * mean_staleness + 2), rel=0.01)


def test_variances_of_cross_silo_round_robin():
    delivers = [[True] * 3] + [[t % 3 == i for i in range(3)] for t in range(1, 5)]
    problem = CommonCurvature(1, (0, 0, 0), noise_squared=1)
    found = state_moments(
        AfaCrossSilo(),
        problem,
        Trace.fresh(delivers),
        start=0,
        local_step_size="1/10",
        arithmetic=RATIONAL,
    )
    variances = [covariance[0, 0] for _, covariance in found]
    expected = [
        "1/300",
        "967/90000",
        "1565327/81000000",
        "1927790687/72900000000",
        "2109657352847/65610000000000",
    ]
    assert variances == [0, *map(F, expected)]


def all_algorithms(num_clients: int):
    chances = Settings(
        {
            "weights": tuple(F(k + 1, 2) for k in range(num_clients)),
            "probabilities": (F(1, 2),) * num_clients,
            "proximal_strength": F(1, 3),
            "full_local_steps": 3,
        }
    )
    return {name: member.build(chances) for name, member in members(fltheory.algorithms).items()}


def responses(algorithm, problem, trace, start, step_size):
    """Noise-free last model, and how it moves per unit of every single draw, by running the loop
    once for each."""

    def run(place):
        def noise(t, k):
            return [[F((t, i, k) == place)] for i in range(problem.num_clients)]

        return simulate(
            algorithm, problem, trace, start=start, local_step_size=step_size, noise=noise
        ).models[-1, 0]

    steps = int(trace.local_steps.max(initial=1))
    places = [
        (t, i, k)
        for t in range(trace.num_rounds)
        for i in range(problem.num_clients)
        for k in range(steps)
    ]
    quiet = run(None)
    return quiet, [run(place) - quiet for place in places]


@settings(max_examples=6)
@given(trace=traces(num_clients=2, max_rounds=3, max_delay=2), start=st.integers(-2, 2))
@pytest.mark.parametrize("name", all_algorithms(2))
def test_every_algorithm_agrees_with_its_responses_to_single_draws(name, trace, start):
    problem = Quadratic((1, 2), (0, 1), noise_squared="3/2")
    algorithm = all_algorithms(2)[name]
    gap = expected_gap(
        algorithm, problem, trace, start=start, local_step_size="1/4", arithmetic=RATIONAL
    )
    quiet, moved = responses(algorithm, problem, trace, start, "1/4")
    curvature, optimum = F(3, 2), problem.constants.optimum[0]
    assert gap.bias == curvature / 2 * (quiet - optimum) ** 2
    assert gap.noise == curvature / 2 * problem.noise_squared * sum(m * m for m in moved)
    *_, (mean, covariance) = state_moments(
        algorithm, problem, trace, start=start, local_step_size="1/4", arithmetic=RATIONAL
    )
    assert mean[0] == quiet
    assert gap.noise == curvature / 2 * covariance[0, 0]


RUNS = 8000
"""Enough to tell a quarter: 2 log(2/error) variance/(mean/4)^2 is about 930 for a squared normal
number; sequences need some times that."""


@pytest.mark.parametrize(
    "algorithm", [Mifa(), FedAvg(), FedLaAvg(), AfaCrossSilo()], ids=lambda one: type(one).__name__
)
def test_moments_agree_with_samples_that_know_nothing_of_them(algorithm):
    """Samples: the tensor engine's own draws, K noisy steps one by one. Their variance: from exact
    runs with single draws of noise.

    With error probability 1/10^6 the expected gap is not excluded, and one that is off by a quarter
    is.
    """
    pytest.importorskip("torch")
    problem = Quadratic((1, 2, 3), (1, -2, "1/2"), noise_squared=1)
    trace = Trace.fresh([[1, 1, 1], [1, 0, 1], [0, 1, 0], [0, 1, 1]], local_steps=2)
    run = {"start": 2, "local_step_size": "1/16"}
    models = simulate(
        algorithm,
        problem,
        trace,
        **run,
        noise=Gaussian(problem, 1, tuple(range(RUNS)), "cpu"),
        arithmetic=named_arithmetic("tensor"),
    ).last
    gaps = loss_gap(problem, models[:, None, :], FLOAT)[:, 0, 0]
    quiet, moved = responses(algorithm, problem, trace, 2, "1/16")
    bias, noise = (quiet - problem.constants.optimum[0]) ** 2, sum(m * m for m in moved)
    law = BoundedVariance(2 * noise**2 + 4 * noise * bias)  # curvature 2: the gap is (x - x*)^2

    def excluded(value):
        sequence = confidence_sequence(law, error=F(1, 10**6), near=F(value))
        found = sequence.update(sequence.start(), gaps)
        return not found.lower < value < found.upper

    expected = float(expected_gap(algorithm, problem, trace, **run).total)
    assert not excluded(expected)
    assert excluded(0.75 * expected)
    assert excluded(1.25 * expected)


def test_coordinates_add_up_and_blocks_do_not_matter(monkeypatch):
    wide = Quadratic([(1, 2), (3, "1/2")], [(0, 1), (2, -1)], noise_squared=2)
    trace = Trace.with_delays(np.random.default_rng(1).random((40, 2)) < 0.6, 0, local_steps=2)
    whole = expected_gap(
        Mifa(), wide, trace, start=(1, 2), local_step_size="1/8", arithmetic=RATIONAL
    )
    parts = [
        expected_gap(
            Mifa(),
            Quadratic(
                [r[j] for r in wide.curvatures], [r[j] for r in wide.optima], noise_squared=1
            ),
            trace,
            start=(1, 2)[j],
            local_step_size="1/8",
            arithmetic=RATIONAL,
        )
        for j in range(2)
    ]
    assert whole.total == parts[0].total + parts[1].total
    monkeypatch.setattr("fltheory.analysis.round_maps.BLOCK_NUMBERS", 1)
    assert (
        expected_gap(Mifa(), wide, trace, start=(1, 2), local_step_size="1/8", arithmetic=RATIONAL)
        == whole
    )
    rounded = expected_gap(
        Mifa(), wide, trace, start=(1, 2), local_step_size="1/8", arithmetic=FLOAT
    )
    assert rounded.total == pytest.approx(float(whole.total))


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


@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@settings(max_examples=8)
@given(
    delivers=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=7),
    local_steps=st.integers(1, 3),
)
@pytest.mark.parametrize("algorithm", SERVERS, ids=lambda one: type(one).__name__)
def test_compiled_moments_are_the_rational_ones_up_to_rounding(algorithm, delivers, local_steps):
    compiled_against_fractions(algorithm, Trace.fresh(delivers, local_steps=local_steps))


@pytest.mark.skipif(not NUMBA, reason="numba is not installed")
@settings(max_examples=12)
@given(trace=traces(num_clients=3, max_rounds=7, max_delay=3))
@pytest.mark.parametrize("algorithm", SERVERS, ids=lambda one: type(one).__name__)
def test_compiled_moments_of_late_and_uneven_work_are_the_rational_ones(algorithm, trace):
    compiled_against_fractions(algorithm, trace)


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
        lambda tables: (
            compiled_mean_squares(algorithm, problem, tables, **run)
            if covariance_is_known(algorithm, tables)
            else 0
        ),
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


def test_what_has_no_exact_moments_is_refused():
    with pytest.raises(InvalidInput, match="quadratic"):
        expected_gap(Mifa(), Clipped((0,), 1), Trace.fresh([[1]]), start=0, local_step_size=1)
    with pytest.raises(InvalidInput, match="one optimum"):
        expected_gap(
            Mifa(), CommonCurvature(0, (0,)), Trace.fresh([[1]]), start=0, local_step_size=1
        )
    with pytest.raises(InvalidInput, match="coordinates"):
        expected_gap(
            Mifa(), Quadratic((1,), (0,)), Trace.fresh([[1]]), start=(0, 1), local_step_size=1
        )


@pytest.mark.parametrize("name", all_algorithms(2))
def test_divergence_names_the_round_and_is_no_gap(name):
    """x -> -4 x with every round, so E x^2 grows like 16^t: finite in round 254, not in 300;
    fractions have no end."""
    problem, trace = (
        Quadratic((1, 1), (0, 0), noise_squared=1),
        Trace.fresh(np.ones((300, 2), bool)),
    )
    algorithm = all_algorithms(2)[name]
    with pytest.raises(Diverged, match="in round") as told:
        expected_gap(algorithm, problem, trace, start=1, local_step_size=5)
    assert 100 < told.value.round < 300
    assert np.isfinite(
        expected_gap(
            algorithm, problem, trace.first(told.value.round), start=1, local_step_size=5
        ).total
    )
