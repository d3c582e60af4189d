"""Noise in a worst case: expected inner products of exact quadratic runs satisfy every constraint,
and the value bounds expectations."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory import Trace
from fltheory.analysis.worst_case.answer import worst_case
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.instance import quadratics
from fltheory.analysis.worst_case.lower import attained
from fltheory.analysis.worst_case.program import build
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.analysis.worst_case.status import Status
from fltheory.core.errors import InvalidInput
from tests.analysis.reference_formulation import reference_value


def value_of(case: Case) -> float:
    """The worst case, which must be found."""
    found = worst_case(case).value
    assert found is not None
    return found


SIZE, DEVIATION = Fraction(1, 2), Fraction(1, 2)
NOISY = Question(
    FunctionClass(1, "1/10"),
    Conditions(distance_squared=1, heterogeneity=1, gradient_noise_squared=DEVIATION**2),
)
QUIET = replace(NOISY, conditions=Conditions(distance_squared=1, heterogeneity=1))


def everyone(rounds: int, clients: int = 1) -> Trace:
    return Trace.fresh(np.ones((rounds, clients), bool))


def expected_loss(curvature: Fraction, rounds: int) -> Fraction:
    """E f(x_T) - f* of noisy gradient descent from 1 on h x^2/2."""
    factor = (1 - SIZE * curvature) ** 2
    return (
        curvature
        / 2
        * (factor**rounds + SIZE**2 * DEVIATION**2 * sum(factor**s for s in range(rounds)))
    )


def placed(case: Case, curvatures, optima, *, deviation=DEVIATION, along=None):
    """Expected Gram matrix and values of quadratic clients on a line: coordinate 0 is the mean run,
    the others one draw each."""
    encoding = replace(case, by_class=False).encode()
    noises = encoding.recording.noises
    wide = 1 + len(noises)
    zero = Fraction(0)
    given = {}
    for s, noise in enumerate(noises):
        row = np.full(wide, zero)
        row[1 + s if along is None else along] = deviation
        given[noise.vectors[0]] = row
    curved = np.array([[[h] * wide, [zero] * wide] for h in curvatures], dtype=object)
    centres = np.array([[[c, *[zero] * (wide - 1)], [zero] * wide] for c in optima], dtype=object)
    made = quadratics(
        encoding,
        curved,
        centres,
        np.array([Fraction(1), *[zero] * (wide - 1)], dtype=object),
        given,
    )
    return (
        encoding,
        (made.basis @ made.basis.T,),
        {name: sum(loss, zero) for name, loss in made.losses.items()},
    )


@pytest.mark.parametrize("rounds", [1, 3])
@pytest.mark.parametrize("curvature", [Fraction(1, 10), Fraction(1, 2), Fraction(1)])
def test_exact_expectations_satisfy_everything_and_are_below_the_value(rounds, curvature) -> None:
    case = Case("fedavg", everyone(rounds), NOISY, SIZE)
    encoding, grams, values = placed(case, [curvature], [Fraction(0)])
    assert attained(encoding, grams, values) == expected_loss(curvature, rounds)
    assert expected_loss(curvature, rounds) <= value_of(case) * (1 + 1e-9)


@pytest.mark.parametrize("algorithm", ["mifa", "fedavg", "scaffold"])
def test_two_clients_one_of_them_stale(algorithm) -> None:
    case = Case(algorithm, Trace.fresh([[1, 1], [1, 0], [0, 1]]), NOISY, SIZE)
    encoding, grams, values = placed(
        case, [Fraction(1), Fraction(1, 2)], [Fraction(1, 2), Fraction(-1, 4)]
    )
    value = attained(encoding, grams, values)
    assert value is not None
    assert value <= value_of(case) * (1 + 1e-9)


def test_noise_that_is_too_large_or_knows_the_run_is_not_in_the_class() -> None:
    case = Case("fedavg", everyone(2), NOISY, SIZE)
    encoding, grams, values = placed(
        case, [Fraction(1, 2)], [Fraction(0)], deviation=DEVIATION * Fraction(101, 100)
    )
    assert attained(encoding, grams, values) is None
    encoding, grams, values = placed(
        case, [Fraction(1, 2)], [Fraction(0)], deviation=DEVIATION / 4, along=0
    )  # pulls along the run
    assert attained(encoding, grams, values) is None


def test_what_a_draw_influences_is_left_free() -> None:
    recording = Case("fedavg", everyone(2), NOISY, SIZE).encode().recording
    first, second = (noise.vectors[0] for noise in recording.noises)
    later = [k for k in range(first + 1, len(recording.owners)) if k not in (first, second)]
    assert not any((first, k) in recording.uncorrelated for k in later)
    assert (second, first) in recording.uncorrelated
    assert (first, 0) in recording.uncorrelated


def test_no_noise_is_the_plain_worst_case_and_more_noise_is_worse() -> None:
    values = []
    for variance in (0, "1/100", "1/4"):
        known = replace(NOISY.conditions, gradient_noise_squared=variance)
        values.append(value_of(Case("fedavg", everyone(3), replace(NOISY, conditions=known), SIZE)))
    assert values[0] == pytest.approx(
        worst_case(Case("fedavg", everyone(3), QUIET, SIZE)).value, rel=1e-8
    )
    assert values == sorted(values)
    assert values[2] > values[0] * 1.1


def test_classes_keep_the_value_and_many_clients_average_the_noise_away() -> None:
    case = Case("mifa", Trace.fresh([[1, 1, 1], [1, 1, 0]]), NOISY, SIZE)
    assert worst_case(case).value == pytest.approx(
        worst_case(replace(case, by_class=False)).value, rel=1e-7
    )
    few, many = (
        value_of(Case("fedavg", everyone(2, clients), NOISY, SIZE)) for clients in (2, 200)
    )
    plain = value_of(Case("fedavg", everyone(2, 2), QUIET, SIZE))
    assert plain < many < few
    assert (many - plain) / (few - plain) == pytest.approx(1 / 100, rel=0.1)


@pytest.mark.parametrize("by_class", [True, False])
def test_cvxpy_finds_the_same(by_class) -> None:
    case = Case("mifa", Trace.fresh([[1, 1], [1, 1]]), NOISY, SIZE, by_class=by_class)
    assert worst_case(case).value == pytest.approx(reference_value(case.encode()), rel=1e-5)


def test_what_noise_does_not_offer() -> None:
    found = worst_case(Case("fedavg", everyone(2), NOISY, SIZE), certified=True, enclosed=True)
    assert (found.status, found.bound, found.attained) == (Status.NUMERICAL, None, None)
    assert "expectation" in found.why
    with pytest.raises(InvalidInput, match="without noise"):
        build(Case("fedavg", everyone(2), NOISY, SIZE).encode())
    with pytest.raises(InvalidInput, match="virtual"):
        Question(FunctionClass(1), NOISY.conditions, virtual=True)
    smooth = Question(
        FunctionClass(1, convex=False),
        Conditions(loss_gap=1, gradient_noise_squared=1),
        Metric.MEAN_SQUARED_GRADIENT,
    )
    # The descent lemma, with noise.
    assert value_of(Case("afa-cd", everyone(3), smooth, SIZE)) <= 2 / (0.5 * 3) + 0.5
