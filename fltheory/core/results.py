"""How public functions show their results: as text, as HTML in a notebook, as data for JSON.

A result is a frozen dataclass with `tables()` and `to_dict()`. Two lines in its body do the rest:

    @dataclass(frozen=True, repr=False)
    class Limit:
        ...
        __repr__ = as_text
        _repr_html_ = as_html
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from html import escape
from math import isfinite
from typing import Protocol, runtime_checkable

from fltheory.core.plain import plain
from fltheory.core.types import Json, JsonValue

LONG_LIST, LONG_BITS = 12, 120
"""Beyond these, a reader sees the beginning of a list, or a number in decimals."""

SHOWN_ROWS = 20
"""Rows of a table in a repr or a notebook; the data has all."""


@dataclass(frozen=True)
class Table:
    """Rows of text under a title and a header; either may be empty."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@runtime_checkable
class Shown(Protocol):
    """A result that can be shown: tables for people, data for programs."""

    def tables(self) -> Sequence[Table]: ...

    def to_dict(self) -> Json: ...


def as_data(value: object) -> JsonValue:
    """Data that JSON can hold: exact numbers become text, counts and floats stay numbers.

    >>> as_data({"mean": Fraction(14, 15), "period": 4, "gap": float("inf")})
    {'mean': '14/15', 'period': 4, 'gap': 'inf'}
    """
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): as_data(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return as_data(value.tolist())
    if isinstance(value, list | tuple):
        return [as_data(item) for item in value]
    return str(value)


def as_dict(values: Mapping[str, object]) -> Json:
    """The same for named values: what most `to_dict` methods return."""
    return {name: as_data(value) for name, value in values.items()}


def told(value: object) -> str:
    """A value for people: short lists, and decimals in place of numbers that would fill lines.

    >>> told([Fraction(14, 15), True, None, 0.25]), told(Fraction(10**30, 3**60))
    ('14/15, yes, -, 0.25', '23.58982488')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping):
        return _listed([f"{key}: {told(item)}" for key, item in value.items()])
    if hasattr(value, "tolist"):
        return told(value.tolist())
    if isinstance(value, list | tuple):
        return _listed(
            [f"({told(item)})" if isinstance(item, list | tuple) else told(item) for item in value]
        )
    if (
        isinstance(value, Fraction)
        and value.numerator.bit_length() + value.denominator.bit_length() > LONG_BITS
    ):
        return f"{Decimal(value.numerator) / value.denominator:.10g}"
    return str(value)


def as_point(coordinates: object) -> object:
    """A single coordinate as a number, several as a list.

    >>> as_point((Fraction(14, 15),)), as_point((0, 1)), as_point(None)
    (Fraction(14, 15), [0, 1], None)
    """
    if coordinates is None:
        return None
    listed = coordinates.tolist() if hasattr(coordinates, "tolist") else coordinates
    if not isinstance(listed, list | tuple):
        return listed
    return listed[0] if len(listed) == 1 else list(listed)


def as_points(models: object) -> list[object] | None:
    """The same for each of several models."""
    listed = models.tolist() if hasattr(models, "tolist") else models
    return [as_point(model) for model in listed] if isinstance(listed, list | tuple) else None


def named_values(title: str, values: Mapping[str, object]) -> Table:
    """A table with one row per name.

    >>> named_values("limit", {"at_period_end": Fraction(14, 15)}).rows
    [('at period end', '14/15')]
    """
    return Table(
        title, (), [(name.replace("_", " "), told(value)) for name, value in values.items()]
    )


def as_text(result: Shown) -> str:
    """The repr of a result: its tables in plain text, long ones cut.

    >>> print(_text(Table("limit", ("period", "mean"), [("4", "14/15")])))
    limit
      period  mean
      4       14/15
    """
    return "\n".join(_text(table) for table in result.tables())


def as_html(result: Shown) -> str:
    """The same tables for a notebook; every text is escaped.

    >>> _html(Table("", (), [("claim", "a < b")]))
    '<table><tbody><tr><td>claim</td><td>a &lt; b</td></tr></tbody></table>'
    """
    return "".join(_html(table) for table in result.tables())


def _listed(parts: list[str]) -> str:
    if len(parts) <= LONG_LIST:
        return ", ".join(parts)
    return ", ".join([*parts[:LONG_LIST], f"... ({len(parts)} in all)"])


def _cut(table: Table) -> tuple[Sequence[Sequence[str]], str]:
    """The rows that are shown, and a sentence on the others."""
    more = len(table.rows) - SHOWN_ROWS
    if more <= 0:
        return table.rows, ""
    return table.rows[:SHOWN_ROWS], f"... and {more} more; to_dict() has all"


def _text(table: Table) -> str:
    rows, more = _cut(table)
    listed = [[cell.replace("\n", " ") for cell in row] for row in rows]
    everything = [list(table.header), *listed] if table.header else listed
    widths = [max(map(len, column)) for column in zip(*everything, strict=True)]
    lines = [
        "  "
        + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in everything
    ]
    return "\n".join(
        [*([table.title] if table.title else []), *lines, *([f"  {more}"] if more else [])]
    )


def _html(table: Table) -> str:
    rows, more = _cut(table)

    def line(cells: Sequence[str], tag: str) -> str:
        inside = "".join(
            f"<{tag}>{escape(plain(cell)).replace(chr(10), '<br>')}</{tag}>" for cell in cells
        )
        return f"<tr>{inside}</tr>"

    caption = f"<caption>{escape(plain(table.title))}</caption>" if table.title else ""
    head = f"<thead>{line(table.header, 'th')}</thead>" if table.header else ""
    body = "".join(line(row, "td") for row in rows)
    return f"<table>{caption}{head}<tbody>{body}</tbody></table>" + (
        f"<p>{more}</p>" if more else ""
    )
