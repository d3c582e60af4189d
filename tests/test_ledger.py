"""The ledger: a small diff, a verdict that changes is told, a bad line is refused."""

import json

import pytest

from fltheory import InvalidInput, ledger, verifying
from fltheory.evidence import Evidence, Method, Verdict


def line(claim="toy.a", verdict=Verdict.PROVED, *, scenario="all", left="1", seconds=1.0) -> ledger.Line:
    return ledger.Line(Evidence(claim, Method.SYMBOLIC, verdict, scenario, left, "2", "1/2"), seconds, "versions")


def test_lines_survive_the_file(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger.record(path, [line("toy.b"), line("toy.a")], ["toy.a", "toy.b"])
    assert [found.evidence.claim for found in ledger.read(path)] == ["toy.a", "toy.b"]
    assert ledger.read(path)[0] == line("toy.a")
    assert ledger.read(tmp_path / "absent") == []


def test_recording_again_changes_only_what_was_found_out(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger.record(path, [line("toy.a", seconds=1.0), line("toy.b", seconds=1.0)], ["toy.a", "toy.b"])
    before = path.read_text()
    ledger.record(path, [line("toy.a", seconds=9.0)], ["toy.a", "toy.b"])
    assert path.read_text() == before
    ledger.record(path, [line("toy.a", left="3", seconds=9.0)], ["toy.a"])
    after = [json.loads(text) for text in path.read_text().splitlines()]
    assert [(entry["id"], entry["left"], entry["seconds"]) for entry in after] == [("toy.a", "3", 9.0)]


def test_a_changed_verdict_is_told():
    recorded = [line("toy.a"), line("toy.b"), line("toy.b", scenario="more")]
    assert ledger.differences(recorded, [line("toy.a")], complete=True) == []
    assert "recorded PROVED, now REFUTED" in ledger.differences(recorded, [line("toy.a", Verdict.REFUTED)], complete=False)[0]
    assert "not in the ledger" in ledger.differences(recorded, [line("toy.c")], complete=False)[0]
    assert "not found any more" in ledger.differences(recorded, [line("toy.b")], complete=True)[0]
    assert ledger.differences(recorded, [line("toy.b")], complete=False) == []


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"id": "x"}', '{"id":"x","verdict":"MAYBE","method":"SYMBOLIC"}'])
def test_bad_lines_are_refused(text, tmp_path):
    path = tmp_path / "ledger.jsonl"
    path.write_text(text + "\n")
    with pytest.raises(InvalidInput):
        ledger.read(path)


def test_recorded_ledger_is_sorted_and_knows_its_claims():
    from fltheory.papers import all_claims

    texts = verifying.ledger_file().read_text(encoding="utf-8").splitlines()
    assert texts == sorted(texts)
    recorded = ledger.verdicts(ledger.read(verifying.ledger_file()))
    assert set(recorded) == set(all_claims())
    refuted = {claim for claim, verdict in recorded.items() if verdict is Verdict.REFUTED}
    assert {path.stem for path in (verifying.folder() / "counterexamples").glob("*.json")} == refuted


def test_no_verdict_rests_on_a_claim_that_is_not_proved():
    recorded = ledger.verdicts(ledger.read(verifying.ledger_file()))
    assert verifying.weak_links(recorded) == []
    weakened = recorded | {"afl.cor3.floor": Verdict.SUPPORTED}
    assert [sentence.split(":")[0] for sentence in verifying.weak_links(weakened)] == ["afl.cor3", "afl.rem7"]


def test_no_order_is_refuted_by_finitely_many_instances():
    refuted = [found.evidence for found in ledger.read(verifying.ledger_file()) if found.evidence.verdict is Verdict.REFUTED]
    assert not [evidence.claim for evidence in refuted if evidence.method is Method.SWEEP]
