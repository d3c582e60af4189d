"""Golden values of the four papers and identities between methods, all in exact fractions."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import (
    FedAvg,
    InvalidInput,
    Mifa,
    MifaDifference,
    Quadratic,
    Trace,
    importance_sampling,
    simulate_virtual,
)
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.analysis.limits import limit_cycle
from fltheory.engine.noise import Rademacher
from fltheory.engine.rounds import by_updates
from fltheory.engine.simulate import simulate
from fltheory.traces.trace_statistics import max_staleness, mean_staleness

few = settings(max_examples=25)

EXAMPLE = Quadratic(curvatures=(2, 2), optima=(0, 1))


def drift(first: int, second: int, periods: int) -> Trace:
    """FedLaAvg's Example 1: two clients, available in turn for so many rounds each."""
    return Trace.fresh(([[1, 0]] * first + [[0, 1]] * second) * periods)


def models(*arguments: Any, **options: Any) -> list[Fraction]:
    return list(simulate(*arguments, **options).models[:, 0])


def numbers(*texts: str) -> list[Fraction]:
    return [Fraction(text) for text in texts]


# --- MIFA, the instance of its Algorithm 1: two clients, two local steps, step sizes 2/(t + 100)

TWO = Quadratic(curvatures=(1, 1), optima=(0, 1))
TURNS = Trace.fresh([[1, 1], [1, 0], [0, 1]], local_steps=2)


def decreasing(index: int) -> Fraction:
    return Fraction(2, index + 101)


@pytest.mark.parametrize("algorithm", [Mifa(), MifaDifference()], ids=["array", "difference"])
def test_mifa_by_hand(algorithm: Any) -> None:
    run = models(algorithm, TWO, TURNS, start=2, local_step_size=decreasing)
    assert run[1:] == numbers("19802/10201", "49989901/26532801", "515051600803/281486485809")
    weights = [(t + 99) * (t + 98) for t in range(1, 5)]
    assert sum(weights) == 40808
    assert sum(w * x for w, x in zip(weights, run, strict=True)) / 40808 == Fraction(
        20498990303, 10719272006
    )


@pytest.mark.parametrize(
    ("algorithm", "last"),
    [
        (FedAvg(), "50566208/27594009"),
        (importance_sampling(("3/4", "1/2")), "453494878/248346081"),
    ],
    ids=["biased", "importance-sampling"],
)
def test_mifas_baselines_by_hand(algorithm: Any, last: str) -> None:
    assert models(algorithm, TWO, TURNS, start=2, local_step_size=decreasing)[-1] == Fraction(last)


def test_device_sampling_with_waiting_counts_updates_not_rounds() -> None:
    """S = 2: client 1 answers in round 1 and client 2 in round 2, then both work; two updates in
    three rounds."""
    waiting = Trace.fresh([[1, 1], [0, 0], [1, 1]], local_steps=2)
    sizes = by_updates(decreasing, waiting)
    assert models(FedAvg(), TWO, waiting, start=2, local_step_size=sizes)[-1] == Fraction(
        11115589, 5896178
    )
    assert models(FedAvg(), TWO, waiting, start=2, local_step_size=decreasing)[-1] != Fraction(
        11115589, 5896178
    )


def test_staleness_of_a_hand_trace() -> None:
    trace = Trace.fresh([[1, 1], [1, 0], [1, 0], [1, 1], [1, 0], [1, 0]])
    assert (mean_staleness(trace), max_staleness(trace)) == (Fraction(1, 2), 2)


def test_importance_sampling_is_unbiased_with_the_variance_of_the_paper() -> None:
    """Gradients 1 and 3 with chances 1/2 and 1/3: mean 2, variance 19/4, over all four active
    sets."""
    problem, chances = Quadratic(curvatures=(1, 1), optima=(-1, -3)), numbers("1/2", "1/3")
    moves = {}
    for active in product([0, 1], repeat=2):
        chance = np.prod([p if on else 1 - p for p, on in zip(chances, active, strict=True)])
        moves[active] = (
            chance,
            -models(
                importance_sampling(chances),
                problem,
                Trace.fresh([active]),
                start=0,
                local_step_size=1,
            )[-1],
        )
    mean = sum(chance * move for chance, move in moves.values())
    assert (mean, sum(chance * (move - mean) ** 2 for chance, move in moves.values())) == (
        2,
        Fraction(19, 4),
    )


@pytest.mark.parametrize("chances", [("3/2", 1), (0, 1), ("-1/2", 1)])
def test_impossible_chances_are_refused(chances: Any) -> None:
    with pytest.raises(InvalidInput, match="availability probability of client 0 must lie in"):
        importance_sampling(chances)


def test_biased_fedavg_favours_the_available() -> None:
    """Effective weights E[1{i active} / number active]: (3/4, 1/4) for chances (1, 1/2)."""
    for client, weight in enumerate(numbers("3/4", "1/4")):
        problem = Quadratic(curvatures=(1, 1), optima=[-1 if i == client else 0 for i in range(2)])
        both, first = (
            -models(FedAvg(), problem, Trace.fresh([row]), start=0, local_step_size=1)[-1]
            for row in ([1, 1], [1, 0])
        )
        assert (both + first) / 2 == weight


# --- FedLaAvg


def test_theorem_two_of_fedlaavg_by_hand() -> None:
    run = models(FedLaAvg(), EXAMPLE, drift(1, 3, 4), start=2, local_step_size="1/8")
    assert run[1:5] == numbers("7/4", "45/32", "283/256", "1725/2048")
    assert float(sum((x - Fraction(1, 2)) ** 2 for x in run[:16]) / 16) == pytest.approx(
        0.325089, abs=1e-6
    )


