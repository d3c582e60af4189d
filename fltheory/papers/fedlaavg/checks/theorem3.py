"""Theorem 3: exact runs, exact expectations, and availability that depends on the noise."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import sympy

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Formula, Scalar
from fltheory.papers.fedlaavg.checks.adaptive import mean_squared_model
from fltheory.papers.fedlaavg.checks.literal import Participation
from fltheory.papers.fedlaavg.checks.steps import (
    BALANCED,
    EVERYONE,
    HALF,
    LATE,
    TILTED,
    TUG,
    TURNS,
    instances_of,
    mean_of,
)
from fltheory.papers.fedlaavg.paper import GAMMA, I, L, N, T
from fltheory.papers.fedlaavg.statements.theorem3 import BOUND
from fltheory.problems.clipped import Clipped
from fltheory.traces.trace import Trace

ALONE = Clipped(centres=(0,), bound=1)
STEEP = Clipped(centres=(0, 1), bound=Fraction(3, 2), curvatures=(4, Fraction(1, 4)))
STARTS = (Fraction(-1, 4), Fraction(5, 2))
PARTS: tuple[Participation, ...] = (
    EVERYONE,
    TURNS,
    LATE,
    TURNS[1:],
    ((0, 1), (0, 1), (0, 1), (1, 0)),
    ((0, 0), (1, 0), (0, 1)),
    ((1, 1),),
)
"""Who takes part: everybody, in turns, and cold starts in which some client or nobody has been
heard from at first."""


def runs(problems: tuple[Clipped, ...]) -> Iterator[Scenario]:
    """Exact runs without noise; the step sizes reach up to (and including) 1/(2L), which a claim
    may refuse."""
    sizes = (Fraction(1, 2), Fraction(49, 100), Fraction(1, 20))
    for problem, parts, size, start in product(problems, PARTS, sizes, STARTS):
        yield Scenario(
            "fedlaavg",
            problem,
            Trace.fresh(parts),
            start=start,
            local_step_size=size / known(problem.constants.smoothness),
        )
    for rounds, size, first in product((1, 4, 16), sizes, (1, 3)):
        for rows in ([[1]] * rounds, [[0], [1]] * rounds):
            yield Scenario("fedlaavg", ALONE, Trace.fresh(rows), start=first, local_step_size=size)


def on_runs(problems: tuple[Clipped, ...]) -> Decide:
    """Theorem 3 on exact runs."""

    def decide(claim: Claim) -> Evidence:
        return check_on_runs(
            claim,
            runs(problems),
            covers=(
                f"exact runs: two clients, {len(problems)} clipped problems, seven participations"
                " with cold starts, and one client for up to 32 rounds, step sizes up to 1/(2L)"
            ),
        )

    return decide


@cache
def noisy_runs() -> tuple[Instance, ...]:
    """Exact expectations over all noise: mean squared gradients, cold starts included."""
    found = []
    for problem, parts, size, scale in product(
        (TUG, BALANCED), PARTS[:4], (Fraction(2, 5), Fraction(1, 10)), (HALF, Fraction(2))
    ):
        rounds = parts[:3]
        steps = instances_of(problem, rounds, 1, size, Fraction(3, 2), scale)
        means = {
            "mean_squared_gradient": mean_of(steps, "squared_gradient"),
            "warm": int(all(rounds[0])),
        }
        found.append(Instance({**steps[0].values, **means}, steps[0].says))
    return tuple(found)


def on_noise(claim: Claim) -> Evidence:
    """Theorem 3 on exact expectations; with a warm start where the claim asks for one."""
    needs_warm = any(assumption.id == "fedlaavg.warm" for assumption in claim.assumes)
    chosen = (i for i in noisy_runs() if i.values["warm"] or not needs_warm)
    return check_instances(
        claim,
        chosen,
        method=Method.ENUMERATION,
        covers=(
            "exact expectations over all +-1/2 and +-2 noise: two clients, "
            "two clipped problems, three rounds"
        ),
    )


def skipping_client(size: Fraction, rounds: int) -> dict[str, Scalar]:
    """N = K = 1, E = 2, I = 1, f' = clip(x, -1, 1), +-1 noise, x0 = 0, so B = 0, L = 1, sigma = 1,
    G^2 = 2; the mean squared gradient is rounded down to twelve decimals."""
    floor = Fraction(int(mean_squared_model(size, rounds) * 10**12), 10**12)
    return {
        "mean_squared_gradient": floor,
        "local_step_size": size,
        "num_rounds": rounds,
        "num_clients": 1,
        "staleness_bound": 1,
        "smoothness": 1,
        "gradient_noise": 1,
        "gradient_bound": sympy.sqrt(2),
        "initial_loss_gap": 0,
    }


@by_instances(Method.PROBABILITY, covers="exact second moments of the two-state chain")
def adversary() -> Iterator[Instance]:
    """Theorem 3 for one client that skips a round after positive noise."""
    for size, rounds in ((Fraction(1, 400), 100), (Fraction(1, 400), 560)):
        yield Instance(
            skipping_client(size, rounds),
            f"one client that skips a round after positive noise, step size {size}, {rounds}"
            " rounds; left side rounded down to twelve decimals",
        )


def algebra(covers: str, **derived: Formula) -> Decide:
    """A purely symbolic check with the same substitutions each time."""
    return lambda claim: check_symbolic(claim, derived=derived, covers=covers)


@by_instances(Method.EXACT_RUN, covers="step sizes up to 1/(2L)")
def boundary() -> Iterator[Instance]:
    """The factor 1/(1 - 2 gamma L) at step sizes up to 1/(2L)."""
    for size in (Fraction(1, 4), Fraction(49, 100), HALF):
        rest = 1 - 2 * size
        yield Instance(
            {"local_step_size": size, "smoothness": 1, "factor": 1 / rest if rest else 0},
            f"L=1, step size {size}" + ("" if rest else ": no number will do, 0 stands for any"),
        )


BELOW_HALF = 1 / (2 * L * (1 + letter("excess", positive=True)))
"""All step sizes in (0, 1/(2L))."""


SPEEDUP = BOUND.xreplace({I: sympy.S.Zero, GAMMA: sympy.sqrt(N) / (2 * L * sympy.sqrt(T))})

CHECKS = (
    Check("fedlaavg.thm3", on_runs((TUG,))),
    Check("fedlaavg.thm3", on_runs((BALANCED, TILTED, STEEP)), slow=True),
    Check("fedlaavg.thm3", on_noise),
    Check("fedlaavg.thm3.adaptive", adversary),
    Check(
        "fedlaavg.thm3.chain",
        algebra("all values of the symbols"),
        everything="an identity in all its symbols",
    ),
    Check("fedlaavg.thm3.boundary", boundary),
    Check("fedlaavg.thm3.improved", on_runs((TUG,))),
    Check("fedlaavg.thm3.improved", on_runs((BALANCED, TILTED, STEEP)), slow=True),
    Check("fedlaavg.thm3.improved", on_noise),
    Check(
        "fedlaavg.thm3.improved.gap",
        algebra("all values of the symbols"),
        everything="an identity in all its symbols",
    ),
    Check(
        "fedlaavg.thm3.informative",
        algebra(
            "all values and all step sizes below 1/(2L)",
            local_step_size=BELOW_HALF,
            bound_of_theorem_3=BOUND.xreplace({GAMMA: BELOW_HALF}),
        ),
        everything="an inequality in all its symbols, for every step size below 1/(2L)",
    ),
    Check(
        "fedlaavg.thm3.fullpart",
        algebra("all values: Theorem 3 with I = 0 at this step size", bound_at_step_size=SPEEDUP),
        everything="a substitution into the formula of Theorem 3, for all values of its symbols",
    ),
)
