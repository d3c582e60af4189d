"""A verdict is never wider than its evidence."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict, overall
from fltheory.claims.scope import Coverage, Scope
from fltheory.core.errors import InvalidInput
from fltheory.ledger.lines import LedgerLine, decide
from fltheory.papers import find_claim
from fltheory.papers.library import all_claims

THREE_ROUNDS = Evidence("afl.thm2c", Method.SDP, Verdict.CERTIFIED, "three rounds, two clients")


def planted(claim: Claim) -> Evidence:
    return replace(THREE_ROUNDS, claim=claim.id)


def test_a_certificate_for_three_rounds_leaves_a_general_theorem_supported() -> None:
    line = decide(Check("afl.thm2c", planted), find_claim("afl.thm2c"))
    assert line.evidence.verdict is Verdict.CERTIFIED
    assert overall([line.evidence]) is Verdict.SUPPORTED


def test_a_proof_counts_for_the_claim_only_with_a_reason_why_it_covers_everything() -> None:
    proof = replace(THREE_ROUNDS, verdict=Verdict.PROVED, method=Method.SYMBOLIC)
    assert overall([proof]) is Verdict.SUPPORTED
    assert overall([replace(proof, scope=Scope("an identity in all symbols"))]) is Verdict.PROVED


def test_the_reason_of_a_check_stands_in_the_scope_of_its_proof() -> None:
    tried = Scope(ranges={"num_rounds": ("1", "8")})
    proof = replace(THREE_ROUNDS, verdict=Verdict.PROVED, scope=tried)
    check = Check("afl.thm2c", lambda claim: proof, everything="an identity")
    found = decide(check, find_claim("afl.thm2c")).evidence
    assert found == replace(proof, scope=replace(tried, everything="an identity"))
    assert overall([found]) is Verdict.PROVED


def test_a_check_without_a_reason_leaves_the_scope_alone() -> None:
    whole = replace(THREE_ROUNDS, scope=Scope("for every horizon, by a potential"))
    found = decide(Check("afl.thm2c", lambda claim: whole), find_claim("afl.thm2c")).evidence
    assert found == whole


def test_the_reason_of_a_check_does_not_lift_a_search() -> None:
    found = replace(THREE_ROUNDS, verdict=Verdict.SUPPORTED)
    check = Check("afl.thm2c", lambda claim: found, everything="it does not")
    line = decide(check, find_claim("afl.thm2c"))
    assert not line.evidence.scope.everything
    assert overall([line.evidence]) is Verdict.SUPPORTED


def test_a_proof_and_a_counterexample_together_are_an_error() -> None:
    no = replace(THREE_ROUNDS, verdict=Verdict.REFUTED)
    assert overall([THREE_ROUNDS, no]) is Verdict.REFUTED
    with pytest.raises(InvalidInput, match="not both prove and refute"):
        overall([replace(THREE_ROUNDS, scope=Scope("everything")), no])


def test_scope_is_kept_in_the_ledger() -> None:
    tried = Coverage()
    tried.add({"num_rounds": 3, "smoothness": "1/3", "nothing": "words"})
    tried.add({"num_rounds": 1000, "smoothness": "1/3"})
    scope = tried.scope()
    assert scope.ranges == {"num_rounds": ("3", "1000"), "smoothness": ("1/3", "1/3")}
    line = LedgerLine(replace(THREE_ROUNDS, scope=scope, trivial="2"), 0.0, "versions")
    assert LedgerLine.from_json(line.to_json()) == line


def test_a_proof_on_paper_that_a_claim_names_is_in_the_repository() -> None:
    root = Path(__file__).parents[2]

    def missing(claims: Iterable[Claim]) -> list[str]:
        return [c.id for c in claims if c.proof and not (root / c.proof.split("#")[0]).is_file()]

    assert missing(all_claims().values()) == []
    planted = replace(find_claim("afl.thm2c"), proof="docs/proofs/absent.md#theorem-2")
    assert missing([planted]) == ["afl.thm2c"]
