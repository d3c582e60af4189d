"""The claims of other papers by which the attacker's power is measured: frozen, readable, and
counted as their ids say."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fltheory.claims.evidence import Verdict
from tests.campaigns import record
from tests.campaigns.attacker.outside import frozen, power

CLAIMS = power.claims_of_set("test")
SETS = {name: power.claims_of_set(name) for name in frozen.TEST_SETS}


def test_the_test_sets_are_as_they_were_when_they_were_written() -> None:
    assert frozen.digests() == frozen.RECORD.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", frozen.TEST_SETS)
def test_a_change_of_a_test_set_is_seen(tmp_path: Path, name: str) -> None:
    for other in frozen.TEST_SETS:
        shutil.copytree(frozen.HERE / other, tmp_path / other)
    first = min((tmp_path / name).glob("*.toml"))
    first.write_text(first.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert frozen.digests(tmp_path) != frozen.RECORD.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", frozen.TEST_SETS)
def test_every_paper_has_true_theorems_and_false_ones(name: str) -> None:
    kinds = {(claim.id.split(".")[0], claim.id.split(".")[1]) for claim in SETS[name]}
    papers = {paper for paper, _ in kinds}
    assert kinds == {(paper, kind) for paper in papers for kind in ("true", "false")}
    assert len(papers) >= 5
    assert set(frozen.MISLABELLED).isdisjoint(claim.id for claim in SETS[name])


def test_the_second_set_has_twenty_true_claims_and_twenty_false_ones() -> None:
    kinds = [claim.id.split(".")[1] for claim in SETS["second"]]
    assert kinds.count("true") == kinds.count("false") == 20


def outcomes(refuted: set[str]) -> list[power.Tried]:
    return [
        power.Tried(claim, "REFUTED" if claim.id in refuted else "SUPPORTED", "", "", 1.0)
        for claim in CLAIMS
        if claim.id.startswith("drori.")
    ]


def test_misses_and_wrong_refutations_are_told_by_name() -> None:
    introduction, rows = power.page(outcomes({"drori.false.constant", "drori.true.gradient"}), 30)
    assert "1 of 2 false claims refuted; 1 of 1 true claims refuted" in introduction
    missed, wrong = introduction.split("Missed:")[1].split("Refuted although true:")
    assert "drori.false.step" in missed
    assert "drori.false.constant" not in missed
    assert "drori.true.gradient" in wrong
    assert rows["drori"][:2] == ("1 of 2", "1 of 1")


@pytest.mark.parametrize("verdict", [Verdict.REFUTED, Verdict.SUPPORTED])
def test_a_refuted_true_claim_fails_the_campaign(
    verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    def attack(claim: Any, seconds: float) -> Any:
        evidence = SimpleNamespace(verdict=verdict, note="", looseness="")
        return SimpleNamespace(evidence=evidence, searched=seconds)

    monkeypatch.setattr(power, "attack", attack)
    assert power.main(["test", "--only", "drori.true"]) == int(verdict is Verdict.REFUTED)


@pytest.mark.skipif(not power.PAGE.exists(), reason="the campaign has not been recorded")
def test_the_recorded_figures_speak_of_all_claims_and_refute_no_true_one() -> None:
    rows = record.read(power.PAGE)
    assert set(rows) == {claim.id.split(".")[0] for claim in CLAIMS}
    for key, (false, true, *_) in rows.items():
        own = [claim.id.split(".")[1] for claim in CLAIMS if claim.id.startswith(f"{key}.")]
        assert false.endswith(f"of {own.count('false')}")
        assert true == f"0 of {own.count('true')}"
