"""Checks by certificates: certified only with a right certificate about the right case, refuted by
an exact run, else undecided."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

import fltheory.claims.checks.certified as module
from fltheory.analysis.worst_case.proof import verify
from fltheory.claims.checks.certified import certificate_file, check_certified
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.papers import all_claims, modules
from fltheory.papers.afl.checks.certified import SIMPLE
from fltheory.papers.fedlaavg.checks.certified import ALL
from fltheory.papers.mifa.paper import PAPER

CLAIM = all_claims()["afl.thm2.simple"]


def test_the_claim_is_certified_and_the_exact_run_is_inside() -> None:
    found = check_certified(CLAIM, SIMPLE, covers="test")
    assert found.verdict is Verdict.CERTIFIED
    assert found.looseness.startswith("0.90909")
    assert "an exact run reaches 0.909091" in found.note


def test_a_bound_below_the_certified_one_is_not_certified_and_below_the_run_is_refuted() -> None:
    left, right = CLAIM.statement.left, CLAIM.statement.right
    nearly = CLAIM.planted(
        right=right * 10 / 11
    )  # the exact worst case itself: no certificate with a margin reaches it
    assert check_certified(nearly, SIMPLE, covers="test").verdict in (
        Verdict.UNDECIDED,
        Verdict.REFUTED,
    )
    assert (
        check_certified(CLAIM.planted(right=left / 2), SIMPLE, covers="test").verdict
        is Verdict.REFUTED
    )


def test_a_missing_or_wrong_or_foreign_certificate_decides_nothing(tmp_path, monkeypatch) -> None:
    stored = json.loads(certificate_file(SIMPLE[0].name, PAPER).read_text())
    monkeypatch.setattr(module, "certificate_file", lambda name, paper: tmp_path / f"{name}.json")
    path = tmp_path / f"{SIMPLE[0].name}.json"

    def told() -> str:
        found = check_certified(CLAIM, SIMPLE[:1], covers="test")
        assert found.verdict is Verdict.UNDECIDED
        return found.note

    assert "no certificate is stored" in told()
    path.write_text(json.dumps({**stored, "bound": "1/10"}))
    assert "do not prove the stated bound" in told()
    path.write_text(json.dumps({**stored, "case": {}}))
    assert "about another case" in told()
    assert check_certified(CLAIM, [], covers="test").verdict is Verdict.UNDECIDED


def test_what_certificates_cannot_speak_of_is_refused() -> None:
    with pytest.raises(InvalidInput, match="upper bound"):
        check_certified(
            next(c for c in all_claims().values() if c.statement.sign == "="), SIMPLE, covers="test"
        )
    outside = replace(SIMPLE[0], scenario=replace(SIMPLE[0].scenario, start=2))
    with pytest.raises(InvalidInput, match="loss gap of at most"):
        check_certified(CLAIM, [outside], covers="test")
    with pytest.raises(InvalidInput, match="about one client"):
        module._values(CLAIM, ALL[0], Fraction(1))


def test_every_stored_certificate_is_named_by_a_check_and_is_right() -> None:
    proofs = [proof for part in modules() for proof in getattr(part, "PROOFS", ())]
    assert len({proof.name for proof in proofs}) == len(proofs)
    assert {path.stem for path in certificate_file("x", PAPER).parent.glob("*.json")} == {
        proof.name for proof in proofs
    }
    for proof in proofs:
        data = json.loads(certificate_file(proof.name, PAPER).read_text())
        assert data["case"] == proof.case.to_json()
        assert verify(data) > 0
