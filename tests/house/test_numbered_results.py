"""Every numbered result of the papers has a proved statement or a named obstacle."""

from collections import Counter
from dataclasses import replace

import pytest

from docs import numbered
from docs.totals import THEOREMS
from fltheory.claims.claim import UpperBound
from fltheory.claims.evidence import Method, Verdict
from fltheory.ledger import runner
from fltheory.ledger.attack_record import recorded_attacks
from fltheory.ledger.lines import LedgerLine, verdicts
from fltheory.papers import all_claims

PRINTED = {
    "afl": {"Theorem": 4, "Corollary": 3, "Lemma": 2},
    "fedlaavg": {"Theorem": 4, "Corollary": 2, "Lemma": 7},
    "fraboni": {"Theorem": 3, "Corollary": 2, "Lemma": 7},
    "mifa": {"Theorem": 4, "Proposition": 2},
}
"""How many results of each kind the papers number, counted in their texts."""

LARGEST_FACTOR = 50
MADE = 150


@pytest.fixture(scope="module")
def lines() -> list[LedgerLine]:
    return runner.recorded()


def without(lines: list[LedgerLine], *claims: str) -> list[LedgerLine]:
    """The ledger as if nothing proved these claims."""
    return [
        replace(line, evidence=replace(line.evidence, verdict=Verdict.SUPPORTED))
        if line.evidence.claim in claims
        else line
        for line in lines
    ]


def test_every_numbered_result_of_the_papers_is_listed():
    found = Counter((c.source.paper.key, number.split()[0]) for c, number in numbered.numbered())
    expected = {(key, kind): n for key, kinds in PRINTED.items() for kind, n in kinds.items()}
    assert found == expected


@pytest.mark.slow
def test_the_tables_of_the_page_are_those_of_the_record():
    text = THEOREMS.read_text(encoding="utf-8")
    assert numbered.with_tables(text) == text


def test_an_obstacle_is_named_for_exactly_what_is_not_proved(lines):
    verdict_of = verdicts(lines)
    unproved = {c.id for c, _ in numbered.numbered() if not numbered.standing_for(c, verdict_of)}
    assert unproved == set(numbered.OBSTACLES)


def test_a_result_that_loses_its_proof_is_noticed(lines):
    with pytest.raises(ValueError, match=r"afl\.thm3 has neither"):
        numbered.numbered_table(without(lines, "afl.thm3star", "afl.thm3c"))


def test_a_page_without_its_marks_is_refused():
    with pytest.raises(ValueError, match="numbered results"):
        numbered.with_tables("no marks")


@pytest.mark.slow
def test_every_kernel_checked_bound_is_within_a_stated_factor_of_an_instance(lines):
    tried = [line.evidence for line in (*lines, *recorded_attacks())]
    for claim_id, _ in numbered.kernel_theorems():
        claim = all_claims()[claim_id]
        left = numbered.factor(claim, [one for one in tried if one.claim == claim_id])
        assert left is not None, claim_id
        assert 1 <= left <= LARGEST_FACTOR, claim_id


def test_a_bound_that_nothing_comes_near_has_no_factor():
    claim = next(c for c in all_claims().values() if isinstance(c.statement, UpperBound))
    assert numbered.factor(claim, []) is None


def test_coq_and_certificates_prove_many_claims_that_were_only_supported(lines):
    made = numbered.proved_only_so(lines)
    assert len(made) >= MADE
    assert "afl.thm2star" in made
    assert "afl.thm2star" not in numbered.proved_only_so(without(lines, "afl.thm2star"))
    others = [one for one in lines if one.evidence.method is not Method.KERNEL]
    assert len(numbered.proved_only_so(others)) < len(made)
