"""Logs as users have them, told apart by their header; CSV is read as a stream, Parquet in batches
(extra `parquet`).

    round,phone_1,phone_2,...            one row per round, 0 or 1 (false or true) for each client
    client,start,end                     stretches of availability; rounds are cut from the clock
    client,received,returned             deliveries: the model was received and the work returned; each delivery is a round

Columns of the last two may stand in any order, among others. Cells of CSV may be set apart by
commas, semicolons or tabs. Times are seconds, or ISO 8601 with a time zone
(2026-03-29T01:30:00+01:00): local times without one are refused, since clocks change.
"""

import csv
import io
import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.fleet.log import Deliveries, FleetLog, Floats, Ints, from_runs
from fltheory.fleet.parquet import parquet_rows
from fltheory.traces.availability.recorded import next_round

MAX_CLIENTS = 1_000_000
MAX_ROUNDS = 10_000_000
MAX_ROWS = 50_000_000
MAX_FIELD = 200
MAX_LINE = MAX_CLIENTS * MAX_FIELD
SHOWN = 60
SEPARATORS = ",;\t"
LATEST = 1e11
"""Seconds; a number beyond it is milliseconds or less."""
INTERVALS, DELIVERIES = ("client", "start", "end"), ("client", "received", "returned")
KINDS = (
    f"be round and clients (whose cells must be 0 or 1), or have {','.join(INTERVALS)} or"
    f" {','.join(DELIVERIES)}"
)
THERE, AWAY = ("1", "1.0", "true"), ("0", "0.0", "false")


def read_log(path: Path, *, round_seconds: float | None = None) -> FleetLog:
    """Read a log of any of the three kinds; every error names the file and the line."""
    with _rows(path) as (header, rows):
        if not header:  # a Parquet file may have no columns
            raise InvalidInput(f"file {path.name}", "begin with a header", "nothing")
        names = [name.strip().lower() for name in header]
        for wanted, build in ((INTERVALS, _intervals), (DELIVERIES, _deliveries)):
            if all(names.count(name) == 1 for name in wanted):
                timed = _timed(rows, path.name, [names.index(name) for name in wanted], len(names))
                return build(timed, path.name, round_seconds)
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
    """Lines of a file, none of them without end."""
    while line := stream.readline(MAX_LINE):
        if len(line) >= MAX_LINE:
            raise InvalidInput(
                f"a line of {source}", f"have fewer than {MAX_LINE} characters", "a longer one"
            )
        yield line


