"""Read the numbers of a problem: a table with one row per client and one column per coordinate, and
a noise variance."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias, cast

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Array, ExactLike, Formula

Table: TypeAlias = tuple[tuple[Fraction | Formula, ...], ...]
"""One row per client, one column per coordinate."""

TableLike: TypeAlias = Sequence[ExactLike | Formula | Sequence[ExactLike | Formula]] | Array
"""A table, or one number per client for a single coordinate."""

Shares: TypeAlias = tuple[Fraction, ...]
"""Weights of the clients, which sum to 1."""


def table(values: TableLike, owner: str) -> Table:
    """One row per client; a single number per client is a row with one coordinate. Symbols stay
    unchanged.

    >>> table(["1/2", 3], "optimum")
    ((Fraction(1, 2),), (Fraction(3, 1),))
    """
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
        raise InvalidInput(f"{owner} list", "have at least one client", repr(values))
    rows = [_row(row) for row in values]
    widths = sorted({len(row) for row in rows})
    if len(widths) != 1 or widths[0] == 0:
        raise InvalidInput(
            f"{owner} list",
            "have the same number of coordinates, at least 1, for all clients",
            widths,
        )
    return tuple(
        tuple(x if hasattr(x, "free_symbols") else exact(x, f"{owner} of client {i}") for x in row)
        for i, row in enumerate(rows)
    )


def noise_variance(value: ExactLike) -> Fraction:
    """E |stochastic - exact gradient|^2 of a client, summed over the coordinates."""
    variance = exact(value, "noise variance")
    if variance < 0:
        raise InvalidInput("noise variance", "be at least 0", variance)
    return variance


def is_rational(*tables: Table) -> bool:
    """Whether all entries are numbers, so that constants can be computed."""
    return all(isinstance(x, Fraction) for rows in tables for row in rows for x in row)


def all_equal(rows: Table) -> bool:
    """Whether all clients have the same row."""
    return all(row == rows[0] for row in rows)


def _row(value: ExactLike | Formula | Sequence[ExactLike | Formula]) -> Sequence[object]:
    """The row of a client; a single number is a row with one coordinate."""
    listed = hasattr(value, "__len__") and not isinstance(value, str)
    return cast(Sequence[object], value) if listed else (value,)
