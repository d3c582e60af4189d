"""Theorems 2 and 4 over all smooth functions, one worker, without noise: certificates at the edge
of the step-size conditions."""

from fractions import Fraction

import numpy as np

from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.checks.certified import Proof, check_certified
from fltheory.claims.checks.check import Check
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.checks.general_arrivals import largest_step
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

QUESTION = Question(
    FunctionClass(1, convex=False), Conditions(loss_gap="1/2"), Metric.MEAN_SQUARED_GRADIENT
)
LOCAL = Fraction(1, 100)


def _proof(name: str, algorithm: str, rounds: int, delay: int, size: Fraction) -> Proof:
    """One worker whose work is `delay` rounds old from round `delay` on; the member of the class is
    x^2/2, started at 1."""
    late = np.minimum(np.arange(rounds), delay)[:, None]
    trace = Trace.with_delays(np.ones((rounds, 1), bool), late)
    scenario = Scenario(
        algorithm,
        Quadratic((1,), (0,)),
        trace,
        start=1,
        local_step_size=LOCAL,
        server_step_size=size / LOCAL,
    )
    return Proof(f"{name}-delay{delay}-rounds{rounds}", scenario, QUESTION)


GRID = [(rounds, delay) for delay in (0, 1, 2) for rounds in (1, 3, 6)]
WHOLE = [
    _proof("afl-edge2", "afa-cd", rounds, delay, largest_step(2, Fraction(1), delay))
    for rounds, delay in GRID
]
HALF = [
    _proof("afl-edge1", "afa-cd", rounds, delay, largest_step(1, Fraction(1), delay))
    for rounds, delay in GRID
]
SIMPLE = [_proof("afl-simple", "afa-cd", rounds, 0, Fraction(9, 10)) for rounds in (1, 3, 6)]
MEMORY = [_proof("afl-memory", "afa-cs", rounds, 0, Fraction(1, 13)) for rounds in (1, 3, 6)]
PROOFS = [*WHOLE, *HALF, *SIMPLE, *MEMORY]


def _decide(proofs: list[Proof], covers: str):
    def decide(claim: Claim) -> Evidence:
        return check_certified(
            claim,
            proofs,
            covers=f"all 1-smooth functions, one worker, one local step, no noise, {covers}",
        )

    return decide


def _half_of_itself(claim: Claim) -> Claim:
    return claim.planted(right=claim.statement.left / 2)


EDGE = "delays 0, 1 and 2, 1, 3 and 6 rounds, step sizes at the edge of the condition"
CHECKS = [
    Check("afl.thm2c", _decide(WHOLE, EDGE), plant=_half_of_itself),
    Check("afl.thm2.half", _decide(HALF, EDGE), plant=_half_of_itself),
    Check(
        "afl.thm2.simple",
        _decide(SIMPLE, "no delay, 1, 3 and 6 rounds, step size 9/(10L)"),
        plant=_half_of_itself,
    ),
    Check(
        "afl.thm4c",
        _decide(MEMORY, "no delay, 1, 3 and 6 rounds, step size 1/(13L)"),
        plant=_half_of_itself,
    ),
]