class _Names:
    """Clients in the order in which they appear."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def __call__(self, name: str, place: str) -> int:
        label = name.strip()
        if not label or len(label) > MAX_FIELD:
            raise InvalidInput(
                f"client in {place}",
                f"have a name of at most {MAX_FIELD} letters",
                repr(label[:SHOWN]),
            )
        if label not in self.number and len(self.number) >= MAX_CLIENTS:
            raise InvalidInput(place, f"have at most {MAX_CLIENTS} clients", "more")
        return self.number.setdefault(label, len(self.number))


Timed = tuple[tuple[str, ...], Ints, Floats, Floats]
"""Names, and client, begin and end of each row, in seconds."""


def _timed(rows: Iterable[list[str]], source: str, places: Sequence[int], width: int) -> Timed:
    """The three columns of every row; rows that end before they begin are refused, and so are
    numbers among calendar times."""
    names, clients, begins, ends = _Names(), array("q"), array("d"), array("d")
    numbers, (who, start, stop), calendar = names.number, places, None
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        if len(row) != width:
            raise InvalidInput(
                f"line {line} of {source}",
                f"have {width} cells, like the header",
                f"{len(row)} cells",
            )
        try:
            begin, end, dated = float(row[start]), float(row[stop]), False
        except ValueError:
            place = f"line {line} of {source}"
            begin, end, dated = _moment(row[start], place), _moment(row[stop], place), True
        if not -LATEST <= begin < end <= LATEST or (calendar is not None and dated is not calendar):
            _refuse(row[start].strip(), row[stop].strip(), begin, end, f"line {line} of {source}")
        if len(clients) >= MAX_ROWS:
            raise InvalidInput(f"file {source}", f"have at most {MAX_ROWS} rows", "more")
        client = numbers.get(row[who])
        clients.append(names(row[who], f"line {line} of {source}") if client is None else client)
        begins.append(begin)
        ends.append(end)
        calendar = dated
    if not clients:
        raise InvalidInput(f"file {source}", "have at least one row below its header", "none")
    return (
        tuple(numbers),
        np.frombuffer(clients, np.int64),
        np.frombuffer(begins),
        np.frombuffer(ends),
    )


def _refuse(start: str, stop: str, begin: float, end: float, place: str) -> None:
    """Say what is wrong with the times of a row."""
    for text, value in ((start, begin), (stop, end)):
        if not math.isfinite(value) or abs(value) > LATEST:
            raise InvalidInput(
                f"time in {place}",
                f"be a finite number of seconds up to {LATEST:g} (divide milliseconds by 1000)",
                repr(text[:SHOWN]),
            )
    if not begin < end:
        raise InvalidInput(place, "end after it begins", f"{start[:SHOWN]} to {stop[:SHOWN]}")
    raise InvalidInput(
        f"times in {place}",
        "be of one kind with those before, seconds or calendar times",
        repr(start[:SHOWN]),
    )


def _moment(text: str, place: str) -> float:
    """Seconds of an ISO time with its zone."""
    word = text.strip()
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        raise InvalidInput(
            f"time in {place}", "be seconds or an ISO 8601 time", repr(word[:SHOWN])
        ) from None
    if moment.tzinfo is None:
        raise InvalidInput(
            f"time in {place}", "have a time zone, such as Z or +01:00", repr(word[:SHOWN])
        ) from None
    return moment.timestamp()


def _intervals(read: Timed, source: str, round_seconds: float | None) -> FleetLog:
    """Rounds begin every `round_seconds` from the first start on (by default a hundredth of the
    log's length); a client is available in a round if it is there when the round begins."""
    names, clients, begins, ends = read
    origin, horizon = float(begins.min()), float(ends.max())
    length = (horizon - origin) / 100 if round_seconds is None else round_seconds
    if not (math.isfinite(length) and length > 0):
        raise InvalidInput("round length", "be a positive number of seconds", round_seconds)
    if (horizon - origin) / length > MAX_ROUNDS:
        raise InvalidInput(
            f"rounds of {source}",
            f"be at most {MAX_ROUNDS} (use longer rounds)",
            f"{(horizon - origin) / length:.0f}",
        )
    first, last = (_first_round_from(times, origin, length) for times in (begins, ends))
    seen = first < last  # a stretch between two beginnings of rounds is seen by none
    return from_runs(
        names, max(int(last.max()), 1), clients[seen], first[seen], last[seen], round_seconds=length
    )


def _first_round_from(times: Floats, origin: float, length: float) -> Ints:
    """The first round that does not begin before each time; what rounding of floats cannot tell
    from a beginning is one.

    >>> _first_round_from(np.array([2.7, 2.7000001]), 0.0, 0.3).tolist(), math.ceil(2.7 / 0.3)
    ([9, 10], 10)
    """
    rounds = (times - origin) / length
    nearest = np.rint(rounds)
    unsure = np.finfo(float).eps * (2 * np.abs(rounds) + (np.abs(times) + abs(origin)) / length)
    return np.where(np.abs(rounds - nearest) <= unsure, nearest, np.ceil(rounds)).astype(np.int64)


def _deliveries(read: Timed, source: str, round_seconds: float | None) -> FleetLog:
    """Each delivery is a round, in the order of the returns; its delay counts the deliveries since
    its model was received."""
    if round_seconds is not None:
        raise InvalidInput(
            "round length",
            "be left out for a log of deliveries, where each delivery is a round",
            round_seconds,
        )
    names, clients, received, returned = read
    order = np.lexsort((clients, returned))
    clients, received, returned = clients[order], received[order], returned[order]
    count = len(clients)
    if count > MAX_ROUNDS:
        raise InvalidInput(f"rounds of {source}", f"be at most {MAX_ROUNDS}", count)
    delays = np.arange(count) - np.searchsorted(returned, received, side="right")
    rounds = np.arange(count)
    return from_runs(
        names,
        count,
        clients,
        rounds,
        rounds + 1,
        round_seconds=float(returned[-1] - received.min()) / count,
        deliveries=Deliveries.between(clients, received, returned, len(names)),
        max_delay=int(delays.max()),
        latest=int(delays.argmax()),
    )


def _table(
    header: list[str], rows: Iterable[list[str]], source: str, round_seconds: float | None
) -> FleetLog:
    """A row per round; only changes are kept, so that long stretches cost nothing."""
    numbered = header[0].strip().lower() == "round"
    names = _Names()
    for name in header[numbered:]:
        names(name, f"header of {source}")
    width = len(header) - numbered
    if len(names.number) != width or not width:
        raise InvalidInput(
            f"header of {source}", f"name each client once ({KINDS})", ",".join(header)[:SHOWN]
        )
    before, since = np.zeros(width, bool), np.zeros(width, np.int64)
    clients, begins, ends = array("q"), array("q"), array("q")

    def close(ended: Any, index: int) -> None:
        clients.extend(ended.tolist())
        begins.extend(since[ended].tolist())
        ends.extend([index] * len(ended))

    index, number = 0, None
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        place = f"line {line} of {source}"
        if len(row) != len(header):
            raise InvalidInput(
                place, f"have {len(header)} cells, like the header", f"{len(row)} cells"
            )
        if index >= MAX_ROUNDS or len(clients) > MAX_ROWS:
            raise InvalidInput(
                f"file {source}", f"have at most {MAX_ROUNDS} rounds and {MAX_ROWS} runs", "more"
            )
        number = next_round(row[0].strip(), number, place) if numbered else None
        now = _flags(
            row[numbered:], place, "" if numbered or index else f"{','.join(header)[:SHOWN]} above "
        )
        close(np.flatnonzero(before & ~now), index)
        since[now & ~before] = index
        before, index = now, index + 1
    if not index:
        raise InvalidInput(f"file {source}", "have at least one round below its header", "none")
    close(np.flatnonzero(before), index)
    runs = (np.frombuffer(x, np.int64) for x in (clients, begins, ends))
    return from_runs(tuple(names.number), index, *runs, round_seconds=round_seconds)


def _flags(cells: list[str], place: str, header: str) -> Any:
    """Who is there; where it is the `header` that is in doubt, the fault is its own."""
    flags = np.array(cells)
    there = flags == "1"
    if not (there | (flags == "0")).all():
        words = np.char.lower(np.char.strip(flags))
        there = np.isin(words, THERE)
        wrong = ~(there | np.isin(words, AWAY))
        if wrong.any():
            column = int(np.flatnonzero(wrong)[0])
            got = repr(cells[column][:SHOWN])
            if header:
                raise InvalidInput(f"header over {place}", KINDS, header + got)
            raise InvalidInput(f"client {column + 1} in {place}", "be 0 or 1", got)
    return there
