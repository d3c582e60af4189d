"""The record of attacks: it agrees with the ledger, and every counterexample that search found replays, with the package and without it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fltheory import ledger
from fltheory.attack.records import counterexample_folder, record_file
from fltheory.counterexamples import read_file, replay
from fltheory.evidence import Method, Verdict
from fltheory.papers import all_claims, find_claim
from fltheory.report import render, rows
from fltheory.verifying import folder, ledger_file

LINES = ledger.read(record_file())
FILES = sorted(counterexample_folder().glob("*.json"))
ORDER = "= O of"


def test_recorded_attacks_agree_with_the_ledger() -> None:
    assert {line.evidence.method for line in LINES} == {Method.ATTACK}
    verdicts = ledger.verdicts(ledger.read(ledger_file()))
    proved = {claim for claim, verdict in verdicts.items() if verdict in (Verdict.PROVED, Verdict.CERTIFIED)}
    refuted = {line.evidence.claim for line in LINES if line.evidence.verdict is Verdict.REFUTED}
    assert not proved & refuted
    assert refuted == {path.stem for path in FILES}
    assert {line.evidence.claim for line in LINES} == set(all_claims())
    assert not [line.evidence.claim for line in LINES if "the attack itself failed" in line.evidence.note]


def test_the_report_shows_how_every_claim_was_attacked() -> None:
    page = render(rows(list(all_claims().values()), [], lambda name: Path("none"), LINES), ".html")
    assert page.count("<p>Attacked: ") == len(all_claims())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_search_found_replays(path: Path) -> None:
    data = read_file(path)
    if data["statement"]["sign"] != ORDER:
        found = replay(data, find_claim(data["claim"]))
        assert found.confirmed, found.steps


def test_the_standalone_replayer_confirms_what_it_can_run() -> None:
    single = [path for path in FILES if json.loads(path.read_text(encoding="utf-8"))["statement"]["sign"] != ORDER]
    run = subprocess.run([sys.executable, "-I", folder() / "replay.py", *single], capture_output=True, text=True, timeout=300, check=False)
    assert "does not contradict" not in run.stdout
    assert run.stdout.count("contradicts") >= 0.8 * len(single), run.stdout[-2000:] + run.stderr[-2000:]
