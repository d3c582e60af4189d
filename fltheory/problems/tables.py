"""How a problem's numbers are read: a table with one row per client and one column per coordinate,
and a noise variance."""

from fractions import Fraction
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact

Table = tuple[tuple[Any, ...], ...]


def table(values: Any, owner: str) -> Table:
    """One row per client; a single number per client is a row of one coordinate. Symbols pass as
    they are.

    >>> table(["1/2", 3], "optimum")
    ((Fraction(1, 2),), (Fraction(3, 1),))
    """
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
        raise InvalidInput(f"{owner} list", "have at least one client", repr(values))
    rows = [row if _is_row(row) else (row,) for row in values]
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


def noise_variance(value: Any) -> Fraction:
    """E |stochastic - exact gradient|^2 of a client, all coordinates together."""
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


def _is_row(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)
