"""The operations that an algorithm needs of its numbers."""

from typing import Protocol, TypeAlias

from fltheory.core.types import Array, BoolArray, Nested

Rows: TypeAlias = Array
"""An array of shape (..., clients, coordinates): NumPy objects or floats, or a torch tensor."""


class Arithmetic(Protocol):
    """How rows are created, masked and exported; addition and scaling are operators of the rows."""

    @property
    def name(self) -> str: ...

    def rows(self, values: Nested) -> Rows:
        """Exact numbers (nested sequences or an array of them) as an array of this arithmetic."""

    def zeros(self, shape: tuple[int, ...]) -> Rows: ...

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        """Integers over integers, elementwise, with 0 where the denominator is 0."""

    def mask(self, booleans: BoolArray) -> Rows: ...

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows: ...

    def only(self, mask: Rows, rows: Rows) -> Rows:
        """The rows of the mask; the others are not used, and need not be computed with."""

    def sin(self, rows: Rows) -> Rows: ...

    def cos(self, rows: Rows) -> Rows: ...

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        """Each coordinate clipped to [-bound, bound]."""

    def tidy(self, rows: Rows) -> Rows:
        """The same numbers in a form that does not grow from round to round."""

    def finite(self, rows: Rows) -> Rows:
        """Which numbers are neither infinite nor undefined, as booleans."""

    def stack(self, rows: list[Rows]) -> Rows:
        """Rows of equal shape along a new first axis."""

    def export(self, rows: Rows) -> Array:
        """The rows as a NumPy array."""


def total(rows: Rows) -> Rows:
    """Sum over the clients, as one row."""
    added: Rows = rows.sum(axis=-2, keepdims=True)
    return added


def mean(rows: Rows) -> Rows:
    """Average over all clients, as one row."""
    average: Rows = total(rows) / rows.shape[-2]
    return average
