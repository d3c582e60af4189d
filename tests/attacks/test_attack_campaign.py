"""Campaigns of attacks: errors and dying processes cost one claim, killed ones go on, the summary
compares with the ledger."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fltheory.attacks import campaign
from fltheory.attacks.campaign import AttackOutcome, AttackTask, guarded
from fltheory.attacks.summary import (
    against_ledger,
    all_findings,
    as_markdown,
    findings_again,
    machine,
    reasons,
    sizes,
)
from fltheory.attacks.workers import _in_pool, in_worker, run_all
from fltheory.claims.evidence import Verdict
from fltheory.cli import make_app
from fltheory.papers import all_claims

NAMES = ("fedlaavg.cor1.order", "fedlaavg.thm1.fixed", "fedlaavg.sec32.period")
QUICK = [AttackTask(name, attempts=20) for name in NAMES]
FREE = {"seconds": 0, "resumed": None}
"""What a killed campaign may tell differently."""


def fragile(task: AttackTask) -> AttackOutcome:
    """Dies with its process on one claim."""
    if task.claim == NAMES[1]:
        os._exit(9)
    return in_worker(task)


@pytest.mark.slow
def test_a_process_that_dies_costs_its_own_claim_alone() -> None:
    found = {one.data["id"]: one for one in run_all(QUICK[1:], jobs=2, run=fragile)}
    assert sorted(found) == sorted(NAMES[1:])
    assert [name for name, one in found.items() if one.data["failed"]] == [NAMES[1]]
    assert "its process died" in found[NAMES[1]].data["note"]
    assert found[NAMES[2]].line.evidence.verdict is Verdict.REFUTED


class DeadPool(nullcontext[Any]):
    """Processes that died between two tasks."""

    def __init__(self, jobs: int) -> None:
        super().__init__(self)

    def submit(self, *_: Any) -> Any:
        raise BrokenProcessPool


def test_processes_that_die_between_tasks_do_not_hold_a_campaign_up() -> None:
    waiting, dropped = list(QUICK), list[Any]()
    pool: Any = DeadPool
    assert list(_in_pool(pool, waiting, 2, in_worker, dropped, lambda: None)) == []
    assert (dropped, waiting) == (QUICK[:1], QUICK[1:])


def test_an_error_inside_an_attack_is_the_outcome_of_its_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole: Callable[..., Any] = campaign.attack

    def faulty(claim: Any, **options: Any) -> Any:
        if claim.id == NAMES[1]:
            raise KeyError("a fault of a space")
        return whole(claim, **options)

    monkeypatch.setattr(campaign, "attack", faulty)
    assert "KeyError: 'a fault of a space'" in guarded(QUICK[1]).data["note"]
    done = CliRunner().invoke(
        make_app(), ["attack", *NAMES, "--attempts", "20", "--jobs", "1", "--json"]
    )
    assert done.exit_code == 1
    entries = {entry["id"]: entry for entry in json.loads(done.stdout)}
    assert [name for name in entries if entries[name]["failed"]] == [NAMES[1]]
    assert entries[NAMES[2]]["verdict"] == "REFUTED"
    told = CliRunner().invoke(make_app(), ["attack", *NAMES, "--attempts", "20", "--jobs", "1"])
    assert "attacks that failed because of an error of their own" in told.stdout


def alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_a_campaign_killed_anywhere_ends_like_one_that_was_not(tmp_path: Path) -> None:
    words = ["attack", *NAMES, "--attempts", "30", "--json", "--jobs"]
    stored = [*words, "2", "--store", str(tmp_path)]
    begun = subprocess.Popen(
        [sys.executable, "-c", "from fltheory.cli import main; main()", *stored],
        stdout=subprocess.DEVNULL,
    )
    children: list[str] = []
    while not list(tmp_path.glob("*.jsonl")) and begun.poll() is None:
        children = Path(f"/proc/{begun.pid}/task/{begun.pid}/children").read_text().split()
        time.sleep(0.02)
    begun.send_signal(signal.SIGKILL)
    begun.wait()
    whole = CliRunner().invoke(make_app(), [*words, "1"]).stdout
    again = CliRunner().invoke(make_app(), [*words, "1", "--store", str(tmp_path)]).stdout
    for one, other in zip(json.loads(whole), json.loads(again), strict=True):
        note, _, counted = other["note"].partition("; ")
        assert not other["resumed"] or other["verdict"] == "REFUTED" or "a file says" in counted
        assert {**one, **FREE} == {**other, **FREE, "note": note}
    deadline = time.monotonic() + 20
    while any(alive(pid) for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [pid for pid in children if alive(pid)] == []


def entry(name: str, verdict: str, **more: Any) -> Any:
    return {
        "id": name,
        "verdict": verdict,
        "note": "",
        "where": "here",
        "failed": False,
        "seconds": 1.0,
        "instances": 3,
        "size": None,
        "exceeded": [],
        **more,
    }


def test_the_summary_tells_what_was_missed_and_what_broke_beyond_the_ledger() -> None:
    known = {"a.1": Verdict.REFUTED, "a.2": Verdict.REFUTED, "a.3": Verdict.SUPPORTED}
    entries = [
        entry("a.1", "REFUTED"),
        entry("a.2", "SUPPORTED", note="3 instances tried"),
        entry("a.3", "REFUTED"),
    ]
    told = against_ledger(entries, known)
    assert told[0] == "Of 2 claims that the ledger refutes, 1 broke."
    assert told[1] == "- not broken: `a.2`: 3 instances tried"
    assert "though SUPPORTED in the ledger: `a.3`" in told[2]
    failed = entry("a.4", "UNDECIDED", failed=True, note="KeyError")
    text = as_markdown([*entries, failed], wall=60, seed=0, attempts=1, jobs=2, verdicts=known)
    assert "at most 1 attempt per claim" in text
    assert "- `a.4`: KeyError" in text


def test_the_summary_says_itself_when_the_machine_was_shared_and_what_was_resumed() -> None:
    busy = [
        entry("a.1", "SUPPORTED", seconds=60.0),
        entry("a.2", "SUPPORTED", seconds=60.0, resumed=True),
    ]
    assert machine(busy, wall=66, jobs=2) == [
        "1 attack went on from stored states, whose time is not counted here.",
        "",
    ]
    told, _ = machine(busy[:1], wall=3000, jobs=2)
    assert (
        told
        == "Each process had 1 % of a core: the machine was shared or paused; 2 free cores would"
        " have taken about 1 minutes."
    )


def test_a_large_counterexample_needs_a_reason() -> None:
    size = {"clients": 1, "rounds": 6, "local_steps": 1, "denominator": 1, "drawn_denominator": 1}
    large = entry("a.1", "REFUTED", size=size, exceeded=["6 rounds"])
    computed = entry(
        "a.2",
        "REFUTED",
        size=size | {"rounds": 1, "denominator": 9},
        exceeded=["9 as largest denominator"],
    )
    known = entry("fedlaavg.thm1.fixed", "REFUTED", size=size, exceeded=["6 rounds"])
    told = "\n".join(sizes([large, computed, known]))
    assert told.count("| not known |") == 1
    assert "| large in computed numbers alone |" in told
    assert "a pattern of 2 rounds" in told
    assert set(reasons()) <= set(all_claims())


def test_findings_are_found_again_only_if_all_their_refuted_claims_broke() -> None:
    claims = all_findings()["afl E-01"].claims
    known = dict.fromkeys(claims, Verdict.REFUTED)
    assert findings_again([entry(name, "REFUTED") for name in claims], known)[0].startswith(
        "Of 1 finding that rest on refuted claims, 1"
    )
    missed = findings_again(
        [entry(claims[0], "SUPPORTED"), *(entry(name, "REFUTED") for name in claims[1:])], known
    )
    assert f"`{claims[0]}`" in missed[1]


def test_sizes_are_counted() -> None:
    size = {"clients": 1, "rounds": 1, "local_steps": 1, "denominator": 9, "drawn_denominator": 3}
    told = sizes(
        [
            entry("a.1", "REFUTED", size=size, exceeded=["9 as largest denominator"]),
            entry("a.2", "REFUTED"),
        ]
    )
    assert told[0].startswith("0 of 1 counterexample have")
    assert "1 more" in told[0]
    assert "1 order broke" in told[0]


def test_files_that_hold_no_claims_are_named(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a,b\n")
    done = CliRunner().invoke(make_app(), ["attack", str(tmp_path / "table.csv")])
    assert done.exit_code == 2
    assert ".toml" in done.stderr
