"""Fractions over common denominators: the values of the rational arithmetic in a single run, in
whole numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.core.types import Array, BoolArray, Nested
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.arithmetic.common_rows import CommonRows, chosen, from_fractions
from fltheory.engine.arithmetic.rational import RATIONAL


@dataclass(frozen=True)
class Integer:
    """Exact rational numbers; tables with two axes have a common denominator, other arrays are
    those of `Rational`."""

    name: str = "rational"

    def rows(self, values: Nested) -> Rows:
        return _common(RATIONAL.rows(values))

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        if len(shape) != 2:
            return RATIONAL.zeros(shape)
        return _as_rows(CommonRows((shape[0], shape[1]), [0] * (shape[0] * shape[1]), 1, 1))

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        if numerators.ndim == denominators.ndim == 2 and denominators.size == 1:
            below = int(denominators[0, 0])
            above = (numerators * (below > 0)).ravel().tolist()
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
        return _common(np.minimum(np.maximum(rows, -bound), bound))

    def tidy(self, rows: Rows) -> Rows:
        return _as_rows(rows.reduced()) if isinstance(rows, CommonRows) else rows

    def finite(self, rows: Rows) -> Rows:
        return _as_rows(np.True_)

    def stack(self, rows: list[Rows]) -> Rows:
        return np.stack([self.export(row) for row in rows])

    def export(self, rows: Rows) -> Array:
        return rows.fractions() if isinstance(rows, CommonRows) else rows


def _common(table: Array) -> Rows:
    return _as_rows(from_fractions(table)) if table.ndim == 2 else table


def _as_rows(rows: Any) -> Rows:
    """What stands in for an array."""
    found: Rows = rows
    return found


INTEGER = Integer()
