"""Inequalities over whole classes: the encoding meets exact instances, and proofs are exact."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import Quadratic, Trace
from fltheory.analysis.inequalities.expressions import Expression, Vector
from fltheory.analysis.inequalities.proof import Inequality, prove, verify
from fltheory.analysis.inequalities.runs import mean_square, run_over
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.papers.fraboni.checks.certified import RUNS, SETTINGS, last_round, unbounded
from fltheory.papers.fraboni.checks.quantities import Quantities
from fltheory.papers.fraboni.checks.unknowns import Unknowns
from tests.analysis.stored_lemmas import above_optimum

SMALL = st.fractions(-3, 3, max_denominator=5)


@pytest.mark.slow
@given(st.lists(SMALL, min_size=3, max_size=3), SMALL, SMALL)
def test_expressions_are_what_the_numbers_give(numbers, factor, other) -> None:
    x, y, z = (Vector({k: Fraction(1)}) for k in range(3))
    u, v = factor * x - y / 2, z + other * y
    first, second = factor * numbers[0] - numbers[1] / 2, numbers[2] + other * numbers[1]
    at = dict(enumerate(numbers))
    assert (u * v + 3 * u**2 - 2).at(at, {}) == first * second + 3 * first**2 - 2
    assert (sum([u, v], 0) ** 2 / 3).at(at, {}) == (first + second) ** 2 / 3


def test_vectors_refuse_what_is_no_vector() -> None:
    with pytest.raises(InvalidInput, match="be a vector or 0"):
        ORIGIN + 1
    with pytest.raises(InvalidInput, match="be 2"):
        ORIGIN**3


@pytest.mark.slow
@given(
    st.integers(1, 3),
    st.lists(SMALL, min_size=3, max_size=3),
    st.lists(st.fractions(0, 1, max_denominator=4), min_size=3, max_size=3),
)
def test_exact_members_satisfy_every_constraint(clients, centres, curvatures) -> None:
    """A run with stale work on any convex parabolas of the class, started anywhere."""
    sketch = Sketch(FunctionClass(1), clients)
    x = start = sketch.vector()
    for t in range(3):
        x = x - sketch.gradient(t % clients, start if t == 2 else x) / 3
    assert x.parts
    numbers, values = sketch.on(
        Quadratic([max(h, Fraction(1, 4)) for h in curvatures[:clients]], centres[:clients]), [2]
    )
    constraints = list(Inequality(sketch, Expression(), Expression()).constraints())
    assert len(constraints) == sum(len(records) * (len(records) - 1) for records in sketch.records)
    assert all(expression.at(numbers, values) <= 0 for _, _, expression in constraints)


def test_a_steeper_member_breaks_a_constraint_and_a_wrong_optimum_is_refused() -> None:
    sketch, _, _ = above_optimum()
    numbers, values = sketch.on(Quadratic((2,), (0,)), [1])
    assert any(
        e.at(numbers, values) > 0
        for _, _, e in Inequality(sketch, Expression(), Expression()).constraints()
    )
    with pytest.raises(InvalidInput, match="give its own gradient"):
        sketch.on(Quadratic((1,), (3,)), [1])
    with pytest.raises(InvalidInput, match="be told before it is asked for"):
        sketch.tell(0, ORIGIN, ORIGIN)


@pytest.mark.parametrize("lemma", RUNS[:9], ids=lambda lemma: lemma.case)
def test_quantities_of_a_run_are_those_of_the_exact_runs(lemma) -> None:
    """Both descriptions of Fraboni's quantities agree on parabolas; the origin is moved to the
    common optimum."""
    name, steps, server = lemma.state.args
    for stated, over_rounds in (
        (unbounded(name, steps, server), False),
        (last_round(name, steps, server), True),
    ):
        size = Fraction(stated.numbers["local_step_size"])
        exact = Quantities(
            replace(
                SETTINGS[name][0], local_steps=steps, server_step_size=server, local_step_size=size
            )
        )
        over = Unknowns(exact)
        quantities = over.of_round(exact.setting.num_rounds - 1) if over_rounds else over.of_run()
        s = exact.setting
        centres = [c - exact.common_optimum for c in s.optima]
        slopes = [-h * c for h, c in zip(s.curvatures, centres, strict=True)]
        free: list[Any] = [*slopes[:-1]]
        for shares, _ in list(over.optima.items())[1:]:
            here = [i for i, share in enumerate(shares) if share]
            best = sum(shares[i] * s.curvatures[i] * centres[i] for i in here) / sum(
                shares[i] * s.curvatures[i] for i in here
            )
            free += [best, *(s.curvatures[i] * (best - centres[i]) for i in here[:-1])]
        order = sorted(k for k in range(over.sketch.basis) if k not in over.sketch.minted)
        start = next(iter(over.start.parts))
        free.insert(order.index(start), s.start - exact.common_optimum)
        numbers, values = over.sketch.on(Quadratic(s.curvatures, centres), free)
        member = stated.members[0].values
        for quantity, expression in quantities.items():
            if quantity in member:
                assert expression.at(numbers, values) == member[quantity], quantity


def test_a_run_of_the_core_is_the_same_over_unknown_vectors() -> None:
    of = Scenario(
        "afa-cs",
        Quadratic((1, 1), (1, -1)),
        Trace.fresh([[1, 1], [1, 0], [0, 1]]),
        start=2,
        local_step_size="1/3",
    )
    sketch, models = run_over(of, FunctionClass(1, convex=False), optimum=False)
    mean = mean_square(sketch, models[:-1])
    numbers, values = sketch.on(Quadratic((1, 1), (-1, -3)), [])  # measured from the start
    assert (
        mean.at(numbers, values) == measure(of, ["mean_squared_gradient"])["mean_squared_gradient"]
    )


def test_a_tight_inequality_is_proved_with_simple_numbers_and_less_is_not_proved() -> None:
    sketch, square, gap = above_optimum()
    found = prove(Inequality(sketch, square, 2 * gap))
    assert found is not None
    assert found["multipliers"] == [["interpolation", [0, 1, 0], "2"]]
    assert prove(Inequality(sketch, square, Fraction(199, 100) * gap)) is None
    scaled = prove(Inequality(sketch, square, 4 * gap, positive=True))
    assert scaled is not None
    half = Fraction(str(scaled["factor"]))
    assert Fraction(1, 2) <= half < Fraction(1, 2) + Fraction(1, 10**6)
    with pytest.raises(InvalidInput, match="be that of the inequality at hand"):
        verify(found, Inequality(sketch, square, 3 * gap))
