"""FedLaAvg: the findings of its audit re-established, and falsehoods of its own kind planted."""

from functools import cache

import pytest
import sympy

from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method, Verdict, overall
from fltheory.ledger.lines import decide
from fltheory.papers import find_claim, modules
from fltheory.papers.fedlaavg.paper import BETA, GAMMA, SIGMA, C, E, G, I, K, L, N, T
from fltheory.papers.fedlaavg.statements.example1 import T1, T2

CHECKS = [
    check
    for module in modules()
    if module.__name__.startswith("fltheory.papers.fedlaavg.")
    for check in getattr(module, "CHECKS", ())
]


@cache
def lines(claim_id: str) -> tuple[Evidence, ...]:
    """What all checks of a claim find."""
    claim = find_claim(claim_id)
    return tuple(decide(check, claim).evidence for check in CHECKS if check.claim == claim_id)


def on_planted(claim: Claim) -> set[Verdict]:
    """What the fast checks of a claim say about a false version of it."""
    return {
        check.decide(claim).verdict
        for check in CHECKS
        if check.claim == claim.id and not check.slow
    }


REFUTED = {
    "E1 limit depends on the step size": ("fedlaavg.thm1.fixed", "2/3", "1/2"),
    "E4 index of the recursion": ("fedlaavg.thm1.recursion", "1/3", "2/3"),
    "E6 eq. (6) at a cold start": ("fedlaavg.thm2.eq6", "-1/4", "1/16"),
    "E6 decrease in every round": ("fedlaavg.thm2.step", "1/2", "1/8"),
    "E8 period one too short": ("fedlaavg.sec32.period", "0", "1"),
    "E10 window of day and night": ("fedlaavg.sec613.window", "2", "1"),
    "E11 eq. (27) at a cold start": ("fedlaavg.eq27.cold", "1/4", "1/64"),
    "E11 eq. (30) at a cold start": ("fedlaavg.eq30.cold", "1/4", "7/192 + sqrt(2)/16"),
    "E12 bound at the largest step size": ("fedlaavg.thm3.boundary", "0", "1"),
    "E13 Lemma 3 against an adversary": ("fedlaavg.lem3.adaptive", "3", "2"),
    "E13 Theorem 3 against an adversary": (
        "fedlaavg.thm3.adaptive",
        "29814171251/1000000000000",
        "99799/3980000",
    ),
    "E14 noise at full participation": ("fedlaavg.cor1.eq34", None, "any constant"),
    "E14 noise at full participation, rounds": ("fedlaavg.thm4.eq53", None, "any constant"),
    "E15 staleness bound": ("fedlaavg.cor1.staleness", "0", "1"),
    "E17 factor 1/N of eq. (38)": ("fedlaavg.alg3", "15/16", "7/8"),
    "E18 client drift in eq. (46)": ("fedlaavg.eq46", "0", "1/2048"),
    "E21 available is not selected": ("fedlaavg.sec5.latest", "0", "2"),
    "E22 steps of the absent client": ("fedlaavg.appA.absent", "0", "1"),
    "E22 indicator": ("fedlaavg.appA.indicator", "1", "1/2"),
    "E23 scaling of gradients": ("fedlaavg.def.grad", "1/2", "1/4"),
    "E24 equality in eq. (22)": ("fedlaavg.eq22.d", "1/25", "4/25"),
    "E25 norm of the mean noise": ("fedlaavg.eq37.norm", "sqrt(2)/2", "1/2"),
    "new: G without absolute value, Theorem 2": ("fedlaavg.thm2.explicit", "8425/16384", "1/2"),
    "new: drift in eq. (47)": ("fedlaavg.eq47", "1/16384", "0"),
    "new: drift in eq. (48)": ("fedlaavg.eq48", "3/131072", "0"),
    "new: drift in eq. (49)": ("fedlaavg.eq49", "3/16384", "0"),
    "new: drift in eq. (50)": ("fedlaavg.eq50", "3825/268435456", "0"),
    "new: lost root of E in eq. (55)": ("fedlaavg.eq55", None, "any constant"),
}


@pytest.mark.parametrize(("claim_id", "left", "right"), REFUTED.values(), ids=REFUTED)
def test_a_finding_is_a_counterexample(claim_id, left, right):
    found = next(line for line in lines(claim_id) if line.verdict is Verdict.REFUTED)
    assert left is None or found.left == left
    assert found.right == right
    assert found.counterexample is not None


