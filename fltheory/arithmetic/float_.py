"""NumPy float64: fast deterministic runs; what they show is numerical evidence, never a proof."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.arithmetic.base import Rows


@dataclass(frozen=True)
class Float:
    """Double precision."""

    name: str = "float"

    def rows(self, values: Any) -> Rows:
        return np.asarray(values).astype(np.float64)

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        return np.zeros(shape)

    def ratio(self, numerators: Any, denominators: Any) -> Rows:
        top, bottom = np.broadcast_arrays(np.asarray(numerators, float), np.asarray(denominators, float))
        return np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)

    def mask(self, booleans: Any) -> Rows:
        return np.asarray(booleans, dtype=bool)

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows:
        return np.where(mask, new, old)

    def sin(self, rows: Rows) -> Rows:
        return np.sin(rows)

    def cos(self, rows: Rows) -> Rows:
        return np.cos(rows)

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        return np.minimum(np.maximum(rows, -bound), bound)

    def tidy(self, rows: Rows) -> Rows:
        return rows

    def stack(self, rows: list[Rows]) -> Rows:
        return np.stack(rows)

    def export(self, rows: Rows) -> Any:
        return rows


FLOAT = Float()
