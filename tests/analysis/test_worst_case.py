"""Worst cases: known values, symmetry, two formulations, and failures that are told."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory import Trace
from fltheory.analysis.worst_case.answer import worst_case
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.program import build
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.analysis.worst_case.solve import (
    INFEASIBLE,
    UNBOUNDED,
    Status,
    solve,
    solve_dual,
    solve_primal,
)
from fltheory.claims.checks.exact_run import below_root
from fltheory.core.errors import InvalidInput
from tests.analysis.reference_formulation import reference_value

CONVEX = Question(FunctionClass(1), Conditions(distance_squared=1))
STRONG = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1, heterogeneity=1))
NONCONVEX = Question(
    FunctionClass(1, convex=False), Conditions(loss_gap=1), Metric.MEAN_SQUARED_GRADIENT
)


def everyone(rounds: int, clients: int = 1) -> Trace:
    return Trace.fresh(np.ones((rounds, clients), bool))


@pytest.mark.parametrize("rounds", range(5, 11))
def test_gradient_descent_is_as_drori_and_teboulle_found(rounds) -> None:
    found = worst_case(Case("fedavg", everyone(rounds), CONVEX, 1))
    assert found.status is Status.NUMERICAL
    assert found.value == pytest.approx(1 / (4 * rounds + 2), rel=1e-8)


@pytest.mark.parametrize(
    ("rounds", "printed"), [(1, 0.2500), (2, 0.3125), (3, 0.3281), (5, 0.3330), (7, 0.3333)]
)
def test_afl_theorem_2_at_the_step_limit(rounds, printed) -> None:
    found = worst_case(Case("afa-cd", everyone(rounds), NONCONVEX, "1/2"))
    assert found.value * rounds / 8 == pytest.approx(printed, abs=5e-5)
    assert found.value * rounds == pytest.approx(
        8 / 3 * (1 - 4.0**-rounds), rel=1e-7
    )  # attained by f = x^2/2


DELAYED = {
    1: (0.1667, 0.2407, 0.2593, 0.2742, 0.2799),
    2: (0.1086, 0.1751, 0.2099, 0.2421, 0.2647),
    3: (0.0795, 0.1357, 0.1727, 0.2128, 0.2400),
}


@pytest.mark.parametrize("delay", DELAYED)
def test_afl_theorem_2_with_delays(delay) -> None:
    size = below_root(Fraction(1 + 3 * delay**2), digits=12)
    limit = 1 / (1 + size)  # 2 L g + 3 delay^2 L^2 g^2 = 1
    for rounds, printed in zip((1, 2, 3, 5, 7), DELAYED[delay], strict=True):
        late = np.minimum(np.arange(rounds), delay)[:, None]
        found = worst_case(
            Case("afa-cd", Trace.with_delays(np.ones((rounds, 1), bool), late), NONCONVEX, limit)
        )
        assert found.value is not None
        assert found.value * rounds * float(limit) / 4 == pytest.approx(printed, abs=6e-5)


def mifa(trace: Trace) -> Case:
    shift = Fraction("282.842712")
    weights = tuple((t + shift) * (t + shift - 1) for t in range(trace.num_rounds + 1))
    question = Question(FunctionClass(2, 1), Conditions(distance_squared=1), Metric.LOSS, weights)
    return Case(
        "mifa", trace, question, tuple(4 / (t + 1 + shift) for t in range(trace.num_rounds))
    )


def test_mifa_theorem_5_1() -> None:
    assert worst_case(mifa(everyone(3))).value == pytest.approx(0.920147, abs=1e-6)
    assert worst_case(mifa(everyone(3, 2))).value == pytest.approx(0.920147, abs=1e-6)
    stale = Trace.fresh([[1, 1], [1, 0], [1, 0]])
    assert worst_case(mifa(stale)).value == pytest.approx(0.919789, abs=1e-6)


CASES = [
    Case("fedavg", everyone(3, 4), STRONG, 1),
    Case("fedavg", Trace.fresh([[1, 1, 1, 1], [1, 1, 0, 0]], local_steps=2), STRONG, "1/2"),
    Case("mifa", Trace.fresh([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]]), STRONG, "1/2"),
    Case("scaffold", Trace.fresh([[1, 1, 1], [1, 1, 1]]), STRONG, "1/4"),
    Case(
        "sync",
        everyone(2, 4),
        STRONG,
        "1/2",
        settings={"weights": ("1/3", "1/3", "1/6", "1/6")},
        importance=("1/3", "1/3", "1/6", "1/6"),
    ),
    Case(
        "afa-cs",
        Trace.with_delays([[1, 1, 1], [1, 0, 0]], [[0, 0, 0], [1, 0, 0]]),
        Question(
            FunctionClass(1, convex=False),
            Conditions(loss_gap=1, gradient_bound_squared=2),
            Metric.MIN_SQUARED_GRADIENT,
        ),
        "1/4",
    ),
    Case(
        "afa-cd",
        Trace.fresh([[1, 1, 0], [0, 1, 1]]),
        Question(
            FunctionClass(1, convex=False),
            Conditions(loss_gap=1, dissimilarity_squared=2, mean_dissimilarity_squared=1),
            Metric.MEAN_SQUARED_GRADIENT,
        ),
        "1/4",
    ),
    Case(
        "fedavg",
        Trace.fresh([[1, 1, 1]], local_steps=2),
        replace(STRONG, metric=Metric.MEAN_LOSS, weights=(0, 1, 1), virtual=True),
        "1/4",
    ),
    Case(
        "fedlaavg",
        Trace.fresh([[1, 1], [1, 0]]),
        Question(
            FunctionClass(1), Conditions(loss_gap=1, heterogeneity=1), Metric.MEAN_LOSS, (0, 1, 1)
        ),
        "1/2",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.algorithm)
def test_classes_do_not_change_the_value(case) -> None:
    apart = worst_case(replace(case, by_class=False))
    assert worst_case(case).value == pytest.approx(apart.value, rel=2e-6)


@pytest.mark.filterwarnings(
    "ignore:Solution may be inaccurate"
)  # the agreement itself is what is asked for
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.algorithm)
def test_both_formulations_and_cvxpy_agree(case) -> None:
    encoding = case.encode()
    program = build(encoding)
    expected = reference_value(encoding)
    assert solve(program).value == pytest.approx(expected, rel=1e-5)
    for one in (solve_dual(program), solve_primal(program)):
        assert one.value is None or one.value == pytest.approx(expected, rel=1e-5)


def test_the_number_of_clients_does_not_matter_in_given_shares() -> None:
    delivers = np.ones((3, 1000), bool)
    delivers[1:, 250:] = False
    small = delivers[:, [0, 1, *range(250, 256)]]
    many, few = (worst_case(Case("mifa", Trace.fresh(d), STRONG, "1/2")) for d in (delivers, small))
    assert many.value == few.value
    weighted = Case(
        "sync",
        Trace.fresh(delivers),
        STRONG,
        "1/2",
        settings={"weights": (Fraction(1, 1000),) * 1000},
    )
    assert weighted.compact().settings["weights"] == (Fraction(1, 8),) * 8


@pytest.mark.parametrize("many", [1, 2, 3])
def test_a_class_of_one_beside_a_class_of_several(many) -> None:
    """1 + n clients: the single one has no deviation, and its share is what it is."""
    delivers = [[1] * (1 + many), [0] + [1] * many, [1] + [0] * many]
    case = Case("mifa", Trace.fresh(delivers), STRONG, "1/2")
    assert worst_case(case).value == pytest.approx(
        worst_case(replace(case, by_class=False)).value, rel=1e-7
    )
    assert len(worst_case(case).block_sizes) == (1 if many == 1 else 2)


def test_one_client_and_999_others() -> None:
    delivers = np.ones((6, 1000), bool)
    delivers[1::2, 1:] = False
    found = worst_case(Case("mifa", Trace.fresh(delivers), STRONG, "1/2"))
    assert found.status is Status.NUMERICAL
    assert max(found.block_sizes) < 20
    few = delivers[:, :20]
    assert found.value != pytest.approx(
        worst_case(Case("mifa", Trace.fresh(few), STRONG, "1/2")).value, rel=1e-4
    )  # shares matter


def test_mifa_with_a_stale_client_and_tiny_steps() -> None:
    """Slopes at the optimum are free here and cancel in the run: the worst case is finite all the
    same."""
    shift = Fraction(960)
    weights = tuple((t + shift) * (t + shift - 1) for t in range(5))
    question = Question(FunctionClass(4, 1), Conditions(distance_squared=1), Metric.LOSS, weights)
    case = Case(
        "mifa",
        Trace.fresh([[1, 1], [1, 0], [1, 0], [1, 0]]),
        question,
        tuple(4 / (t + 1 + shift) for t in range(4)),
    )
    found = worst_case(case, certified=True)
    assert found.status is Status.CERTIFIED
    assert found.value == pytest.approx(1.873769, abs=1e-6)


@pytest.mark.parametrize(("rounds", "printed"), [(2, 1.72855), (4, 1.44529), (6, 1.31056)])
def test_afl_with_a_biased_gradient(rounds, printed) -> None:
    """One of two workers ever delivers; the bias is at most the dissimilarity."""
    known = Conditions(loss_gap=1, dissimilarity_squared=1)
    question = Question(FunctionClass(1, convex=False), known, Metric.MEAN_SQUARED_GRADIENT)
    found = worst_case(Case("afa-cd", Trace.fresh([[1, 0]] * rounds), question, "1/2"))
    assert found.value == pytest.approx(printed, abs=6e-6)


def test_no_number_without_a_finite_worst_case() -> None:
    drifting = Question(FunctionClass(1, "1/10"), Conditions(distance_squared=1))
    found = worst_case(
        Case("fedavg", Trace.fresh([[1, 0], [1, 0]]), drifting, "1/4"), certified=True
    )
    assert (found.status, found.value, found.bound, found.certificate) == (
        Status.FAILED,
        None,
        None,
        None,
    )
    assert found.why == UNBOUNDED


def test_a_solver_that_gives_up_gives_no_number() -> None:
    program = build(Case("fedavg", everyone(4), CONVEX, 1).encode())
    for most, one in ((1, solve), (4, solve_dual), (4, solve_primal)):
        found = one(program, most_iterations=most)
        assert found.status in (Status.FAILED, Status.INACCURATE)
        assert found.value is None
        assert found.multipliers is None
        assert found.why


def test_contradictory_conditions_are_told() -> None:
    program = build(Case("fedavg", everyone(1), CONVEX, 1).encode())
    impossible = replace(program, bounds=np.where(program.bounds > 0, -1.0, program.bounds))
    assert solve(impossible).why == INFEASIBLE


@pytest.mark.slow
def test_bad_questions_are_refused() -> None:
    for make, rule in (
        (lambda: FunctionClass(1, 1), "below the smoothness"),
        (lambda: FunctionClass(0), "above 0"),
        (lambda: FunctionClass(1, "1/2", convex=False), "left out"),
        (lambda: Conditions(), "bound the distance or the loss gap"),
        (lambda: Conditions(distance_squared=-1), "at least 0"),
        (
            lambda: Question(FunctionClass(1, convex=False), Conditions(distance_squared=1)),
            "squared gradient",
        ),
        (
            lambda: Question(
                FunctionClass(1, convex=False),
                Conditions(distance_squared=1),
                Metric.MEAN_SQUARED_GRADIENT,
            ),
            "loss gap",
        ),
        (lambda: Case("fedavg", everyone(2), CONVEX, (1, 1, 1)), "one for each of 2 rounds"),
        (
            lambda: Case("fedavg", everyone(1), replace(CONVEX, weights=(1,)), 1).encode(),
            "2 models",
        ),
        (lambda: worst_case(Case("fedavg", everyone(300), CONVEX, 1)), "at most 300 vectors"),
        (lambda: build(Case("fedavg", everyone(100), CONVEX, 1).encode()), "at most 90 vectors"),
        (lambda: Case("fedavg", Trace.fresh(np.ones((2, 3, 1), bool)), CONVEX, 1), "single one"),
    ):
        with pytest.raises(InvalidInput, match=rule):
            make()
