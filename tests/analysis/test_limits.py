"""Limits on periodic traces: golden cycles of the papers' examples, and properties on random
instances."""

from fractions import Fraction as F
from itertools import product

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import (
    FLOAT,
    FedAvg,
    InvalidInput,
    Mifa,
    MifaDifference,
    Quadratic,
    Trace,
    WeightedAggregation,
)
from fltheory.analysis.limits import limit_cycle
from fltheory.core.linear import is_schur_stable
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import simulate
from fltheory.problems.clipped import Clipped
from fltheory.traces.trace_statistics import repeats
from tests.analysis.limit_examples import EXAMPLE_1, HALVES, alternating, numbers, taking_turns


@pytest.mark.parametrize(
    ("first", "second", "step_size", "limit"),
    [
        (1, 3, "1/4", "14/15"),
        (1, 3, "1/8", "148/175"),
        (1, 3, "1/16", "1352/1695"),
        (1, 1, "1/4", "2/3"),
        (2, 1, "1/4", "4/7"),
        (3, 1, "1/4", "8/15"),
        (2, 3, "1/8", "592/781"),
        (5, 5, "1/10", "3125/4149"),
        (1, 3, "1/100", "367550/485199"),
        (1, 1, "1/2", "1"),
        (1, 3, "3/4", "6/5"),
    ],
)
def test_fedavg_misses_the_optimum_of_example_1(first, second, step_size, limit):
    result = limit_cycle(FedAvg(), EXAMPLE_1, alternating(first, second), local_step_size=step_size)
    assert result.at_period_end == (F(limit),)
    assert result.stable


@pytest.mark.parametrize(
    ("first", "second", "step_size", "radius"),
    [
        (1, 1, "1/4", sympy.Rational(1, 4)),
        (1, 3, "1/4", (103 + sympy.sqrt(1393)) / 512),
        (3, 2, "1/4", 0.203333),
        (10, 10, "1/4", 0.716435),
        (50, 50, "1/10", 0.977212),
    ],
)
def test_memory_methods_come_home_on_example_1(first, second, step_size, radius):
    for algorithm in (Mifa(), MifaDifference()):
        result = limit_cycle(
            algorithm, EXAMPLE_1, alternating(first, second), local_step_size=step_size
        )
        assert set(numbers(result)) == {F(1, 2)}
        assert result.stable
        if isinstance(radius, float):
            assert result.spectral_radius == pytest.approx(radius, abs=6e-7)
        else:
            assert sympy.simplify(result.spectral_radius_exact - radius) == 0


def test_symbolic_step_size_gives_the_closed_form_of_theorem_1():
    gamma = sympy.Symbol("gamma")
    result = limit_cycle(
        FedAvg(), EXAMPLE_1, alternating(1, 3), local_step_size=gamma, arithmetic=SYMBOLIC
    )
    q = 1 - 2 * gamma
    closed = (q**3 * (0 - 1) + 1 - 0) / (1 - q**4)
    assert sympy.simplify(result.at_period_end[0] - closed) == 0
    assert result.stable is None


@pytest.mark.parametrize(
    ("step_size", "local_steps", "stable", "radius"),
    [
        ("3/2", 2, True, None),
        ("3/2", 1, False, 1.224745),
        ("1/4", 1, True, 0.5),
        (1, 3, False, 1.0),
    ],
)
def test_example_1_is_stable_exactly_when_phi_lies_between_0_and_1(
    step_size, local_steps, stable, radius
):
    problem = Quadratic(curvatures=(1, 1), optima=(1, 1))
    trace = Trace.continuous([[1, 0], [0, 1]] * 6, local_steps=local_steps)
    result = limit_cycle(WeightedAggregation((1, 1)), problem, trace, local_step_size=step_size)
    assert result.stable is stable
    if radius:
        assert result.spectral_radius == pytest.approx(radius**2, abs=1e-6)  # of two rounds


@pytest.mark.parametrize(
    ("weights", "step_size", "cycle"),
    [
        ((1, 1), "1/2", ("3/5", "2/5")),
        ((1, 3), "1/10", ("33/43", "30/43")),
    ],
)
def test_example_2_of_fraboni_ends_in_a_two_cycle(weights, step_size, cycle):
    result = limit_cycle(
        WeightedAggregation(weights), HALVES, taking_turns(12), local_step_size=step_size
    )
    assert numbers(result) == [F(c) for c in cycle]
    fresh = limit_cycle(
        WeightedAggregation((1, 1)),
        HALVES,
        Trace.fresh([[1, 0], [0, 1]] * 3),
        local_step_size="1/2",
    )
    assert numbers(fresh) == [F(2, 3), F(1, 3)]


@pytest.mark.slow
@settings(max_examples=40)
@given(
    st.integers(1, 3),
    st.integers(1, 4),
    st.sampled_from(["1/10", "1/3", "9/10"]),
    st.booleans(),
    st.integers(1, 3),
    st.data(),
)
def test_the_cycle_is_a_run_of_the_algorithm(
    clients, period, step_size, delayed, local_steps, data
):
    pattern = data.draw(
        st.lists(
            st.lists(st.booleans(), min_size=clients, max_size=clients),
            min_size=period,
            max_size=period,
        )
    )
    curvatures = data.draw(
        st.lists(st.fractions(F(1, 4), 1, max_denominator=4), min_size=clients, max_size=clients)
    )
    optima = data.draw(st.lists(st.integers(-3, 3), min_size=clients, max_size=clients))
    repeat = 4 * clients + 4
    make = Trace.continuous if delayed else Trace.fresh
    trace = make(pattern * repeat, local_steps=local_steps)
    problem = Quadratic(curvatures, optima)
    for algorithm in (FedAvg(), Mifa(), WeightedAggregation((1,) * clients)):
        limit = limit_cycle(algorithm, problem, trace, local_step_size=step_size)
        assert limit.stable == is_schur_stable(list(limit.characteristic))
        if limit.cycle is None or not limit.stable or limit.spectral_radius > 0.8:
            continue
        longer = make(pattern * 100, local_steps=local_steps)
        run = simulate(
            algorithm, problem, longer, start=1, local_step_size=step_size, arithmetic=FLOAT
        )
        end = 100 * period - (100 * period) % limit.period
        assert run.models[end, 0] == pytest.approx(float(limit.at_period_end[0]), abs=1e-6)


