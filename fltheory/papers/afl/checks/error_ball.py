"""Corollary 1 derived from Theorem 2, its least T found by search, and where AFA-CD really ends."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.sweep import check_order_limit
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import as_expression
from fltheory.papers import find_claim
from fltheory.papers.afl.paper import APART, DELAY, GAP, NOISE, PER_ROUND, K, L, M, T
from fltheory.papers.afl.statements.error_ball import STEPS1
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

UNIT = {GAP: 1, L: 1, NOISE: 1}


def substituted(theorem: str) -> sympy.Expr:
    """Right side of a theorem at eta_L = 1/sqrt(T), eta = sqrt(m)."""
    return find_claim(theorem).statement.right.subs(STEPS1)


def orders(theorem: str) -> tuple[tuple[str, Any], ...]:
    """The ratio of the theorem's bound to the printed order along paths on which T, K, tau or m
    grows (and T with them as it must)."""
    grow = sympy.Symbol("grow", positive=True)
    fixed = {PER_ROUND: 2, K: 3, DELAY: 2, M: 5, APART: 1}
    paths = {
        "T grows, the rest fixed, sigma_G = 0": fixed | {T: grow, APART: 0},
        "T grows, the rest fixed": fixed | {T: grow},
        "K grows, T = 180 K^2 tau": fixed | {K: grow, T: 360 * grow**2},
        "tau grows, T = 3000 tau^2": fixed | {DELAY: grow, T: 3000 * grow**2},
        "m grows with M = m + 3, T = 5000 m, sigma_G = 0": (
            fixed | {PER_ROUND: grow, M: grow + 3, T: 5000 * grow, APART: 0}
        ),
    }

    def check(name: str, path: dict[Any, Any]) -> Any:
        def decide(claim: Claim) -> Evidence:
            bound = substituted(theorem).subs(UNIT).subs(path)
            derived = {"mean_squared_gradient": bound} | {
                s.name: as_expression(v) for s, v in path.items()
            }
            return check_order_limit(
                claim,
                derived=derived,
                variable=grow,
                covers=f"bound of {theorem} with L = sigma_L = f_0 - f* = 1; {name}",
            )

        return decide

    return tuple((name, check(name, path)) for name, path in paths.items())


def faster(claim: Claim) -> Claim:
    """A planted falsehood: a rate better by the factor T."""
    return claim.planted(right=claim.statement.right / T)


def formula(claim: Claim) -> Evidence:
    return check_symbolic(
        claim,
        derived={"theorem_bound": substituted("afl.thm2")},
        covers="substitution, all values of the parameters",
    )


def floor(claim: Claim) -> Evidence:
    return check_symbolic(
        claim,
        derived={"floor": sympy.limit(substituted("afl.thm2"), T, sympy.oo)},
        covers="limit T to infinity, all parameters",
    )


def rate_runs(roots: tuple[int, ...], curvatures: tuple[Any, ...]) -> Iterator[Scenario]:
    """T and m are squares, so that the step sizes are rational."""
    for root, curvature, (clients, side), delay in product(
        roots, curvatures, ((1, 1), (4, 2)), (0, 1)
    ):
        for noise, start in ((0, 1), (1, 3)):
            rows = [[(i + t) % clients < side**2 for i in range(clients)] for t in range(root**2)]
            trace = Trace.with_delays(rows, [[min(t, delay)] for t in range(root**2)])
            yield Scenario(
                "afa-cd",
                tilted(clients, curvature=curvature, noise_squared=noise),
                trace,
                start=start,
                local_step_size=Fraction(1, root),
                server_step_size=side,
            )


def short_horizons(claim: Claim) -> Evidence:
    return check_on_runs(
        claim,
        rate_runs((1, 2), (1, 4)),
        covers="K = 1, T = 1 and 4, curvatures 1 and 4, up to 4 workers, delay 0 and 1",
    )


def long_horizons(claim: Claim) -> Evidence:
    return check_on_runs(
        claim,
        rate_runs((2, 3), (1, Fraction(1, 2))),
        covers="K = 1, T = 4 and 9 where long enough, up to 4 workers, delay 0 and 1",
    )


@by_instances(
    Method.EXACT_RUN, covers="bisection for K up to 10, tau up to 4, m up to 100, three values of L"
)
def horizons() -> Iterator[Instance]:
    """The least T at which both conditions hold in exact arithmetic, found by bisection (both are
    monotone in T)."""

    def allowed(rounds: int, steps: int, delay: int, per_round: int, smoothness: Fraction) -> bool:
        if steps > 1 and 180 * steps**2 * smoothness**2 * max(delay, 1) > rounds:
            return False
        # 2 L sqrt(m/T) + 3 tau^2 L^2 m/T <= 1, squared where both sides are at least 0
        rest = 1 - 3 * delay**2 * smoothness**2 * Fraction(per_round, rounds)
        return bool(rest >= 0 and 4 * smoothness**2 * Fraction(per_round, rounds) <= rest**2)

    for case in product(
        (1, 2, 5, 10), (0, 1, 4), (1, 5, 100), (Fraction(1, 10), Fraction(1), Fraction(3, 2))
    ):
        low, high = 0, 1
        while not allowed(high, *case):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if allowed(middle, *case) else (middle, high)
        names = ("local_steps", "max_delay", "clients_per_round", "smoothness")
        yield Instance(
            {"smallest_horizon": high} | dict(zip(names, case, strict=True)),
            f"(K, tau, m, L) = {case}",
        )


def afa_limit(rows: list[list[int]], *, gap: int, step: Any, local_steps: int = 1) -> Fraction:
    """Average squared gradient over the limit cycle on (x + G)^2, (x - G)^2."""
    problem = Quadratic((2, 2), (-gap, gap))
    limit = limit_cycle(
        AfaCrossDevice(),
        problem,
        Trace.fresh(rows * 3, local_steps=local_steps),
        local_step_size=step,
    )
    return sum((2 * x) ** 2 for (x,) in limit.cycle) / limit.period


@by_instances(Method.EXACT_RUN, covers="exact limits with only worker 1, two step sizes, K = 1..3")
def attained() -> Iterable[Instance]:
    cases = product((1, 3), (Fraction(1, 10), Fraction(1, 4)), (1, 2, 3))
    return (
        Instance(
            {
                "limit_error": afa_limit([[1, 0]], gap=gap, step=step, local_steps=steps),
                "dissimilarity": 2 * gap,
            },
            f"G = {gap}, eta_L = {step}, K = {steps}",
        )
        for gap, step, steps in cases
    )


@by_instances(Method.EXACT_RUN, covers="exact limit cycle of two workers that both arrive for ever")
def everyone() -> Iterable[Instance]:
    rows, step = [[1, 0], [1, 0], [0, 1]], Fraction(1, 100)
    run = Scenario(
        "afa-cd",
        Quadratic((2, 2), (-1, 1)),
        Trace.fresh(rows * 3),
        start=0,
        local_step_size=step,
        parameters={"dissimilarity": 2, "ever_participating": 2, "any_constant": 1000},
    )
    instance = Instance(
        {"limit_error": afa_limit(rows, gap=1, step=step), "num_clients": 2, **run.parameters},
        "worker 1 arrives in two of three rounds, worker 2 in one; eta_L = 1/100, constant 1000",
        {
            "run": run.to_json(),
            "measures": {"limit_error": "limit_error", "num_clients": "num_clients"},
        },
    )
    return [instance]


def sgd_step(claim: Claim) -> Evidence:
    step = sympy.Symbol("g", positive=True)
    condition = 2 * L * step + 3 * DELAY**2 * L**2 * step**2 - 1
    return check_symbolic(
        claim,
        derived={"largest_step": sympy.solve(condition.subs(DELAY, 0), step)[0]},
        covers="tau = 0, all L",
    )


@by_instances(Method.EXACT_RUN, covers="tau = L = 1, T = 10^6, K = 1, 10, 100")
def many_local_steps() -> Iterable[Instance]:
    return (
        Instance(
            {"local_condition": Fraction(180 * steps**2, 10**6)},
            f"tau = L = 1, T = 10^6, K = {steps}",
        )
        for steps in (1, 10, 100)
    )


CHECKS = (
    *(Check("afl.cor1", decide, plant=faster) for _, decide in orders("afl.thm2")),
    Check("afl.cor1.substituted", formula),
    Check("afl.cor1.any-horizon", short_horizons),
    Check("afl.cor1.explicit", long_horizons),
    Check("afl.cor1.horizon", horizons),
    Check("afl.rem2", floor),
    Check("afl.rem2.attained", attained),
    Check("afl.rem2.everyone", everyone),
    Check("afl.rem3", sgd_step),
    Check("afl.rem3.local-steps", many_local_steps),
)
