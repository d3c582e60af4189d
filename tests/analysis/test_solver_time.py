"""Worst cases within a limit of processor time: what came too late is named, never a bound."""

import math
from time import process_time
from types import SimpleNamespace

import pytest

import fltheory.analysis.worst_case.answer as answer
import fltheory.analysis.worst_case.solver_time as solver_time
from fltheory import Trace
from fltheory import worst_case as public_worst_case
from fltheory.analysis.worst_case.build_structure import structure
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Question
from fltheory.analysis.worst_case.solver_time import SolverTime, clarabel_seconds, estimated_seconds
from fltheory.analysis.worst_case.status import Status
from fltheory.core.errors import InvalidInput

STRONG = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))
MUCH = 1000.0


def case(rounds: int = 3, local_steps: int = 2) -> Case:
    return Case("mifa", Trace.fresh([[1, 1]] * rounds, local_steps=local_steps), STRONG, "1/4")


def spend(*_: object, **__: object) -> None:
    """Use up whatever time is allowed."""
    until = process_time() + MUCH
    while process_time() < until:
        pass


@pytest.mark.parametrize("seconds", [0, -1, math.nan, "soon"])
def test_a_limit_is_a_positive_number(seconds: object) -> None:
    with pytest.raises(InvalidInput, match="seconds must be a number above 0"):
        answer.worst_case(case(), seconds=seconds)  # type: ignore[arg-type]


def test_no_time_gives_no_number() -> None:
    found = answer.worst_case(case(), seconds=1e-9, certified=True, enclosed=True)
    assert (found.status, found.value, found.bound) == (Status.INACCURATE, None, None)
    assert found.attained is None
    assert "allowed are over" in found.why


def test_a_solver_that_is_stopped_gives_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    left = iter([*[1.0] * 8, *[-1.0] * 1000])
    monkeypatch.setattr(SolverTime, "left", property(lambda self: next(left)))
    found = answer.worst_case(case(), seconds=1)
    assert (found.status, found.value) == (Status.INACCURATE, None)
    assert "allowed are over: the solver stopped at a relative error of" in found.why


def test_a_late_proof_is_no_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    sure = answer.worst_case(case(), certified=True)
    monkeypatch.setattr(answer, "certify", spend)
    found = answer.worst_case(case(), certified=True, seconds=0.25)
    assert (found.status, found.bound, found.certificate) == (Status.NUMERICAL, None, None)
    assert found.value == pytest.approx(sure.value, rel=1e-7)
    assert "before an exact certificate was found" in found.why


def test_late_functions_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer, "best_quadratic", spend)
    found = answer.worst_case(case(), enclosed=True, seconds=0.25)
    assert found.value is not None
    assert found.attained is None
    assert "before functions were found" in found.why


def test_a_failed_solver_is_followed_by_another_within_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    value = answer.worst_case(case()).value
    monkeypatch.setattr(answer, "solve_structured", lambda problem, time: None)
    monkeypatch.setattr(answer, "MAX_CLARABEL_BLOCK", 1)
    assert answer.worst_case(case()).status is Status.INACCURATE
    assert answer.worst_case(case(), seconds=MUCH).value == pytest.approx(value, rel=1e-7)
    monkeypatch.setattr(answer, "clarabel_seconds", lambda sizes: 2 * MUCH)
    assert answer.worst_case(case(), seconds=MUCH).why == "the solver broke down"


def test_with_local_steps_the_faster_solver_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    value = answer.worst_case(case()).value
    monkeypatch.setattr(answer, "LONG_ENOUGH", 0.0)
    monkeypatch.setattr(answer, "clarabel_seconds", lambda sizes: 0.0)
    monkeypatch.setattr(answer, "solve_structured", spend)
    assert answer.worst_case(case(), seconds=MUCH).value == pytest.approx(value, rel=1e-7)
    late = SimpleNamespace(value=None, why="the time that was allowed is over")
    monkeypatch.setattr(answer, "solve", lambda program, limit: late)
    monkeypatch.setattr(answer, "solve_structured", lambda problem, time: None)
    assert answer.worst_case(case(), seconds=MUCH).why == "the solver broke down"


def test_a_long_solve_is_told_before_and_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver_time, "LONG", 0.0)
    told: list[str] = []
    public_worst_case(
        "mifa", Trace.fresh([[1, 1]] * 3), local_step_size="1/2", certified=True, watch=told.append
    )
    assert told[0].startswith("about ")
    assert told[1].startswith("round 1: ")
    assert told[-1] == "proving"


def test_estimates_grow() -> None:
    def expected(rounds: int, local_steps: int) -> float:
        return estimated_seconds(structure(case(rounds, local_steps).encode()), local_steps)

    assert expected(3, 1) < expected(6, 1) < expected(6, 3)
    assert clarabel_seconds([10, 10]) == 2 * clarabel_seconds([10]) < clarabel_seconds([20])
