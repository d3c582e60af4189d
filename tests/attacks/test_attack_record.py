"""The record of attacks: it agrees with the ledger, and every counterexample that search found
replays, with the package and without it."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fltheory.attacks.report import counterexample
from fltheory.attacks.search import attack
from fltheory.claims.evidence import Method, Verdict
from fltheory.claims.record import house_folder
from fltheory.core.errors import InvalidInput
from fltheory.ledger import lines as ledger
from fltheory.ledger.attack_record import contradicted, counterexample_folder, record_file
from fltheory.ledger.counterexamples import read_file
from fltheory.ledger.replays import replay
from fltheory.ledger.report import render
from fltheory.ledger.report_rows import rows
from fltheory.ledger.runner import ledger_file
from fltheory.papers import all_claims, find_claim

LINES = ledger.read(record_file())
FILES = sorted(counterexample_folder().glob("*.json"))


def test_recorded_attacks_agree_with_the_ledger() -> None:
    assert {line.evidence.method for line in LINES} == {Method.ATTACK}
    verdicts = ledger.verdicts(ledger.read(ledger_file()))
    refuted = {line.evidence.claim for line in LINES if line.evidence.verdict is Verdict.REFUTED}
    assert contradicted(verdicts) == []
    assert refuted == {path.stem for path in FILES}
    assert {line.evidence.claim for line in LINES} == set(all_claims())
    assert not [
        line.evidence.claim for line in LINES if "the attack itself failed" in line.evidence.note
    ]


def test_a_claim_that_an_attack_broke_cannot_be_held_to_be_anything_else() -> None:
    verdicts = ledger.verdicts(ledger.read(ledger_file()))
    for wrong in (Verdict.PROVED, Verdict.SUPPORTED, Verdict.UNDECIDED, Verdict.VACUOUS):
        (told,) = set(contradicted(verdicts | {"afl.a4": wrong})) - set(contradicted(verdicts))
        assert told.startswith(f"afl.a4: {wrong.name}, but broken")


@pytest.mark.slow
def test_the_report_shows_how_every_claim_was_attacked() -> None:
    verdicts = ledger.verdicts(ledger.read(ledger_file()))
    standing = {
        line.evidence.claim
        for line in LINES
        if line.evidence.verdict is verdicts.get(line.evidence.claim)
    }
    found = rows(
        [all_claims()[name] for name in sorted(standing)], ledger.read(ledger_file()), LINES
    )
    assert all(row.told.attacks for row in found)
    assert render(found, ".md").count(" by search over the region") >= len(found) > 100


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_search_found_replays(path: Path) -> None:
    data = read_file(path)
    found = replay(data, find_claim(data["claim"]))
    if path.stem in NOT_DESCRIBED:
        assert not found.checkable
    else:
        assert found.confirmed, found.steps


NOT_DESCRIBED = {"fedlaavg.thm1.recursion": "no paper's table describes its runs, and it is a run"}
"""Files that the package cannot check, each with the reason."""


def test_the_standalone_replayer_looks_at_a_right_side_that_is_said_to_be_0(tmp_path: Path) -> None:
    data = json.loads(
        (house_folder() / "counterexamples" / "attack" / "mifa.prop5.1.matching.json").read_text()
    )
    assert data["right"] == "is 0"
    for staleness, code in (("0", 0), ("1", 1)):
        (tmp_path / "x.json").write_text(
            json.dumps({**data, "values": {**data["values"], "mean_staleness": staleness}})
        )
        program = [sys.executable, "-I", str(house_folder() / "replay.py"), f"{tmp_path}/x.json"]
        assert (
            subprocess.run(program, capture_output=True, timeout=60, check=False).returncode == code
        )


@pytest.mark.parametrize("claim", ["afl.a4"])
def test_what_is_found_now_is_drawn_again_when_it_is_replayed(claim: str) -> None:
    data: Any = counterexample(attack(find_claim(claim), attempts=60))
    found = replay(data, find_claim(claim))
    assert found.confirmed
    assert not any("taken from the file" in step for step in found.steps)
    other = data | {"origin": data["origin"] | {"choices": [*data["origin"]["choices"][:-1], 7]}}
    with suppress(InvalidInput):  # the changed choices make nothing, or something else
        assert not replay(other, find_claim(claim)).confirmed
    with pytest.raises(InvalidInput, match="claim of an origin"):
        replay(data | {"origin": data["origin"] | {"claim": "afl.thm2"}}, find_claim(claim))


@pytest.mark.slow
def test_a_path_is_written_the_same_way_whatever_the_order_of_sets() -> None:
    code = (
        "import json; from fltheory.attacks.report import counterexample; from"
        " fltheory.attacks.search import attack\nfrom fltheory.papers import find_claim\nfound ="
        " attack(find_claim('fraboni.lit'), attempts=60)\nprint(json.dumps(counterexample(found),"
        " indent=1))"
    )
    written = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert written == {(counterexample_folder() / "fraboni.lit.json").read_text()}
