"""Both ends of a worst case: exact functions that nearly attain it, exact quadratics, refusals,
pictures, memory."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fltheory.analysis.worst_case.memory as memory
from fltheory import Quadratic, Trace
from fltheory.algorithms.fedavg import FedAvg
from fltheory.analysis.worst_case.answer import worst_case
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.instance import quadratics
from fltheory.analysis.worst_case.lower import attained, scaled, well_inside
from fltheory.analysis.worst_case.picture import picture
from fltheory.analysis.worst_case.quadratic_search import best_quadratic
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.analysis.worst_case.solve import UNBOUNDED
from fltheory.analysis.worst_case.status import Status
from fltheory.core.errors import InvalidInput
from fltheory.engine.simulate import simulate

CONVEX = Question(FunctionClass(1), Conditions(distance_squared=1))
STRONG = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))
FREE = Question(
    FunctionClass(1, convex=False), Conditions(loss_gap=1), Metric.MEAN_SQUARED_GRADIENT
)
APART = Question(
    FunctionClass(1, convex=False),
    Conditions(loss_gap=1, dissimilarity_squared=1),
    Metric.MIN_SQUARED_GRADIENT,
)
CASES = {
    "descent": Case("fedavg", Trace.fresh([[1]] * 5), CONVEX, 1),
    "classes": Case("mifa", Trace.fresh([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1]]), STRONG, "1/2"),
    "local": Case("fedavg", Trace.fresh([[1, 1, 1], [1, 0, 0]], local_steps=2), STRONG, "1/4"),
    "free": Case("afa-cd", Trace.fresh([[1]] * 3), FREE, "1/2"),
    "apart": Case("afa-cd", Trace.fresh([[1, 0], [0, 1]]), APART, "1/4"),
}


@pytest.fixture(scope="module")
def found() -> dict:
    return {name: worst_case(case, certified=True, enclosed=True) for name, case in CASES.items()}


@pytest.mark.parametrize("name", CASES)
def test_both_ends_are_exact_and_close(found, name) -> None:
    answer = found[name]
    assert answer.status is Status.CERTIFIED
    assert answer.attained <= answer.bound
    assert float(answer.attained) == pytest.approx(answer.value, rel=1e-6)
    assert float(answer.bound / answer.attained) - 1 <= 2e-6
    witness = answer.witness
    assert attained(answer.encoding, witness.grams, witness.values) == witness.metric


def test_gradient_descent_is_enclosed(found) -> None:
    assert found["descent"].attained <= Fraction(1, 22) <= found["descent"].bound


@pytest.mark.parametrize("name", CASES)
def test_what_is_not_in_the_class_attains_nothing(found, name) -> None:
    answer = found[name]
    grams, values = answer.witness.grams, dict(answer.witness.values)
    larger = (
        tuple(gram * Fraction(101, 100) for gram in grams),
        {key: x * Fraction(101, 100) for key, x in values.items()},
    )
    assert attained(answer.encoding, *larger) is None  # breaks a condition
    negative = (grams[0] - np.eye(len(grams[0]), dtype=int) * Fraction(1, 2), *grams[1:])
    assert attained(answer.encoding, negative, values) is None  # not a Gram matrix
    name_of_one = max(values, key=lambda key: values[key] if key else Fraction(-1))
    assert (
        attained(answer.encoding, grams, {**values, name_of_one: values[name_of_one] * 2}) is None
    )  # too steep
    claimed = replace(
        answer.encoding,
        functions=FunctionClass(answer.encoding.functions.smoothness / 2, convex=True),
    )
    assert attained(claimed, grams, values) is None  # less smooth than they are


def test_there_is_a_point_well_inside() -> None:
    for case in CASES.values():
        encoding = case.compact().encode()
        grams, values = well_inside(encoding)
        if case.question.metric is not Metric.MIN_SQUARED_GRADIENT:
            assert (attained(encoding, grams, values) or 0) > 0
            lifted = {key: x * Fraction(1001, 1000) for key, x in values.items()}
            larger = tuple(gram * Fraction(1001, 1000) for gram in grams)
            assert (attained(encoding, larger, lifted) or 0) > 0


def test_the_best_quadratic_is_the_known_one() -> None:
    descent = best_quadratic(CASES["descent"].compact().encode())
    assert descent is not None
    assert float(descent.metric) == pytest.approx(
        (1 / 11) / 2 * (10 / 11) ** 10, rel=1e-3
    )  # h (1 - h)^10 / 2 at its largest
    free = best_quadratic(CASES["free"].compact().encode())
    assert free is not None
    assert free.metric == Fraction(8, 9) * (1 - Fraction(1, 64))  # f = x^2/2 attains the worst case
    assert "curvatures 1.0" in free.how


def test_a_quadratic_instance_is_the_run() -> None:
    trace = Trace.fresh([[1, 1], [1, 0]])
    encoding = Case("fedavg", trace, STRONG, "1/4", by_class=False).encode()
    curved, optima = (Fraction(1), Fraction(1, 2)), (Fraction(2), Fraction(-1))
    bends, centres = (
        np.array([[[h], [Fraction(0)]] for h in numbers], dtype=object)
        for numbers in (curved, optima)
    )
    made = quadratics(encoding, bends, centres, np.array([Fraction(3)], dtype=object))
    problem = Quadratic(curved, optima)
    last = simulate(FedAvg(), problem, trace, start=3, local_step_size="1/4").last
    loss = (
        sum(h / 2 * (last[0] - c) ** 2 for h, c in zip(curved, optima, strict=True)) / 2
        - problem.constants.infimum
    )
    grams: tuple[Any, ...] = (made.basis @ made.basis.T,)
    values = {name: x[0] for name, x in made.losses.items()}
    wide = replace(encoding, conditions=Conditions(distance_squared=100, heterogeneity=100))
    assert attained(wide, grams, values) == loss
    grams, values = scaled(wide, grams, values, Fraction(1))
    assert attained(wide, grams, values) > loss


def test_the_worst_function_of_descent_is_a_line_with_a_kink(found) -> None:
    drawn = picture(found["descent"].encoding, found["descent"].witness)
    (curve,) = drawn.curves
    assert drawn.share == pytest.approx(1, abs=1e-4)
    assert curve.places[0] == curve.losses[0] == 0
    assert all(slope == pytest.approx(1 / 11, rel=1e-3) for slope in curve.slopes[1:])
    assert drawn.models[0] == pytest.approx(1, rel=1e-4)


def test_no_functions_are_shown_without_a_finite_worst_case() -> None:
    drifting = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1))
    answer = worst_case(
        Case("fedavg", Trace.fresh([[1, 0], [1, 0]]), drifting, "1/4"),
        certified=True,
        enclosed=True,
    )
    assert (answer.status, answer.attained, answer.bound, answer.why) == (
        Status.FAILED,
        None,
        None,
        UNBOUNDED,
    )


def test_what_does_not_fit_is_refused_with_an_estimate(monkeypatch) -> None:
    with pytest.raises(InvalidInput, match=r"about [\d,.]+ GiB for 1 clients and 5001 vectors"):
        worst_case(Case("fedavg", Trace.fresh(np.ones((5000, 1), bool)), CONVEX, 1))
    monkeypatch.setattr(memory, "available", lambda: 10**4)
    with pytest.raises(InvalidInput, match=r"fit into 0\.0 GiB"):
        worst_case(CASES["descent"])