def test_the_mean_and_the_end_of_a_cycle():
    plane = Quadratic(curvatures=((2, 1), (2, 3)), optima=((0, 1), (1, -1)))
    result = limit_cycle(FedAvg(), plane, alternating(1, 3), local_step_size="1/4")
    assert (result.period, len(result.cycle)) == (4, 4)
    assert result.at_period_end == result.cycle[0]
    assert result.mean == tuple(sum(point[k] for point in result.cycle) / 4 for k in (0, 1))
    none = limit_cycle(FedAvg(), EXAMPLE_1, alternating(1, 1), local_step_size=1)
    assert (none.cycle, none.mean, none.at_period_end, none.orbit) == (None, None, None, None)


def test_the_characteristic_polynomial_is_that_of_the_states_a_run_can_reach():
    assert limit_cycle(
        FedAvg(), EXAMPLE_1, alternating(1, 3), local_step_size="1/4"
    ).characteristic == (1, -F(1, 16))
    forgets = limit_cycle(FedAvg(), EXAMPLE_1, alternating(1, 1), local_step_size="1/2")
    assert (forgets.characteristic, forgets.spectral_radius, forgets.stable) == ((1, 0), 0, True)


def test_a_server_step_size_moves_the_cycle_as_it_moves_the_run():
    trace = Trace.fresh([[1, 0], [0, 1], [0, 1]] * 40)
    for size in (1, "1/3"):
        limit = limit_cycle(
            FedAvg(), EXAMPLE_1, trace, local_step_size="1/4", server_step_size=size
        )
        run = simulate(
            FedAvg(),
            EXAMPLE_1,
            trace,
            start=0,
            local_step_size="1/4",
            server_step_size=size,
            arithmetic=FLOAT,
        )
        assert run.last[0] == pytest.approx(float(limit.at_period_end[0]), abs=1e-8)
    assert (
        limit.at_period_end
        != limit_cycle(FedAvg(), EXAMPLE_1, trace, local_step_size="1/4").at_period_end
    )


def test_a_cycle_begins_when_warm_up_and_delays_are_over():
    """A first round that never comes again, and work that starts two rounds back: the cycle is that
    of the rounds to come."""
    steady = [[1, 0], [0, 1], [1, 1]]
    warm = Trace.with_delays(
        [[0, 1], *steady * 5], [[0, 0], [0, 0], [0, 1], [2, 2], *[[1, 0], [0, 2], [2, 1]] * 4]
    )
    limit = limit_cycle(WeightedAggregation((1, 1)), HALVES, warm, local_step_size="1/4")
    assert limit.stable
    longer = Trace.with_delays(
        [[0, 1], *steady * 60], [[0, 0], [0, 0], [0, 1], [2, 2], *[[1, 0], [0, 2], [2, 1]] * 59]
    )
    run = simulate(
        WeightedAggregation((1, 1)),
        HALVES,
        longer,
        start=5,
        local_step_size="1/4",
        arithmetic=FLOAT,
    ).models
    assert limit.period == 3
    assert [run[174 + j, 0] for j in range(3)] == pytest.approx(
        [float(x) for x in numbers(limit)], abs=1e-9
    )


def test_every_trace_that_repeats_settles_within_its_rounds():
    """All delays of one client over six rounds: warm-up and the longest delay end before the last
    period begins."""
    alone, met = Quadratic(curvatures=(1,), optima=(2,)), 0
    for delays in product(*(range(t + 1) for t in range(6))):
        trace = Trace.with_delays([[1]] * 6, [[delay] for delay in delays])
        if repeats(trace) is not None:
            met += 1
            assert set(numbers(limit_cycle(FedAvg(), alone, trace, local_step_size="1/10"))) == {2}
    assert met > 20


@pytest.mark.parametrize(
    ("trace", "options", "message"),
    [
        (
            taking_turns(12),
            {"local_step_size": lambda t: F(1, t + 1)},
            "step size must be constant for a limit cycle, got a schedule$",
        ),
        (
            taking_turns(12),
            {"local_step_size": 1, "server_step_size": lambda t: 1},
            "step size must be constant for a limit cycle, got",
        ),
        (
            Trace.fresh([[1, 0], [0, 1], [1, 1], [0, 0]]),
            {"local_step_size": 1},
            (
                "trace must repeat itself at least three times for a limit cycle, got 4 rounds"
                " without a period$"
            ),
        ),
    ],
)
def test_what_has_no_limit_cycle_is_refused(trace, options, message):
    with pytest.raises(InvalidInput, match=f"^{message}"):
        limit_cycle(FedAvg(), HALVES, trace, **options)


def test_a_problem_without_affine_gradients_has_no_limit_cycle():
    with pytest.raises(
        InvalidInput, match=r"^problem must have affine gradients for a limit cycle, got Clipped$"
    ):
        limit_cycle(
            FedAvg(), Clipped(centres=(0, 1), bound=1), taking_turns(12), local_step_size="1/4"
        )
