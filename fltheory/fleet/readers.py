"""Read logs in CSV, JSON or Parquet (extra `parquet`); the header decides the kind.

    round,phone_1,phone_2,...   one row per round, 0 or 1 (false or true) for each client
    round,client                one row per round and client, as a server writes it
    client,start,end            stretches of availability; rounds have a fixed length
    client,start,duration       the same
    client,received,returned    deliveries (model received, work returned); each is a round
    client,time,active          changes between available and not
    client,time                 sightings, each for one round
    client,1,2,3,...            one row per client, 0 or 1 for each round

Columns may be in any order, among other columns, under usual names (`columns.py`) or those given by
`--columns`. CSV cells are separated by commas, semicolons (then numbers may have decimal commas),
tabs, bars or spaces, and lines before the header may begin with #. Times are seconds, or ISO 8601
with a time zone (2026-03-29T01:30:00+01:00); local times without a zone are refused unless one is
given, because clocks change.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray
from fltheory.fleet.bad_rows import BadRows
from fltheory.fleet.clock_times import ClockTimes
from fltheory.fleet.columns import SYNONYMS, LogKind, layout_of, plain_name
from fltheory.fleet.json_rows import json_rows
from fltheory.fleet.log import FleetLog
from fltheory.fleet.parquet import parquet_rows
from fltheory.fleet.reshaped import decimal_commas, one_client_per_row, turned, with_ends
from fltheory.fleet.round_rows import log_of_rounds, moments
from fltheory.fleet.row_cells import MAX_CLIENTS, MAX_FIELD, MeanImportance, RowRules
from fltheory.fleet.timed_rows import log_of_deliveries, log_of_intervals, timed_rows
from fltheory.fleet.wide_rows import log_of_table

MAX_LINE = MAX_CLIENTS * MAX_FIELD
SEPARATORS = ",;\t|"
SHOWN = 60
JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
PICKLES = (".pkl", ".pickle")
PACKED = {
    b"\x1f\x8b": "a gzip file; unpack it first",
    b"PK\x03\x04": "a zip or Excel file; unpack it, or save the sheet as CSV",
    b"BZh": "a bzip2 file; unpack it first",
    b"\xfd7zXZ": "an xz file; unpack it first",
    b"SQLite": "a database; export the table as CSV",
}
"""First bytes of files that hold a log but are no text."""
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a log: names of columns, zone of local times, unit of numbers, whether bad rows
    are refused, and a file with the importance of each client."""

    columns: Mapping[str, str] | None = None
    timezone: str | None = None
    time_unit: str | None = None
    strict: bool = False
    importance: Path | None = None


def read_log(
    path: Path, *, round_seconds: float | None = None, how: ReadingOptions | None = None
) -> FleetLog:
    """Read a log of any kind; errors name the file and the line, and the log's `notes` say how it
    was read."""
    options = ReadingOptions() if how is None else how
    bad = BadRows(strict=options.strict)
    clock = ClockTimes.of(options.timezone, options.time_unit)
    with _rows(path, bad) as (header, rows):
        if not header:  # a Parquet file may have no columns
            raise InvalidInput(f"file {path.name}", "begin with a header", "nothing")
        long, source = turned(header, rows), path.name
        if long is not None:
            (header, rows), source = long, f"{source}, read as one row per client"
        rules = RowRules(source, layout_of(header, options.columns), clock, bad)
        log = _log(rows, rules, round_seconds)
    notes = [rules.layout.says, *bad.notes(), *log.notes]
    if options.importance is not None:
        log = replace(log, importance=read_importance(options.importance, log.names))
    return replace(log, notes=tuple(notes))


def _log(rows: Iterator[list[str]], rules: RowRules, round_seconds: float | None) -> FleetLog:
    """The log of a layout."""
    if rules.layout.kind is LogKind.LASTING:
        rows, rules = with_ends(rows, rules)
    match rules.layout.kind:
        case LogKind.STRETCHES:
            return log_of_intervals(timed_rows(rows, rules), rules.source, round_seconds)
        case LogKind.DELIVERIES:
            return log_of_deliveries(timed_rows(rows, rules), rules.source, round_seconds)
        case LogKind.CHANGES | LogKind.SIGHTINGS:
            return log_of_intervals(
                moments(rows, rules, round_seconds), rules.source, round_seconds
            )
    if round_seconds is not None and not (math.isfinite(round_seconds) and round_seconds > 0):
        raise InvalidInput("round length", "be a positive number of seconds", round_seconds)
    if rules.layout.kind is LogKind.WIDE:
        return log_of_table(rows, rules, round_seconds)
    return log_of_rounds(one_client_per_row(rows, rules.layout), rules, round_seconds)


