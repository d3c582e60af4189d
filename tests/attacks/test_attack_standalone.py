"""The standalone replay runs the same algorithms as the package."""

from fractions import Fraction
from typing import Any

import pytest

import fltheory.algorithms
from fltheory.attacks.report import counterexample
from fltheory.attacks.search import attack
from fltheory.claims.evidence import Verdict
from fltheory.claims.expectations import ExactRun
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.registry import members
from fltheory.ledger.meanings import entry
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from tests.attacks.descent_claims import own
from verification import replay, replay_grammar, replay_runs
from verification.replay import NotCheckable

SETTINGS: dict[str, dict[str, Any]] = {
    "importance-sampling": {"probabilities": ("1/2", "3/4")},
    "partial-work": {"full_local_steps": 3, "importance": ("1/4", "3/4")},
}


def standalone_models(scenario: Scenario) -> list[list[Fraction]]:
    return replay_runs.run(scenario.to_json())


def exact_models(scenario: Scenario) -> list[list[Fraction]]:
    return [list(point) for point in ExactRun(scenario).models]


@pytest.mark.parametrize("algorithm", sorted(replay.ALGORITHMS))
def test_the_standalone_replay_runs_every_algorithm_that_it_names(algorithm: str) -> None:
    """Late work, absences, unequal steps and step sizes that change, against the package; with
    noise, by its measures."""
    usual = {"proximal_strength": "3/2"} if "fedprox" in algorithm else {"weights": ("1/3", 2)}
    trace = Trace.with_delays(
        [[1, 1], [1, 0], [0, 1], [0, 0], [1, 1]],
        [[0, 0], [1, 0], [0, 2], [0, 0], [3, 1]],
        local_steps=[[1, 3], [2, 1], [1, 2], [1, 1], [3, 1]],
    )
    run = Scenario(
        algorithm,
        Quadratic((1, 2), (3, 0), noise_squared=2),
        trace,
        start=1,
        settings=SETTINGS.get(algorithm, usual),
        local_step_size=("1/2", "1/3", "1/5", 1, "1/7"),
        server_step_size="3/2",
    )
    assert standalone_models(run) == exact_models(run)
    names = [
        "max_staleness",
        "mean_staleness",
        "mean_client_max_staleness",
        "mean_squared_gradient",
        "max_delay",
        "local_steps",
    ]
    again = replay.measured(run.to_json())
    assert {name: again(name) for name in names} == measure(run, names)


def test_the_standalone_replay_says_which_algorithm_it_does_not_know() -> None:
    assert set(members(fltheory.algorithms)) - replay.ALGORITHMS == {"sequential-sgd"}
    run = Scenario(
        "sequential-sgd", CommonCurvature(1, (0,)), Trace.fresh([[1]]), start=1, local_step_size=1
    )
    with pytest.raises(ValueError, match="no standalone replay for sequential-sgd"):
        standalone_models(run)


@pytest.mark.slow
@pytest.mark.parametrize("left", ["max_staleness", "mean_staleness"])
def test_late_work_is_as_old_as_its_start_in_the_standalone_replay(left: str) -> None:
    """A claim that confuses the age of work with the rounds since its delivery falls, and both
    replays agree on it."""
    found = attack(own("afa-cs", [], left=left, right="availability_window - 1"), attempts=40)
    assert found.evidence.verdict is Verdict.REFUTED
    meaning: Any = entry(found.claim)
    told, confirmed = replay.replay(counterexample(found), {found.claim.id: meaning})
    assert confirmed, told
    assert left in told[1]
    with pytest.raises(NotCheckable, match="nothing is said here"):
        replay.replay(counterexample(found))


def test_a_run_without_any_delivery_counts_one_local_step_in_both() -> None:
    run = Scenario(
        "fedavg", CommonCurvature(1, (0,)), Trace.fresh([[0]]), start=1, local_step_size=1
    )
    assert (
        replay.measured(run.to_json())("local_steps")
        == measure(run, ["local_steps"])["local_steps"]
        == 1
    )


@pytest.mark.parametrize("field", ["local_step_size", "averaging"])
def test_the_standalone_replay_reads_roots_where_the_package_writes_them(field: str) -> None:
    run = Scenario("fedavg", Quadratic((1,), (0,)), Trace.fresh([[1]]), 1, ("1/2",), averaging=(1,))
    rooted = {**run.to_json(), field: ["sqrt(2)/2"]}
    assert Scenario.from_json(rooted).to_json() == rooted
    replay_grammar.run_grammar(rooted)
    for wrong in ("sqrt(-2)", "sqrt(2", "2*sqrt(2) 1", "sqrt(x)", "sqrt(2)/0"):
        with pytest.raises((ValueError, ArithmeticError)):
            replay_grammar.run_grammar({**rooted, field: [wrong]})
    with pytest.raises(NotCheckable, match="root of roots"):
        replay_grammar.run_grammar({**rooted, field: ["sqrt(1 + sqrt(2))"]})
    with pytest.raises(ValueError, match="no short fraction"):
        replay_grammar.run_grammar({**rooted, "server_step_size": "sqrt(2)/2"})
