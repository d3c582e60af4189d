"""The few operations that an algorithm needs of its numbers."""

from typing import Any, Protocol

Rows = Any
"""An array of shape (..., clients, coordinates): NumPy objects or floats, or a torch tensor."""


class Arithmetic(Protocol):
    """How rows are made, masked and read back; adding and scaling are the rows' own operators."""

    @property
    def name(self) -> str: ...

    def rows(self, values: Any) -> Rows:
        """Exact numbers (nested sequences or an array of them) as an array of this arithmetic."""

    def zeros(self, shape: tuple[int, ...]) -> Rows: ...

    def ratio(self, numerators: Any, denominators: Any) -> Rows:
        """Whole numbers over whole numbers, elementwise, with 0 where the denominator is 0."""

    def mask(self, booleans: Any) -> Rows: ...

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows: ...

    def sin(self, rows: Rows) -> Rows: ...

    def cos(self, rows: Rows) -> Rows: ...

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        """Each coordinate moved into [-bound, bound]."""

    def tidy(self, rows: Rows) -> Rows:
        """The same numbers in a form that does not grow from round to round."""

    def finite(self, rows: Rows) -> Any:
        """Which numbers are neither infinite nor undefined, as an array or tensor of booleans."""

    def stack(self, rows: list[Rows]) -> Rows:
        """Equal shapes along a new first axis."""

    def export(self, rows: Rows) -> Any:
        """The rows as a NumPy array."""


def total(rows: Rows) -> Rows:
    """Sum over the clients, as one row."""
    return rows.sum(axis=-2, keepdims=True)


def mean(rows: Rows) -> Rows:
    """Average over all clients, as one row."""
    return total(rows) / rows.shape[-2]
