"""Fractions in NumPy object arrays: a run is exact and decides its instance."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory.core.errors import NotExact
from fltheory.core.exact import exact
from fltheory.core.ratio import ZERO, Ratio, ratio_of_integers
from fltheory.core.types import Array, BoolArray, Nested, Scalar
from fltheory.engine.arithmetic.base import Rows


def _ratio(numerator: int, denominator: int) -> Ratio:
    return ratio_of_integers(int(numerator), int(denominator)) if denominator else ZERO


def _fast(value: object) -> Ratio:
    """The number as a fraction of the faster kind."""
    if type(value) is Ratio:
        return value
    number = value if type(value) is Fraction else exact(value)
    return ratio_of_integers(number.numerator, number.denominator)


@dataclass(frozen=True)
class Rational:
    """Exact rational numbers."""

    name: str = "rational"

    def rows(self, values: Nested) -> Rows:
        return object_array(values, _fast)

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        return np.full(shape, ZERO, dtype=object)

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        return np.asarray(np.frompyfunc(_ratio, 2, 1)(numerators, denominators), dtype=object)

    def mask(self, booleans: BoolArray) -> Rows:
        return np.asarray(booleans, dtype=bool)

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows:
        return np.where(mask, new, old)

    def only(self, mask: Rows, rows: Rows) -> Rows:
        return rows

    def sin(self, rows: Rows) -> Rows:
        raise NotExact(
            "the sine of a rational number is not rational: use float or symbolic arithmetic"
        )

    def cos(self, rows: Rows) -> Rows:
        raise NotExact(
            "the cosine of a rational number is not rational: use float or symbolic arithmetic"
        )

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        return np.minimum(np.maximum(rows, -bound), bound)

    def tidy(self, rows: Rows) -> Rows:
        return rows

    def finite(self, rows: Rows) -> Rows:
        return np.ones(rows.shape, bool)

    def stack(self, rows: list[Rows]) -> Rows:
        return np.stack(rows)

    def export(self, rows: Rows) -> Array:
        return rows


def object_array(values: Nested, convert: Callable[[object], Scalar]) -> Rows:
    """An object array of the same shape with every entry converted.

    >>> object_array([["1/2", 3]], exact)[0, 0]
    Fraction(1, 2)
    """
    array = np.asarray(values, dtype=object)
    result = np.empty(array.shape, dtype=object)
    result.ravel()[:] = [convert(value) for value in array.ravel()]
    return result


RATIONAL = Rational()
