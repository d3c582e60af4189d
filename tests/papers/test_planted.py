"""Teeth: every check that does not refute its claim must refute a planted falsehood.

A slow check is not run on its claim here: its falsehood is a constant halved below the least ratio
that the ledger records for the claim, which an early instance refutes. The measured rates plant
theirs in tests/analysis/test_rate_claims.py.
"""

import pytest

from fltheory.claims.claim import Claim, Identity, Order, UpperBound
from fltheory.claims.evidence import Verdict
from fltheory.ledger.lines import read
from fltheory.ledger.runner import CheckTask, all_tasks, ledger_file
from fltheory.papers import all_claims
from fltheory.testing.contracts import falsehood, is_contradicted, ratio_of

TASKS = [task for task in all_tasks() if not task.slow]
SLOW = [task for task in all_tasks() if task.slow and task.module != "fltheory.claims.checks.rates"]
RECORDED = read(ledger_file())


def name_of(task: CheckTask) -> str:
    return f"{task.claim}-{task.module.rsplit('.', 1)[-1]}-{task.index}"


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=name_of)
def test_a_planted_falsehood_is_refuted(task):
    claim, check = all_claims()[task.claim], task.check()
    if check.plant is not None:
        planted = check.plant(claim)
        assert planted.statement != claim.statement or planted.assumes != claim.assumes
        assert is_contradicted(check.decide(planted))
        return
    found = check.decide(claim)
    if found.verdict in (Verdict.REFUTED, Verdict.VACUOUS, Verdict.UNDECIDED):
        return
    assert not isinstance(claim.statement, Order), f"{claim.id} needs Check(plant=...)"
    assert check.decide(falsehood(claim, found)).verdict is Verdict.REFUTED


def halved(claim: Claim) -> Claim:
    """An identity off by one; a bound whose constant is half of the least ratio that is recorded
    (twice the largest, for a lower bound)."""
    ratios = [
        r
        for line in RECORDED
        if line.evidence.claim == claim.id and (r := ratio_of(line.evidence.looseness)) is not None
    ]
    if isinstance(claim.statement, Identity):
        return claim.planted(right=claim.statement.right + 1)
    upper = isinstance(claim.statement, UpperBound)
    if not ratios:
        return claim.planted(right=claim.statement.left + (-1 if upper else 1))
    return claim.planted(
        right=claim.statement.right * (min(ratios) / 2 if upper else max(ratios) * 2)
    )


@pytest.mark.parametrize("task", SLOW, ids=name_of)
def test_a_planted_falsehood_is_refuted_by_a_slow_check(task):
    claim, check = all_claims()[task.claim], task.check()
    planted = check.plant(claim) if check.plant is not None else halved(claim)
    assert planted.statement != claim.statement
    assert is_contradicted(check.decide(planted))


def test_every_check_is_planted_here_or_with_the_rates():
    elsewhere = [task for task in all_tasks() if task.module == "fltheory.claims.checks.rates"]
    assert len(TASKS) + len(SLOW) + sum(task.slow for task in elsewhere) == len(all_tasks())
    assert all(task.check().plant is not None for task in elsewhere)
