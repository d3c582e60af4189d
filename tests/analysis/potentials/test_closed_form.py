"""Potentials by formulas: proved for every staleness, refused as soon as a formula is changed, and
in agreement with the exact checker at single values of staleness, step size and convexity."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction as F

import pytest
import sympy

from fltheory import InvalidInput
from fltheory.analysis.potentials.assemble import Assembly
from fltheory.analysis.potentials.closed_form import AGE, MU, Signs, _signs, conditions
from fltheory.analysis.potentials.language import Staleness
from fltheory.analysis.potentials.model import Model
from fltheory.analysis.potentials.program import ONE, MatrixInequality, Unknown
from fltheory.analysis.potentials.question import ForeverQuestion
from fltheory.analysis.potentials.questions import model_of
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.semidefinite import is_semidefinite
from fltheory.papers.mifa.checks.potentials import CLOSED_FORM


@pytest.mark.slow
def test_the_closed_form_is_proved_on_every_move() -> None:
    found = list(conditions(CLOSED_FORM))
    assert [one.says for one in found] == [
        "multipliers >= 0",
        "0 -> 0", "0 -> a", "a -> a + 1", "a -> 0", "bound in state a"
    ]  # fmt: skip
    assert all(one.holds() for one in found)
    assert sum(one.terms for one in found) > 2000


@pytest.mark.parametrize(
    "change",
    [
        {"mixed": AGE / 9},
        {"gradient": 2 * AGE},
        {"common": sympy.Integer(0)},
        {"multiplier": -1 / MU},
        {"theta": F(3)},
        {"reach": F(2)},
        {"largest_mu": F(3)},
    ],
    ids=str,
)
def test_a_changed_formula_is_not_proved(change: dict[str, object]) -> None:
    assert not all(one.holds() for one in conditions(replace(CLOSED_FORM, **change)))  # type: ignore[arg-type]


def test_symbols_that_a_formula_may_not_have_are_refused() -> None:
    with pytest.raises(InvalidInput, match="formula of square"):
        replace(CLOSED_FORM, square=MU)


def test_signs_tell_definite_matrices_from_others() -> None:
    (i, _, _, _) = sympy.symbols("i j s r", nonnegative=True)
    assert Signs("", *_signs(sympy.Matrix([[1, 0], [0, 1 + i]]))).holds()
    assert not Signs("", *_signs(sympy.Matrix([[1, 2], [2, 1 + i]]))).holds()
    assert not Signs("", *_signs(sympy.Matrix([[1, 1], [1, 1]]))).holds()


def exact_matrices(tau: int, step: F, convexity: F) -> Iterator[tuple[str, list[list[F]]]]:
    """The conditions at one point of the box, with the numbers of the closed form."""
    functions = FunctionClass(1, F(1, 10))
    question = ForeverQuestion("mifa", Staleness(tau), functions, F(1, tau + 1), every_step=True)
    yield from AtPoint(model_of(question), tau, step, convexity).found


class AtPoint(Assembly):
    """Every form as an exact matrix at one point."""

    def __init__(self, model: Model, tau: int, step: F, convexity: F) -> None:
        self.at = {"tau": tau, "eta": step, "mu": convexity}
        self.found: list[tuple[str, list[list[F]]]] = []
        super().__init__(model)

    def _inequality(self, total, basis, name):
        if ">=" in name:
            return
        entries: dict[tuple[Unknown, int, int], tuple[F, F]] = {}
        for (unknown, left, right, _), poly in total.form.items():
            value = sum(
                (c * self.at["eta"] ** p * self.at["mu"] ** q for (p, q), c in poly.items()), F(0)
            )
            value *= self.number(unknown)
            i, j = sorted((basis.index(left), basis.index(right)))
            old = entries.get((ONE, i, j), (F(0), F(0)))
            entries[ONE, i, j] = (old[0] + (value if i == j else value / 2), old[1])
        self.found.append((name, MatrixInequality(name, len(basis), entries).matrix({}, F(1))))

    def number(self, unknown: Unknown) -> F:
        if unknown is ONE:
            return F(1)
        kind, *rest = unknown[0]  # type: ignore[index]
        if kind == "V":
            formula = CLOSED_FORM.potential((rest[1], rest[2]), sympy.Integer(rest[0]))
        else:
            formula = CLOSED_FORM.multiplier if kind == "y" else CLOSED_FORM.common
        values = {str(symbol): symbol for symbol in formula.free_symbols}
        number = formula.subs(
            {symbol: sympy.Rational(str(self.at[n])) for n, symbol in values.items()}
        )
        return F(int(number.p), int(number.q))


@pytest.mark.parametrize(
    ("tau", "step", "convexity"),
    [
        (1, F(1, 2), F(1, 10)),
        (3, F(1, 4), F(1, 10)),
        (6, F(1, 70), F(1, 1000)),
        (9, F(1, 10), F(1, 20)),
    ],
)
def test_single_values_agree_by_another_test_of_semidefiniteness(
    tau: int, step: F, convexity: F
) -> None:
    matrices = list(exact_matrices(tau, step, convexity))
    assert len(matrices) >= 3 * tau
    assert all(is_semidefinite(matrix) for _, matrix in matrices)
    beyond = list(exact_matrices(tau, 4 * step if tau < 6 else F(1, 2), convexity))
    assert not all(is_semidefinite(matrix) for _, matrix in beyond)
