"""Teeth: every check that does not refute its claim must refute a planted falsehood.

A slow check is not run on its claim here: its falsehood is a constant halved below the least ratio
that the ledger records for the claim, which an early instance refutes. The measured rates plant
theirs in tests/analysis/test_rate_claims.py.
"""

import pytest
import sympy

from fltheory.claims.checks.sweep import GROWING
from fltheory.claims.claim import Claim, Identity, LowerBound, Order, UpperBound
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.ledger.lines import read
from fltheory.ledger.runner import CheckTask, all_tasks, ledger_file
from fltheory.papers import all_claims

TASKS = [task for task in all_tasks() if not task.slow]
SLOW = [task for task in all_tasks() if task.slow and task.module != "fltheory.claims.checks.rates"]
RECORDED = read(ledger_file())


def falsehood(claim: Claim, found: Evidence) -> Claim:
    """An identity off by one; a bound tightened just beyond the best ratio that the check itself
    has found."""
    left, right = claim.statement.left, claim.statement.right
    if isinstance(claim.statement, Identity):
        return claim.planted(right=right + 1)
    ratio = _ratio(found.looseness)
    if isinstance(claim.statement, UpperBound):
        return (
            claim.planted(right=right * ratio * sympy.Rational(99, 100))
            if ratio
            else claim.planted(right=left - 1)
        )
    if isinstance(claim.statement, LowerBound):
        return (
            claim.planted(right=right * ratio * sympy.Rational(101, 100))
            if ratio
            else claim.planted(right=left + 1)
        )
    raise AssertionError(f"{claim.id} needs a planted falsehood of its own")


def _ratio(text: str) -> sympy.Rational | None:
    """The recorded looseness as a number, where it is a positive one."""
    try:
        value = sympy.Rational(text.split("about ")[-1].rstrip(")") if "about" in text else text)
    except (TypeError, ValueError):
        return None
    return value if value.is_finite and value > 0 else None


def contradicted(found: Evidence) -> bool:
    """Refuted; or, where finitely many instances cannot refute an order, its ratio grew without
    slowing down."""
    return found.verdict is Verdict.REFUTED or found.looseness == GROWING


def name_of(task: CheckTask) -> str:
    return f"{task.claim}-{task.module.rsplit('.', 1)[-1]}-{task.index}"


@pytest.mark.parametrize("task", TASKS, ids=name_of)
def test_a_planted_falsehood_is_refuted(task):
    claim, check = all_claims()[task.claim], task.check()
    if check.plant is not None:
        planted = check.plant(claim)
        assert planted.statement != claim.statement or planted.assumes != claim.assumes
        assert contradicted(check.decide(planted))
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
        if line.evidence.claim == claim.id and (r := _ratio(line.evidence.looseness)) is not None
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
    assert contradicted(check.decide(planted))


def test_every_check_is_planted_here_or_with_the_rates():
    elsewhere = [task for task in all_tasks() if task.module == "fltheory.claims.checks.rates"]
    assert len(TASKS) + len(SLOW) + sum(task.slow for task in elsewhere) == len(all_tasks())
    assert all(task.check().plant is not None for task in elsewhere)
