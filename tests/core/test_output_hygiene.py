"""What is written: names of others do nothing to terminals and spreadsheets, links are not
followed, and a stdout that cannot be written to is an error."""

import csv
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.core.durable import replace_text
from fltheory.core.results import Table, _html
from tests.campaigns import storing

EVIL = ["=HYPERLINK(1)", "+1+1", "-2+3", "@SUM(A1)", "\x1b[2J\x1b]0;owned\x07", "Zürich \u202e"]


def log_of(folder: Path) -> Path:
    path = folder / "log.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["round", *EVIL])
        writer.writerows([t, *((t + i) % 2 for i in range(len(EVIL)))] for t in range(40))
    return path


@pytest.mark.slow
def test_names_do_nothing_to_a_terminal_or_a_spreadsheet(tmp_path: Path) -> None:
    log, weights, page = log_of(tmp_path), tmp_path / "weights.csv", tmp_path / "a.html"
    words = ["advise", str(log), "-o", str(page), "--weights", str(weights)]
    result = CliRunner().invoke(make_app(), words)
    assert result.exit_code in (0, 1), result.output
    with weights.open(newline="", encoding="utf-8") as stream:
        names = [row[0] for row in csv.reader(stream)][1:]
    assert len(names) == len(EVIL)
    assert not [name for name in names if name[:1] in "=+-@"]
    told = CliRunner().invoke(make_app(), ["trace", "stats", str(log)])
    written = [file.read_text(encoding="utf-8") for file in (weights, page)]
    for text in (result.output, told.output, *written):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\x07" not in text


def test_names_do_nothing_in_a_notebook() -> None:
    table = _html(Table("\x1b[2J", ("client",), [(name,) for name in (*EVIL, "<b>")]))
    assert not [part for part in ("\x1b", "\x07", "\u202e", "<b>") if part in table]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["advise", "trace stats"])
def test_names_of_any_script_never_crash(command: str, tmp_path: Path) -> None:
    log = log_of(tmp_path)
    more = ["-o", str(tmp_path / "a.json")] if command == "advise" else []
    done = subprocess.run(
        [sys.executable, "-m", "fltheory", *command.split(), str(log), *more],
        env={"PATH": os.environ["PATH"], "LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=120,
    )
    assert done.returncode in (0, 1), done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_stdout_that_is_closed_or_full_is_an_error() -> None:
    program = f"{sys.executable} -m fltheory cite fraboni.ex2"
    for way in ("> /dev/full", ">&-", "--json > /dev/full"):
        done = subprocess.run(
            ["sh", "-c", f"{program} {way}"], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 2, way
        assert "standard output" in done.stderr or "space left" in done.stderr
        assert "Traceback" not in done.stderr


def test_outputs_replace_a_link_and_never_its_target(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    folder = tmp_path / "asked"
    folder.mkdir()
    link = folder / "days.csv"
    link.symlink_to(target)
    words = ["trace", "make", "diurnal:5,1,2", "--clients", "2", "--rounds", "5", "-o", str(link)]
    assert CliRunner().invoke(make_app(), words).exit_code == 0
    assert target.read_text() == "precious"
    assert not link.is_symlink()
    assert link.read_text().startswith("client_0")


def test_a_device_is_written_to_and_not_replaced() -> None:
    replace_text(Path("/dev/null"), "text")
    assert not Path("/dev/null").is_file()


SAMPLE = """
import json
from tests.campaigns import storing
for kind in storing.KINDS:
    for way in storing.WAYS:
        print(json.dumps([kind, way, storing.campaign(kind, way, 2)[1]]))
"""


@cache
def sampled() -> dict[tuple[str, str], list[str]]:
    """What was lost, for each kind and way: all in one process, which forks."""
    done = subprocess.run(
        [sys.executable, "-c", SAMPLE], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    return {(kind, way): lost for kind, way, lost in found}


@pytest.mark.slow
@pytest.mark.parametrize("kind", storing.KINDS)
@pytest.mark.parametrize("way", storing.WAYS)
def test_records_survive_kills_full_disks_and_two_writers(kind: str, way: str) -> None:
    """A sample of the campaign of tests/campaigns/storing.py."""
    assert sampled()[kind, way] == []


def test_the_campaign_sees_what_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that tells more than it writes, and a cell that is cut short, are findings."""
    write, written, *_ = storing.KINDS["reproduce"]
    monkeypatch.setitem(storing.KINDS, "reproduce", (write, lambda *_: 0, 0.3, 140_000))
    count, lost = storing.campaign("reproduce", "two writers", 1)
    assert count > 0
    assert "told" in lost[0]
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / "cell0.json").write_text('{"number": 3, "losses": [1,')
    with pytest.raises(ValueError, match="Expecting"):
        written(tmp_path, 0)
