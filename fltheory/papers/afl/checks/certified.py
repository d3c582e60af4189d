"""Theorems 2 and 4 over all smooth functions, one worker, without noise: certificates at the edge
of the step-size conditions."""

from fractions import Fraction
from functools import partial

from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.checks.certified import Proof, check_certified
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.inequality import half_of_itself
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.checks.delays import delayed
from fltheory.papers.afl.checks.general_arrivals import largest_step
from fltheory.problems.quadratic import Quadratic

QUESTION = Question(
    FunctionClass(1, convex=False), Conditions(loss_gap="1/2"), Metric.MEAN_SQUARED_GRADIENT
)
ONE, LOCAL = Fraction(1), Fraction(1, 100)


def _proof(name: str, algorithm: str, rounds: int, delay: int, size: Fraction) -> Proof:
    """One worker whose work is `delay` rounds old from round `delay` on; the member of the class is
    x^2/2, started at 1."""
    scenario = Scenario(
        algorithm,
        Quadratic((1,), (0,)),
        delayed([[1]] * rounds, delay),
        start=1,
        local_step_size=LOCAL,
        server_step_size=size / LOCAL,
    )
    return Proof(f"{name}-delay{delay}-rounds{rounds}", scenario, QUESTION)


GRID = [(rounds, delay) for delay in (0, 1, 2) for rounds in (1, 3, 6)]


def _edges(weight: int) -> list[Proof]:
    """At the edge of weight L g + 3 tau^2 L^2 g^2 = 1."""
    return [
        _proof(f"afl-edge{weight}", "afa-cd", rounds, delay, largest_step(weight, ONE, delay))
        for rounds, delay in GRID
    ]


WHOLE, HALF = _edges(2), _edges(1)
SIMPLE = [_proof("afl-simple", "afa-cd", rounds, 0, Fraction(9, 10)) for rounds in (1, 3, 6)]
MEMORY = [_proof("afl-memory", "afa-cs", rounds, 0, Fraction(1, 13)) for rounds in (1, 3, 6)]
PROOFS = [*WHOLE, *HALF, *SIMPLE, *MEMORY]


def _check(claim: str, proofs: list[Proof], covers: str) -> Check:
    told = f"all 1-smooth functions, one worker, one local step, no noise, {covers}"
    return Check(claim, partial(check_certified, proofs=proofs, covers=told), plant=half_of_itself)


EDGE = "delays 0, 1 and 2, 1, 3 and 6 rounds, step sizes at the edge of the condition"
CHECKS = [
    _check("afl.thm2c", WHOLE, EDGE),
    _check("afl.thm2.half", HALF, EDGE),
    _check("afl.thm2.simple", SIMPLE, "no delay, 1, 3 and 6 rounds, step size 9/(10L)"),
    _check("afl.thm4c", MEMORY, "no delay, 1, 3 and 6 rounds, step size 1/(13L)"),
]
