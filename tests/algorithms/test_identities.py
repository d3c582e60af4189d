"""Identities between methods, all in exact fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import given

from fltheory import FedAvg, Mifa, MifaDifference, Quadratic, Trace, simulate_virtual
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.engine.noise import Rademacher
from fltheory.engine.simulate import simulate
from tests.algorithms.exact_runs import (
    EXAMPLE,
    TURNS,
    TWO,
    decreasing,
    drift,
    few,
    instances,
    models,
)


def algorithm_three(
    problem: Quadratic, trace: Trace, steps: int, start: Fraction, size: Fraction, share: Fraction
) -> list[Fraction]:
    """FedLaAvg's Algorithm 3, iteration by iteration; `share` is 1/N, or 1 as (38) is printed."""
    count = problem.num_clients
    latest = [[Fraction(0)] * steps for _ in range(count)]
    x, iterates = start, [start]
    for delivers in trace.delivers:
        local = [x] * count
        for k in range(steps):
            for i in range(count):
                if delivers[i]:
                    latest[i][k] = problem.curvatures[i][0] * (local[i] - problem.optima[i][0])
                    local[i] -= size * latest[i][k]
            x -= size * share * sum(latest[i][k] for i in range(count))
            iterates.append(x)
    return iterates


def test_equation_38_needs_a_factor_one_over_n() -> None:
    problem, once = Quadratic(curvatures=(1, 1), optima=(-1, -1)), Trace.fresh([[1, 1]])
    assert models(FedLaAvg(), problem, once, start=0, local_step_size="1/4")[-1] == Fraction(-1, 4)
    assert algorithm_three(problem, once, 1, Fraction(0), Fraction(1, 4), share=Fraction(1))[
        -1
    ] == Fraction(-1, 2)


@few
@given(instances())
def test_algorithm_two_is_algorithm_three(instance: Any) -> None:
    problem, delivers, steps, start = instance
    trace, size = Trace.fresh(delivers, local_steps=steps), Fraction(1, 7)
    virtual = simulate_virtual(FedLaAvg(), problem, trace, start=start, local_step_size=size)[
        ..., 0
    ]
    virtual = np.concatenate(
        [virtual, np.tile(virtual[:, -1:], (1, max(0, steps + 1 - virtual.shape[1])))], axis=1
    )
    literal = algorithm_three(problem, trace, steps, start, size, Fraction(1, problem.num_clients))
    assert [start, *virtual[:, 1:].ravel()] == literal
    assert models(FedLaAvg(), problem, trace, start=start, local_step_size=size) == literal[::steps]


@few
@given(instances())
def test_equation_three_the_running_mean_is_the_mean_of_the_latest(instance: Any) -> None:
    problem, delivers, steps, start = instance
    final = simulate(
        FedLaAvg(),
        problem,
        Trace.fresh(delivers, local_steps=steps),
        start=start,
        local_step_size=decreasing,
    ).final.server
    assert (final.mean_update == final.latest_updates.mean(axis=0)).all()


@few
@given(instances())
def test_everyone_available_makes_the_memory_methods_fedavg(instance: Any) -> None:
    problem, delivers, steps, start = instance
    everyone = Trace.fresh(np.ones_like(delivers), local_steps=steps)
    methods = (FedAvg(), Mifa(), MifaDifference(), FedLaAvg())
    runs = [
        models(method, problem, everyone, start=start, local_step_size=decreasing)
        for method in methods
    ]
    assert all(run == runs[0] for run in runs)


@few
@given(instances())
def test_the_two_layouts_of_mifa_are_equal(instance: Any) -> None:
    problem, delivers, steps, start = instance
    trace, noise = Trace.continuous(delivers, local_steps=steps), Rademacher(problem, "1/3")
    array, difference = (
        simulate(method, problem, trace, start=start, local_step_size=decreasing, noise=noise)
        for method in (Mifa(), MifaDifference())
    )
    assert (array.models == difference.models).all()
    assert (difference.final.server.mean_update == array.final.server.updates.mean(axis=0)).all()


@few
@given(instances())
def test_constant_steps_make_mifa_fedlaavg(instance: Any) -> None:
    problem, delivers, steps, start = instance
    trace, noise = Trace.fresh(delivers, local_steps=steps), Rademacher(problem, "1/3")
    mifa, other = (
        models(one, problem, trace, start=start, local_step_size="1/9", noise=noise)
        for one in (Mifa(), FedLaAvg())
    )
    assert mifa == other


def test_decreasing_steps_tell_mifa_from_fedlaavg() -> None:
    mifa, other = (
        models(one, TWO, TURNS, start=2, local_step_size=decreasing) for one in (Mifa(), FedLaAvg())
    )
    assert mifa[:2] == other[:2]
    assert mifa[2] != other[2]


def test_local_steps_on_example_one_are_a_larger_step() -> None:
    """C local steps of size g contract like one step of size (1 - (1 - 2g)^C)/2: 271/2000 for g =
    1/20, C = 3."""
    step, count = Fraction(1, 20), 3
    single = (1 - (1 - 2 * step) ** count) / 2
    assert single == Fraction(271, 2000)
    trace = drift(2, 3, 3)
    many = models(FedLaAvg(), EXAMPLE, trace.with_local_steps(count), start=2, local_step_size=step)
    assert many == models(FedLaAvg(), EXAMPLE, trace, start=2, local_step_size=single)
