"""Proofs of inequalities: multipliers of others that are known, rational and already checked."""

from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.analysis.certificate_fields import fields, same_fields
from fltheory.analysis.inequalities.checker import proved
from fltheory.analysis.inequalities.expressions import Expression
from fltheory.analysis.inequalities.inequality import Inequality

ROUNDINGS = (10**12, 10**16, 10**4, 10**2, 24)
"""Denominators of the multipliers, tried in turn; small ones catch proofs of what holds with
equality, whose multipliers are simple."""

SLACKS = (1e-7, 1e-5, 1e-3, 1e-1, 9.0)
"""By how much of itself the proved factor may exceed the solver's."""

LEAST_FACTOR = Fraction(1, 2**10)
"""Where the solver does not find the smallest factor, halves of 1 are tried down to this."""

TINY = 1e-12
"""By how much more, so that a factor of 0 is not out of reach."""


def verify(data: object, inequality: Inequality) -> Fraction:
    """The factor in left <= factor * right that a certificate proves for this very inequality."""
    given = fields(data, "certificate")
    same_fields(given, inequality.to_json(), "be that of the inequality at hand")
    return proved(inequality, given)


def prove(inequality: Inequality, *, says: str = "") -> dict[str, Any] | None:
    """A certificate with a factor of at most 1, or None.

    The factor is as small as was found where the right side is positive.

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


def _prove(inequality: Inequality, says: str, factor: Fraction | None) -> dict[str, Any] | None:
    """With the given factor, or with one that is as small as can be."""
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
            else [min(found.value * (1 + slack) + TINY, 1.0) for slack in SLACKS]
        )
    for budget in budgets:
        inside = solve_inside(program, budget)
        for denominator in ROUNDINGS if inside.status is Status.NUMERICAL else ():
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
) -> dict[str, Any]:
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
        "multipliers": [[kind, about, str(y)] for kind, about, _, y in used],
    }


def _equalities(e: Expression, free_of: set[int]) -> dict[Any, Fraction]:
    """What must cancel: values, and all products with a vector whose own square occurs nowhere,
    else no sum is semidefinite."""
    return {**e.values, **{("product", *k): x for k, x in e.squares.items() if free_of & set(k)}}


def _program(
    squared: list[int], free_of: set[int], columns: list[Expression], target: Expression, free: bool
) -> Any:
    """The smallest factor (or just any proof) as a cone program.

    Constants are a block of their own, of size 1.
    """
    from scipy import sparse

    from fltheory.analysis.worst_case.program import Program, triangles

    place = {a: k for k, a in enumerate(squared)}

    def numbers(e: Expression) -> Any:
        matrix = np.zeros((len(place), len(place)))
        for (a, b), x in e.squares.items():
            if a in place and b in place:
                matrix[place[a], place[b]] = matrix[place[b], place[a]] = float(x) / (
                    1 if a == b else 2
                )
        return np.append(triangles(matrix), float(e.constant))

    cancel = [_equalities(e, free_of) for e in (*columns, target)]
    # a function's values count from its first record, whose factor is minus the sum of the others
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
