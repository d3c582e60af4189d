"""Readers of users' files: none is missing from the fuzz campaign, none takes hostile input, and
the campaign finds planted bugs."""

import ast
import gzip
import json
import sqlite3
import struct
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.untrusted_io import (
    MAX_DOTS,
    bounded_json,
    bounded_text,
    bounded_toml,
    first_bytes,
    parse_json,
    parse_toml,
)
from tests.campaigns import fuzz
from tests.campaigns.readers import READERS, Reader

ROOT = Path(__file__).parents[2]
READING = {
    "open",
    "read_bytes",
    "read_text",
    "loads",
    "load",
    "fromfile",
    "frombuffer",
    "genfromtxt",
    "loadtxt",
    "connect",
    "ParquetFile",
    "read_table",
    "urlopen",
    "memmap",
    "first_bytes",
    "bounded_bytes",
    "bounded_text",
    "bounded_json",
    "bounded_toml",
    "parse_json",
    "parse_toml",
}
"""Calls by which the content of a file may come in."""
TRUSTED = {
    "fltheory/core/untrusted_io.py": "what all readers use",
    "fltheory/teaching/page.py": "files of the package itself",
    "fltheory/claims/checks/certified.py": (
        "certificates of the package; another one is read by check-certificate"
    ),
    "fltheory/claims/checks/inequality.py": (
        "proofs of the package; another one is read by check-certificate"
    ),
    "tests/campaigns/attacker/mutants.py": "the package's own list",
    "paper_reproductions/data/download.py": (
        "a bounded copy to a file, which is then read by its checksum"
    ),
    "fltheory/attacks/campaign.py": "calls the reader of attack states",
    "fltheory/sweeps/processes.py: read_text": "what the system says of a process",
    "paper_reproductions/learning.py": "data sets by name",
    "fltheory/cli/sweep.py": "the answer of a command of our own",
    "fltheory/sweeps/table.py": "only writes",
    "fltheory/cli/advise.py": "only writes",
    "fltheory/fleet/readers.py: frombuffer": "an array of our own",
    "fltheory/fleet/parquet.py: read_text": "what the system says of this process",
    "paper_reproductions/experiment.py: read_text": "experiments of the package, by name",
    "paper_reproductions/drawing.py": "a picture of our own in memory",
    "paper_reproductions/results.py": "tables of the package",
    "paper_reproductions/runner.py": (
        "cells that the same command wrote; what is not whole or of other settings counts as"
        " nothing"
    ),
    "paper_reproductions/reproducing.py": "records that the same command wrote into its own folder",
    "paper_reproductions/command.py": "records of the package",
    "fltheory/papers/library.py": "entry points of installed packages",
    "fltheory/papers/fedlaavg/checks/definitions.py": "arrays of our own",
    "fltheory/papers/fedlaavg/checks/lemmas.py": "arrays of our own",
    "fltheory/papers/afl/checks/tables.py": "printed tables of the package",
}
"""Files, or single calls in them, that read nothing of other people."""


