"""The interior-point method that knows the structure: the same values as Clarabel's, larger cases, certificates, honest errors."""

import numpy as np
import pytest

import fltheory.worst_case.answer as answer
from fltheory import Trace
from fltheory.worst_case.answer import worst_case
from fltheory.worst_case.case import Case
from fltheory.worst_case.encode import Question
from fltheory.worst_case.interior import ACCEPTED, Result, solve_structured
from fltheory.worst_case.interpolation import FunctionClass
from fltheory.worst_case.problem import Conditions, Metric
from fltheory.worst_case.program import build
from fltheory.worst_case.proof import verify
from fltheory.worst_case.solve import Status, solve
from fltheory.worst_case.structure import structure

CONVEX = Question(FunctionClass(1), Conditions(distance_squared=1))
STRONG = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))
BOUNDED = Question(FunctionClass(1, convex=False), Conditions(loss_gap=1, gradient_bound_squared=1), Metric.MIN_SQUARED_GRADIENT)
CASES = {
    "descent": Case("fedavg", Trace.fresh(np.ones((8, 1), bool)), CONVEX, 1),
    "classes": Case("mifa", Trace.fresh([[1, 1, 1, 1], [1, 1, 0, 0]] * 3), STRONG, "1/2"),
    "local": Case("fedavg", Trace.fresh([[1] * 4, [1, 1, 0, 0]], local_steps=3), STRONG, "1/4"),
    "bounded": Case("fedlaavg", Trace.fresh([[1, 1], [0, 1], [1, 0]]), BOUNDED, "1/4"),
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_value_as_clarabel(name) -> None:
    encoding = CASES[name].encode()
    found = solve_structured(structure(encoding))
    assert found.error <= ACCEPTED
    assert found.value == pytest.approx(solve(build(encoding)).value, rel=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_the_structure_has_the_forms_of_the_program(name) -> None:
    encoding = CASES[name].encode()
    parts, program = structure(encoding), build(encoding)
    multipliers = np.random.default_rng(0).random(program.num_constraints)
    left = parts.combine(multipliers, np.arange(len(multipliers)))
    expected = program.forms.T @ multipliers
    packed = []
    for columns in parts.blocks:
        rows, others = np.tril_indices(len(columns))
        packed.append(left[np.ix_(columns, columns)][rows, others] * np.where(rows == others, 1, np.sqrt(2)))
    assert np.allclose(np.concatenate(packed), expected)
    assert program.num_constraints == encoding.num_constraints


def test_gradient_descent_with_forty_steps() -> None:
    found = worst_case(Case("fedavg", Trace.fresh(np.ones((40, 1), bool)), CONVEX, 1), certified=True)
    assert found.status is Status.CERTIFIED
    assert found.value == pytest.approx(1 / 162, rel=1e-8)
    assert 0 <= float(found.bound * 162) - 1 <= 1e-6
    assert found.violation <= ACCEPTED


def test_a_thousand_clients_in_two_classes() -> None:
    delivers = np.ones((20, 1000), bool)
    delivers[1::2, 500:] = False
    found = worst_case(Case("mifa", Trace.fresh(delivers), STRONG, "1/2"), certified=True)
    assert found.status is Status.CERTIFIED
    assert found.value == pytest.approx(0.00704217, rel=1e-6)
    assert verify(found.certificate) == found.bound


def test_an_inaccurate_answer_is_not_taken(monkeypatch) -> None:
    case = CASES["descent"]
    monkeypatch.setattr(answer, "LARGE", 1)
    assert worst_case(case).value == pytest.approx(1 / 34, rel=1e-8)
    wrong = Result(5.0, None, 1e-3, 1e-3, None)
    for broken in (wrong, None):
        monkeypatch.setattr(answer, "solve_structured", lambda parts, broken=broken: broken)
        assert worst_case(case).value == pytest.approx(1 / 34, rel=1e-8)
