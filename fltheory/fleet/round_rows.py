"""Logs with one row per round and client, and logs of moments: changes and sightings."""

import math
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, FloatArray, IntArray
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
    yes_or_no,
)
from fltheory.fleet.timed_rows import TimedRows
from fltheory.fleet.words import counted

MOST_KNOWN = 4096
"""Cells whose meaning is remembered."""


def _whole_number(cell: str) -> int | None:
    """The number of a round, None if a cell has none.

    >>> _whole_number(" 7.0"), _whole_number("-1"), _whole_number("1e3")
    (7, -1, None)
    """
    text = cell.strip().removesuffix(".0")
    good = text.lstrip("-").isdecimal() and text.isascii() and len(text) <= 15
    try:
        return int(text) if good else None
    except ValueError:  # several signs
        return None


def _read(
    rows: Iterable[list[str]], rules: RowRules, names: ClientNumbers, held: MeanImportance
) -> Iterator[tuple[int, list[str], bool, int]]:
    """Client, cells, whether it is there, and line of each good row."""
    places, width, source = rules.layout.places, rules.layout.width, rules.source
    who, active, weighs = places["client"], places.get("active"), places.get("importance")
    known, there = dict.fromkeys(("1", "True"), True) | dict.fromkeys(("0", "False"), False), True
    for line, row in numbered(rows):
        if not row:
            continue
        try:
            if len(row) != width:
                rules.check_width(row, f"line {line} of {source}")
            if active is not None and (said := known.get(row[active])) is None:
                blank = row[active].strip().lower() in NOTHING
                there = not blank and yes_or_no(row[active], f"line {line} of {source}")
                if len(known) < MOST_KNOWN:
                    known[row[active]] = there
            elif active is not None:
                there = bool(said)
            client = names.number.get(row[who])
            if client is None:
                client = names(row[who], f"line {line} of {source}")
            if weighs is not None:
                held.add(client, row[weighs], f"line {line} of {source}")
            yield client, row, there, line
        except TooMany:
            raise
        except InvalidInput as problem:
            rules.bad.add(problem)


def log_of_rounds(
    rows: Iterable[list[str]], rules: RowRules, round_seconds: float | None
) -> FleetLog:
    """A long table: a client is available in the rounds that name it, unless `active` says no.
    Rounds that are not named, between the first and the last, are empty."""
    names, held, at = ClientNumbers(), MeanImportance(), rules.layout.places["round"]
    clients, numbers, there = array("q"), array("q"), array("b")
    known: dict[str, int] = {}
    for client, row, is_there, line in _read(rows, rules, names, held):
        number = known.get(row[at])
        if number is None:
            number = _whole_number(row[at])
            if number is None:
                place = f"round in line {line} of {rules.source}"
                rules.bad.add(
                    InvalidInput(place, "be a whole number", repr(row[at].strip()[:SHOWN]))
                )
                continue
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[row[at]] = number
        if len(clients) >= MAX_ROWS:
            raise TooMany(f"file {rules.source}", f"have at most {MAX_ROWS} rows", "more")
        clients.append(client)
        numbers.append(number)
        there.append(is_there)
    owner, rounds, seen = (
        np.frombuffer(x, kind)
        for x, kind in ((clients, np.int64), (numbers, np.int64), (there, np.int8))
    )
    rules.bad.good = len(owner)
    if not len(owner):
        _nothing(rules)
    first, horizon = int(rounds.min()), int(rounds.max() - rounds.min()) + 1
    if horizon > MAX_ROUNDS:
        rule = f"be at most {MAX_ROUNDS} (moments in time are --columns time={_name(rules, at)})"
        raise InvalidInput(f"rounds of {rules.source}", rule, horizon)
    came: BoolArray = seen.astype(bool)
    begins = rounds[came] - first
    empty = horizon - len(np.unique(begins))
    told = f"{empty} of {horizon} rounds, from {first} on, name nobody who came: nobody was there"
    log = from_runs(
        tuple(names.number),
        horizon,
        owner[came],
        begins,
        begins + 1,
        round_seconds=round_seconds,
        importance=held.shares(len(names.number)),
    )
    again = len(begins) - int((log.ends - log.begins).sum())
    verb = "repeats" if again == 1 else "repeat"
    twice = f"{counted(again, 'rows')} {verb} a client in a round, where it counts once"
    return replace(log, notes=(told,) * bool(empty) + (twice,) * bool(again))


