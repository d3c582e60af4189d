"""Read logs in CSV or Parquet (extra `parquet`); the header decides the kind.

    round,phone_1,phone_2,...   one row per round, 0 or 1 (false or true) for each client
    client,start,end            stretches of availability; rounds have a fixed length
    client,received,returned    deliveries (model received, work returned); each is a round

The columns of the last two may be in any order, among other columns. CSV cells are separated by
commas, semicolons or tabs. Times are seconds, or ISO 8601 with a time zone
(2026-03-29T01:30:00+01:00); local times without a zone are refused, because clocks change.
"""

import csv
import io
import math
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, IntArray
from fltheory.fleet.log import FleetLog, from_runs
from fltheory.fleet.parquet import parquet_rows
from fltheory.fleet.timed_rows import (
    MAX_CLIENTS,
    MAX_FIELD,
    MAX_ROUNDS,
    MAX_ROWS,
    SHOWN,
    ClientNumbers,
    log_of_deliveries,
    log_of_intervals,
    timed_rows,
)
from fltheory.traces.availability.recorded import NotBinary, availability_rows

MAX_LINE = MAX_CLIENTS * MAX_FIELD
SEPARATORS = ",;\t"
INTERVALS, DELIVERIES = ("client", "start", "end"), ("client", "received", "returned")
KINDS = (
    f"be round and clients (whose cells must be 0 or 1), or have {','.join(INTERVALS)} or"
    f" {','.join(DELIVERIES)}"
)


def read_log(path: Path, *, round_seconds: float | None = None) -> FleetLog:
    """Read a log of any of the three kinds; errors name the file and the line."""
    with _rows(path) as (header, rows):
        if not header:  # a Parquet file may have no columns
            raise InvalidInput(f"file {path.name}", "begin with a header", "nothing")
        names = [name.strip().lower() for name in header]
        for wanted, build in ((INTERVALS, log_of_intervals), (DELIVERIES, log_of_deliveries)):
            if all(names.count(name) == 1 for name in wanted):
                read = timed_rows(
                    rows, path.name, [names.index(name) for name in wanted], len(names)
                )
                return build(read, path.name, round_seconds)
        if round_seconds is not None and not (math.isfinite(round_seconds) and round_seconds > 0):
            raise InvalidInput("round length", "be a positive number of seconds", round_seconds)
        return _table(header, rows, path.name, round_seconds)


@contextmanager
def _rows(path: Path) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
    """Header and rows of a CSV or Parquet file."""
    if path.suffix == ".parquet":
        yield parquet_rows(path)
        return
    with path.open("rb") as raw:
        stream = io.TextIOWrapper(raw, encoding="utf-8-sig", newline="")
        try:
            first = next(text := _lines(stream, path.name), "")
            lines = csv.reader(
                chain([first], text), strict=True, delimiter=max(SEPARATORS, key=first.count)
            )
            yield next(lines, []), lines
        except csv.Error as problem:
            raise InvalidInput(
                f"line {lines.line_num} of {path.name}",
                "be comma-separated values",
                str(problem)[:SHOWN],
            ) from None
        except UnicodeDecodeError:
            raise InvalidInput(f"file {path.name}", "be text in UTF-8", "other bytes") from None


def _lines(stream: io.TextIOWrapper, source: str) -> Iterator[str]:
    """Lines of a file, of bounded length."""
    while line := stream.readline(MAX_LINE):
        if len(line) >= MAX_LINE:
            raise InvalidInput(
                f"a line of {source}", f"have fewer than {MAX_LINE} characters", "a longer one"
            )
        yield line


def _table(
    header: list[str], rows: Iterable[list[str]], source: str, round_seconds: float | None
) -> FleetLog:
    """One row per round; only changes are stored, so that long stretches are cheap."""
    numbered = header[0].strip().lower() == "round"
    names = ClientNumbers()
    for name in header[numbered:]:
        names(name, f"header of {source}")
    width = len(header) - numbered
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

    index, labels = 0, tuple(names.number)
    try:
        for now in availability_rows(rows, labels, source, numbered=numbered, lenient=True):
            if index >= MAX_ROUNDS or len(clients) > MAX_ROWS:
                rule = f"have at most {MAX_ROUNDS} rounds and {MAX_ROWS} runs"
                raise InvalidInput(f"file {source}", rule, "more")
            close(np.flatnonzero(before & ~now), index)
            since[now & ~before] = index
            before, index = now, index + 1
    except NotBinary as problem:
        if numbered or index:
            raise
        shown = f"{','.join(header)[:SHOWN]} above {problem.value}"  # it is a log of another kind
        raise InvalidInput(f"header of {source}", KINDS, shown) from None
    if not index:
        raise InvalidInput(f"file {source}", "have at least one round below its header", "none")
    close(np.flatnonzero(before), index)
    runs = (np.frombuffer(x, np.int64) for x in (clients, begins, ends))
    return from_runs(labels, index, *runs, round_seconds=round_seconds)
