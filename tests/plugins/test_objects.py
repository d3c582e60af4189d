"""Objects in place of names: what they are called, written down as, and refused for."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pytest

import fltheory.algorithms
import fltheory.problems
from fltheory import FedAvg, Mifa, Quadratic, Scenario, Trace, limit_cycle
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Question
from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import add_plugins
from fltheory.core.registry import (
    Member,
    Settings,
    find_member,
    is_own,
    members,
    register,
    registered_name,
)
from fltheory.testing import assert_bound_holds
from fltheory.testing.contracts import check_algorithm

METHODS = Path(__file__).parent / "methods"
QUESTION = Question(FunctionClass(1), Conditions(distance_squared=1))


def test_every_arithmetic_and_the_impostors() -> None:
    add_plugins(str(METHODS))
    check_algorithm(find_member(fltheory.algorithms, "normalised").build(Settings()))

    @dataclass(frozen=True)
    class Rounded(FedAvg):
        """It branches on the kind of number."""

        def step(self, state, deliveries, round):
            moved = super().step(state, deliveries, round)
            return type(moved)(moved.model if moved.model.dtype == object else moved.model + 1)

    @dataclass(frozen=True)
    class Counting(FedAvg):
        """It remembers earlier runs."""

        calls: ClassVar[list[int]] = [0]

        def step(self, state, deliveries, round):
            self.calls[0] += 1
            return type(state)(state.model - self.calls[0])

    @dataclass(frozen=True)
    class Drifting(FedAvg):
        """It moves without a reason."""

        def step(self, state, deliveries, round):
            return type(state)(state.model + round.server_step_size)

    for impostor, says in (
        (Rounded(), "float and exact models differ"),
        (Counting(), "other models the second time"),
        (Drifting(), "although every client is at its optimum"),
    ):
        with pytest.raises(AssertionError, match=says):
            check_algorithm(impostor)


@dataclass(frozen=True)
class Scaled(FedAvg):
    """FedAvg whose deliveries are scaled per client."""

    scales: tuple[object, ...] = (1, 1)

    def step(self, state, deliveries, round):
        return super().step(state, round.per_client(self.scales) * deliveries, round)


NAME = f"{Scaled.__module__}:Scaled"


def test_a_scenario_and_a_case_take_an_object() -> None:
    problem, trace = Quadratic((2, 2), (0, 1)), Trace.fresh([[1, 0], [0, 1]])
    scenario = Scenario(Scaled(scales=(1, 2)), problem, trace, start=0, local_step_size="1/8")
    assert (scenario.algorithm, scenario.settings) == (NAME, {"scales": (1, 2)})
    again = Scenario.from_json(json.loads(json.dumps(scenario.to_json())))
    assert again.method == scenario.method == Scaled(scales=(1, 2))
    case = Case(Scaled(scales=(1, 2)), Trace.fresh([[1, 1]]), QUESTION, "1/4")
    assert Case.from_json(json.loads(json.dumps(case.to_json()))) == case
    assert case.members() == ((0,), (1,))
    assert Case(Scaled(scales=(3, 3)), Trace.fresh([[1, 1]]), QUESTION, "1/4").members() == (
        (0, 1),
    )


def test_an_object_that_a_member_builds_has_its_name() -> None:
    assert registered_name(fltheory.algorithms, Mifa()) == ("mifa", {})
    assert registered_name(fltheory.algorithms, FedAvg()) == ("fedavg", {})
    name, settings = registered_name(fltheory.algorithms, WeightedAggregation((1, 2)))
    assert name == "fltheory.algorithms.weighted:WeightedAggregation"  # four members build it
    assert find_member(fltheory.algorithms, name).makes is WeightedAggregation
    assert settings == {"weights": (1, 2)}


def test_per_client_numbers_inside_an_opaque_object_tell_clients_apart() -> None:
    """The worst case must not treat clients alike whom the method does not."""
    opaque = Member("opaque", "Scaled.", lambda settings: Scaled(scales=(1, 2)))
    case = Case(opaque, Trace.fresh([[1, 1]]), QUESTION, "1/4")
    assert case.members() == ((0,), (1,))
    assert case.compact() is case
    alike = Case("fedavg", Trace.fresh([[1, 1, 1, 1]]), QUESTION, "1/4")
    assert alike.compact().trace.num_clients == 2


def test_a_problem_that_is_not_registered_is_written_down_and_read_again() -> None:
    add_plugins(str(METHODS))
    make = find_member(fltheory.problems, "surroundings:Springs").makes
    assert make is not None
    trace = Trace.fresh([[1, 1]])
    scenario = Scenario("fedavg", make((0, 1)), trace, start=0, local_step_size="1/4")
    told: Any = scenario.to_json()
    assert told["problem"]["kind"] == "surroundings:Springs"
    assert Scenario.from_json(scenario.to_json()).problem == make((0, 1))


def test_a_bound_can_be_asserted_for_an_object() -> None:
    from fltheory.papers.claim_files import claims_of

    listed = {"id": "m.a", "says": "A.", "left": "num_rounds", "sign": "<=", "right": "1"}
    (claim,) = claims_of({"paper": {"key": "m"}, "claim": [listed]})
    one, two = (
        Scenario(Scaled(), Quadratic((1, 1), (0, 1)), Trace.fresh([[1, 1]] * n), 0, "1/2")
        for n in (1, 2)
    )
    assert_bound_holds(claim, one)
    with pytest.raises(AssertionError, match=r"m\.a is contradicted"):
        assert_bound_holds(claim, two)


def test_limits_take_objects_as_before() -> None:
    pattern = Trace.fresh([[1, 0], [0, 1]] * 4)
    found = limit_cycle(Scaled(), Quadratic((2, 2), (0, 1)), pattern, local_step_size="1/8")
    assert found.stable


def test_a_registered_member_is_found_and_a_stored_one_is_not_replaced() -> None:
    member = Member("mine", "My method.", lambda settings: FedAvg())
    register(fltheory.algorithms, member)
    assert find_member(fltheory.algorithms, "mine") is member
    assert not is_own(fltheory.algorithms, "mine")
    assert is_own(fltheory.algorithms, "mifa")
    with pytest.raises(InvalidInput, match="have a name of its own"):
        register(fltheory.algorithms, Member("mifa", "Another.", lambda settings: FedAvg()))


class Point:
    """An entry point of an installed package."""

    def __init__(self, name: str, loaded: object) -> None:
        self.name, self.loaded = name, loaded

    def load(self) -> object:
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


def test_entry_points_of_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    from fltheory.core import registry

    points = {"fltheory.algorithms": [Point("scaled", (Scaled, FedAvg()))]}
    monkeypatch.setattr(registry, "entry_points", lambda group: points.get(group, []))
    registry._stored.cache_clear()
    try:
        assert NAME in members(fltheory.algorithms)
        assert "fltheory.algorithms.fedavg:FedAvg" in members(fltheory.algorithms)
        built = find_member(fltheory.algorithms, NAME).build(
            registry.Settings({"scales": ("1/2", 1)})
        )
        assert built.scales == (Fraction(1, 2), 1)
        points["fltheory.algorithms"] = [Point("broken", ImportError("no torch"))]
        registry._stored.cache_clear()
        with pytest.raises(
            InvalidInput, match=r"entry point broken of fltheory\.algorithms must load"
        ):
            members(fltheory.algorithms)
    finally:
        registry._stored.cache_clear()
