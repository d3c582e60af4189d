"""From floating-point multipliers to an exact proof: round to fractions, repair the equalities, and
check the result."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import TypeVar

from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.checker import Combination, check
from fltheory.analysis.worst_case.encoding import Constraint, Encoding
from fltheory.analysis.worst_case.program import Program
from fltheory.analysis.worst_case.proof import FORMAT, document
from fltheory.analysis.worst_case.solve import solve_inside
from fltheory.analysis.worst_case.status import Status
from fltheory.core.types import FloatArray, Json

SLACKS = (Fraction(1, 10**7), Fraction(9, 10**7))
"""Relative amounts by which a certified bound may exceed the solver's value, tried in turn."""

DENOMINATOR = 10**16
"""Denominator of rounded multipliers."""

Key = TypeVar("Key", bound=Hashable)
Other = TypeVar("Other", bound=Hashable)
Reduced = dict[Key, tuple[dict[Key, Fraction], dict[int, Fraction]]]
"""By pivot: a reduced column, and the combination of columns that gives it."""


def inside(
    program: Program, value: float, *, limit: Callable[[], float] = lambda: inf
) -> Iterator[FloatArray]:
    """Multipliers in the interior of the cones that prove slightly more than the value; `limit`
    tells how many seconds are left."""
    for slack in SLACKS:
        found = solve_inside(program, value * float(1 + slack), seconds=limit())
        if found.status is Status.NUMERICAL and found.multipliers is not None:
            yield found.multipliers


def certify(
    case: Case, encoding: Encoding, value: float, candidates: Iterable[FloatArray]
) -> Json | None:
    """A checked certificate whose bound exceeds the value by at most a millionth of it, or None if
    no candidate gives one."""
    constraints = list(encoding.constraints())
    target = encoding.objective()[1]
    for multipliers in candidates:
        rounded = [
            Fraction(max(round(float(y) * DENOMINATOR), 0), DENOMINATOR) for y in multipliers
        ]
        exact = repair([constraint.values for constraint in constraints], rounded, target)
        if exact is None or min(exact) < 0:
            continue
        bound = sum((y * c.bound for y, c in zip(exact, constraints, strict=True)), Fraction(0))
        if bound > Fraction(value) * (1 + Fraction(1, 10**6)):
            continue
        found = _certificate(case, encoding, constraints, exact, bound)
        try:
            check(Combination(encoding, found["multipliers"], found["bound"]))
        except ValueError:
            continue
        return found
    return None


def _certificate(
    case: Case,
    encoding: Encoding,
    constraints: list[Constraint],
    multipliers: list[Fraction],
    bound: Fraction,
) -> Json:
    return {
        "format": FORMAT,
        "says": (
            f"{encoding.metric.value}, {case.algorithm}, {case.trace.num_rounds} rounds,"
            f" {case.trace.num_clients} clients"
        ),
        "case": case.to_json(),
        **document(encoding),
        "multipliers": [
            [c.kind, list(c.about), str(y)]
            for y, c in zip(multipliers, constraints, strict=True)
            if y
        ],
        "bound": str(bound),
    }


def repair(
    columns: Sequence[Mapping[Key, Fraction]],
    multipliers: Sequence[Fraction],
    target: Mapping[Key, Fraction],
) -> list[Fraction] | None:
    """Multipliers near the given ones with sum_k y_k column_k = target exactly; only a basis of the
    largest ones changes. None if there are no such multipliers.

    >>> one = Fraction(1)
    >>> repair([{"a": one}, {"a": -one}], [Fraction(11, 10), Fraction(1, 5)], {"a": one})
    [Fraction(6, 5), Fraction(1, 5)]
    """
    rest = dict(target)
    for y, column in zip(multipliers, columns, strict=True):
        _subtract(rest, column, y)
    reduced: Reduced[Key] = {}
    names = {name for column in columns for name in column}
    for k in sorted(range(len(columns)), key=lambda k: -multipliers[k]):
        if len(reduced) == len(names):
            break
        vector, made_of = _reduce(dict(columns[k]), reduced)
        if vector:
            pivot = next(iter(vector))
            made_of[k] = made_of.get(k, Fraction(0)) + 1
            scale = vector[pivot]
            reduced[pivot] = (
                {n: x / scale for n, x in vector.items()},
                {n: x / scale for n, x in made_of.items()},
            )
    left, negative = _reduce(rest, reduced)
    if left:
        return None
    result = list(multipliers)
    for k, x in negative.items():
        result[k] -= x
    return result


def _reduce(
    vector: dict[Key, Fraction], reduced: Reduced[Key]
) -> tuple[dict[Key, Fraction], dict[int, Fraction]]:
    """The vector plus a combination of columns that clears every pivot, and that combination."""
    made_of: dict[int, Fraction] = {}
    while True:
        pivot = next((name for name in vector if name in reduced), None)
        if pivot is None:
            return vector, made_of
        factor = vector[pivot]
        row, combination = reduced[pivot]
        _subtract(vector, row, factor)
        _subtract(made_of, combination, factor)


def _subtract(
    vector: dict[Other, Fraction], other: Mapping[Other, Fraction], factor: Fraction
) -> None:
    """vector -= factor * other, in place and without zeros."""
    for name, x in other.items():
        vector[name] = vector.get(name, Fraction(0)) - factor * x
        if not vector[name]:
            del vector[name]
