"""Hostile files are refused with little work and within bounded memory."""

import gzip
import json
import sqlite3
import struct
import time
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fltheory.core.errors import InvalidInput
from fltheory.core.time_limits import TimeIsUp, processor_time
from fltheory.fleet.parquet import memory_of
from tests.campaigns import fuzz
from tests.campaigns.readers import READERS, Reader


def deep(open_: str, close: str) -> bytes:
    return ('{"statement": ' + open_ * 100_000 + close * 100_000 + "}").encode()


def bomb_png() -> bytes:
    """A picture of 60000 x 60000 pixels in a few bytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(10**6)))
        + chunk(b"IEND", b"")
    )


def evil_store() -> bytes:
    """A data base whose table is a view that never ends."""
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIEW cells AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
        " SELECT x AS key FROM n"
    )
    data = db.serialize()
    db.close()
    return data


LARGE = b"0,1\n" * (1 << 24)


BOMB = gzip.compress(bytes(10**8), 1)
HOSTILE: dict[str, tuple[str, Any]] = {
    "trace that is too large": ("trace", b"a,b\n" + LARGE + b"0"),
    "trace with one endless line": ("trace", b"a," * 10**6),
    "log with many columns": (
        "log",
        b"round," + b",".join(b"c%d" % i for i in range(10**5)) + b"\n1,0\n",
    ),
    "log with times beyond all": ("log", b"client,start,end\na,0,1e300\n"),
    "spec with a key of many dots": ("spec", b"a." * 400_000 + b"a = 1"),
    "spec that is nested": ("spec", b"a = " + b"[" * 500_000),
    "spec with a grid of 10^12 cells": (
        "spec",
        b'command = "gap"\n[grid]\n'
        + b"".join(b"o%d = [%s]\n" % (i, b"1," * 1000) for i in range(4)),
    ),
    "spec with a long number": ("spec", b'command = "gap"\n[grid]\nx = [' + b"9" * 500_000 + b"]"),
    "store with a view that never ends": ("store", evil_store()),
    "store that is text": ("store", b"SQLite format 3\x00" + bytes(10**6)),
    "claim with a tower of powers": (
        "claims",
        (
            b'[paper]\nkey = "m"\n[[claim]]\nid = "m.x"\nsays = "s"\nleft = "9^9^9^9^9"\nsign ='
            b' "<="\nright = "1"\n'
        ),
    ),
    "claim that is nested": (
        "claims",
        b'[paper]\nkey = "m"\n[[claim]]\nid = "m.x"\nsays = "s"\nleft = "'
        + b"(" * 1000
        + b'"\nsign = "<="\nright = "1"\n',
    ),
    "claim file that is too large": ("claims", b"# " + b"x" * 300_000),
    "counterexample that is nested": ("counterexample", deep("[", "]")),
    "counterexample that is too large": ("counterexample", LARGE),
    "counterexample with objects in objects": (
        "counterexample",
        deep('{"a":', "}").replace(b":}", b":1}"),
    ),
    "certificate with a long denominator": ("certificate", "denominators"),
    "certificate that is nested": ("certificate", deep("[", "]")),
    "inequality over a huge basis": ("inequality", "basis"),
    "inequality over a huge basis, alone": ("inequality-alone", "basis"),
    "training data without end": ("train", b"client,label,x\n" + b"a,0," + b"9" * 10**6),
    "labels that are nested": ("labels", b"[" * 10**6),
    "training data with a huge label": ("train", b"client,label,x\na," + b"9" * 4000 + b",1\n"),
    "gzip bomb": ("gzip", BOMB),
    "picture bomb": ("picture", bomb_png()),
    "archive bomb": ("archive", BOMB),
    "ledger that is nested": ("ledger", deep("[", "]")),
    "attack state that is nested": ("attack", deep("[", "]")),
    "replay of a tower of powers": ("replay-alone", "tower"),
}


def hostile(name: str, what: Any) -> bytes:
    """The file; some are a real one with one part replaced."""
    if isinstance(what, bytes):
        return what
    data = json.loads(READERS[name].seeds()[0])
    if what == "basis":
        data["basis"] = 10**15
    elif what == "denominators":
        data["multipliers"] = [
            [kind, about, f"1/{3**4000 + k}"]
            for k, (kind, about, _) in enumerate(data["multipliers"] * 50)
        ]
    else:
        power: Any = "9"
        for _ in range(40):
            power = ["^", power, "9999"]
        data["values"] = dict.fromkeys(data["values"], power)
    return json.dumps(data).encode()


@cache
def enough() -> float:
    """Processor time that is many times what any of these files takes: sixty times that of writing
    and reading a harmless table here and now, so that a slow or busy machine allows more."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        json.loads(json.dumps([{"client": k} for k in range(100_000)]))
        spent.append(time.process_time() - began)
    return 60 * max(spent)


def outcome_within(
    seconds: float, reader: Reader, file: Path, data: bytes, memory: int = 1 << 30
) -> str:
    """What becomes of a file; TimeIsUp or MemoryError where it takes more."""
    with processor_time(seconds), memory_of(memory):
        return fuzz.outcome(reader, file, data)


@pytest.mark.slow
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused_with_little_work_and_bounded_memory(
    case: str, tmp_path: Path
) -> None:
    name, what = HOSTILE[case]
    reader, file = READERS[name], tmp_path / f"x{READERS[name].suffix}"
    data = hostile(name, what)
    fuzz.outcome(reader, file, data[:10])  # imports
    told = outcome_within(enough(), reader, file, data)
    if name not in (
        "certificate",
        "inequality",
        "inequality-alone",
    ):  # these answer "rejected" instead
        assert told != "accepted"


def greedy(how: str) -> Reader:
    """A reader that takes all time or all memory that it gets before it refuses a file."""

    def read(path: Path) -> Any:
        while how == "time":
            path.stat()
        held = bytes(1 << (31 if how == "memory" else 10))
        raise InvalidInput("file", "be shorter", len(held))

    return Reader(".json", READERS["scenario"].edit, list, read, ())


@pytest.mark.slow
def test_a_reader_that_takes_too_much_would_be_seen(tmp_path: Path) -> None:
    for how, stopped in (("time", TimeIsUp), ("memory", MemoryError)):
        with pytest.raises(stopped):
            outcome_within(0.05, greedy(how), tmp_path / "x.json", b"{}")
    assert outcome_within(enough(), greedy("nothing"), tmp_path / "x", b"{}").startswith("refused")
