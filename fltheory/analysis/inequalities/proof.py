"""Search for proofs of inequalities: rational multipliers of known ones, checked exactly."""

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from fltheory.analysis.certificate_fields import fields, same_fields
from fltheory.analysis.inequalities.checker import proved
from fltheory.analysis.inequalities.expressions import Expression
from fltheory.analysis.inequalities.inequality import Inequality
from fltheory.core.types import FloatArray, Json

if TYPE_CHECKING:  # they need a solver
    from fltheory.analysis.worst_case.program import Program

ROUNDINGS = (10**12, 10**16, 10**4, 10**2, 24)
"""Denominators of the multipliers, tried in turn; small ones suit inequalities that hold with
equality, whose multipliers are simple."""

SLACKS = (1e-7, 1e-5, 1e-3, 1e-1, 9.0)
"""Relative amounts by which the proved factor may exceed the solver's, tried in turn."""

LEAST_FACTOR = Fraction(1, 2**10)
"""If the solver does not find the smallest factor, 1, 1/2, 1/4, ... are tried down to this."""

ABSOLUTE_SLACK = 1e-12
"""Added to the relative amounts, so that a factor of 0 can be proved."""


Cancelled = tuple[int, int] | tuple[str, int, int]
"""A function value (function, record), or ("product", a, b) of two basis vectors."""


def verify(data: object, inequality: Inequality) -> Fraction:
    """The factor c in left <= c right that a certificate proves for the given inequality."""
    given = fields(data, "certificate")
    same_fields(given, inequality.to_json(), "be that of the inequality at hand")
    return proved(inequality, given)


def prove(inequality: Inequality, *, says: str = "") -> Json | None:
    """A certificate with a factor of at most 1, or None if none was found.

    If the right side is positive, the smallest factor that was found is used.

    >>> from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
    >>> from fltheory.analysis.worst_case.function_classes import FunctionClass
    >>> sketch = Sketch(FunctionClass(1), 1)
    >>> x = sketch.vector()
    >>> sketch.tell(0, ORIGIN, ORIGIN)
    >>> gap = sketch.value(0, x) - sketch.value(0, ORIGIN)
    >>> found = prove(Inequality(sketch, sketch.gradient(0, x) ** 2, 2 * gap))
    >>> found["factor"], found["multipliers"]
    ('1', [['interpolation', [0, 1, 0], '2']])
    """
    found = _prove(inequality, says, None) if inequality.positive else None
    if found is not None:
        return found
    factor = Fraction(1)
    while (better := _prove(inequality, says, factor)) is not None:
        found, factor = better, factor / 2
        if not inequality.positive or factor < LEAST_FACTOR:
            break
    return found


def _prove(inequality: Inequality, says: str, factor: Fraction | None) -> Json | None:
    """A certificate with the given factor, or (None) with the smallest one."""
    from fltheory.analysis.worst_case.certificate import repair
    from fltheory.analysis.worst_case.solve import Status, solve_dual, solve_inside

    listed = list(inequality.constraints())
    factors = (*inequality.right.squares.values(), *inequality.right.values.values())
    scale = 1 / max((abs(x) for x in factors), default=Fraction(1))
    # numbers of the order of 1, for the solver
    left, right = inequality.left * scale, inequality.right * scale
    free = factor is None
    target = left if factor is None else left - factor * right
    columns = [expression for _, _, expression in listed] + [right] * free
    squared = {a for e in (*columns, target) for a, b in e.squares if a == b}
    free_of = set(range(inequality.sketch.basis)) - squared
    program = _program(sorted(squared), free_of, columns, target, free)
    budgets = [0.0]
    if free:
        found = solve_dual(program)
        budgets = (
            []
            if found.value is None
            else [min(found.value * (1 + slack) + ABSOLUTE_SLACK, 1.0) for slack in SLACKS]
        )
    for budget in budgets:
        inside = solve_inside(program, budget)
        if inside.status is not Status.NUMERICAL or inside.multipliers is None:
            continue
        for denominator in ROUNDINGS:
            rounded = [
                Fraction(max(round(float(y) * denominator), 0), denominator)
                for y in inside.multipliers
            ]
            exactly = repair(
                [_equalities(e, free_of) for e in columns], rounded, _equalities(target, free_of)
            )
            if exactly is None or min(exactly) < 0 or (free and exactly[-1] > 1):
                continue
            data = _document(
                inequality,
                says,
                exactly[-1] if factor is None else factor,
                [y / scale for y in exactly[: len(listed)]],
            )
            try:
                proved(inequality, data)
            except ValueError:
                continue
            return data
    return None


def _document(
    inequality: Inequality, says: str, factor: Fraction, multipliers: list[Fraction]
) -> Json:
    used = [
        (kind, about, e, y)
        for (kind, about, e), y in zip(inequality.constraints(), multipliers, strict=True)
        if y
    ]
    left_over = (
        factor * inequality.right.constant
        - inequality.left.constant
        + sum((y * e.constant for _, _, e, y in used), Fraction(0))
    )
    return {
        **inequality.to_json(),
        "says": says,
        "factor": str(factor),
        "left_over": str(left_over),
        "multipliers": [[kind, list(about), str(y)] for kind, about, _, y in used],
    }


def _equalities(e: Expression, free_of: set[int]) -> dict[Cancelled, Fraction]:
    """What must cancel: values, and all products with a vector whose square occurs nowhere, because
    otherwise no sum is semidefinite."""
    found: dict[Cancelled, Fraction] = dict(e.values.items())
    for (a, b), x in e.squares.items():
        if a in free_of or b in free_of:
            found["product", a, b] = x
    return found


def _program(
    squared: list[int], free_of: set[int], columns: list[Expression], target: Expression, free: bool
) -> "Program":
    """The smallest factor (or any proof) as a cone program; constants are a block of size 1."""
    from scipy import sparse

    from fltheory.analysis.worst_case.program import Program, triangles

    place = {a: k for k, a in enumerate(squared)}

    def numbers(e: Expression) -> FloatArray:
        matrix = np.zeros((len(place), len(place)))
        for (a, b), x in e.squares.items():
            if a in place and b in place:
                matrix[place[a], place[b]] = matrix[place[b], place[a]] = float(x) / (
                    1 if a == b else 2
                )
        return np.append(triangles(matrix), float(e.constant))

    cancel = [_equalities(e, free_of) for e in (*columns, target)]
    # the factor of a function's first record is minus the sum of the others
    names = sorted({k for row in cancel for k in row if k[-1] or len(k) > 2}, key=str)
    table = np.array([[float(row.get(k, 0)) for k in names] for row in cancel]).reshape(
        len(cancel), -1
    )
    costs = np.zeros(len(columns))
    costs[-1:] = float(free)
    forms = sparse.csr_matrix(np.array([numbers(e) for e in columns]))
    return Program(
        (len(place), 1), forms, sparse.csr_matrix(table[:-1]), costs, numbers(target), table[-1]
    )
