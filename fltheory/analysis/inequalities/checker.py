"""Exact check that multipliers prove an inequality."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction

import numpy as np

from fltheory.analysis.certificate_fields import (
    Name,
    fields,
    multipliers_of,
    short_fraction,
    short_together,
    told,
)
from fltheory.analysis.inequalities.expressions import Expression, Pair
from fltheory.analysis.inequalities.inequality import Inequality
from fltheory.analysis.inequalities.sketch import Sketch
from fltheory.core.errors import InvalidInput
from fltheory.core.quadratic_forms import Form, whole_sum
from fltheory.core.semidefinite import is_semidefinite


def check(data: object) -> Fraction:
    """The factor that a certificate proves for the inequality that it states."""
    given = fields(data, "certificate")
    return proved(Inequality.from_json(given), given)


STATED = {
    "format",
    "smoothness",
    "lowest_curvature",
    "basis",
    "functions",
    "assumed",
    "left",
    "right",
    "factor",
    "left_over",
    "multipliers",
}
"""Fields of a certificate; it may also have `says`, which no check reads."""


def _closed(data: Mapping[str, object]) -> None:
    """Refuse a certificate with a field that is unknown, or a sentence that is no text."""
    for name in data.keys() - STATED - {"says"}:
        raise InvalidInput("certificate", "have the fields of its format only", repr(name)[:60])
    if not isinstance(data.get("says", ""), str):
        raise InvalidInput("says in a certificate", "be a text", repr(data["says"])[:60])


def proved(inequality: Inequality, data: Mapping[str, object]) -> Fraction:
    """The factor c in left <= c right that a certificate proves; a wrong certificate is an error.

    c right - left + sum_k y_k e_k = <Z, Gram matrix> + left_over, where each e_k is at most 0 for
    all functions of the class, y >= 0, left_over >= 0 and Z is positive semidefinite.
    """
    _closed(data)
    factor = short_fraction(data.get("factor"), "factor of a certificate")
    stated = short_fraction(data.get("left_over"), "constant that a certificate leaves")
    multipliers = multipliers_of(data.get("multipliers"))
    short_together([factor, stated, *multipliers.values(), *_numbers(inequality)])
    known = set(inequality.names())
    for name in multipliers:
        if name not in known:
            raise _unproved(f"a multiplier of {told(name)}, which is no constraint of it")
    left = remainder(inequality, factor, multipliers)
    if left.values:
        raise _unproved(f"function values are left over at {sorted(left.values)[:3]}")
    if left.constant != stated:
        raise _unproved("the constant left over differs from the stated one")
    if stated < 0:
        raise _unproved("the constant left over is below 0")
    if not is_semidefinite(_matrix(left, inequality.sketch.basis)):
        raise _unproved("the remainder is no sum of squares")
    return factor


def _unproved(reason: str) -> InvalidInput:
    return InvalidInput("certificate", "prove its inequality", reason)


def _numbers(inequality: Inequality) -> Iterator[Fraction]:
    """All numbers in the statement of an inequality."""
    for records in inequality.sketch.records:
        yield from (x for record in records for vector in record for x in vector.parts.values())
    for side in (inequality.left, inequality.right, *inequality.assumed):
        yield from (*side.squares.values(), *side.values.values(), side.constant)


def remainder(
    inequality: Inequality, factor: Fraction, multipliers: Mapping[Name, Fraction]
) -> Expression:
    """factor right - left + sum_k y_k e_k; the interpolation terms of a function are one form."""
    total = factor * inequality.right - inequality.left
    pairs: defaultdict[int, dict[Pair, Fraction]] = defaultdict(dict)
    for (kind, about), y in multipliers.items():
        if kind == "interpolation":
            pairs[about[0]][about[1], about[2]] = y
        else:
            total = total + y * inequality.constraint(kind, about)
    for f, used in pairs.items():
        total = total + _interpolated(inequality.sketch, f, used)
    return total


def _interpolated(sketch: Sketch, f: int, used: Mapping[Pair, Fraction]) -> Expression:
    """Sum of y (f_j - f_i + v'Qv) over pairs i, j of a function's records with vectors v."""
    records = sketch.records[f]
    count, form = len(records), sketch.functions.form()
    rows = np.zeros((2 * count, sketch.basis), dtype=object)
    for r, (point, gradient) in enumerate(records):
        for k, x in point.parts.items():
            rows[r, k] = x
        for k, x in gradient.parts.items():
            rows[count + r, k] = x
    common = short_together(used.values())
    values: defaultdict[Pair, Fraction] = defaultdict(Fraction)
    forms = []
    for (i, j), y in used.items():
        values[f, j] += y
        values[f, i] -= y
        places = (i, j, count + i, count + j)
        forms.append(Form(y.numerator * (common // y.denominator), places, form))
    whole, scale = whole_sum(rows, forms)
    squares = {
        (a, b): Fraction(x if a == b else 2 * x, scale * common)
        for a, row in enumerate(whole)
        for b, x in enumerate(row)
        if a <= b and x
    }
    return Expression(squares, {k: x for k, x in values.items() if x})


def _matrix(expression: Expression, size: int) -> list[list[Fraction]]:
    """The symmetric matrix of an expression; off-diagonal factors are halved."""
    matrix = [[Fraction(0)] * size for _ in range(size)]
    for (a, b), x in expression.squares.items():
        matrix[a][b] = matrix[b][a] = x if a == b else x / 2
    return matrix
