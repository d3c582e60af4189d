"""Potentials for every staleness at once: formulas in the age and the largest staleness, proved by
the signs of coefficients.

The conditions come from the model of all step sizes (`box`), hence from the method's own code; only
the numbers of its potential are replaced by formulas. Each condition is that a symmetric matrix is
positive semidefinite for all ages a <= tau, all eta L <= reach/(tau + 1) and all mu <= largest_mu.
After a = 1 + i, tau = a + j, eta = reach/((tau + 1)(1 + s)), mu = largest_mu/(1 + r), with i, j, s,
r >= 0, its leading principal minors are quotients of polynomials; if all their coefficients are
positive, the matrix is positive definite.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import sympy

from fltheory.analysis.potentials.assemble import Assembly, Sum
from fltheory.analysis.potentials.generic_client import DoesNotFit
from fltheory.analysis.potentials.language import Staleness
from fltheory.analysis.potentials.model import Model
from fltheory.analysis.potentials.polynomials import Poly
from fltheory.analysis.potentials.program import ONE, Unknown
from fltheory.analysis.potentials.question import ForeverQuestion
from fltheory.analysis.potentials.questions import model_of
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Formula

AGE, TAU = sympy.Symbol("a", positive=True), sympy.Symbol("tau", nonnegative=True)
ETA, MU = sympy.Symbol("eta", positive=True), sympy.Symbol("mu", positive=True)
FREE = sympy.symbols("i j s r", nonnegative=True)
"""What is left after the substitutions; each may be any number from 0 on."""

MULTIPLIER = "multipliers >= 0"

LARGEST = 3
"""The staleness of the model from which the conditions are read; ages 1 and 2 stand for all."""


Form = dict[tuple[Unknown, str, str, int], Poly]
"""Coefficients of a quadratic form, linear in unknowns."""


@dataclass(frozen=True)
class PotentialFormulas:
    """V_a = |x|^2 + square |d|^2 + eta (mixed <d, g> + gradient |g|^2) with d = x - x_s, in units
    with L = 1.

    `square`, `mixed` and `gradient` are formulas in AGE and TAU; `common`, in TAU, ETA and MU, is
    the multiplier of (x_{t+1} - x_t)/eta; `multiplier`, in MU, is y in the multipliers eta (1 - mu)
    + eta mu y of the true inequalities. V falls by 1 - theta eta mu in each round.
    """

    square: Formula
    mixed: Formula
    gradient: Formula
    common: Formula
    multiplier: Formula
    theta: Fraction
    reach: Fraction
    largest_mu: Fraction

    def __post_init__(self) -> None:
        for name, allowed in (
            ("square", {AGE, TAU}),
            ("mixed", {AGE, TAU}),
            ("gradient", {AGE, TAU}),
            ("common", {TAU, ETA, MU}),
            ("multiplier", {MU}),
        ):
            left = getattr(self, name).free_symbols - allowed
            if left:
                raise InvalidInput(
                    f"formula of {name}", f"have no symbols but {_names(allowed)}", _names(left)
                )

    def potential(self, pair: tuple[str, str], age: Formula) -> Formula:
        """The factor of a pair of vectors in V_age."""
        found = {("d", "d"): self.square, ("d", "eg"): self.mixed, ("g", "eg"): self.gradient}
        return found[pair].subs(AGE, age)


class Signs(NamedTuple):
    """A matrix that must be positive definite; `terms` counts the coefficients of its minors, and
    `wrong` those that are not positive."""

    says: str
    terms: int
    wrong: int

    def holds(self) -> bool:
        """Whether all coefficients are positive, and there are some."""
        return self.terms > 0 and self.wrong == 0


def conditions(form: PotentialFormulas, method: str = "mifa") -> Iterator[Signs]:
    """All conditions of a closed form, one after the other, with the signs that decide them.

    Ages 0 and above move to age + 1 (if that is at most tau) or, by a delivery, to 0; and V is at
    least |x|^2 in every age. Multipliers of true inequalities are positive.
    """
    i, j, _, _ = FREE
    grown, last = {AGE: 1 + i, TAU: 2 + i + j}, {AGE: 1 + i, TAU: 1 + i + j}
    cases: Mapping[str, tuple[Mapping[str, Formula], Mapping[Formula, Formula]]] = {
        MULTIPLIER: ({}, {TAU: j}),
        "0 -> 0": ({}, {TAU: j}),
        "0 -> 1": ({"1": sympy.Integer(1)}, {TAU: 1 + j}),
        "1 -> 2": ({"1": AGE, "2": AGE + 1}, grown),
        "1 -> 0": ({"1": AGE}, last),
        "bound in state 1": ({"1": AGE}, last),
    }
    forms = forms_of(method)
    for name, (ages, region) in cases.items():
        basis, total = forms[name]
        matrix = _matrix(basis, total, form, ages)
        tau = region[TAU]
        _, _, s, r = FREE
        whole = {
            **region,
            ETA: _rational(form.reach) / ((tau + 1) * (1 + s)),
            MU: _rational(form.largest_mu) / (1 + r),
        }
        told = name.replace("1", "a", 1).replace("2", "a + 1") if "1" in ages else name
        yield Signs(told, *_signs(matrix.subs(whole, simultaneous=True)))


class Forms(Assembly):
    """The conditions as quadratic forms, before they are spread over Bernstein coefficients."""

    def __init__(self, model: Model) -> None:
        self.forms: dict[str, tuple[tuple[str, ...], Form]] = {}
        super().__init__(model)

    def _inequality(self, total: Sum, basis: tuple[str, ...], name: str) -> None:
        self.forms[name] = (basis, dict(total.form))
        super()._inequality(total, basis, name)


@cache
def forms_of(method: str) -> Mapping[str, tuple[tuple[str, ...], Form]]:
    """The conditions of a method under staleness, in eta and mu; ages above 1 look alike."""
    question = ForeverQuestion(
        method,
        Staleness(LARGEST),
        FunctionClass(1, Fraction(1, 2)),
        Fraction(1, 4),
        every_step=True,
    )
    found: dict[str, tuple[tuple[str, ...], Form]] = Forms(model_of(question)).forms
    found[MULTIPLIER] = found["('y', 0, 0, 0, 1) >= 0"]
    _same(found, "1 -> 2", "2 -> 3", {"1": "2", "2": "3"})
    _same(found, "1 -> 0", "3 -> 0", {"1": "3"})
    _same(found, "bound in state 1", "bound in state 3", {"1": "3"})
    return found


def _same(
    forms: Mapping[str, tuple[tuple[str, ...], Form]],
    one: str,
    other: str,
    ages: Mapping[str, str],
) -> None:
    """Refuse a method whose conditions depend on the age beyond the names of the unknowns."""

    def named(name: Unknown) -> object:
        if isinstance(name, tuple) and name[0][0] == "V":
            (_, age, *pair), place = name
            return "V", ages.get(age, age), *pair, place
        return name if not isinstance(name, tuple) else name[0][0]

    def plain(name: Unknown) -> object:
        if isinstance(name, tuple) and name[0][0] == "V":
            return "V", *name[0][1:], name[1]
        return name if not isinstance(name, tuple) else name[0][0]

    def summed(form: Form, rename: Any) -> dict[object, Poly]:
        found: dict[object, dict[tuple[int, ...], Fraction]] = {}
        for (name, x, y, order), poly in form.items():
            line = found.setdefault((rename(name), x, y, order), {})
            for powers, value in poly.items():
                line[powers] = line.get(powers, Fraction(0)) + value
        return dict(found)

    if summed(forms[one][1], named) != summed(forms[other][1], plain):
        raise DoesNotFit("its conditions change with the age, so that no formula covers them")


def _matrix(
    basis: tuple[str, ...], form: Form, closed: PotentialFormulas, ages: Mapping[str, Formula]
) -> sympy.Matrix:
    """The symmetric matrix of a form, with formulas for the unknowns."""
    found = sympy.zeros(len(basis))
    for (name, left, right, order), poly in form.items():
        factor = sum(_rational(c) * ETA**p * MU**q for (p, q), c in poly.items())
        entry = factor * _value(name, closed, ages) * (_rational(closed.theta) if order else 1)
        i, j = basis.index(left), basis.index(right)
        found[i, j] += entry / 2
        found[j, i] += entry / 2
    return found


def _value(name: Unknown, form: PotentialFormulas, ages: Mapping[str, Formula]) -> Formula:
    if name is ONE:
        return sympy.Integer(1)
    assert isinstance(name, tuple)
    kind, *rest = name[0]
    if kind == "V":
        age, left, right = rest
        return form.potential((left, right), ages[age])
    return form.multiplier if kind == "y" else form.common


def _signs(matrix: sympy.Matrix) -> tuple[int, int]:
    """How many coefficients the leading principal minors have, and how many are not positive.

    Each row is multiplied by a polynomial with positive coefficients, which keeps the signs of the
    minors. Rows of zeros are left out.
    """
    size = matrix.rows
    used = [k for k in range(size) if any(matrix[k, n] != 0 for n in range(size))]
    field = sympy.ZZ.frac_field(*FREE)
    rows = []
    for k in used:
        parts = [field.from_sympy(matrix[k, n]) for n in used]
        scale = field.field.ring.one
        for part in parts:
            scale = scale.lcm(part.denom if part.denom.LC > 0 else -part.denom)
        if any(c < 0 for c in scale.coeffs()):
            return 1, 1
        rows.append([part.numer * scale.exquo(part.denom) for part in parts])
    terms = wrong = 0
    for minor in _leading_minors(rows):
        coefficients = minor.coeffs() if minor else [-1]
        terms += len(coefficients)
        wrong += sum(c <= 0 for c in coefficients)
    return terms, wrong


def _leading_minors(rows: list[list[Any]]) -> list[Any]:
    """Determinants of the upper left squares, by expansion along the last row."""
    minors: dict[tuple[int, ...], Any] = {(n,): rows[0][n] for n in range(len(rows))}
    found = [minors[0,]]
    for k in range(1, len(rows)):
        larger: dict[tuple[int, ...], Any] = {}
        for columns in combinations(range(len(rows)), k + 1):
            total = 0
            for place, column in enumerate(columns):
                rest = columns[:place] + columns[place + 1 :]
                share = rows[k][column] * minors[rest]
                total = total - share if (k + place) % 2 else total + share
            larger[columns] = total
        minors = larger
        found.append(minors[tuple(range(k + 1))])
    return found


def _rational(value: Fraction) -> sympy.Rational:
    return sympy.Rational(value.numerator, value.denominator)


def _names(symbols: Any) -> str:
    return ", ".join(sorted(str(symbol) for symbol in symbols)) or "none"
