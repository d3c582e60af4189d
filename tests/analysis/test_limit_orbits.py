"""Runs on periodic traces that do not settle: drift, and orbits that return."""

from fractions import Fraction as F

from fltheory import FedAvg, Quadratic, Trace, WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.engine.simulate import simulate
from tests.analysis.limit_examples import EXAMPLE_1, alternating


def test_step_size_one_drifts_or_flips():
    drift = limit_cycle(FedAvg(), EXAMPLE_1, alternating(1, 1), local_step_size=1, start=1)
    assert (drift.cycle, drift.stable, drift.orbit) == (None, False, None)
    flip = limit_cycle(FedAvg(), EXAMPLE_1, alternating(1, 2), local_step_size=1, start=3)
    assert not flip.stable
    assert [point[0] for point in flip.orbit[::3]] == [3, -3]


def test_example_1_of_fraboni_has_an_exact_six_cycle():
    problem = Quadratic(curvatures=(1,) * 4, optima=("-1/2",) * 4)
    halves = Trace.continuous([[1, 0, 1, 0], [0, 1, 0, 1]] * 12)
    result = limit_cycle(
        WeightedAggregation(("1/2",) * 4), problem, halves, local_step_size=1, start=3
    )
    assert not result.stable
    orbit = [point[0] for point in result.orbit]
    assert len(orbit) == 6
    run = simulate(
        WeightedAggregation(("1/2",) * 4), problem, halves.first(6), start=3, local_step_size=1
    )
    assert list(run.models[:6, 0]) == [3, F(-1, 2), -4, -4, F(-1, 2), 3]
    assert sorted(orbit) == sorted(run.models[:6, 0])


def test_an_orbit_is_searched_only_where_a_run_does_not_settle():
    assert (
        limit_cycle(FedAvg(), EXAMPLE_1, alternating(1, 3), local_step_size="1/4", start=3).orbit
        is None
    )
    assert limit_cycle(FedAvg(), EXAMPLE_1, alternating(1, 2), local_step_size=1).orbit is None
    grows = limit_cycle(FedAvg(), EXAMPLE_1, alternating(1, 1), local_step_size=2, start=3)
    assert (grows.stable, grows.orbit) == (False, None)


def test_a_return_before_the_trace_repeats_is_no_orbit():
    """Three rounds in which nobody delivers, then a run that grows, or that flips for ever."""
    alone, late = Quadratic(curvatures=(2,), optima=(0,)), Trace.fresh([[0]] * 3 + [[1]] * 30)
    assert limit_cycle(FedAvg(), alone, late, local_step_size=2, start=3).orbit is None
    assert limit_cycle(FedAvg(), alone, late, local_step_size=1, start=3).orbit == ((3,), (-3,))
    longer = Trace.fresh([[0]] * 30 + [[1]] * 33)
    assert limit_cycle(FedAvg(), alone, longer, local_step_size=1, start=3).orbit == ((3,), (-3,))


def test_an_orbit_is_the_run_itself_until_it_returns():
    trace = Trace.continuous([[1, 0, 1, 0], [0, 1, 0, 1]] * 12)
    problem = Quadratic(curvatures=(1,) * 4, optima=("-1/2",) * 4)
    orbit = limit_cycle(
        WeightedAggregation(("1/2",) * 4), problem, trace, local_step_size=1, start=3
    ).orbit
    models = simulate(
        WeightedAggregation(("1/2",) * 4), problem, trace, start=3, local_step_size=1
    ).models
    first = next(
        t for t in range(0, 12, 2) if tuple(tuple(row) for row in models[t : t + 6]) == orbit
    )
    assert (
        first == 2
    )  # the whole state includes the models in use, which are all there after two rounds
    assert (models[2:8] == models[8:14]).all()
