"""Theorem 3 and its companions over all smooth functions with bounded gradients, without noise:
certificates for several participations."""

from fractions import Fraction
from functools import partial

from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric, Question
from fltheory.claims.checks.certified import Proof, check_certified
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.inequality import half_of_itself
from fltheory.claims.scenario import Scenario
from fltheory.problems.clipped import Clipped
from fltheory.traces.trace import Trace

QUESTION = Question(
    FunctionClass(1, convex=False),
    Conditions(loss_gap="1/18", gradient_bound_squared=1),
    Metric.MEAN_SQUARED_GRADIENT,
)
PARTICIPATION = {
    "everyone": ((1, 1),) * 3,
    "turns": ((1, 1), (0, 1), (1, 0), (0, 1)),
    "cold": ((1, 0), (0, 1), (1, 0), (0, 1)),
    "rare": ((1, 1), (1, 0), (1, 0), (1, 1)),
}


def _proof(name: str, size: Fraction, local_steps: int = 1) -> Proof:
    trace = Trace.fresh(PARTICIPATION[name], local_steps=local_steps)
    problem = Clipped(centres=(0, 0), bound=1)
    scenario = Scenario("fedlaavg", problem, trace, start=Fraction(1, 3), local_step_size=size)
    return Proof(
        f"fedlaavg-{name}-steps{local_steps}-{size.numerator}over{size.denominator}",
        scenario,
        QUESTION,
    )


SIZES = (Fraction(1, 10), Fraction(49, 100))
ALL = [_proof(name, size) for name in PARTICIPATION for size in SIZES]
WARM = [_proof(name, size) for name in PARTICIPATION if name != "cold" for size in SIZES]
SEVERAL = [_proof(name, Fraction(1, 10), 2) for name in ("everyone", "turns")]
PROOFS = [*ALL, *SEVERAL]


def _check(claim: str, proofs: list[Proof], covers: str) -> Check:
    told = f"all 1-smooth functions with gradients up to 1, two clients, no noise, {covers}"
    return Check(claim, partial(check_certified, proofs=proofs, covers=told), plant=half_of_itself)


CHECKS = [
    _check(
        "fedlaavg.thm3", ALL, "four participations, one of them cold, step sizes 1/10 and 49/100"
    ),
    _check("fedlaavg.thm3.improved", WARM, "three participations, step sizes 1/10 and 49/100"),
    _check("fedlaavg.thm4.server", SEVERAL, "two participations, two local steps, step size 1/10"),
]