def calls(tree: ast.Module) -> Iterator[str]:
    """Names of the calls that read; `load` and `open` for writing count too, and stand in
    TRUSTED."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = (
                node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            )
            if name in READING:
                yield name


def sites() -> set[str]:
    paths = [
        *ROOT.glob("fltheory/**/*.py"),
        *ROOT.glob("paper_reproductions/*.py"),
        *ROOT.glob("verification/*.py"),
    ]
    return {
        f"{path.relative_to(ROOT)}: {name}"
        for path in paths
        for name in calls(ast.parse(path.read_text()))
    }


def test_every_call_that_reads_a_file_belongs_to_a_fuzzed_reader_or_is_trusted_with_a_reason() -> (
    None
):
    covered = {site for reader in READERS.values() for site in reader.sites}
    found = sites()
    assert {
        site
        for site in found
        if site not in covered and not {site, site.split(":")[0]} & set(TRUSTED)
    } == set()
    assert covered - found == set(), "a reader answers for a call that is not there"
    assert {
        name for name in TRUSTED if not any(site.startswith(name) for site in found)
    } == set(), "nothing reads there"


def test_a_new_reader_would_be_seen() -> None:
    assert list(calls(ast.parse("json.loads(Path(x).read_text())"))) == ["loads", "read_text"]


@pytest.mark.parametrize("name", READERS)
def test_a_few_edited_files_of_every_kind_are_refused_by_name_or_accepted(name: str) -> None:
    if name == "log-parquet":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    told, findings = fuzz.try_readers([name], 25, seed=2)
    assert findings == {}
    assert fuzz.past_format(told[name]) >= fuzz.LEAST_PAST_FORMAT, told[name]


def planted_reader(kind: str) -> Reader:
    """A reader with a bug behind its check of the format."""

    def read(path: Path) -> Any:
        data = bounded_json(path, 10**6)
        if not isinstance(data, dict) or not isinstance(data.get("rows"), list):
            raise InvalidInput("file", "have rows", "none")
        if kind == "traceback":
            return [row["x"] for row in data["rows"]]  # a row may be anything
        while kind == "hang" and len(data["rows"]) > 3:
            time.process_time()
        return None

    seed = json.dumps({"rows": [{"x": 1}, {"x": 2}, {"x": 3}]}).encode()
    return Reader(".json", READERS["scenario"].edit, lambda: [seed], read, ())


@pytest.mark.parametrize("kind", ["traceback", "hang"])
def test_the_campaign_finds_a_bug_that_is_planted_behind_the_check_of_the_format(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(READERS, "planted", planted_reader(kind))
    monkeypatch.setattr(fuzz, "SECONDS", 0.05)
    _, findings = fuzz.try_readers(["planted"], 150, seed=1)
    assert any(
        what.startswith(
            ("TypeError", "KeyError") if kind == "traceback" else ("TimeoutError", "0.")
        )
        for _, what in findings
    )
    monkeypatch.setitem(READERS, "planted", planted_reader("right"))
    monkeypatch.setattr(fuzz, "SECONDS", 2)
    assert fuzz.try_readers(["planted"], 150, seed=1)[1] == {}


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
    "gzip bomb": ("gzip", gzip.compress(bytes(10**8), 1)),
    "picture bomb": ("picture", bomb_png()),
    "archive bomb": ("archive", gzip.compress(bytes(10**8), 1)),
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


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_are_refused_within_two_seconds_and_bounded_memory(
    case: str, tmp_path: Path
) -> None:
    name, what = HOSTILE[case]
    reader, file = READERS[name], tmp_path / f"x{READERS[name].suffix}"
    data = hostile(name, what)
    fuzz.outcome(reader, file, data[:10])  # imports
    began, told = time.process_time(), "accepted"
    tracemalloc.start()
    try:
        told = fuzz.outcome(reader, file, data)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert time.process_time() - began < 2 * 2, "twice the limit, for the tracing of memory"
    assert peak < 1 << 30
    if name not in (
        "certificate",
        "inequality",
        "inequality-alone",
    ):  # these answer "rejected" instead
        assert told != "accepted"


def test_one_function_reads_and_it_reads_no_more_than_it_may(tmp_path: Path) -> None:
    assert first_bytes(Path("/dev/zero"), 5) == bytes(5)
    for read in (bounded_text, bounded_json, bounded_toml):
        with pytest.raises(InvalidInput, match="at most 10 bytes"):
            read(Path("/dev/zero"), 10)
    (tmp_path / "x").write_bytes(b"\xff")
    with pytest.raises(InvalidInput, match="UTF-8"):
        bounded_text(tmp_path / "x", 10)


@pytest.mark.parametrize(
    "text",
    [
        "[NaN]",
        "[1e999]",
        "[-Infinity]",
        "9" * 2000,
        "[" * 101 + "]" * 101,
        "[" * 10**5,
        "{",
        "[1,]",
    ],
)
def test_json_that_no_file_of_ours_holds_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="be JSON"):
        parse_json(text, "x")


@pytest.mark.parametrize(
    "text",
    [
        "a." * (MAX_DOTS + 1) + "a = 1",
        '"a b" . ' * (MAX_DOTS + 1) + "a = 1",
        "x = " + "[" * 101 + "]" * 101,
        "x = " + "9" * 5000,
        "x = 2026-13-01",
        "x",
    ],
)
def test_toml_that_no_file_of_ours_holds_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="be TOML"):
        parse_toml(text, "x")


def test_refusals_have_names() -> None:
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(NotExact, ValueError)


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("async", {"weights": 3}),
        ("async", {"weights": "12"}),
        ("async", {"weights": {"1": 2}}),
        ("importance-sampling", {"probabilities": 3}),
    ],
)
def test_settings_that_are_no_lists_are_refused(
    algorithm: str, settings: Any, tmp_path: Path
) -> None:
    data = json.loads(READERS["scenario"].seeds()[0]) | {
        "algorithm": algorithm,
        "settings": settings,
    }
    assert fuzz.outcome(
        READERS["scenario"], tmp_path / "x.json", json.dumps(data).encode()
    ).startswith("refused: be a list")
