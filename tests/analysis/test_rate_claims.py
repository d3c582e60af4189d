"""Every claim about a rate has its recorded verdict, and its check meets a planted falsehood."""

from dataclasses import replace
from fractions import Fraction

import pytest

from fltheory.analysis.rates import measure_rate
from fltheory.claims.checks.rates import judge, rate_checks
from fltheory.claims.evidence import Verdict
from fltheory.ledger.lines import read
from fltheory.ledger.runner import ledger_file
from fltheory.papers import find_claim
from fltheory.testing.contracts import is_contradicted
from tests.analysis.rate_laws import REGIMES, VARIABLES, law, measured

CHECKS = rate_checks(REGIMES)


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=[check.claim for check in CHECKS])
def test_every_rate_has_its_recorded_verdict_and_a_better_one_is_refuted(check):
    """Measured once for both. Where nothing is decided, the same judgement meets laws that settle,
    with the claimed exponent and others."""
    claim = find_claim(check.claim)
    recorded = {
        line.evidence.verdict for line in read(ledger_file()) if line.evidence.claim == claim.id
    }
    found = check.decide(claim)
    assert found.verdict in recorded
    planted = check.plant(claim)
    assert planted.statement != claim.statement
    refuted = check.decide(planted)
    assert is_contradicted(refuted)
    if found.verdict is Verdict.SUPPORTED:
        assert refuted.verdict is Verdict.REFUTED
        return
    assert found.verdict is Verdict.UNDECIDED
    regime, variable = next((r, v) for r, v in VARIABLES if f"{r.claim}.rate.{v}" == check.claim)
    exponent = float(regime.claimed[variable])
    for off, verdict in (
        (0, Verdict.SUPPORTED),
        (0.05, Verdict.REFUTED),
        (-0.05, Verdict.SUPPORTED),
    ):
        made = measure_rate(regime, variable, quantity=law(variable, exponent + off))
        assert judge(claim, made, "").verdict is verdict


def test_candidates_that_disagree_decide_nothing():
    claim, found = find_claim("mifa.thm5.1.rate.T"), measured("T")
    last, limit, shifted = found.candidates
    between = Fraction(round((last + limit) / 2, 6)).limit_denominator(10**6)
    assert (
        judge(claim.planted(right=claim.statement.right * 0 + between), found, "").verdict
        is Verdict.UNDECIDED
    )
    assert (
        judge(claim, replace(found, candidates=(last, limit, shifted + 1)), "").verdict
        is Verdict.UNDECIDED
    )
