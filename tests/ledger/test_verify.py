"""`fltheory verify` against the recorded ledger: it compares, fails on a difference, and does not
depend on processes."""

import json

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.ledger import runner


def invoke(*arguments):
    return CliRunner().invoke(make_app(), list(arguments))


@pytest.mark.slow
def test_verify_compares_with_the_record():
    result = invoke("verify", "fedlaavg.thm1.fixed", "--jobs", "1", "--json")
    assert result.exit_code == 0, result.stderr
    entries = json.loads(result.stdout)
    printed = next(entry for entry in entries if entry["id"] == "fedlaavg.thm1.fixed")
    assert (printed["verdict"], printed["overall"]) == ("REFUTED", "REFUTED")
    assert {
        "id",
        "verdict",
        "method",
        "left",
        "right",
        "looseness",
        "note",
        "seconds",
        "overall",
    } <= set(printed)


@pytest.mark.slow
def test_verify_fails_when_a_verdict_differs(tmp_path, monkeypatch):
    other = tmp_path / "ledger.jsonl"
    wrong = [json.loads(text) for text in runner.ledger_file().read_text().splitlines()]
    for entry in wrong:
        entry["verdict"] = "UNDECIDED"
    other.write_text("".join(json.dumps(entry) + "\n" for entry in wrong))
    monkeypatch.setattr(runner, "ledger_file", lambda paper=None: other)
    result = invoke("verify", "fedlaavg.thm1.fixed", "--jobs", "1")
    assert result.exit_code == 1
    assert "recorded UNDECIDED, now REFUTED" in result.stderr


@pytest.mark.slow
def test_processes_do_not_change_the_outcome():
    tasks = [task for task in runner.all_tasks() if task.claim.startswith("fedlaavg.thm1.fixed")]
    alone, together = (runner.run_tasks(tasks, jobs=jobs) for jobs in (1, 2))
    assert [found.evidence for found in alone] == [found.evidence for found in together]


def test_unknown_claims_suggest_near_names():
    for command in ("verify", "explain", "cite"):
        result = invoke(command, "fedlavg.thm1")
        assert result.exit_code == 2
        assert "fedlaavg.thm1" in result.stderr


def test_a_claim_without_a_check_is_told(monkeypatch):
    tasks = [task for task in runner.all_tasks() if task.claim != "fraboni.ex2.iff"]
    monkeypatch.setattr(runner, "all_tasks", lambda: tasks)
    result = invoke("verify", "fraboni.ex2.iff", "--jobs", "1")
    assert result.exit_code == 1
    assert "fraboni.ex2.iff: no check decides it" in result.stderr