def test_virtual_iterates_are_not_server_models() -> None:
    """N = 2, K = 1, two local steps, gradients x - 1 and x + 1: the server's models, and the
    iterate one step earlier."""
    problem, turns = (
        Quadratic(curvatures=(1, 1), optima=(1, -1)),
        drift(1, 1, 2).first(3).with_local_steps(2),
    )
    assert models(FedLaAvg(), problem, turns, start=1, local_step_size="1/4") == numbers(
        "1", "1", "9/16", "113/512"
    )
    virtual = simulate_virtual(FedLaAvg(), problem, turns, start=1, local_step_size="1/4")
    assert list(virtual[:, 1, 0]) == numbers("1", "3/4", "47/128")


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


participation = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=2, max_size=5)
)
fraction = st.fractions(-2, 2, max_denominator=5)


@st.composite
def instances(draw: st.DrawFn) -> tuple[Quadratic, Any, int, Fraction]:
    delivers = draw(participation)
    count = len(delivers[0])
    optima, curvatures = (
        draw(st.lists(fraction, min_size=count, max_size=count)) for _ in range(2)
    )
    return (
        Quadratic([abs(h) for h in curvatures], optima),
        delivers,
        draw(st.integers(1, 3)),
        draw(fraction),
    )


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


def test_unequal_importance_needs_rescaled_losses() -> None:
    """w = (3/4, 1/4): the optimum is 1/4; Algorithm 1 as printed tends to 1/2, with f_i = w_i N
    f~_i to 1/4."""
    problem, everyone = (
        Quadratic(curvatures=(2, 2), optima=(0, 1), importance=("3/4", "1/4")),
        Trace.fresh([[1, 1]] * 3),
    )
    limits = [
        limit_cycle(FedLaAvg(), f, everyone, local_step_size="1/8").at_period_end
        for f in (problem, problem.equally_weighted())
    ]
    assert (
        problem.constants.optimum
        == problem.equally_weighted().constants.optimum
        == (Fraction(1, 4),)
    )
    assert limits == [(Fraction(1, 2),), (Fraction(1, 4),)]


# --- the other methods on Example 1: block maps x -> e + q (x - e), so the limit is that of FedAvg
# with another q


def block_limit(contraction: Fraction) -> Fraction:
    """Limit at the end of a period with e = (0, 1) and (t1, t2) = (1, 3)."""
    return 1 - contraction**3 * (1 - contraction) / (1 - contraction**4)


def test_partial_work_does_not_remove_the_bias() -> None:
    limit = limit_cycle(
        PartialWork(full_local_steps=1), EXAMPLE, drift(1, 3, 3), local_step_size="1/4"
    ).at_period_end
    assert limit == (block_limit(1 - Fraction(1, 4)),) == (Fraction(148, 175),)


@pytest.mark.parametrize(
    ("strength", "shown"), [("0", 0.819981981), ("1/100", 0.819950808), ("1", 0.816944881)]
)
def test_fedprox_is_close_to_fedavg(strength: str, shown: float) -> None:
    size, count, pull = Fraction(1, 100), 10, Fraction(strength)
    inner = (1 - size * (2 + pull)) ** count
    contraction = inner + (1 - inner) * pull / (2 + pull)
    trace = drift(1, 3, 3).with_local_steps(count)
    limit = limit_cycle(
        FedAvg(worker=proximal(strength)), EXAMPLE, trace, local_step_size=size
    ).at_period_end
    assert limit == (block_limit(contraction),)
    assert float(limit[0]) == pytest.approx(shown, abs=1e-9)


@few
@given(instances())
def test_fedprox_of_strength_zero_is_fedavg(instance: Any) -> None:
    problem, delivers, steps, start = instance
    trace = Trace.continuous(delivers, local_steps=steps)
    assert models(
        FedAvg(worker=proximal(0)), problem, trace, start=start, local_step_size=decreasing
    ) == models(FedAvg(), problem, trace, start=start, local_step_size=decreasing)


@few
@given(instances())
def test_scaffold_with_everyone_and_one_step_is_fedavg(instance: Any) -> None:
    problem, delivers, _, start = instance
    trace, noise = Trace.fresh(np.ones_like(delivers)), Rademacher(problem, "1/2")
    plain, controlled = (
        models(FedAvg(worker=w), problem, trace, start=start, local_step_size="1/5", noise=noise)
        for w in (FedAvg().worker, CONTROLLED)
    )
    assert plain == controlled


def test_scaffold_removes_the_drift_of_local_steps() -> None:
    """Curvatures 1 and 3 with four local steps: FedAvg stops short of the optimum 3/4, SCAFFOLD
    reaches it."""
    problem, everyone = (
        Quadratic(curvatures=(1, 3), optima=(0, 1)),
        Trace.fresh([[1, 1]] * 3, local_steps=4),
    )
    limits = [
        limit_cycle(FedAvg(worker=w), problem, everyone, local_step_size="1/10").at_period_end
        for w in (FedAvg().worker, CONTROLLED)
    ]
    assert limits[0] != limits[1] == (Fraction(3, 4),)


@pytest.mark.parametrize(("full", "importance"), [(0, None), ("3/2", None), (2, ("1/2", "1/3"))])
def test_partial_work_refuses_impossible_settings(full: Any, importance: Any) -> None:
    with pytest.raises(InvalidInput):
        PartialWork(full, importance)


def test_more_than_full_work_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match="local steps in round 0 must be at most the full 2, got 3"
    ):
        models(
            PartialWork(2),
            EXAMPLE,
            Trace.fresh([[1, 0]], local_steps=3),
            start=0,
            local_step_size=1,
        )
