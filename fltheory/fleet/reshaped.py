"""Logs of other shapes, brought into the shape of a long table: one row per client with a column
per round, cells that list several clients, decimal commas, and stretches with a length instead of
an end."""

import re
from collections.abc import Iterator
from dataclasses import replace

from fltheory.core.errors import InvalidInput
from fltheory.fleet.bad_rows import BadRows
from fltheory.fleet.columns import SYNONYMS, LogKind, LogLayout, plain_name
from fltheory.fleet.row_cells import PartRow, RowRules, numbered

ROUND_NAME = re.compile(r"(?:round|rnd|r|t)?[_ ]?(\d{1,15})", re.IGNORECASE)
LIST = re.compile(r"[\[({](.*)[\])}]", re.DOTALL)
SEPARATORS = ",;|"
COMMA = re.compile(r"[+-]?\d+,\d+")
LONG = ["round", "client", "active"]


def turned(
    header: list[str], rows: Iterator[list[str]]
) -> tuple[list[str], Iterator[list[str]]] | None:
    """A table with one row per client and one column per round, as a long table; None for others.

    >>> header, rows = turned(["client", "1", "2"], iter([["a", "1", "0"]]))
    >>> header, list(rows)
    (['round', 'client', 'active'], [['1', 'a', '1'], ['2', 'a', '0']])
    """
    if not header or plain_name(header[0]) not in (*SYNONYMS["client"], ""):
        return None
    rounds: list[int] = []
    for name in header[1:]:
        found = ROUND_NAME.fullmatch(name.strip())
        if found is None or (rounds and int(found[1]) <= rounds[-1]):
            return None
        rounds.append(int(found[1]))
    if len(rounds) < 2:
        return None
    texts = [str(number) for number in rounds]

    def long() -> Iterator[list[str]]:
        for line, row in numbered(rows):
            if row and len(row) != len(header):
                yield PartRow(row, line)  # a bad row, whose width tells so
                continue
            cells = zip(texts, row[1:], strict=bool(row))
            yield from (PartRow([t, row[0], cell], line) for t, cell in cells)

    return LONG, long()


def decimal_commas(rows: Iterator[list[str]], bad: BadRows) -> Iterator[list[str]]:
    """Rows whose numbers have decimal commas, with points instead, which is told.

    >>> list(decimal_commas(iter([["a,b", "1,5", "-0,25"]]), BadRows(strict=True)))
    [['a,b', '1.5', '-0.25']]
    """
    for row in rows:
        found = [at for at, cell in enumerate(row) if "," in cell and COMMA.fullmatch(cell.strip())]
        if found and not bad.remarks:
            told = row[found[0]].strip()
            bad.remarks.append(f"commas in numbers are decimal: {told} is {told.replace(',', '.')}")
        for at in found:
            row[at] = row[at].replace(",", ".")
        yield row


def one_client_per_row(rows: Iterator[list[str]], layout: LogLayout) -> Iterator[list[str]]:
    """Rows whose cell of the client is a list, as several rows: `[a, b]` in any column, and
    `a;b` in a column that is named `clients` or the like.

    >>> from fltheory.fleet.columns import layout_of
    >>> layout = layout_of(["round", "clients"])
    >>> list(one_client_per_row(iter([["1", "a;b"], ["2", "['c', 'a']"], ["3", ""]]), layout))
    [['1', 'a'], ['1', 'b'], ['2', 'c'], ['2', 'a']]
    """
    at, split = layout.places["client"], False
    for line, row in numbered(rows):
        cell = row[at].strip() if len(row) == layout.width else "x"
        inside = LIST.fullmatch(cell)
        if inside is None and not (layout.client_lists and (not cell or _mark(cell))):
            yield PartRow(row, line) if split else row
            continue
        split = True
        text = cell if inside is None else inside[1]
        mark = _mark(text)
        names = [text] if mark is None else text.split(mark)
        stripped = (name.strip().strip("'\"") for name in names)
        yield from (PartRow([*row[:at], name, *row[at + 1 :]], line) for name in stripped if name)


def _mark(text: str) -> str | None:
    """What stands between the names of a list, None if there is one name."""
    return next((mark for mark in (*SEPARATORS, " ") if mark in text.strip()), None)


def with_ends(rows: Iterator[list[str]], rules: RowRules) -> tuple[Iterator[list[str]], RowRules]:
    """Stretches with a start and a length in seconds (or the unit of numbers), as stretches with a
    start and an end."""
    old, clock = rules.layout, rules.clock
    places = {role: at for role, at in old.places.items() if role != "duration"}
    layout = LogLayout(
        LogKind.STRETCHES,
        places | {"start": old.width, "end": old.width + 1},
        (*old.header, "start", "end"),
    )
    begins, lasts = old.places["start"], old.places["duration"]

    def ended() -> Iterator[list[str]]:
        for line, row in numbered(rows):
            if len(row) != old.width:
                yield PartRow(row, line)
                continue
            try:
                begin, _ = clock.seconds(row[begins], f"line {line} of {rules.source}")
                more = [repr(begin), repr(begin + float(row[lasts]) * clock.unit)]
            except (InvalidInput, ValueError):
                more = [row[begins], row[lasts]]  # refused with the other bad times
            yield PartRow([*row, *more], line)

    return ended(), replace(rules, layout=layout, clock=replace(clock, unit=1.0))