def moments(rows: Iterable[list[str]], rules: RowRules, round_seconds: float | None) -> TimedRows:
    """Stretches from moments: from a change to available up to the next change of the client, or,
    without `active`, the round of `round_seconds` around each sighting."""
    changes = "active" in rules.layout.places
    if not changes and not (
        round_seconds is not None and math.isfinite(round_seconds) and round_seconds > 0
    ):
        rule = "be given for sightings, in which a client counts for one round (--round-seconds)"
        raise InvalidInput("round length", rule, round_seconds)
    names, held, at = ClientNumbers(), MeanImportance(), rules.layout.places["time"]
    clients, times, there, calendar = array("q"), array("d"), array("b"), None
    for client, row, is_there, line in _read(rows, rules, names, held):
        place = f"line {line} of {rules.source}"
        try:
            moment, dated = rules.clock.seconds(row[at], place)
        except InvalidInput as problem:
            rules.bad.add(problem)
            continue
        if calendar is not None and dated is not calendar:
            rule = "be of the same kind as those before, seconds or calendar times"
            rules.bad.add(InvalidInput(f"time in {place}", rule, repr(row[at].strip()[:SHOWN])))
            continue
        calendar = dated
        if len(clients) >= MAX_ROWS:
            raise TooMany(f"file {rules.source}", f"have at most {MAX_ROWS} rows", "more")
        clients.append(client)
        times.append(moment)
        there.append(is_there)
    rules.bad.good = len(clients)
    if not clients:
        _nothing(rules)
    owner, when = np.frombuffer(clients, np.int64), np.frombuffer(times)
    importance = held.shares(len(names.number))
    if not changes:
        assert round_seconds is not None
        origin = float(when.min())
        begin = origin + np.floor((when - origin) / round_seconds) * round_seconds
        return TimedRows(tuple(names.number), owner, begin, begin + round_seconds, importance)
    begins, ends, kept = _stretches(owner, when, np.frombuffer(there, np.int8).astype(bool))
    if not len(kept):
        rule = "have a client that becomes available before the last moment of the log"
        raise InvalidInput(f"file {rules.source}", rule, "none")
    return TimedRows(tuple(names.number), owner[kept], begins, ends, importance)


def _stretches(
    owner: IntArray, when: FloatArray, there: BoolArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Begin, end and row of each stretch that has a length.

    >>> owner, when = np.array([0, 1, 0, 1]), np.array([0.0, 1.0, 4.0, 9.0])
    >>> begins, ends, rows = _stretches(owner, when, np.array([True, True, False, True]))
    >>> begins.tolist(), ends.tolist(), rows.tolist()
    ([0.0, 1.0], [4.0, 9.0], [0, 1])
    """
    order = np.lexsort((there, when, owner))
    sorted_owner, sorted_when = owner[order], when[order]
    following = np.append(sorted_when[1:], 0.0)
    last = np.append(sorted_owner[1:] != sorted_owner[:-1], True)
    following[last] = when.max()
    kept = there[order] & (sorted_when < following)
    return sorted_when[kept], following[kept], order[kept]


def _name(rules: RowRules, place: int) -> str:
    return rules.layout.header[place]


def _nothing(rules: RowRules) -> None:
    """Refuse a file without a row to go by."""
    if rules.bad.first:
        raise rules.bad.first[0]
    raise InvalidInput(f"file {rules.source}", "have at least one row below its header", "none")
