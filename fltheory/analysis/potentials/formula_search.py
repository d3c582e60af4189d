"""Search for potentials by formulas: the factors of given shapes in the age and the staleness that
satisfy all conditions at sample points, rounded to simple fractions and then proved for all.

At one staleness, age, step size and convexity every condition of `closed_form` is a matrix
inequality that is linear in the factors. One semidefinite program asks for all samples at once,
with the largest margin; what it finds is a fit and proves nothing. `closed_form.conditions`
decides about the rounded formulas.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import product

import sympy

from fltheory.analysis.potentials.closed_form import (
    AGE,
    ETA,
    MU,
    MULTIPLIER,
    TAU,
    Form,
    PotentialFormulas,
    conditions,
    forms_of,
)
from fltheory.analysis.potentials.program import (
    ONE,
    Affine,
    MatrixInequality,
    MatrixProgram,
    Unknown,
)
from fltheory.core.types import Formula

STALENESS = (1, 2, 3, 10, 30)
"""Where the program samples the conditions; ages are 1, 2, half, all but one, and all of these."""

PARTS = (Fraction(1), Fraction(1, 3), Fraction(1, 100))
"""Sampled step sizes and convexities, as parts of the largest."""

RESCALINGS = 3

DENOMINATORS = (1, 2, 4, 8)
"""Factors are rounded to multiples of 1/n, coarse ones first."""


@dataclass(frozen=True)
class Shapes:
    """Which formulas may appear in each part of a potential; the search finds their factors."""

    square: tuple[Formula, ...] = ((2 * TAU + 1) / AGE,)
    mixed: tuple[Formula, ...] = (AGE,)
    gradient: tuple[Formula, ...] = (AGE, AGE**2 / (TAU + 1))
    common: tuple[Formula, ...] = ((TAU + 1) * ETA,)
    multiplier: tuple[Formula, ...] = (MU / (1 + MU),)


@dataclass(frozen=True)
class SearchedFormula:
    """What the search ends with: formulas that are proved, or why there are none."""

    formulas: PotentialFormulas | None
    fit: Mapping[str, float]
    why: str = ""


def search_formulas(
    slope: Fraction = Fraction(1),
    reach: Fraction = Fraction(1),
    largest_mu: Fraction = Fraction(1, 10),
    shapes: Shapes | None = None,
    method: str = "mifa",
) -> SearchedFormula:
    """Factors for the shapes such that V falls by 1 - slope eta mu for all eta L <= reach/(tau + 1)
    and mu <= largest_mu, proved for every staleness."""
    shapes = shapes or Shapes()
    program = _program(shapes, method, slope, reach, largest_mu)
    answer = program.solve(1.0, margin=True)
    for _ in range(RESCALINGS):
        if not answer.feasible or answer.objective <= 0:
            return SearchedFormula(
                None, {}, "no factors satisfy the conditions at the sample points"
            )
        program = _rescaled(program, answer.values)
        answer = program.solve(1.0, margin=True)
    fit = {f"{part} {shape}": answer.values[part, shape] for part, shape in _terms(shapes)}
    for denominator in DENOMINATORS:
        parts = {
            part: sum(
                (
                    sympy.Rational(round(answer.values[part, one] * denominator), denominator) * one
                    for one in getattr(shapes, part)
                ),
                sympy.Integer(0),
            )
            for part in (one.name for one in fields(Shapes))
        }
        formulas = PotentialFormulas(**parts, theta=slope, reach=reach, largest_mu=largest_mu)
        if all(one.holds() for one in conditions(formulas, method)):
            return SearchedFormula(formulas, fit)
    return SearchedFormula(
        None, fit, "the factors fit the sample points, but no rounded ones are proved"
    )


def _terms(shapes: Shapes) -> Iterator[tuple[str, Formula]]:
    for one in fields(shapes):
        for shape in getattr(shapes, one.name):
            yield one.name, shape


def _program(
    shapes: Shapes, method: str, slope: Fraction, reach: Fraction, largest_mu: Fraction
) -> MatrixProgram:
    """All conditions at all sample points, each divided by its step size and its convexity."""
    program = MatrixProgram()
    for term in _terms(shapes):
        program.unknown(term)
    forms = forms_of(method)
    for tau, p, q in product(STALENESS, PARTS, PARTS):
        at: dict[Formula, int | Fraction] = {
            TAU: tau,
            ETA: p * reach / (tau + 1),
            MU: q * largest_mu,
        }
        for name, age in _moves(tau):
            basis, form = forms[name]
            program.inequalities.append(
                _at_point(name, basis, form, shapes, {**at, AGE: age}, slope)
            )
    return program


def _moves(staleness: int) -> Iterator[tuple[str, int]]:
    """The conditions and the ages at which they are sampled."""
    yield from ((MULTIPLIER, 1), ("0 -> 0", 1), ("0 -> 1", 1))
    for age in sorted(
        {1, 2, (staleness + 1) // 2, staleness - 1, staleness} & set(range(1, staleness + 1))
    ):
        if age < staleness:
            yield "1 -> 2", age
        yield from (("1 -> 0", age), ("bound in state 1", age))


def _at_point(
    name: str,
    basis: tuple[str, ...],
    form: Form,
    shapes: Shapes,
    at: Mapping[Formula, int | Fraction],
    slope: Fraction,
) -> MatrixInequality:
    """One condition as a matrix inequality in the factors."""
    step, convexity = Fraction(at[ETA]), Fraction(at[MU])
    entries: dict[tuple[Unknown, int, int], Affine] = {}
    for (unknown, left, right, order), poly in form.items():
        value = sum((c * step**p * convexity**q for (p, q), c in poly.items()), Fraction(0))
        value *= (slope if order else 1) / step
        i, j = sorted((basis.index(left), basis.index(right)))
        for term, factor in _parts(unknown, shapes, at):
            share = value * factor * (1 if i == j else Fraction(1, 2))
            key: tuple[Unknown, int, int] = (term, i, j)
            a, b = entries.get(key, (Fraction(0), Fraction(0)))
            entries[key] = (a + share, b)
    rows = sorted({k for (_, i, j), (value, _) in entries.items() if value for k in (i, j)})
    kept = {
        (term, rows.index(i), rows.index(j)): value
        for (term, i, j), value in entries.items()
        if any(value)
    }
    where = ", ".join(f"{symbol} = {value}" for symbol, value in at.items())
    return MatrixInequality(f"{name} at {where}", len(rows), kept)


def _rescaled(program: MatrixProgram, values: Mapping[Unknown, float]) -> MatrixProgram:
    """The same program with vectors in units in which the last answer has a diagonal of ones, so
    that the margin means the same at all sample points."""
    found = MatrixProgram(dict(program.unknowns))
    for one in program.inequalities:
        sizes = [0.0] * one.size
        for (term, i, j), (value, _) in one.entries.items():
            if i == j:
                sizes[i] += float(value) * (1.0 if term is ONE else values[term])
        units = [Fraction(size**-0.5).limit_denominator(10**6) for size in sizes]
        entries = {
            (term, i, j): (value * units[i] * units[j], slope)
            for (term, i, j), (value, slope) in one.entries.items()
        }
        found.inequalities.append(MatrixInequality(one.name, one.size, entries))
    return found


def _parts(
    unknown: Unknown, shapes: Shapes, at: Mapping[Formula, int | Fraction]
) -> Iterator[tuple[Unknown, Fraction]]:
    """An unknown of the model as a sum of factors times the values of their shapes."""
    if unknown is ONE:
        yield ONE, Fraction(1)
        return
    assert isinstance(unknown, tuple)
    kind, *rest = unknown[0]
    if kind == "V":
        age, left, right = rest
        part = {("d", "d"): "square", ("d", "eg"): "mixed", ("g", "eg"): "gradient"}[left, right]
        point = {**at, AGE: at[AGE] + int(age) - 1}
    else:
        part, point = ("multiplier" if kind == "y" else "common"), dict(at)
    for shape in getattr(shapes, part):
        value = sympy.Rational(shape.subs({k: sympy.Rational(str(v)) for k, v in point.items()}))
        yield (part, shape), Fraction(int(value.p), int(value.q))
