"""The interior-point method that knows the structure: the same values as Clarabel's, larger cases,
certificates, honest errors."""

from typing import Any

import numpy as np
import pytest

import fltheory.analysis.worst_case.answer as answer
import fltheory.analysis.worst_case.interior as interior
import fltheory.analysis.worst_case.interior_step as interior_step
from fltheory import Trace
from fltheory.analysis.worst_case.answer import worst_case
from fltheory.analysis.worst_case.build_structure import structure
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.interior import InteriorResult, solve_structured
from fltheory.analysis.worst_case.program import build
from fltheory.analysis.worst_case.proof import verify
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.analysis.worst_case.solve import solve
from fltheory.analysis.worst_case.status import ACCEPTED, Status


def solved(parts: Any) -> InteriorResult:
    """The solution, which must exist."""
    found = solve_structured(parts)
    assert found is not None
    return found


CONVEX = Question(FunctionClass(1), Conditions(distance_squared=1))
STRONG = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))
BOUNDED = Question(
    FunctionClass(1, convex=False),
    Conditions(loss_gap=1, gradient_bound_squared=1),
    Metric.MIN_SQUARED_GRADIENT,
)
CASES = {
    "descent": Case("fedavg", Trace.fresh(np.ones((8, 1), bool)), CONVEX, 1),
    "classes": Case("mifa", Trace.fresh([[1, 1, 1, 1], [1, 1, 0, 0]] * 3), STRONG, "1/2"),
    "local": Case("fedavg", Trace.fresh([[1] * 4, [1, 1, 0, 0]], local_steps=3), STRONG, "1/4"),
    "bounded": Case("fedlaavg", Trace.fresh([[1, 1], [0, 1], [1, 0]]), BOUNDED, "1/4"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_value_as_clarabel(name) -> None:
    encoding = CASES[name].encode()
    found = solved(structure(encoding))
    assert found.error <= ACCEPTED
    assert found.value == pytest.approx(solve(build(encoding)).value, rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_structure_has_the_forms_of_the_program(name) -> None:
    encoding = CASES[name].encode()
    program, everything = build(encoding), structure(encoding)
    parts = everything.only(np.arange(program.num_constraints))
    multipliers = np.random.default_rng(0).random(program.num_constraints)
    values = np.random.default_rng(1).random(program.num_constraints)
    left = parts.combine(multipliers)
    grams = [np.random.default_rng(2).random((3, len(block))).T for block in left]
    grams = [root @ root.T for root in grams]
    assert sum(np.vdot(x, s) for x, s in zip(grams, left, strict=True)) == pytest.approx(
        parts.forms(grams) @ multipliers
    )
    inverse = [x + np.eye(len(x)) for x in grams]
    other = parts.combine(values)
    expected = sum(
        np.trace(a @ x @ b @ w) for a, x, b, w in zip(left, grams, other, inverse, strict=True)
    )
    assert multipliers @ parts.products(grams, inverse) @ values == pytest.approx(expected)
    some = np.arange(0, program.num_constraints, 2)
    few = everything.only(some)
    assert np.allclose(few.forms(grams), parts.forms(grams)[some])
    assert np.allclose(everything.scales, parts.scales)
    told = np.random.default_rng(3).random(len(everything.names))
    left_sides = parts.forms(grams) + parts.values @ told
    assert np.allclose(everything.left_sides(grams, told), left_sides)
    assert np.allclose(everything.bounds, parts.bounds)
    assert np.allclose(
        few.products(grams, inverse), parts.products(grams, inverse)[np.ix_(some, some)]
    )
    assert program.num_constraints == encoding.num_constraints


def test_gradient_descent_with_forty_steps() -> None:
    found = worst_case(
        Case("fedavg", Trace.fresh(np.ones((40, 1), bool)), CONVEX, 1), certified=True
    )
    assert found.status is Status.CERTIFIED
    assert found.value == pytest.approx(1 / 162, rel=1e-8)
    assert found.bound is not None
    assert 0 <= float(found.bound * 162) - 1 <= 1e-6
    assert found.violation <= ACCEPTED


def test_a_thousand_clients_in_two_classes() -> None:
    delivers = np.ones((20, 1000), bool)
    delivers[1::2, 500:] = False
    found = worst_case(Case("mifa", Trace.fresh(delivers), STRONG, "1/2"), certified=True)
    assert found.status is Status.CERTIFIED
    assert found.value == pytest.approx(0.00704217, rel=1e-6)
    assert verify(found.certificate) == found.bound


def test_both_formulations_leave_the_same_matrix() -> None:
    """Multipliers under which the values cancel leave the same matrix, up to the change of basis
    and units: its spectrum tells."""
    for name in CASES:
        encoding = CASES[name].encode()
        parts, program = structure(encoding), build(encoding)
        found = solved(parts)
        kept = program.values.T @ found.multipliers - program.objective_values
        assert abs(kept).max() < 1e-8
        assert program.bounds @ found.multipliers == pytest.approx(found.value, rel=1e-12)
        left = program.forms.T @ found.multipliers - program.objective_form
        begin = 0
        for size in program.block_sizes:
            rows, columns = np.tril_indices(size)
            matrix = np.zeros((size, size))
            matrix[rows, columns] = left[begin : begin + len(rows)] / np.where(
                rows == columns, 1, np.sqrt(2)
            )
            begin += len(rows)
            matrix = matrix + np.tril(matrix, -1).T
            assert np.linalg.eigvalsh(matrix).min() > -1e-9


def test_an_inaccurate_answer_is_not_taken(monkeypatch) -> None:
    case = CASES["descent"]
    assert worst_case(case).value == pytest.approx(1 / 34, rel=1e-8)
    wrong = InteriorResult(5.0, np.empty(0), 1e-3, 1e-3, np.empty(0))
    for broken in (wrong, None):
        monkeypatch.setattr(answer, "solve_structured", lambda parts, time, broken=broken: broken)
        assert worst_case(case).value == pytest.approx(1 / 34, rel=1e-8)
        monkeypatch.setattr(answer, "MAX_CLARABEL_BLOCK", 1)
        given = worst_case(case)
        assert (given.status, given.value) == (Status.INACCURATE, None)
        assert given.why
        monkeypatch.setattr(answer, "MAX_CLARABEL_BLOCK", 40)


def test_constraints_that_were_left_out_count_as_an_error(monkeypatch) -> None:
    """Neighbours in time are not enough for local steps: one round without a look back is far off,
    and says so."""
    parts = structure(CASES["local"].encode())
    whole = solved(parts)
    assert whole.violation <= 1e-8
    monkeypatch.setattr(interior, "MAX_ROUNDS", 1)
    first = solved(parts)
    assert first.violation > 1e-3
    assert first.error >= first.violation > ACCEPTED
    assert first.value > whole.value * (1 + 1e-4)


def test_a_direction_without_end_is_found_and_a_bounded_problem_has_none() -> None:
    free = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1))
    drifting = structure(Case("fedavg", Trace.fresh([[1, 0], [1, 0]]), free, "1/4").encode())
    assert solved(drifting).unbounded
    for case in CASES.values():
        assert not solved(structure(case.encode())).unbounded
    far = Question(
        FunctionClass(1, "1/10"), Conditions(distance_squared=10**12, heterogeneity=10**12)
    )
    distant = worst_case(Case("fedavg", Trace.fresh([[1, 0], [1, 0]]), far, "1/4"))
    near = worst_case(Case("fedavg", Trace.fresh([[1, 0], [1, 0]]), STRONG, "1/4"))
    assert near.value is not None
    assert distant.value == pytest.approx(near.value * 10**12, rel=1e-7)


@pytest.mark.slow
def test_long_runs_need_patience() -> None:
    """Gradient descent over 120 steps has the worst case L / (4 n + 2)."""
    functions, conditions = FunctionClass(1, 0), Conditions(distance_squared=1)
    long = Case("fedavg", Trace.fresh([[1]] * 120), Question(functions, conditions, Metric.LOSS), 1)
    assert worst_case(long).value == pytest.approx(1 / 482, rel=1e-7)


@pytest.mark.slow
def test_two_hundred_steps_of_gradient_descent_have_an_answer() -> None:
    found = worst_case(Case("fedavg", Trace.fresh([[1]] * 200), CONVEX, 1))
    assert found.status is Status.NUMERICAL
    assert found.value == pytest.approx(1 / (4 * 200 + 2), rel=ACCEPTED)


@pytest.mark.slow
def test_fifty_rounds_with_a_slow_client_need_short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    every_second = Trace.fresh([[1, t % 2 == 0] for t in range(50)])
    slow = Case("mifa", every_second, STRONG, "1/2")
    monkeypatch.setattr(answer, "solve_chain", lambda problem, most, time: None)
    assert worst_case(slow).value == pytest.approx(2.7758658e-4, rel=1e-6)
    monkeypatch.setattr(interior_step, "MAX_STEP", 0.98)
    assert worst_case(slow).status is Status.INACCURATE
