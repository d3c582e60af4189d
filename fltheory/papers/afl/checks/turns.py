"""M workers that take turns, for all M: how far one draw of noise moves AFA-CS, by induction over
the rounds, and the floor it leaves.

Everybody arrives in round 0, then worker t mod M in round t, on x^2/2 with K = 1. Let a_k be how
far x_{s+k} lies below its mean per unit of a draw of round s >= 1. Until then nothing has moved, so
a_k = 0 for k <= 0, and by the rule of AFA-CS, where the draw is used in M rounds,

    a_{k+1} = a_k - (g/M) (a_k + a_{k-1} + ... + a_{k-M+1}) + (g/M) [k < M].

Induction: low(k) <= a_k <= high(k), with high(k) = (g/M) min(k, M) and low(k) = high(k) - g^2 k, as
long as k <= 1/g. For high <= g, so a mean of earlier a's is at most g and takes back at most g^2;
and low >= 0, so it takes back at least 0. Draws are independent, so E x_t^2 >= sigma^2
sum_{k=M}^{1/g - 1} low(k)^2 for every t >= 1/g, and the mean over T rounds is at least (1 - 1/(gT))
of that.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import sympy

from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.proof import ProofStep, check_proof
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Array
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import simulate
from fltheory.papers.afl.paper import LOCAL, NOISE, SERVER, M, T
from fltheory.traces.trace import Trace

WORKERS = sympy.Symbol("workers", integer=True, positive=True)
EXCESS = sympy.Symbol("excess", integer=True, positive=True)
LATER = sympy.Symbol("later", integer=True, nonnegative=True)
REST = sympy.Symbol("rest", integer=True, nonnegative=True)
INDEX = sympy.Symbol("k", integer=True, nonnegative=True)
STEP = sympy.Symbol("g", positive=True)


def turns(clients: int, rounds: int) -> Trace:
    """Everybody in round 0, then one worker after the other."""
    return Trace.fresh(
        [[True] * clients] + [[i == t % clients for i in range(clients)] for t in range(1, rounds)]
    )


def round_robin(clients: int, rounds: int, step: Fraction) -> Scenario:
    """Workers in turn from the optimum, sigma_L = 1."""
    return Scenario(
        "afa-cs",
        tilted(clients, spread=0, noise_squared=1),
        turns(clients, rounds),
        start=0,
        local_step_size=step,
    )


def responses(clients: int, drawn: int, count: int) -> list[sympy.Expr]:
    """a_0, ..., a_count of the program itself, as formulas in g: a run in which only the draw of
    round `drawn` is not 0."""

    def unit(index: int, step: int) -> Array:
        return np.array(
            [[sympy.Integer(int(index == drawn and i == drawn % clients))] for i in range(clients)],
            dtype=object,
        )

    run = simulate(
        AfaCrossSilo(),
        tilted(clients, spread=0),
        turns(clients, drawn + count),
        start=0,
        local_step_size=STEP,
        arithmetic=SYMBOLIC,
        noise=unit,
    )
    return [sympy.expand(-x) for x in run.models[drawn:, 0]]


def recursion(clients: int, count: int) -> list[sympy.Expr]:
    """a_0, ..., a_count by the rule above."""
    found = [sympy.Integer(0)]
    for k in range(count):
        window = sum(found[max(0, k - clients + 1) : k + 1], sympy.Integer(0))
        found.append(
            sympy.expand(
                found[k] - STEP / clients * window + (STEP / clients if k < clients else 0)
            )
        )
    return found


def steps(claim: Claim) -> Iterator[ProofStep]:
    """Every step of the proof; 1/g = workers + excess."""
    for clients, drawn in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 4), (4, 2)):
        ours, theirs = recursion(clients, clients + 2), responses(clients, drawn, clients + 2)
        apart = sum(abs(a - b) for a, b in zip(ours, theirs, strict=True))
        yield ProofStep(f"the program obeys the rule for a_k, M = {clients}", apart, equal=True)
    g = 1 / (WORKERS + EXCESS)

    def rising(k: sympy.Expr) -> sympy.Expr:
        return g / WORKERS * k

    def low(k: sympy.Expr, high: sympy.Expr) -> sympy.Expr:
        return high - g**2 * k

    yield ProofStep("low(0) = a_0 = 0", low(sympy.S.Zero, rising(sympy.S.Zero)), equal=True)
    grown = {WORKERS: INDEX + 1 + REST}  # k < M
    yield ProofStep(
        "k < M: high(k+1) = high(k) + g/M",
        rising(INDEX + 1) - rising(INDEX) - g / WORKERS,
        equal=True,
    )
    yield ProofStep(
        "k < M: low(k+1) = low(k) - g^2 + g/M",
        low(INDEX + 1, rising(INDEX + 1)) - low(INDEX, rising(INDEX)) + g**2 - g / WORKERS,
        equal=True,
    )
    yield ProofStep("k < M: high(k) <= g", (g - rising(INDEX)).subs(grown))
    yield ProofStep("k <= M: low(k) >= 0", low(INDEX, rising(INDEX)))
    yield ProofStep("high(M) = g", rising(WORKERS) - g, equal=True)
    after = WORKERS + LATER
    yield ProofStep(
        "k >= M: low(k+1) = low(k) - g^2", low(after + 1, g) - low(after, g) + g**2, equal=True
    )
    yield ProofStep("M <= k <= 1/g: low(k) >= 0", low(after, g).subs(EXCESS, LATER + REST + 1))
    position = sympy.Symbol("position", integer=True, positive=True)
    squares = sympy.summation(
        sympy.expand(low(WORKERS + EXCESS - position, g) ** 2), (position, 1, EXCESS)
    )
    yield ProofStep(
        "the squares add up to at least g (1 - gM)^3/3", squares - g * (1 - g * WORKERS) ** 3 / 3
    )
    right = claim.statement.right.xreplace({SERVER: sympy.S.One, M: WORKERS, LOCAL: g})
    long_run = {T: WORKERS + EXCESS + LATER}
    yield ProofStep(
        "T >= 1/g: the mean over the rounds is at least the claim's right side",
        ((1 - (WORKERS + EXCESS) / T) * squares * NOISE**2 - right).xreplace(long_run),
    )
    part = sympy.Symbol("part", positive=True)  # T = part/(1 + part) of 1/g: every T below 1/g
    yield ProofStep(
        "T < 1/g: the right side is at most 0, and a mean of squares is not below 0",
        -right.xreplace({T: (WORKERS + EXCESS) * part / (1 + part)}),
    )


def exact_runs(claim: Claim) -> Evidence:
    """The claim against exact second moments."""
    runs = (
        round_robin(clients, rounds, Fraction(1, inverse))
        for clients, inverse, rounds in (
            (1, 2, 4),
            (1, 5, 12),
            (1, 10, 40),
            (2, 3, 6),
            (2, 6, 20),
            (3, 5, 12),
            (3, 10, 40),
            (4, 8, 24),
        )
    )
    return check_on_runs(
        claim,
        runs,
        covers=(
            "exact second moments, M = 1..4 workers that take turns, 1/g = 2..10, up to 40 rounds"
        ),
    )


def floor_for_all_workers(claim: Claim) -> Evidence:
    """Corollary 3: the lower bound on the error, by the induction above."""
    return check_proof(
        claim,
        steps(claim),
        runs=exact_runs(claim),
        covers=(
            "all M, all whole 1/g above M and all T, by induction over the rounds; and exact runs"
            " of M = 1..4 workers"
        ),
    )


CHECKS = (
    Check(
        "afl.cor3.floor",
        floor_for_all_workers,
        everything=(
            "an induction over the rounds for every M, every whole 1/g above M and every T; the"
            " noise enters by its variance alone"
        ),
    ),
)
