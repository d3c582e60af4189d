"""Best bounds of AFL and FedLaAvg with a thousand clients: every run meets the claim's conditions,
and a bound with a constant too small is refuted."""

from dataclasses import replace

import pytest
import sympy

from fltheory.claims.claim import evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict, overall
from fltheory.claims.scope import Scope
from fltheory.papers import all_claims, find_claim
from fltheory.papers.afl.checks import crowd_runs as runs
from fltheory.papers.afl.checks import crowds as workers
from fltheory.papers.afl.paper import AGE, DELAY, LOCAL, SPREAD, STEP, K, L
from fltheory.papers.afl.statements.memory import STALE, condition_4
from fltheory.papers.fedlaavg.checks import crowds as clients
from fltheory.papers.fedlaavg.paper import GAMMA, I
from fltheory.testing.contracts import falsehood

DRIFT, SHIFT = (K * L * LOCAL) ** 2, L * STEP
MOVE = SHIFT + SHIFT**2 * DELAY**2
LOCAL_TWO = sympy.Min(K - 1, 1) * 180 * DRIFT * sympy.Max(DELAY, 1)
CONDITIONS = [
    (
        "thm2c",
        lambda: runs.general(workers.TWO_C),
        [LOCAL_TWO, 2 * SHIFT + 3 * DELAY**2 * SHIFT**2],
    ),
    (
        "thm2.half",
        lambda: runs.general(workers.TWO_HALF),
        [LOCAL_TWO, SHIFT + 3 * DELAY**2 * SHIFT**2],
    ),
    (
        "thm2star",
        lambda: runs.general(workers.TWO_STAR),
        [sympy.Min(K - 1, 1) * 16 * DRIFT * (DELAY + 1), 2 * SHIFT + 6 * DELAY**2 * SHIFT**2],
    ),
    (
        "thm3c",
        lambda: runs.uniform(workers.uniform_edges),
        [
            6 * (2 * K**2 - 3 * K + 1) * L**2 * LOCAL**2,
            2 * (1 - SPREAD) * MOVE,
            (120 * DRIFT + 4 * MOVE * SPREAD * (90 * DRIFT + 3)) * (DELAY + 1),
        ],
    ),
    (
        "thm3star",
        lambda: runs.uniform(workers.star_edges),
        [sympy.Min(K - 1, 1) * 20 * DRIFT * (DELAY + 1), 6 * SHIFT * (DELAY + 1)],
    ),
    (
        "thm4c",
        lambda: runs.remembered(workers.FOUR_C),
        [condition_4(360), 27 * STALE * (1 + SHIFT) * (AGE * SHIFT) ** 2],
    ),
    (
        "thm4star",
        lambda: runs.remembered(workers.FOUR_STAR),
        [sympy.Min(K - 1, 1) * 12 * DRIFT * (AGE + 1), 4 * SHIFT * (AGE + 1)],
    ),
    (
        "FedLaAvg thm3star",
        lambda: clients.short_steps(warm=(True, False)),
        [4 * GAMMA * L * (I + 1)],
    ),
    (
        "FedLaAvg thm4star",
        lambda: clients.short_steps(warm=(True,), local_steps=(5, 30)),
        [4 * GAMMA * L * K * (I + 1)],
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "drawn", "conditions"), CONDITIONS, ids=[c[0] for c in CONDITIONS]
)
def test_every_run_of_a_crowd_meets_the_conditions(name, drawn, conditions):
    nearest = [0] * len(conditions)
    for instance in drawn():
        for index, condition in enumerate(conditions):
            value = evaluate(condition, instance.values)
            assert value <= 1, (name, index, instance.says)
            nearest[index] = max(nearest[index], value)
    assert max(nearest) >= sympy.Rational(9, 10), "no run comes near the edge"


HEADLINES = [
    check
    for check in (*workers.CHECKS, *clients.CHECKS)
    if check.claim in ("afl.thm3star", "afl.thm4star", "fedlaavg.thm3star", "fedlaavg.thm4star")
]


@pytest.mark.slow
@pytest.mark.parametrize("check", HEADLINES, ids=[check.claim for check in HEADLINES])
def test_a_bound_too_small_is_refuted_by_a_crowd(check):
    claim = find_claim(check.claim)
    found = check.decide(claim)
    assert found.verdict is Verdict.SUPPORTED
    assert found.scope.ranges["num_clients"][1] == "1000"
    assert found.trivial
    assert check.decide(falsehood(claim, found)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("claim_id", ["afl.thm2star", "afl.thm4star", "fedlaavg.thm3star"])
def test_three_certified_rounds_leave_a_general_theorem_supported(claim_id):
    short = Evidence(claim_id, Method.SDP, Verdict.CERTIFIED, "three rounds")
    proved = replace(short, verdict=Verdict.PROVED)
    assert overall([short]) is Verdict.SUPPORTED
    assert overall([proved]) is Verdict.SUPPORTED
    assert overall([replace(proved, scope=Scope("all of it"))]) is Verdict.PROVED


STARS = [c for c in all_claims().values() if c.id.endswith("star") and c.id[:3] in ("afl", "fed")]


@pytest.mark.parametrize("claim", STARS, ids=[claim.id for claim in STARS])
def test_a_best_form_lists_its_hypotheses_and_a_proof_on_paper(claim):
    ids = {assumption.id.split(".", 1)[1] for assumption in claim.assumes}
    assert ids & {"asm4-implicit", "oblivious"}
    assert ids & {"fresh-samples", "samples"}
    assert all(assumption.stated for assumption in claim.assumes)
    assert claim.proof.startswith("docs/proofs/")
