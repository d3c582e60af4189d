"""Readers of users' files: none is missing from the fuzz campaign, none takes hostile input, and
the campaign finds planted bugs."""

import ast
import json
import time
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
from tests.campaigns import fuzz, fuzz_outcomes
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
    "fltheory/claims/checks/arithmetic.py: loads": "sketches of the package, or of a folder",
    "fltheory/claims/checks/arithmetic.py: read_text": "sketches of the package, or of a folder",
    "verification/check_arithmetic.py: read_text": "the record of claims",
    "paper_reproductions/data/download.py": (
        "a bounded copy to a file, which is then read by its checksum"
    ),
    "fltheory/ledger/coq.py: read_text": "files of the package itself",
    "fltheory/ledger/files_amiss.py": "files of the package itself, or of a folder of papers",
    "fltheory/ledger/meanings.py": "files of the package itself, or of a folder of papers",
    "fltheory/sweeps/spec.py: open": "contents of named files, for their digest",
    "verification/check_forever.py: open": "bounded by its own limit of size",
    "verification/replay_meaning.py: open": "the record of claims, or one that the user names",
    "fltheory/attacks/decide.py": "what it has just written itself",
    "fltheory/ledger/report_page.py": "files of the package itself",
    "fltheory/attacks/campaign.py": "calls the reader of attack states",
    "fltheory/sweeps/processes.py: read_text": "what the system says of a process",
    "paper_reproductions/learning.py": "data sets by name",
    "fltheory/cli/sweep.py": "the answer of a command of our own",
    "fltheory/flower/log_writer.py: open": "a log, which is written",
    "fltheory/fleet/timed_rows.py: frombuffer": "an array of our own",
    "fltheory/fleet/round_rows.py: frombuffer": "an array of our own",
    "fltheory/fleet/wide_rows.py: frombuffer": "an array of our own",
    "fltheory/fleet/parquet.py: read_text": "what the system says of this process",
    "paper_reproductions/experiment.py: read_text": "experiments of the package, by name",
    "paper_reproductions/drawing.py": "a picture of our own in memory",
    "paper_reproductions/results.py": "tables of the package",
    "paper_reproductions/series.py": "a benchmark of the repository",
    "paper_reproductions/runner.py": (
        "cells that the same command wrote; what is not whole or of other settings counts as"
        " nothing"
    ),
    "paper_reproductions/reproducing.py": "records that the same command wrote into its own folder",
    "paper_reproductions/command.py": "records of the package",
    "fltheory/papers/folders.py: load": "entry points of installed packages",
    "fltheory/core/registry.py: load": "entry points of installed packages",
    "fltheory/cli/new.py": "templates of the package",
    "fltheory/papers/afl/checks/tables.py": "printed tables of the package",
    "fltheory/claims/checks/kernel.py": "theorems and Coq files of the package",
    "fltheory/papers/library.py: read_text": "modules of papers, whose code is imported and run",
    "fltheory/sweeps/schema.py: connect": "an empty data base in memory",
    "fltheory/core/durable.py: open": "a folder, to lock and sync it",
    "verification/strict_json.py": "called by the checkers, which are fuzzed",
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
        *ROOT.glob("paper_reproductions/**/*.py"),
        *ROOT.glob("verification/*.py"),
    ]
    return {
        f"{path.relative_to(ROOT)}: {name}"
        for path in paths
        for name in calls(ast.parse(path.read_text()))
    }


@pytest.mark.slow
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
    assert fuzz_outcomes.past_format(told[name]) >= fuzz_outcomes.LEAST_PAST_FORMAT, told[name]


def planted_reader(kind: str) -> Reader:
    """A reader with a bug behind its check of the format."""

    def read(path: Path) -> Any:
        data: Any = bounded_json(path, 10**6)
        if not isinstance(data, dict) or not isinstance(data.get("rows"), list):
            raise InvalidInput("file", "have rows", "none")
        if kind == "traceback":
            return [row["x"] for row in data["rows"]]  # a row may be anything
        while kind == "hang" and len(data["rows"]) > 3:
            time.process_time()
        return None

    seed = json.dumps({"rows": [{"x": 1}, {"x": 2}, {"x": 3}]}).encode()
    return Reader(".json", READERS["scenario"].edit, lambda: [seed], read, ())


@pytest.mark.slow
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
