"""Fractions over common denominators: the values of the rational arithmetic in a single run, in
whole numbers."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np

from fltheory.core.denominators import aligned, with_primes
from fltheory.core.ratio import Ratio
from fltheory.core.types import Array, BoolArray, Nested
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.arithmetic.common_rows import CommonRows, chosen, from_fractions, from_numbers
from fltheory.engine.arithmetic.rational import RATIONAL


@dataclass(frozen=True)
class Integer:
    """Exact rational numbers; tables with two axes have a common denominator, other arrays are
    those of `Rational`."""

    name: str = "rational"

    def rows(self, values: Nested) -> Rows:
        found = _listed(values)
        return _common(RATIONAL.rows(values)) if found is None else _as_rows(found)

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        if len(shape) != 2:
            return RATIONAL.zeros(shape)
        return _as_rows(CommonRows((shape[0], shape[1]), [0] * (shape[0] * shape[1]), 1, 1))

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        if numerators.ndim == denominators.ndim == 2 and denominators.size == 1:
            below = int(denominators[0, 0])
            above = numerators.ravel().tolist() if below > 0 else [0] * numerators.size
            shape = (numerators.shape[0], numerators.shape[1])
            return _as_rows(CommonRows(shape, above, below or 1, below or 1))
        return _common(RATIONAL.ratio(numerators, denominators))

    def mask(self, booleans: BoolArray) -> Rows:
        return np.asarray(booleans, dtype=bool)

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows:
        if isinstance(new, CommonRows) and isinstance(old, CommonRows) and mask.ndim == 2:
            return _as_rows(chosen(mask, new, old))
        return _common(np.where(mask, new, old))

    def only(self, mask: Rows, rows: Rows) -> Rows:
        return _as_rows(rows.only(mask)) if isinstance(rows, CommonRows) else rows

    def sin(self, rows: Rows) -> Rows:
        return RATIONAL.sin(rows)

    def cos(self, rows: Rows) -> Rows:
        return RATIONAL.cos(rows)

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        both = isinstance(rows, CommonRows) and isinstance(bound, CommonRows)
        if both and bound.shape == (1, 1):
            return _as_rows(_clipped(cast(CommonRows, rows), cast(CommonRows, bound)))
        return _common(np.minimum(np.maximum(rows, -bound), bound))

    def tidy(self, rows: Rows) -> Rows:
        return _as_rows(rows.reduced()) if isinstance(rows, CommonRows) else rows

    def finite(self, rows: Rows) -> Rows:
        return _as_rows(np.True_)

    def stack(self, rows: list[Rows]) -> Rows:
        first = rows[0]
        if isinstance(first, CommonRows) and all(row.shape == first.shape for row in rows):
            numbers = [x for row in rows for x in row.listed()]
            found = np.empty(len(numbers), dtype=object)
            found[:] = numbers
            return found.reshape(len(rows), *first.shape)
        return np.stack([self.export(row) for row in rows])

    def export(self, rows: Rows) -> Array:
        return rows.fractions() if isinstance(rows, CommonRows) else rows


LISTS, EXACT = (list, tuple), (Ratio, Fraction, int)
"""Types of tables that need no array, and of their numbers."""


def _listed(values: Any) -> CommonRows | None:
    """A list of lists of exact numbers; None for everything else."""
    if type(values) not in LISTS or not all(type(row) in LISTS for row in values):
        return None
    widths, flat = {len(row) for row in values}, [x for row in values for x in row]
    if len(widths) != 1 or not flat or not all(type(x) in EXACT for x in flat):
        return None
    return from_numbers(flat, (len(values), widths.pop()))


def _clipped(rows: CommonRows, bound: CommonRows) -> CommonRows:
    """The numbers between plus and minus one bound."""
    primes = with_primes(rows.primes, bound.primes)
    here, there, common = aligned(rows.denominator, bound.denominator, primes)
    most = bound.numerators[0] * there
    found = [None if n is None else max(-most, min(most, n * here)) for n in rows.numerators]
    return CommonRows(rows.shape, found, common, primes, rows.partial)


def _common(table: Array) -> Rows:
    return _as_rows(from_fractions(table)) if table.ndim == 2 else table


def _as_rows(rows: Any) -> Rows:
    """What stands in for an array."""
    found: Rows = rows
    return found


INTEGER = Integer()
