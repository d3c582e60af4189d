"""Teeth: every check that does not refute its claim must refute a planted falsehood.

The falsehood is just beyond what the check has found: where the ledger records that, it is not
computed again. A slow check is not run on its claim here: its falsehood is a constant halved below
the least ratio that the ledger records for the claim, which an early instance refutes. The measured
rates plant theirs in tests/analysis/test_rate_claims.py.
"""

from collections import defaultdict

import pytest

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.rates import rate_checks
from fltheory.claims.claim import Claim, Identity, LowerBound, Order, UpperBound
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.ledger.lines import read
from fltheory.ledger.runner import CheckTask, all_tasks, ledger_file
from fltheory.papers import all_claims
from fltheory.testing.contracts import falsehood, is_contradicted, ratio_of
from tests.analysis.rate_laws import REGIMES

TASKS = [task for task in all_tasks() if not task.slow]
POSITIVE = (Verdict.PROVED, Verdict.CERTIFIED, Verdict.SUPPORTED)
RATES = [task for task in all_tasks() if task.module.endswith(".checks.rates")]
SLOW = [task for task in all_tasks() if task.slow and task not in RATES]
RECORDED: dict[str, list[Evidence]] = defaultdict(list)
for line in read(ledger_file()):
    RECORDED[line.evidence.claim].append(line.evidence)


def name_of(task: CheckTask) -> str:
    return f"{task.claim}-{task.module.rsplit('.', 1)[-1]}-{task.index}"


def supporting(claim: Claim) -> list[Evidence]:
    """What the ledger holds in favour of a bound, with a ratio; the falsehood farthest from the
    truth, which is refuted first, comes first."""
    if not isinstance(claim.statement, UpperBound | LowerBound):
        return []
    known = [
        (ratio, e)
        for e in RECORDED[claim.id]
        if e.verdict in POSITIVE and (ratio := ratio_of(e.looseness)) is not None
    ]
    least_first = isinstance(claim.statement, UpperBound)
    return [e for _, e in sorted(known, key=lambda pair: pair[0], reverse=not least_first)]


def refutes_beyond(check: Check, claim: Claim, known: Evidence) -> bool:
    """Is `known` this check's own evidence, and does the check refute the falsehood beyond it?"""
    found = check.decide(falsehood(claim, known))
    own = found.method is known.method and found.scenario.startswith(f"{known.scenario}; instance ")
    return own and found.verdict is Verdict.REFUTED


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=name_of)
def test_a_planted_falsehood_is_refuted(task):
    claim, check = all_claims()[task.claim], task.check()
    if check.plant is not None:
        planted = check.plant(claim)
        assert planted.statement != claim.statement or planted.assumes != claim.assumes
        assert is_contradicted(check.decide(planted))
        return
    if any(refutes_beyond(check, claim, known) for known in supporting(claim)):
        return
    found = check.decide(claim)
    if found.verdict in (Verdict.REFUTED, Verdict.VACUOUS, Verdict.UNDECIDED):
        return
    if found.method in (Method.ARITHMETIC, Method.KERNEL):  # a proof is of a claim or of nothing
        changed = claim.planted(left=claim.statement.left * 2 + 1)
        assert check.decide(changed).verdict is Verdict.UNDECIDED
        return
    assert not isinstance(claim.statement, Order), f"{claim.id} needs Check(plant=...)"
    assert check.decide(falsehood(claim, found)).verdict is Verdict.REFUTED


def halved(claim: Claim) -> Claim:
    """An identity off by one; a bound whose constant is half of the least ratio that is recorded
    (twice the largest, for a lower bound)."""
    ratios = [r for known in RECORDED[claim.id] if (r := ratio_of(known.looseness)) is not None]
    if isinstance(claim.statement, Identity):
        return claim.planted(right=claim.statement.right + 1)
    upper = isinstance(claim.statement, UpperBound)
    if not ratios:
        return claim.planted(right=claim.statement.left + (-1 if upper else 1))
    return claim.planted(
        right=claim.statement.right * (min(ratios) / 2 if upper else max(ratios) * 2)
    )


@pytest.mark.slow
@pytest.mark.parametrize("task", SLOW, ids=name_of)
def test_a_planted_falsehood_is_refuted_by_a_slow_check(task):
    claim, check = all_claims()[task.claim], task.check()
    planted = check.plant(claim) if check.plant is not None else halved(claim)
    assert planted.statement != claim.statement
    assert is_contradicted(check.decide(planted))


def test_every_check_is_planted_here_or_with_the_rates():
    assert len(TASKS) + len(SLOW) + len(RATES) == len(all_tasks())
    assert sorted(task.claim for task in RATES) == sorted(
        check.claim for check in rate_checks(REGIMES)
    )
