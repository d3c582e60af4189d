"""Means and variances of random runs, round by round, against the sum over all outcomes."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.participation import Participation
from fltheory.claims.scenario import Scenario
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from verification.replay_measures import measured

NAMES = (
    "mean_squared_gradient",
    "last_loss_gap",
    "last_squared_distance",
    "average_squared_distance",
    "min_loss_gap",
    "loss_gap_of_average",
    "weighted_average_loss_gap",
    "loss_gap_of_weighted_average",
)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
LAWS: dict[str, Participation | None] = {
    "bernoulli": Participation("bernoulli", (HALF, THIRD)),
    "uniform": Participation("uniform", clients_per_round=1),
    "cyclic": Participation("cyclic", clients_per_round=1, groups=2),
    "markov": Participation("markov", (HALF, THIRD), (THIRD, Fraction(9, 10))),
    "everybody": None,
}


def scenario(law: str, problem: Any, *, rounds: int = 3, **more: Any) -> Scenario:
    steps = [[1 + t % 2, 2] for t in range(rounds)]
    return Scenario(
        "fedavg",
        problem,
        Trace.fresh([[1, 1]] * rounds, local_steps=steps),
        start=(2,) * problem.dimension,
        local_step_size=tuple(Fraction(1, t + 3) for t in range(rounds)),
        participation=LAWS[law],
        averaging=tuple(range(1, rounds + 1)),
        **more,
    )


def by_enumeration(one: Scenario, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    with monkeypatch.context() as patch:
        patch.setattr(ExactRun, "by_moments", False)
        return measure(one, NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    "problem",
    [
        Quadratic(((1, HALF), (THIRD, 1)), ((0, 1), (3, -1))),
        Quadratic((1, THIRD), (0, 2), noise_squared=4),
        CommonCurvature(1, (1, -1)),
    ],
)
def test_moments_are_those_of_all_outcomes(
    law: str, problem: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = scenario(law, problem)
    assert ExactRun(one).by_moments is (law != "everybody")
    assert measure(one, NAMES) == by_enumeration(one, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["everybody", "uniform", "markov"])
@pytest.mark.parametrize("noise", [0, 4])
def test_noise_that_grows_with_the_gradient_is_drawn_anew_in_each_step(
    law: str, noise: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Quadratic((1, THIRD), (0, 2), noise_squared=noise)
    two = noise > 0 or law == "everybody"
    one = scenario(law, problem, rounds=1 if two else 2, relative_noise=HALF)
    assert measure(one, NAMES) == by_enumeration(one, monkeypatch)


def test_a_wrong_moment_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    one = scenario("bernoulli", Quadratic((1, THIRD), (0, 2)))
    other = Participation("bernoulli", (HALF, HALF))
    monkeypatch.setitem(LAWS, "bernoulli", other)
    assert measure(scenario("bernoulli", one.problem), NAMES) != by_enumeration(one, monkeypatch)


def test_random_runs_of_many_rounds_have_exact_expectations() -> None:
    law = Participation("bernoulli", (HALF,))
    one = Scenario(
        "fedavg",
        Quadratic((1,), (0,)),
        Trace.fresh([[1]] * 100),
        start=1,
        local_step_size=HALF,
        participation=law,
    )
    assert measure(one, ["last_squared_distance"]) == {
        "last_squared_distance": Fraction(5, 8) ** 100
    }


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("relative", [0, HALF])
def test_the_standalone_replay_has_the_same_moments(law: str, relative: Fraction) -> None:
    noise = 4 if law == "cyclic" else 0
    problem = Quadratic((1, THIRD), (0, 2), noise_squared=noise)
    one = scenario(law, problem, rounds=8, relative_noise=relative)
    told = measured(one.to_json())
    values = measure(one, NAMES)
    assert {name: told(name) for name in NAMES} == values
    other = measured(replace(one, start=(3,)).to_json())
    assert {name: other(name) for name in NAMES} != values


def test_additive_noise_of_many_rounds_has_moments() -> None:
    trace, names = Trace.fresh([[1]] * 500), ["last_squared_distance"]
    problem = Quadratic((1,), (0,), noise_squared=1)
    one = Scenario("fedavg", problem, trace, start=0, local_step_size=HALF)
    expected = (1 - Fraction(1, 4) ** 500) / 3
    assert measure(one, names) == {"last_squared_distance": expected}
    assert measured(one.to_json())("last_squared_distance") == expected


def test_losses_that_bend_and_methods_with_a_memory_have_no_moments() -> None:
    one = scenario("uniform", Quadratic((1, THIRD), (0, 2)))
    assert not ExactRun(
        Scenario(
            "mifa",
            one.problem,
            one.trace,
            start=2,
            local_step_size=HALF,
            participation=LAWS["uniform"],
        )
    ).by_moments
