"""sympy expressions in NumPy object arrays: a run is a proof for all values of its symbols."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy

from fltheory.core.exact import exact
from fltheory.core.types import Array, BoolArray, Nested
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.arithmetic.rational import object_array


def expression(value: object) -> sympy.Expr:
    """A number as a sympy rational; an expression unchanged. Text is read as a number and never as
    code.

    >>> expression("3/4") + sympy.Symbol("x")
    x + 3/4
    """
    if isinstance(value, sympy.Expr):
        return value
    number = exact(value)
    return sympy.Rational(number.numerator, number.denominator)


def _ratio(numerator: int, denominator: int) -> sympy.Expr:
    return expression(Fraction(int(numerator), int(denominator))) if denominator else sympy.S.Zero


@dataclass(frozen=True)
class Symbolic:
    """Formulas."""

    name: str = "symbolic"

    def rows(self, values: Nested) -> Rows:
        return object_array(values, expression)

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        return np.full(shape, sympy.S.Zero, dtype=object)

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        return np.asarray(np.frompyfunc(_ratio, 2, 1)(numerators, denominators), dtype=object)

    def mask(self, booleans: BoolArray) -> Rows:
        return np.asarray(booleans, dtype=bool)

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows:
        return np.where(mask, new, old)

    def only(self, mask: Rows, rows: Rows) -> Rows:
        return rows

    def sin(self, rows: Rows) -> Rows:
        return np.frompyfunc(sympy.sin, 1, 1)(rows)

    def cos(self, rows: Rows) -> Rows:
        return np.frompyfunc(sympy.cos, 1, 1)(rows)

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        return np.frompyfunc(lambda x, b: sympy.Min(sympy.Max(x, -b), b), 2, 1)(rows, bound)

    def tidy(self, rows: Rows) -> Rows:
        return np.frompyfunc(lambda x: sympy.cancel(x) if x.is_rational_function() else x, 1, 1)(
            rows
        )

    def finite(self, rows: Rows) -> Rows:
        return np.ones(rows.shape, bool)

    def stack(self, rows: list[Rows]) -> Rows:
        return np.stack(rows)

    def export(self, rows: Rows) -> Array:
        return rows


SYMBOLIC = Symbolic()
