"""Logs with two times per row: stretches of availability, and deliveries."""

import math
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray, IntArray
from fltheory.fleet.clock_times import LATEST
from fltheory.fleet.columns import LogKind
from fltheory.fleet.delivery_times import DeliveryTimes
from fltheory.fleet.log import FleetLog, from_runs
from fltheory.fleet.row_cells import (
    MAX_ROUNDS,
    MAX_ROWS,
    NOTHING,
    SHOWN,
    ClientNumbers,
    MeanImportance,
    RowRules,
    TooMany,
    numbered,
)


@dataclass(frozen=True, eq=False)
class TimedRows:
    """Names, and client, begin and end of each row, in seconds; the importance of the clients, and
    how often each received a model and returned nothing."""

    names: tuple[str, ...]
    clients: IntArray
    begins: FloatArray
    ends: FloatArray
    importance: FloatArray | None = None
    dropouts: IntArray | None = None


def timed_rows(rows: Iterable[list[str]], rules: RowRules) -> TimedRows:
    """The client and the two times of every row. Rows that end before they begin, and times of
    another kind (seconds, calendar) than those before, are bad rows."""
    names, clients, begins, ends = ClientNumbers(), array("q"), array("d"), array("d")
    deliveries = rules.layout.kind is LogKind.DELIVERIES
    places, unit = rules.layout.places, rules.clock.unit
    roles = ("received", "returned") if deliveries else ("start", "end")
    who, start, stop = places["client"], *(places[role] for role in roles)
    weighs, held, dropped = places.get("importance"), MeanImportance(), array("q")
    numbers, width, calendar = names.number, rules.layout.width, None
    for line, row in numbered(rows):
        if not row:
            continue
        try:
            if len(row) != width:
                rules.check_width(row, f"line {line} of {rules.source}")
            lost = deliveries and row[stop].strip().lower() in NOTHING
            try:
                begin, dated = float(row[start]) * unit, False
                end = begin if lost else float(row[stop]) * unit
            except ValueError:
                place = f"line {line} of {rules.source}"
                begin, dated = rules.clock.seconds(row[start], place)
                end, also = (begin, dated) if lost else rules.clock.seconds(row[stop], place)
                dated = dated and also
            late = begin <= end if lost else begin < end
            if not (-LATEST <= begin <= LATEST and late and end <= LATEST) or (
                calendar is not None and dated is not calendar
            ):
                _refuse(row[start], row[stop], rules, f"line {line} of {rules.source}")
            if len(clients) >= MAX_ROWS:
                raise TooMany(f"file {rules.source}", f"have at most {MAX_ROWS} rows", "more")
            client = numbers.get(row[who])
            if client is None:
                client = names(row[who], f"line {line} of {rules.source}")
            if weighs is not None:
                held.add(client, row[weighs], f"line {line} of {rules.source}")
        except TooMany:
            raise
        except InvalidInput as problem:
            rules.bad.add(problem)
            continue
        calendar = dated
        if lost:
            dropped.append(client)
            continue
        clients.append(client)
        begins.append(begin)
        ends.append(end)
    rules.bad.good = len(clients) + len(dropped)
    return _whole(
        TimedRows(
            tuple(numbers),
            np.frombuffer(clients, np.int64),
            np.frombuffer(begins),
            np.frombuffer(ends),
            held.shares(len(numbers)) if weighs is not None and numbers else None,
            np.bincount(np.frombuffer(dropped, np.int64), minlength=len(numbers)),
        ),
        rules,
    )


def _whole(read: TimedRows, rules: RowRules) -> TimedRows:
    """Refuse a file without a row to go by."""
    if not len(read.clients):
        if rules.bad.first:
            raise rules.bad.first[0]
        raise InvalidInput(f"file {rules.source}", "have at least one row below its header", "none")
    return read


def _refuse(start: str, stop: str, rules: RowRules, place: str) -> None:
    """Raise the error for the times of a row."""
    begin, end = (rules.clock.seconds(text, place)[0] for text in (start, stop))
    if not begin < end:
        raise InvalidInput(
            place, "end after it begins", f"{start.strip()[:SHOWN]} to {stop.strip()[:SHOWN]}"
        )
    raise InvalidInput(
        f"times in {place}",
        "be of the same kind as those before, seconds or calendar times",
        repr(start.strip()[:SHOWN]),
    )


def log_of_intervals(read: TimedRows, source: str, round_seconds: float | None) -> FleetLog:
    """Rounds begin every `round_seconds` from the first start on (default: a hundredth of the log's
    length); a client is available in a round if it is available when the round begins."""
    begins, ends = read.begins, read.ends
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
    seen = first < last  # a stretch within one round is not seen
    return from_runs(
        read.names,
        max(int(last.max()), 1),
        read.clients[seen],
        first[seen],
        last[seen],
        round_seconds=length,
        importance=read.importance,
    )


def _first_round_from(times: FloatArray, origin: float, length: float) -> IntArray:
    """The first round that begins at or after each time, up to the rounding of floats.

    >>> _first_round_from(np.array([2.7, 2.7000001]), 0.0, 0.3).tolist(), math.ceil(2.7 / 0.3)
    ([9, 10], 10)
    """
    rounds = (times - origin) / length
    nearest = np.rint(rounds)
    unsure = np.finfo(float).eps * (2 * np.abs(rounds) + (np.abs(times) + abs(origin)) / length)
    return np.where(np.abs(rounds - nearest) <= unsure, nearest, np.ceil(rounds)).astype(np.int64)


def log_of_deliveries(read: TimedRows, source: str, round_seconds: float | None) -> FleetLog:
    """Each delivery is a round, in the order of returns; its delay is the number of deliveries
    since its model was received. Clients that never returned anything are left out."""
    if round_seconds is not None:
        raise InvalidInput(
            "round length",
            "not be given for a log of deliveries, where each delivery is a round",
            round_seconds,
        )
    order = np.lexsort((read.clients, read.ends))
    clients, received, returned = read.clients[order], read.begins[order], read.ends[order]
    count = len(clients)
    if count > MAX_ROUNDS:
        raise InvalidInput(f"rounds of {source}", f"be at most {MAX_ROUNDS}", count)
    came = np.unique(clients)
    place = np.zeros(len(read.names), np.int64)
    place[came] = np.arange(len(came))
    times = DeliveryTimes(place[clients], received, returned, len(came))
    rounds = np.arange(count)
    importance = None if read.importance is None else read.importance[came]
    notes, silent = [], len(read.names) - len(came)
    if read.dropouts is not None and read.dropouts.any():
        told = f"{read.dropouts.sum()} models were received and never returned (drop-outs)"
        verb = "client never returned any and is" if silent == 1 else "clients never did and are"
        notes.append(told + (f"; {silent} {verb} left out" if silent else ""))
    return from_runs(
        [read.names[i] for i in came],
        count,
        times.clients,
        rounds,
        rounds + 1,
        round_seconds=float(returned[-1] - received.min()) / count,
        deliveries=times,
        max_delay=int(times.delays.max()),
        latest=int(times.delays.argmax()),
        importance=None if importance is None else importance / importance.sum(),
        dropouts=None if read.dropouts is None else read.dropouts[came],
        notes=tuple(notes),
    )
