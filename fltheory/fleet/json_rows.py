"""Logs in JSON: one object per line or one array of objects, also with a list of clients per round,
and records of active and inactive moments per client (as in FedScale's availability traces)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path

from fltheory.core.errors import InvalidInput
from fltheory.core.types import JsonValue
from fltheory.core.untrusted_io import bounded_json, parse_json
from fltheory.fleet.bad_rows import BadRows
from fltheory.fleet.columns import INACTIVE, LISTS, SYNONYMS, plain_name
from fltheory.fleet.row_cells import PartRow

MAX_JSON = 1 << 28
"""Bytes of a file that is one JSON value."""
PEEKED = 200
"""First rows of a file, whose keys are its columns."""
PLAIN_SHOWN = 60
CHANGES = ["client", "time", "active"]
GROUPS = (*LISTS, *SYNONYMS["client"], "results", "updates")
"""Keys of a list with one entry per client."""

JsonRow = Mapping[str, JsonValue]


def json_rows(
    path: Path, lines: Iterator[str], bad: BadRows
) -> tuple[list[str], Iterator[list[str]]]:
    """Header and rows of cells as text, with the line of each, or for one JSON value its place
    among the rows; a line that is no object is a bad row."""
    found: Iterator[tuple[int, JsonRow]]
    if path.suffix == ".json":
        found = enumerate(_whole(bounded_json(path, MAX_JSON), path.name), 1)
    else:
        found = _good(lines, path.name, bad)
    flat = ((line, _flat(row)) for line, row in found)
    first = list(islice(flat, PEEKED))
    if not first:
        bad.notes()
        return [], iter(())
    rows, top = chain(first, flat), [row for _, row in first]
    if isinstance(top[0].get(INACTIVE), list):
        return CHANGES, _changes((row for _, row in rows), path.name)
    listed = _listed(top)
    header = list(dict.fromkeys(key for row in top for key in _keys(row, listed)))
    return header, (PartRow(x, line) for line, row in rows for x in _cells(row, header, listed))


def _good(lines: Iterator[str], source: str, bad: BadRows) -> Iterator[tuple[int, JsonRow]]:
    for at, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"line {at} of {source}"
        try:
            row = _object(parse_json(line, place), place)
        except InvalidInput as problem:
            bad.add(problem)
        else:
            yield at, row


def _whole(value: JsonValue, source: str) -> Iterator[JsonRow]:
    """The objects of a file: of one array, also inside an object; one per client; one per round
    ({"1": ["a", "b"]}); or one per row of columns, as pandas writes them."""
    if isinstance(value, list):
        return (_object(entry, source) for entry in value)
    table = _object(value, source)
    series = _series(table)
    if series:
        return iter(series)
    entries = list(table.values())
    by_column = any(_role(key) for key in table) and INACTIVE not in table
    if entries and all(isinstance(entry, dict) for entry in entries):
        if by_column and all(
            _object(x, source).keys() == _object(entries[0], source).keys() for x in entries
        ):
            columns = {key: list(_object(entry, source).values()) for key, entry in table.items()}
            return _of_columns(columns)
        return ({"client": name, **_object(entry, source)} for name, entry in table.items())
    lists = {key: entry for key, entry in table.items() if isinstance(entry, list)}
    if entries and len(lists) == len(entries):
        if all(key.isdecimal() for key in table):
            return ({"round": int(key), "clients": entry} for key, entry in lists.items())
        if by_column and len({len(entry) for entry in lists.values()}) == 1 < len(lists):
            return _of_columns(lists)
    inside = [x for x in lists.values() if x and all(isinstance(entry, dict) for entry in x)]
    plain = [key for key, entry in table.items() if not isinstance(entry, list | dict)]
    if len(inside) == 1 and not any(_role(key) for key in plain):
        return (_object(entry, source) for entry in inside[0])
    return iter([table])


def _series(table: JsonRow) -> list[JsonRow]:
    """Samples of Prometheus, one series of (time, value) for each client: changes between available
    and not. A client is named by its `instance`, or by all labels if they do not tell it apart."""
    data = table.get("data")
    found = data.get("result") if isinstance(data, dict) else None
    if not isinstance(found, list) or not found:
        return []
    names, rows = [], list[JsonRow]()
    for entry in found:
        labels = entry.get("metric") if isinstance(entry, dict) else None
        if not isinstance(labels, dict):
            return []
        names.append({key: str(x) for key, x in labels.items() if key != "__name__"})
    apart = len({name.get("instance") for name in names}) == len(names)
    for name, entry in zip(names, found, strict=True):
        told = name.get("instance") if apart else None
        client = told or ",".join(f"{key}={x}" for key, x in sorted(name.items()))
        samples = entry.get("values") if isinstance(entry, dict) else None
        for sample in samples if isinstance(samples, list) else []:
            time, value = sample if isinstance(sample, list) and len(sample) == 2 else (None, None)
            rows.append({"client": client, "time": time, "active": value})
    return rows


def _flat(row: JsonRow) -> JsonRow:
    """The row with the keys of objects inside: `node.name` for {"node": {"name": ...}}."""
    flat: dict[str, JsonValue] = {}
    for key, value in row.items():
        inside = {f"{key}.{k}": x for k, x in value.items()} if isinstance(value, dict) else {}
        client = plain_name(key) in SYNONYMS["client"]
        named = not client or any(plain_name(k) in SYNONYMS["client"] for k in inside)
        flat |= inside if inside and named else {key: value}
    return flat


def _of_columns(columns: Mapping[str, list[JsonValue]]) -> Iterator[JsonRow]:
    cells = zip(*columns.values(), strict=True)
    return (dict(zip(columns, row, strict=True)) for row in cells)


def _role(key: str) -> bool:
    """Whether a key is the usual name of a column."""
    return any(plain_name(key) in names for names in SYNONYMS.values())


def _object(value: JsonValue, place: str) -> JsonRow:
    if not isinstance(value, dict):
        rule = 'be an object such as {"round": 1, "client": "a"}'
        raise InvalidInput(place, rule, repr(value)[:PLAIN_SHOWN])
    return value


def _listed(rows: list[JsonRow]) -> str | None:
    """The key of the list that has an entry for each client: the one with a usual name, else the
    only list."""
    found = list(dict.fromkeys(k for row in rows for k, v in row.items() if isinstance(v, list)))
    usual = [key for key in found if plain_name(key) in GROUPS]
    if usual or len(found) == 1:
        return usual[0] if usual else found[0]
    return None


def _keys(row: JsonRow, listed: str | None) -> Iterator[str]:
    """The columns of a row; a list of objects stands for their keys."""
    for key, value in row.items():
        inside = value if key == listed and isinstance(value, list) else []
        objects = [entry for entry in inside if isinstance(entry, dict)]
        if objects:
            yield from (name for entry in objects for name in entry)
        elif key != listed or not isinstance(value, list) or inside:
            yield key


def _cells(row: JsonRow, header: list[str], listed: str | None) -> Iterator[list[str]]:
    """One row, or one for each entry of the list."""
    entries = row.get(listed) if listed is not None else None
    if not isinstance(entries, list):
        yield [_text(row.get(name), name) for name in header]
        return
    for entry in entries:
        whole = {**row, **entry} if isinstance(entry, dict) else {**row, str(listed): entry}
        yield [_text(whole.get(name), name) for name in header]


def _changes(rows: Iterable[JsonRow], source: str) -> Iterator[list[str]]:
    """Moments at which a client becomes active (1) or not (0), up to its `finish_time`."""
    for number, row in enumerate(rows):
        name = next((row[key] for key in SYNONYMS["client"] if key in row), number)
        moments = [
            (moment, flag)
            for key, flag in (("active", 1), (INACTIVE, 0))
            for moment in _moments(row.get(key), f"{key} times of client {name} in {source}")
        ]
        finish = row.get("finish_time")
        if moments and isinstance(finish, int | float):
            moments.append((float(finish), 0))
        yield from (
            [_text(name, "client"), repr(moment), str(flag)] for moment, flag in sorted(moments)
        )


def _moments(value: JsonValue, owner: str) -> list[float]:
    if not isinstance(value, list) or not all(isinstance(x, int | float) for x in value):
        raise InvalidInput(owner, "be a list of numbers", repr(value)[:PLAIN_SHOWN])
    return [float(x) for x in value if isinstance(x, int | float)]


def _text(value: JsonValue, name: str = "") -> str:
    """A cell; lists and objects in columns that nobody uses are text as well."""
    if isinstance(value, list | dict):
        if plain_name(name) in SYNONYMS["client"]:
            rule = "be a number, text or a list of them"
            raise InvalidInput(f"{name} of a log", rule, repr(value)[:PLAIN_SHOWN])
        plain = isinstance(value, list) and not any(isinstance(x, list | dict) for x in value)
        return json.dumps(value) if plain else json.dumps(value)[:PLAIN_SHOWN]
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)