def read_importance(path: Path, names: tuple[str, ...]) -> FloatArray | None:
    """The importance of each client of a log, from a file with the columns client and num_examples
    (or importance); they are scaled to sum to 1."""
    held, number = MeanImportance(), {name: at for at, name in enumerate(names)}
    with _rows(path, BadRows(strict=True)) as (header, rows):
        plain = [plain_name(name) for name in header]
        wanted = [SYNONYMS["client"], SYNONYMS["importance"]]
        places = [next((at for at, x in enumerate(plain) if x in some), None) for some in wanted]
        if places[0] is None or places[1] is None:
            shown = ",".join(header)[:SHOWN]
            raise InvalidInput(f"header of {path.name}", "have client and num_examples", shown)
        for line, row in enumerate(rows, 2):
            place = f"line {line} of {path.name}"
            if len(row) != len(header):
                raise InvalidInput(place, f"have {len(header)} cells", f"{len(row)} cells")
            client = number.pop(row[places[0]].strip(), None)
            if client is not None:
                held.add(client, row[places[1]], place)
    if number:
        rule = "have each client of the log once"
        raise InvalidInput(f"file {path.name}", rule, f"no {next(iter(number))!r}")
    if not any(held.counts):
        raise InvalidInput(f"file {path.name}", "have a number for some client", "none")
    return held.shares(len(names))


@contextmanager
def _rows(path: Path, bad: BadRows) -> Iterator[tuple[list[str], Iterator[list[str]]]]:
    """Header and rows of a CSV, JSON or Parquet file."""
    if path.suffix == ".parquet":
        yield parquet_rows(path)
        return
    if path.suffix in PICKLES:
        rule = "be CSV, JSON or Parquet; a pickle can run code, convert it where you trust it"
        raise InvalidInput(f"file {path.name}", rule, path.suffix)
    with path.open("rb") as raw:
        begin = raw.read(8)
        packed = next((told for mark, told in PACKED.items() if begin.startswith(mark)), None)
        if packed is not None:
            raise InvalidInput(f"file {path.name}", "be text", packed)
        raw.seek(0)
        encoding = "utf-16" if begin.startswith(UTF_16) else "utf-8-sig"
        stream = io.TextIOWrapper(raw, encoding=encoding, newline="")
        lines = None
        try:
            text = _lines(stream, path.name)
            if path.suffix in JSON_ENDINGS:
                yield json_rows(path, text, bad)
                return
            remarks, first = 0, next(text, "")
            while first.startswith("#"):
                remarks, first = remarks + 1, next(text, "")
            text = chain([first], ["\n"] * remarks, text)  # lines keep their numbers
            if first.startswith("{"):
                yield json_rows(path, text, bad)
                return
            named = first[4:].rstrip("\r\n") if first.lower().startswith("sep=") else ""
            if named in SEPARATORS and named:  # a spreadsheet's first line
                first, text = next(text, ""), chain([next(text, "")], ["\n"], text)
            mark = named or max(SEPARATORS, key=first.count)
            spaces = mark not in first and " " in first.strip()
            lines = csv.reader(
                text, strict=True, delimiter=" " if spaces else mark, skipinitialspace=spaces
            )
            header = next(lines, [])
            yield header, decimal_commas(lines, bad) if mark == ";" else lines
        except csv.Error as problem:
            raise InvalidInput(
                f"line {lines.line_num if lines else 1} of {path.name}",
                "be comma-separated values",
                str(problem)[:SHOWN],
            ) from None
        except UnicodeDecodeError:
            raise InvalidInput(f"file {path.name}", "be text in UTF-8", "other bytes") from None
        except UnicodeError as problem:
            raise InvalidInput(f"file {path.name}", "be text", str(problem)[:SHOWN]) from None


def _lines(stream: io.TextIOWrapper, source: str) -> Iterator[str]:
    """Lines of a file, of bounded length."""
    while line := stream.readline(MAX_LINE):
        if len(line) >= MAX_LINE:
            raise InvalidInput(
                f"a line of {source}", f"have fewer than {MAX_LINE} characters", "a longer one"
            )
        yield line
