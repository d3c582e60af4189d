"""Every claim is printed, read or ours, and says what that kind must say."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from fltheory.claims.claim import Authorship, Claim, Severity
from fltheory.claims.evidence import Verdict
from fltheory.ledger.lines import read, verdicts
from fltheory.ledger.runner import ledger_file
from fltheory.papers import all_claims, find_claim

CLAIMS = list(all_claims().values())
WRONG_CORRECTIONS = {
    "fraboni.thm1.constants",
    "fraboni.thm1.corrected",
    "fraboni.thm3.corrected",
    "mifa.thm5.1.corrected",
}
"""Claims of ours that were refuted and stay on record."""
VERDICTS = verdicts(read(ledger_file()))
OWN = ("threshold", "is ours", "are ours")


def mixed(claim: Claim) -> str:
    """What is wrong with the kind of a claim; empty if nothing is."""
    source = claim.source
    if source.kind is Authorship.PRINTED:
        if not source.formula:
            return "a printed claim must show the formula or the words of the paper"
        if source.reading or source.alternatives or claim.corrects:
            return "a printed claim is no reading and no correction"
    if source.kind is Authorship.READ and source.formula:
        return "a reading has no formula of its own"
    if source.kind is Authorship.OURS and (source.formula or source.reading):
        return "a claim of ours repeats nothing of the paper"
    if (
        source.ours
        and claim.severity
        and not (".rate." in claim.id or claim.id in WRONG_CORRECTIONS)
    ):
        return "a claim of ours is not refuted, unless it measures an exponent of the paper"
    if VERDICTS.get(claim.id) is Verdict.REFUTED:
        if claim.severity is None:
            return "a refuted claim needs a severity"
        if source.kind is Authorship.READ and not source.alternatives:
            return "a refuted reading must say how else the sentence may be read"
        if any(word in claim.says + source.reading for word in OWN):
            return "a threshold of ours refutes nothing"
    return ""


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.id for claim in CLAIMS])
def test_the_three_kinds_are_kept_apart(claim):
    assert not mixed(claim)


def test_a_claim_of_the_wrong_kind_would_be_noticed():
    printed, ours = find_claim("afl.thm2"), find_claim("afl.thm2star")
    assert mixed(replace(printed, source=replace(printed.source, formula="")))
    assert mixed(replace(printed, corrects="afl.thm1"))
    assert mixed(replace(ours, severity=Severity.SLIP))
    assert mixed(replace(printed, severity=None))


REFUTED = [claim for claim in CLAIMS if VERDICTS.get(claim.id) is Verdict.REFUTED]
HEADLINES = [
    claim for claim in REFUTED if claim.severity in (Severity.THEOREM, Severity.HYPOTHESIS)
]


def _named(other: Claim, claim: Claim, words: str) -> bool:
    """Whether the words on a claim name another one, without the key within the same paper."""
    key = f"{claim.source.paper.key}."
    short = other.id.removeprefix(key) if other.id.startswith(key) else other.id
    if short not in words:  # few are; a pattern takes longer to compile than to search
        return False
    return (
        re.search(rf"(?<![\w.])({re.escape(key)})?{re.escape(short)}(?!\w|\.\w)", words) is not None
    )


@pytest.mark.parametrize("claim", HEADLINES, ids=[claim.id for claim in HEADLINES])
def test_what_is_really_wrong_has_a_correction(claim):
    corrected = [c.id for c in CLAIMS if c.corrects == claim.id]
    words = f"{claim.note} {claim.source}"
    told = [c.id for c in CLAIMS if c.id != claim.id and _named(c, claim, words)]
    good = (Verdict.PROVED, Verdict.SUPPORTED)
    assert any(VERDICTS[name] in good for name in corrected + told), claim.id


PRINTED_STEPS = {
    "afl.cor1": "eta_L = 1/sqrt(T)",
    "afl.cor2": "eta_L = 1/sqrt(T)",
    "afl.cor3": "eta_L = 1/sqrt(T)",
    "fedlaavg.cor1": "gamma = beta^(1/2) N^(1/4)",
    "fedlaavg.cor1.speedup": "T >= E N^(3/2)/beta",
    "fedlaavg.thm4.rate": "gamma = beta^(1/2) N^(1/4)",
    "fedlaavg.eq55": "R >= E N^(3/2)/beta",
    "fraboni.eq13": "N is so large",
    "fraboni.eq31": "eta_l <= 1/(48 K L)",
    "mifa.thm5.1": "eta_t = 4/(mu K (t + a))",
    "mifa.thm6.1": "eta = sqrt(N/(K T L (1 + nubar)))",
}


@pytest.mark.parametrize("name", PRINTED_STEPS)
def test_an_order_has_the_step_sizes_and_the_horizon_that_are_printed_with_it(name: str) -> None:
    stated = [a.says for a in find_claim(name).assumes if a.stated]
    assert any(PRINTED_STEPS[name] in says for says in stated), stated


MACHINE_READ = ("fedlaavg.eq22.d", "fedlaavg.eq46.equality", "fraboni.eq23")
"""Refuted by a sign or a letter of which only a text that was read by a machine is at hand."""


def test_what_only_a_machine_read_text_shows_is_a_reading():
    for claim in map(find_claim, MACHINE_READ):
        assert claim.source.kind is Authorship.READ, claim.id
        assert "read by a machine" in claim.source.reading, claim.id
        assert claim.severity is Severity.READING, claim.id


def test_printed_hypotheses_are_assumed():
    for name in ("mifa.thm6.1", "mifa.thm6.1.adaptive"):
        assert {"mifa.ass5", "mifa.ass6", "mifa.ass7", "mifa.ass8"} <= {
            one.id for one in find_claim(name).assumes
        }
    (clipped,) = find_claim("fraboni.ass7.corrected").assumes
    assert "whoever takes part" in clipped.says
    assert VERDICTS["fraboni.app.unbiased.beta"] is Verdict.SUPPORTED


def test_the_stability_of_example_2_is_said_of_positive_moves_only():
    """phi = -1/10 meets both other conditions, and the model runs away."""
    product, move = Fraction(1, 100), Fraction(-1, 10)
    assert product < 1
    assert (1 - move) ** 2 > -1
    assert 1 - (1 - 2 * move) + product < 0
    assert "phi > 0" in find_claim("fraboni.ex2.stable").says
    for name in ("even", "odd", "gap"):
        assert any("phi > 0" in a.says for a in find_claim(f"fraboni.ex2.{name}").assumes)
