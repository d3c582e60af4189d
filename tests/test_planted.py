"""Teeth: every check that does not refute its claim must refute a planted falsehood."""

import pytest
import sympy

from fltheory.claims import Claim, Identity, LowerBound, Order, UpperBound
from fltheory.evidence import Evidence, Verdict
from fltheory.papers import all_claims
from fltheory.verifying import all_tasks

TASKS = [task for task in all_tasks() if not task.slow]


def falsehood(claim: Claim, found: Evidence) -> Claim:
    """An identity off by one; a bound tightened just beyond the best ratio that the check itself has found."""
    left, right = claim.statement.left, claim.statement.right
    if isinstance(claim.statement, Identity):
        return claim.planted(right=right + 1)
    ratio = _ratio(found.looseness)
    if isinstance(claim.statement, UpperBound):
        return claim.planted(right=right * ratio * sympy.Rational(99, 100)) if ratio else claim.planted(right=left - 1)
    if isinstance(claim.statement, LowerBound):
        return claim.planted(right=right * ratio * sympy.Rational(101, 100)) if ratio else claim.planted(right=left + 1)
    raise AssertionError(f"{claim.id} needs a planted falsehood of its own")


def _ratio(text: str) -> sympy.Rational | None:
    """The recorded looseness as a number, where it is a positive one."""
    try:
        value = sympy.Rational(text.split("about ")[-1].rstrip(")") if "about" in text else text)
    except (TypeError, ValueError):
        return None
    return value if value.is_finite and value > 0 else None


@pytest.mark.parametrize("task", TASKS, ids=[f"{task.claim}-{task.module.rsplit('.', 1)[-1]}-{task.index}" for task in TASKS])
def test_a_planted_falsehood_is_refuted(task):
    claim, check = all_claims()[task.claim], task.check()
    if check.plant is not None:
        planted = check.plant(claim)
        assert planted.statement != claim.statement or planted.assumes != claim.assumes
        assert check.decide(planted).verdict is Verdict.REFUTED
        return
    found = check.decide(claim)
    if found.verdict in (Verdict.REFUTED, Verdict.VACUOUS, Verdict.UNDECIDED):
        return
    assert not isinstance(claim.statement, Order), f"{claim.id} needs Check(plant=...)"
    assert check.decide(falsehood(claim, found)).verdict is Verdict.REFUTED