CERTIFIED = [
    "fedlaavg.thm3",
    "fedlaavg.thm4.server",
    "fedlaavg.thm3.improved",
    "fedlaavg.thm4",
    "fedlaavg.eq46.corrected",
    "fedlaavg.lem4",
]
HOLDING = [
    "fedlaavg.lem1",
    "fedlaavg.lem1.tight",
    *CERTIFIED,
    "fedlaavg.thm2.corrected",
    "fedlaavg.cor1",
    "fedlaavg.eq37",
]
PROVED = [
    "fedlaavg.thm1",
    "fedlaavg.thm1.closed",
    "fedlaavg.thm1.limit",
    "fedlaavg.thm1.eq1",
    "fedlaavg.thm1.eq2",
    "fedlaavg.thm1.periods",
    "fedlaavg.ex1.stability.trace",
    "fedlaavg.ex1.stability.determinant",
    "fedlaavg.cor1.explicit",
    "fedlaavg.thm3.chain",
    "fedlaavg.thm3.informative",
    "fedlaavg.cor1.threshold",
    "fedlaavg.asm3.noise",
]


@pytest.mark.slow
@pytest.mark.parametrize("claim_id", HOLDING)
def test_what_holds_is_supported_by_runs(claim_id):
    found = {line.verdict for line in lines(claim_id)}
    proofs = (Method.KERNEL, Method.ARITHMETIC)
    runs = [line for line in lines(claim_id) if line.method not in proofs]
    assert overall(runs) is Verdict.SUPPORTED, "a few runs prove no theorem"
    assert (Verdict.CERTIFIED in found) == (claim_id in CERTIFIED)


@pytest.mark.slow
@pytest.mark.parametrize("claim_id", PROVED)
def test_formulas_are_proved(claim_id):
    assert overall(lines(claim_id)) is Verdict.PROVED


def test_the_speedup_does_not_reach_the_experiments():
    assert overall(lines("fedlaavg.sec62.theory")) is Verdict.PROVED


# Falsehoods of the kinds that papers commit: a dropped condition, a shifted index, a flipped sign,
# a constant too small.
PLANTED = {
    "Lemma 1 with floor for ceiling": ("fedlaavg.lem1", lambda right: sympy.floor(N / K) * E - 1),
    "Lemma 1 one round better": ("fedlaavg.lem1", lambda right: right - 1),
    "closed form with blocks exchanged": (
        "fedlaavg.thm1.closed",
        lambda right: right.subs({T1: T2, T2: T1}, simultaneous=True),
    ),
    "eq. (1) one round late": ("fedlaavg.thm1.eq1", lambda right: right.subs(T1, T1 + 1)),
    "eq. (26) without the spread": (
        "fedlaavg.eq26",
        lambda right: right.subs(letter("squared_spread"), 0),
    ),
    "repaired eq. (46) without the drift": (
        "fedlaavg.eq46.corrected",
        lambda right: (I * C * L * GAMMA * G) ** 2 / 2,
    ),
    "Theorem 3 without initial gap and staleness": (
        "fedlaavg.thm3",
        lambda right: 4 * GAMMA * SIGMA**2 * L / N,
    ),
    "Corollary 1 with half the constants": ("fedlaavg.cor1.explicit", lambda right: right / 2),
    "threshold of Corollary 1 for a smaller share": (
        "fedlaavg.cor1.threshold",
        lambda right: right * BETA / (1 + BETA),
    ),
    "trace without the mixed term": (
        "fedlaavg.ex1.stability.trace",
        lambda right: right - (1 - GAMMA) ** (T1 + T2),
    ),
    "linear instead of sublinear speedup": ("fedlaavg.cor1.speedup", lambda right: right / N),
    "rate 1/T": ("fedlaavg.cor1", lambda right: right / sympy.sqrt(T)),
    "drift linear in the distance": ("fedlaavg.lem4", lambda right: right / 2),
}


@pytest.mark.slow
@pytest.mark.parametrize(("claim_id", "change"), PLANTED.values(), ids=PLANTED)
def test_a_planted_falsehood_is_refuted(claim_id, change):
    claim = find_claim(claim_id)
    assert Verdict.REFUTED in on_planted(claim.planted(right=change(claim.statement.right)))
