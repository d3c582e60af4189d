"""An inequality over a class of functions, and its proof: multipliers of inequalities that are known, rational and already checked."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.errors import InvalidInput
from fltheory.inequalities.expressions import Expression
from fltheory.inequalities.sketch import Sketch
from verification.check_inequality import FORMAT, check

ROUNDINGS = (10**12, 10**16, 10**4, 10**2, 24)
"""Denominators of the multipliers, tried in turn; small ones catch proofs of what holds with equality, whose multipliers are simple."""

SLACKS = (1e-7, 1e-5, 1e-3, 1e-1, 9.0)
"""By how much of itself the proved factor may exceed the solver's."""

LEAST_FACTOR = Fraction(1, 2**10)
"""Where the solver does not find the smallest factor, halves of 1 are tried down to this."""

TINY = 1e-12
"""By how much more, so that a factor of 0 is not out of reach."""


@dataclass(frozen=True)
class Inequality:
    """left <= right for all functions of a sketch for which every expression in `assumed` is at most 0.

    `positive` says that the right side is known to be at least 0: then a smaller right side may be proved.
    """

    sketch: Sketch
    left: Expression
    right: Expression
    assumed: tuple[Expression, ...] = ()
    positive: bool = False

    def to_json(self) -> dict[str, Any]:
        """What a certificate is about, without the proof."""
        functions = self.sketch.functions
        return {
            "format": FORMAT, "smoothness": str(functions.smoothness), "lowest_curvature": str(functions.lowest_curvature),
            "basis": self.sketch.basis,
            "functions": [[[{str(k): str(x) for k, x in sorted(v.parts.items())} for v in record] for record in records]
                          for records in self.sketch.records],
            "assumed": [e.to_json() for e in self.assumed], "left": self.left.to_json(), "right": self.right.to_json(),
        }

    def constraints(self) -> Iterator[tuple[str, list[int], Expression]]:
        """Expressions that are at most 0: interpolation of every pair of records, then what is assumed."""
        low, high = self.sketch.functions.lowest_curvature, self.sketch.functions.smoothness
        scale = 1 / (2 * (1 - low / high))
        for f, records in enumerate(self.sketch.records):
            for i, (here, slope) in enumerate(records):
                for j, (there, other) in enumerate(records):
                    if i != j:
                        step, change = here - there, slope - other
                        bent = change**2 * (1 / high) + step**2 * low - change * step * (2 * low / high)
                        rise = Expression(values={(f, j): Fraction(1), (f, i): Fraction(-1)})
                        yield "interpolation", [f, i, j], rise + other * step + scale * bent
        for k, expression in enumerate(self.assumed):
            yield "assumed", [k], expression


def verify(data: Any, inequality: Inequality) -> Fraction:
    """The factor in left <= factor * right that a certificate proves for this very inequality."""
    for name, value in inequality.to_json().items():
        if data.get(name) != value:
            raise InvalidInput(f"{name} in a certificate", "be that of the inequality at hand", "something else")
    try:
        return Fraction(check(data))
    except ValueError as reason:
        raise InvalidInput("certificate", "prove its inequality", reason) from None


def prove(inequality: Inequality, *, says: str = "") -> dict[str, Any] | None:
    """A certificate with a factor of at most 1, as small as was found where the right side is positive; None if there is none.

    >>> from fltheory.inequalities.sketch import ORIGIN
    >>> from fltheory.worst_case.interpolation import FunctionClass
    >>> sketch = Sketch(FunctionClass(1), 1)
    >>> x = sketch.vector()
    >>> sketch.tell(0, ORIGIN, ORIGIN)
    >>> found = prove(Inequality(sketch, sketch.gradient(0, x) ** 2, 2 * (sketch.value(0, x) - sketch.value(0, ORIGIN))))
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
    from fltheory.worst_case.certificate import repair
    from fltheory.worst_case.solve import Status, solve_dual, solve_inside

    listed = list(inequality.constraints())
    scale = 1 / max((abs(x) for part in (inequality.right.squares, inequality.right.values) for x in part.values()), default=Fraction(1))
    left, right = inequality.left * scale, inequality.right * scale  # numbers of the order of 1, for the solver
    free = factor is None
    target = left if factor is None else left - factor * right
    columns = [expression for _, _, expression in listed] + [right] * free
    squared = {a for e in (*columns, target) for a, b in e.squares if a == b}
    free_of = set(range(inequality.sketch.basis)) - squared
    program = _program(sorted(squared), free_of, columns, target, free)
    budgets = [0.0]
    if free:
        found = solve_dual(program)
        budgets = [] if found.value is None else [min(found.value * (1 + slack) + TINY, 1.0) for slack in SLACKS]
    for budget in budgets:
        inside = solve_inside(program, budget)
        for denominator in ROUNDINGS if inside.status is Status.NUMERICAL else ():
            rounded = [Fraction(max(round(float(y) * denominator), 0), denominator) for y in inside.multipliers]
            exactly = repair([_equalities(e, free_of) for e in columns], rounded, _equalities(target, free_of))
            if exactly is None or min(exactly) < 0 or (free and exactly[-1] > 1):
                continue
            data = _document(inequality, says, exactly[-1] if factor is None else factor, [y / scale for y in exactly[: len(listed)]])
            try:
                check(data)
            except ValueError:
                continue
            return data
    return None


def _document(inequality: Inequality, says: str, factor: Fraction, multipliers: list[Fraction]) -> dict[str, Any]:
    used = [(kind, about, e, y) for (kind, about, e), y in zip(inequality.constraints(), multipliers, strict=True) if y]
    left_over = factor * inequality.right.constant - inequality.left.constant + sum((y * e.constant for _, _, e, y in used), Fraction(0))
    return {**inequality.to_json(), "says": says, "factor": str(factor), "left_over": str(left_over),
            "multipliers": [[kind, about, str(y)] for kind, about, _, y in used]}


def _equalities(e: Expression, free_of: set[int]) -> dict[Any, Fraction]:
    """What must cancel: values, and all products with a vector whose own square occurs nowhere (else no sum is semidefinite)."""
    return {**e.values, **{("product", *k): x for k, x in e.squares.items() if free_of & set(k)}}


def _program(squared: list[int], free_of: set[int], columns: list[Expression], target: Expression, free: bool) -> Any:
    """The smallest factor (or just any proof) as a cone program: constants are a block of their own, of size 1."""
    from scipy import sparse

    from fltheory.worst_case.program import Program, triangles

    place = {a: k for k, a in enumerate(squared)}

    def numbers(e: Expression) -> Any:
        matrix = np.zeros((len(place), len(place)))
        for (a, b), x in e.squares.items():
            if a in place and b in place:
                matrix[place[a], place[b]] = matrix[place[b], place[a]] = float(x) / (1 if a == b else 2)
        return np.append(triangles(matrix), float(e.constant))

    cancel = [_equalities(e, free_of) for e in (*columns, target)]
    # a function's values count from its first record, whose factor is minus the sum of the others
    names = sorted({k for row in cancel for k in row if k[-1] or len(k) > 2}, key=str)
    table = np.array([[float(row.get(k, 0)) for k in names] for row in cancel]).reshape(len(cancel), -1)
    costs = np.zeros(len(columns))
    costs[-1:] = float(free)
    forms = sparse.csr_matrix(np.array([numbers(e) for e in columns]))
    return Program((len(place), 1), forms, sparse.csr_matrix(table[:-1]), costs, numbers(target), table[-1])
