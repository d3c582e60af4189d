"""NumPy float64: fast deterministic runs, which give numerical evidence but no proof."""

from dataclasses import dataclass

import numpy as np

from fltheory.core.exact import exact
from fltheory.core.types import Array, BoolArray, FloatArray, Nested
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.arithmetic.rational import object_array


def doubles(values: Nested) -> FloatArray:
    """Numbers of any kind, including text such as 1/4, each rounded once.

    >>> doubles(["1/4", 2]).tolist()
    [0.25, 2.0]
    """
    array = np.asarray(values)
    if array.dtype.kind in "UO":
        array = object_array(
            values, lambda value: exact(value) if isinstance(value, str) else value
        )
    return array.astype(np.float64)


@dataclass(frozen=True)
class Float:
    """Double precision."""

    name: str = "float"

    def rows(self, values: Nested) -> Rows:
        return doubles(values)

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        return np.zeros(shape)

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        top, bottom = np.broadcast_arrays(
            np.asarray(numerators, float), np.asarray(denominators, float)
        )
        return np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)

    def mask(self, booleans: BoolArray) -> Rows:
        return np.asarray(booleans, dtype=bool)

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows:
        return np.where(mask, new, old)

    def only(self, mask: Rows, rows: Rows) -> Rows:
        return rows

    def sin(self, rows: Rows) -> Rows:
        return np.sin(rows)

    def cos(self, rows: Rows) -> Rows:
        return np.cos(rows)

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        return np.minimum(np.maximum(rows, -bound), bound)

    def tidy(self, rows: Rows) -> Rows:
        return rows

    def finite(self, rows: Rows) -> Rows:
        return np.isfinite(rows)

    def stack(self, rows: list[Rows]) -> Rows:
        return np.stack(rows)

    def export(self, rows: Rows) -> Array:
        return rows


FLOAT = Float()
