"""Golden values of MIFA, its baselines and FedLaAvg, all in exact fractions."""

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest

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
from fltheory.analysis.limits import limit_cycle
from fltheory.engine.rounds import by_updates
from fltheory.traces.trace_statistics import max_staleness, mean_staleness
from tests.algorithms.exact_runs import EXAMPLE, TURNS, TWO, decreasing, drift, models, numbers


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
        chance = prod([p if on else 1 - p for p, on in zip(chances, active, strict=True)])
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
    mean = sum((chance * move for chance, move in moves.values()), Fraction(0))
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
