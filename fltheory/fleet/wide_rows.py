"""Wide tables: one row per round, one column per client."""

import re
from array import array
from collections.abc import Iterable

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, IntArray
from fltheory.fleet.columns import KINDS, SHOWN
from fltheory.fleet.log import FleetLog, from_runs
from fltheory.fleet.row_cells import (
    MAX_ROUNDS,
    MAX_ROWS,
    NO,
    NOTHING,
    YES,
    ClientNumbers,
    RowRules,
    TooMany,
)
from fltheory.fleet.words import counted
from fltheory.traces.availability.recorded import NotBinary, availability_row, next_round

POINT = re.compile(r"\d+\.\d*|\d{4}-\d{2}-\d{2}.*", re.ASCII | re.DOTALL)
"""A number with a point, or a date: a value rather than a name."""


def log_of_table(
    rows: Iterable[list[str]], rules: RowRules, round_seconds: float | None
) -> FleetLog:
    """One row per round; only changes are stored, so that long stretches are cheap."""
    source, header = rules.source, rules.layout.header
    numbered = "round" in rules.layout.places
    at = next(iter(rules.layout.places.values()), None)
    titles = [name for place, name in enumerate(header) if place != at]
    names = ClientNumbers()
    for name in titles:
        names(name, f"header of {source}")
    width = len(titles)
    if len(names.number) != width or not width:
        raise InvalidInput(
            f"header of {source}", f"name each client once ({KINDS})", ",".join(header)[:SHOWN]
        )
    before: BoolArray = np.zeros(width, bool)
    since = np.zeros(width, np.int64)
    clients, begins, ends = array("q"), array("q"), array("q")

    def close(ended: IntArray, index: int) -> None:
        clients.extend(ended.tolist())
        begins.extend(since[ended].tolist())
        ends.extend([index] * len(ended))

    index, empty, number, labels = 0, 0, None, tuple(names.number)
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        place = f"line {getattr(rows, 'line_num', line)} of {source}"
        try:
            rules.check_width(row, place)
            if numbered and at is not None:
                number = next_round(row[at].strip(), number, place)
            if at is not None:
                row = row[:at] + row[at + 1 :]
            now, blanks = _who_is_there(row, labels, place, rules)
        except NotBinary as problem:
            if not index and (not numbered or str(problem.value).startswith(("'[", "'{"))):
                shown = f"{','.join(header)[:SHOWN]} above {problem.value}"
                if any(POINT.fullmatch(name) for name in header):
                    shown += "; if the first line is data, write a header above it"
                raise InvalidInput(f"header of {source}", KINDS, shown) from None
            rules.bad.add(problem)
            continue
        except InvalidInput as problem:
            rules.bad.add(problem)
            continue
        if index >= MAX_ROUNDS or len(clients) > MAX_ROWS:
            rule = f"have at most {MAX_ROUNDS} rounds and {MAX_ROWS} runs"
            raise TooMany(f"file {source}", rule, "more")
        close(np.flatnonzero(before & ~now), index)
        since[now & ~before] = index
        before, index, empty = now, index + 1, empty + blanks
    rules.bad.good = index
    if not index:
        if rules.bad.first:
            raise rules.bad.first[0]
        raise InvalidInput(f"file {source}", "have at least one round below its header", "none")
    close(np.flatnonzero(before), index)
    runs = (np.frombuffer(x, np.int64) for x in (clients, begins, ends))
    told = (f"{counted(empty, 'cells')} without a value: absent",) if empty else ()
    return from_runs(labels, index, *runs, round_seconds=round_seconds, notes=told)


def _who_is_there(
    row: list[str], labels: tuple[str, ...], place: str, rules: RowRules
) -> tuple[BoolArray, int]:
    """Who is available, and the number of cells without a value, which are refused if strict."""
    words = {cell: cell.strip().lower() for cell in set(row)}
    empty = {cell for cell, word in words.items() if word in NOTHING}
    if not all(word in YES or word in NO or word in NOTHING for word in words.values()) or (
        empty and rules.bad.strict
    ):
        return availability_row(row, labels, place), 0  # names the cell
    there = {cell: word in YES for cell, word in words.items()}
    return np.array([there[cell] for cell in row]), sum(map(row.count, empty))
