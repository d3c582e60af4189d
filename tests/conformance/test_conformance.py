"""Right implementations of all methods agree; each planted error is found, on a small run."""

import json
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import fltheory as fl
import fltheory.algorithms
from fltheory.cli import make_app
from fltheory.conformance.compare import Trial, first_difference, reference
from fltheory.core.registry import is_own, members
from tests.conformance.right import RIGHT, FedAvg, Mifa
from tests.conformance.wrong import WRONG, DividesByZero, MemoryNotKept

NAMES = [name for name in members(fltheory.algorithms) if is_own(fltheory.algorithms, name)]


@pytest.mark.parametrize("name", NAMES)
def test_a_right_implementation_agrees(name: str) -> None:
    found = fl.conform(RIGHT[name], name, runs=40)
    assert found.agrees, found
    assert (found.runs, found.declined, found.compared) == (112, 0, "equal fractions")


@pytest.mark.parametrize(("name", "wrong"), WRONG, ids=lambda part: getattr(part, "__name__", part))
def test_a_planted_error_is_found_on_a_small_run(name: str, wrong: Any) -> None:
    found = fl.conform(wrong, name)
    assert not found.agrees
    assert found.repeats
    difference = found.difference
    assert difference is not None
    run = difference.run
    assert run.trace.num_clients <= 2
    assert run.trace.num_rounds <= 3
    assert difference.expected == reference(run)[-1]
    assert first_difference(Trial(wrong), run) == difference


def test_a_mifa_that_forgets_is_wrong_as_soon_as_somebody_is_silent() -> None:
    difference = fl.conform(MemoryNotKept, "mifa").difference
    assert difference is not None
    assert difference.run.trace.delivers.tolist() == [[True], [False]]
    assert difference.to_dict() | {"run": None} == {
        "round": 1,
        "before": "0",
        "expected": "-1",
        "got": "0",
        "run": None,
    }


def test_an_error_is_a_difference_unless_such_runs_are_left_out() -> None:
    found = fl.conform(DividesByZero, "fedavg")
    assert found.difference is not None
    assert "raises ZeroDivisionError" in found.difference.says
    assert fl.conform(DividesByZero, "fedavg", empty_rounds=False, runs=20).agrees


def test_floats_agree_within_the_tolerance_and_no_further() -> None:
    class Rounded(FedAvg):
        def serve(self, round: Any) -> None:
            super().serve(round)
            self.model = np.round(self.model, 6)

    assert fl.conform(FedAvg, "fedavg", floats=True, runs=20).agrees
    assert not fl.conform(Rounded, "fedavg", floats=True, runs=20).agrees
    loose = fl.conform(Rounded, "fedavg", floats=True, runs=20, tolerance="1e-4")
    assert loose.agrees
    assert loose.compared == "floats within 0.0001 times the largest model"


def test_numbers_that_are_not_finite_differ() -> None:
    found = fl.conform(lambda model, setup: lambda round: model * float("nan"), "fedavg", runs=0)
    assert not found.agrees
    assert found.repeats
    assert found.to_dict()["difference"]


def test_what_is_declined_is_told_and_does_not_count_as_agreement() -> None:
    class Careful(Mifa):
        def serve(self, round: Any) -> None:
            if not round.arrivals:
                raise NotImplementedError
            super().serve(round)

    found = fl.conform(Careful, "mifa", runs=20)
    assert found.agrees
    assert found.declined > 30
    assert found.runs + found.declined == 92

    def lazy(model: Any, setup: Any) -> Any:
        raise NotImplementedError

    nothing = fl.conform(lazy, "mifa", runs=5)
    assert (nothing.agrees, nothing.runs, nothing.declined) == (False, 0, 77)


def test_state_that_outlives_a_run_is_told() -> None:
    calls: list[int] = []

    class Counting(FedAvg):
        def serve(self, round: Any) -> None:
            calls.append(1)
            super().serve(round)
            if len(calls) == 100:
                self.model = self.model + 1

    found = fl.conform(Counting, "fedavg", runs=5)
    assert not found.agrees
    assert not found.repeats
    assert "repeated" in repr(found)


def test_an_implementation_may_change_what_it_is_given() -> None:
    class InPlace(FedAvg):
        def serve(self, round: Any) -> None:
            for work in round.arrivals:
                work.model[:] = 7
                work.client.curvature[:] = 0

    found = fl.conform(lambda model, setup: InPlace(model, setup), "fedavg", runs=5)
    assert not found.agrees  # the model does not move; the reference is not disturbed
    assert found.difference is not None
    assert found.difference.expected == reference(found.difference.run)[-1]


def test_only_what_is_asked_for_is_tried() -> None:
    found = fl.conform(RIGHT["async"], "async", runs=60, delays=False, equal_importance=True)
    assert found.scope.ranges["largest_delay"] == ("0", "0")
    assert found.scope.ranges["importance_ratio"] == ("1", "1")
    late = fl.conform(RIGHT["async"], "async", runs=60)
    assert late.scope.ranges["largest_delay"] == ("0", "7")
    assert fl.conform(FedAvg, fl.FedAvg(), runs=5).algorithm == "fedavg"
    first = fl.conform(MemoryNotKept, "mifa", everyone_first=True).difference
    assert first is not None
    assert first.run.trace.delivers[0].all()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere:Mifa", "mifa"), "module nowhere must be one that can be imported"),
        (("Mifa", "mifa"), "must be written module:Name"),
        (("math:pi", "mifa"), "implementation must be a function or a class"),
        ((lambda model: model, "mifa"), "take two arguments"),
        ((lambda model, setup: model, "mifa"), "return a function of one round"),
        ((lambda model, setup: lambda round: [1, 2, 3], "mifa"), "one number for each of 1 coord"),
        (
            (lambda model, setup: lambda round: None, "mifa"),
            "model that the implementation returns",
        ),
        ((lambda model, setup: lambda round: ["x"], "mifa"), "hold numbers"),
        ((FedAvg, "mifo"), "near: mifa"),
    ],
)
def test_bad_input_is_refused(arguments: Any, said: str) -> None:
    with pytest.raises(fl.InvalidInput, match=said):
        fl.conform(*arguments)
    with pytest.raises(fl.InvalidInput, match="number of runs"):
        fl.conform(FedAvg, "fedavg", runs=-1)
    with pytest.raises(fl.InvalidInput, match="tolerance"):
        fl.conform(FedAvg, "fedavg", tolerance="2")


def test_the_command_tells_by_its_exit_code() -> None:
    def run(line: str) -> Any:
        return CliRunner().invoke(make_app(), ["conform", *line.split()])

    right = run("tests.conformance.right:Mifa --algorithm mifa --runs 10 --json")
    assert right.exit_code == 0
    assert json.loads(right.stdout)["agrees"] is True
    wrong = run("tests.conformance.wrong:MemoryNotKept --algorithm mifa --json")
    assert wrong.exit_code == 1
    difference = json.loads(wrong.stdout)["difference"]
    assert fl.Scenario.from_json(difference["run"]).trace.num_rounds == difference["round"] + 1
    bad = run("tests.conformance.right:Nothing --algorithm mifa")
    assert bad.exit_code == 2
    assert "no Nothing" in bad.stderr
