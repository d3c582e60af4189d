"""Logs with two times per row: stretches of availability, and deliveries."""

import math
from array import array
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray, IntArray
from fltheory.fleet.delivery_times import DeliveryTimes
from fltheory.fleet.log import FleetLog, from_runs

MAX_CLIENTS = 1_000_000
MAX_ROUNDS = 10_000_000
MAX_ROWS = 50_000_000
MAX_FIELD = 200
SHOWN = 60
LATEST = 1e11
"""Seconds; a larger number is probably in milliseconds."""


class ClientNumbers:
    """Numbers the clients in the order in which they appear."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}

    def __call__(self, name: str, place: str) -> int:
        label = name.strip()
        if not label or len(label) > MAX_FIELD:
            raise InvalidInput(
                f"client in {place}",
                f"have a name of 1 to {MAX_FIELD} characters",
                repr(label[:SHOWN]),
            )
        if label not in self.number and len(self.number) >= MAX_CLIENTS:
            raise InvalidInput(place, f"have at most {MAX_CLIENTS} clients", "more")
        return self.number.setdefault(label, len(self.number))


Timed = tuple[tuple[str, ...], IntArray, FloatArray, FloatArray]
"""Names, and client, begin and end of each row, in seconds."""


def timed_rows(rows: Iterable[list[str]], source: str, places: Sequence[int], width: int) -> Timed:
    """The three columns of every row; refuse rows that end before they begin, and mixtures of
    seconds and calendar times."""
    names, clients, begins, ends = ClientNumbers(), array("q"), array("d"), array("d")
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
    """Raise the error for the times of a row."""
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
        "be of the same kind as those before, seconds or calendar times",
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


def log_of_intervals(read: Timed, source: str, round_seconds: float | None) -> FleetLog:
    """Rounds begin every `round_seconds` from the first start on (default: a hundredth of the log's
    length); a client is available in a round if it is available when the round begins."""
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
    seen = first < last  # a stretch within one round is not seen
    return from_runs(
        names, max(int(last.max()), 1), clients[seen], first[seen], last[seen], round_seconds=length
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


def log_of_deliveries(read: Timed, source: str, round_seconds: float | None) -> FleetLog:
    """Each delivery is a round, in the order of returns; its delay is the number of deliveries
    since its model was received."""
    if round_seconds is not None:
        raise InvalidInput(
            "round length",
            "not be given for a log of deliveries, where each delivery is a round",
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
        deliveries=DeliveryTimes.between(clients, received, returned, len(names)),
        max_delay=int(delays.max()),
        latest=int(delays.argmax()),
    )
