"""Corollary 1 derived from Theorem 2, and Remarks 2 and 3: where AFA-CD ends."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.core.types import ExactLike
from fltheory.papers.afl.checks.delays import delayed
from fltheory.papers.afl.checks.orders import corollary_orders, faster, substituted
from fltheory.papers.afl.checks.paths import mean
from fltheory.papers.afl.paper import DELAY, L, T
from fltheory.problems.objective import Objective
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def formula(claim: Claim) -> Evidence:
    """Eq. (2) at eta_L = 1/sqrt(T), eta = sqrt(m)."""
    return check_symbolic(
        claim,
        derived={"theorem_bound": substituted("afl.thm2")},
        covers="substitution, all values of the parameters",
    )


def floor(claim: Claim) -> Evidence:
    """Remark 2: the limit of that bound as T grows."""
    return check_symbolic(
        claim,
        derived={"floor": sympy.limit(substituted("afl.thm2"), T, sympy.oo)},
        covers="limit T to infinity, all parameters",
    )


def rate_runs(roots: Sequence[int], curvatures: Sequence[ExactLike]) -> Iterator[Scenario]:
    """Runs with eta_L = 1/sqrt(T) and eta = sqrt(m); T and m are squares, so that both are
    rational."""
    for root, curvature, (clients, side), delay in product(
        roots, curvatures, ((1, 1), (4, 2)), (0, 1)
    ):
        for noise, start in ((0, 1), (1, 3)):
            problem = tilted(clients, curvature=curvature, noise_squared=noise)
            yield rate_run(problem, root, side, delay, start=start)


def rate_run(
    problem: Objective, root: int, side: int, delay: int, *, start: ExactLike, steps: int = 1
) -> Scenario:
    """T = root^2 rounds in which m = side^2 workers arrive in turn, at Corollary 1's step sizes."""
    clients = problem.num_clients
    rows = [[(i + t) % clients < side**2 for i in range(clients)] for t in range(root**2)]
    return Scenario(
        "afa-cd",
        problem,
        delayed(rows, delay, local_steps=steps),
        start=start,
        local_step_size=Fraction(1, root),
        server_step_size=side,
    )


def short_horizons(claim: Claim) -> Evidence:
    """Corollary 1 in its explicit form, for every T."""
    return check_on_runs(
        claim,
        rate_runs((1, 2), (1, 4)),
        covers="K = 1, T = 1 and 4, curvatures 1 and 4, up to 4 workers, delay 0 and 1",
    )


def long_horizons(claim: Claim) -> Evidence:
    """Corollary 1 in its explicit form, where T is as long as its conditions ask."""
    return check_on_runs(
        claim,
        rate_runs((2, 3), (1, Fraction(1, 2))),
        covers="K = 1, T = 4 and 9 where long enough, up to 4 workers, delay 0 and 1",
    )


def afa_limit(rows: list[list[int]], *, gap: int, step: Fraction, local_steps: int = 1) -> Fraction:
    """Average of |grad f|^2 = (2x)^2 over the limit cycle of AFA-CD on (x + G)^2, (x - G)^2."""
    problem = Quadratic((2, 2), (-gap, gap))
    limit = limit_cycle(
        AfaCrossDevice(),
        problem,
        Trace.fresh(rows * 3, local_steps=local_steps),
        local_step_size=step,
    )
    return mean([Fraction(2 * x) ** 2 for (x,) in known(limit.cycle)])


@by_instances(Method.EXACT_RUN, covers="exact limits with only worker 1, two step sizes, K = 1..3")
def attained() -> Iterator[Instance]:
    """Remark 2: if only worker 1 arrives, AFA-CD ends at squared gradient sigma_G^2 = (2G)^2."""
    for gap, step, steps in product((1, 3), (Fraction(1, 10), Fraction(1, 4)), (1, 2, 3)):
        error = afa_limit([[1, 0]], gap=gap, step=step, local_steps=steps)
        yield Instance(
            {"limit_error": error, "dissimilarity": 2 * gap},
            f"G = {gap}, eta_L = {step}, K = {steps}",
        )


@by_instances(Method.EXACT_RUN, covers="exact limit cycle of two workers that both arrive for ever")
def everyone() -> Iterator[Instance]:
    """Remark 2: everybody keeps arriving, unequally often; no error is unavoidable, yet AFA-CD
    keeps an error."""
    rows, step = [[1, 0], [1, 0], [0, 1]], Fraction(1, 100)
    run = Scenario(
        "afa-cd",
        Quadratic((2, 2), (-1, 1)),
        Trace.fresh(rows * 3),
        start=0,
        local_step_size=step,
        parameters={"dissimilarity": 2, "ever_participating": 2, "any_constant": 1000},
    )
    yield Instance(
        {"limit_error": afa_limit(rows, gap=1, step=step), "num_clients": 2, **run.parameters},
        "worker 1 arrives in two of three rounds, worker 2 in one; eta_L = 1/100, constant 1000",
        {
            "run": run.to_json(),
            "measures": {"limit_error": "limit_error", "num_clients": "num_clients"},
        },
    )


def sgd_step(claim: Claim) -> Evidence:
    """Remark 3: the largest g with 2 L g + 3 tau^2 L^2 g^2 <= 1 at tau = 0."""
    step = sympy.Symbol("g", positive=True)
    condition = 2 * L * step + 3 * DELAY**2 * L**2 * step**2 - 1
    return check_symbolic(
        claim,
        derived={"largest_step": sympy.solve(condition.subs(DELAY, 0), step)[0]},
        covers="tau = 0, all L",
    )


CHECKS = (
    *(Check("afl.cor1", decide, plant=faster) for decide in corollary_orders("afl.thm2c")),
    Check("afl.cor1.substituted", formula, everything="an identity in all its symbols"),
    Check("afl.cor1.any-horizon", short_horizons),
    Check("afl.cor1.explicit", long_horizons),
    Check("afl.rem2", floor, everything="the limit of a formula, for all values of its symbols"),
    Check("afl.rem2.attained", attained),
    Check("afl.rem2.everyone", everyone),
    Check(
        "afl.rem3",
        sgd_step,
        everything="condition (b) at tau = 0 solved for every L; condition (a) is then empty",
    ),
)
