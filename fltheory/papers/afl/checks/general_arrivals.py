"""Theorem 2: exact runs over its whole region, its steps counted and put together again, and
arrivals that watch the noise."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, product
from typing import Any

import sympy

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.exact_run import Region, StepRule, below_root
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.checks.setting import delay_sequences
from fltheory.papers.afl.paper import APART, DELAY, GAP, LOCAL, NOISE, PER_ROUND, STEP, K, L, T
from fltheory.problems.clipped import Clipped
from fltheory.traces.trace import Trace

SMALL = Region("afa-cd", clients=(1,), rounds=(1, 2), local_steps=(1, 2), delays=(0, 1))
EDGES = Region("afa-cd", rounds=(3,))
WIDE = Region("afa-cd", rounds=(2, 3, 4))
FAR = Region(
    "afa-cd", clients=(1, 2, 3, 4), rounds=(3, 5, 8), local_steps=(1, 2, 4), delays=(0, 1, 3)
)
SYNCHRONOUS = Region("afa-cd", local_steps=(1,), delays=(0,), rounds=(1, 2, 4))


def largest_step(weight: int, smoothness: Fraction, delay: int) -> Fraction:
    """Just inside the root of weight L g + 3 tau^2 L^2 g^2 = 1: 2 / (L (weight + sqrt(weight^2 + 12
    tau^2)))."""
    root = below_root(weight**2 + 12 * delay**2) + (Fraction(1, 10**6) if delay else 0)
    return 2 / (smoothness * (weight + root))


def steps(weight: int, *, least_delay: int, free: tuple[Any, ...]) -> StepRule:
    """Local steps at the edge of 180 eta_L^2 K^2 L^2 max(tau, least_delay) = 1, or `free` ones
    where that is no condition.

    Server steps are at the edge of weight L g + 3 tau^2 L^2 g^2 = 1, and at a quarter of it.
    """

    def rule(problem: Any, trace: Trace) -> Iterator[tuple[Fraction, Fraction]]:
        smoothness = problem.constants.smoothness
        taken = int(trace.local_steps.max())
        delay = int(trace.delays.max())
        counted = max(delay, least_delay)
        edge = (
            below_root(Fraction(1, 180 * counted) / (taken * smoothness) ** 2) if counted else None
        )
        locals_ = free if edge is None or (taken == 1 and least_delay) else (edge,)
        for local, part in product(locals_, (1, Fraction(1, 4))):
            yield Fraction(local), part * largest_step(weight, smoothness, delay) / Fraction(local)

    return rule


def printed_conditions(claim: Claim) -> Evidence:
    runs = SMALL.edges(steps(2, least_delay=0, free=(Fraction(1, 10), 10)))
    return check_on_runs(
        claim,
        runs,
        covers=(
            "x^2/2, one worker, K = 1 and 2, tau = 0 and 1, up to 2 rounds, step sizes at the edge"
            " of the conditions"
        ),
    )


def clipped_runs(rule: StepRule) -> Iterator[Scenario]:
    """Losses that are neither quadratic nor convex, without noise."""
    for centres, curvatures, taken, delay in product(
        ((0, 3), (0, 1, 5)), (None, (1, 1, -1)), (1, 3), (0, 1)
    ):
        problem = Clipped(centres, 1, curvatures[-len(centres) :] if curvatures else None)
        if problem.constants.infimum is None:
            continue
        rows = [
            [1] * len(centres),
            [1] + [0] * (len(centres) - 1),
            [0] * (len(centres) - 1) + [1],
            [1] * len(centres),
        ]
        trace = Trace.with_delays(rows, [[min(t, delay)] for t in range(4)], local_steps=taken)
        for local, server in rule(problem, trace):
            yield Scenario(
                "afa-cd", problem, trace, start=2, local_step_size=local, server_step_size=server
            )


def whole_region(
    rule: StepRule, *, edges: Region = EDGES, draws: Region = WIDE, count: int = 15, seed: int = 7
) -> Any:
    def decide(claim: Claim) -> Evidence:
        runs = chain(
            edges.edges(rule), draws.draws(rule, count=count, seed=seed), clipped_runs(rule)
        )
        return check_on_runs(
            claim,
            runs,
            covers=(
                f"edges of the region and {count} draws: up to {draws.clients[-1]} workers,"
                f" {draws.rounds[-1]} rounds, {draws.local_steps[-1]} local steps, delay"
                f" {draws.delays[-1]}; tilted quadratics with exact noise moments, clipped losses"
                " without noise"
            ),
        )

    return decide


def old_models(factor_zero: tuple[int, ...]) -> Any:
    """Squared gradients 0 or 1 at each model, not all 0, all delay sequences of up to 4 rounds, for
    the given largest delays."""

    @by_instances(
        Method.ENUMERATION,
        covers=f"all delay sequences of up to 4 rounds, tau in {factor_zero}, squared gradients 0"
        " or 1, not all 0",
    )
    def decide() -> Iterator[Instance]:
        for most, rounds in product(factor_zero, range(1, 5)):
            for delays in delay_sequences(rounds, most):
                for squares in list(product((0, 1), repeat=rounds))[1:]:
                    used = sum(squares[t - d] for t, d in enumerate(delays))
                    yield Instance(
                        {
                            "sum_at_used_models": used,
                            "sum_at_all_models": sum(squares),
                            "max_delay": most,
                        },
                        f"squared gradients {squares}, delays {delays}, tau = {most}",
                    )

    return decide


def assembled(claim: Claim) -> Evidence:
    """One round: -g/2 |grad f|^2 - g/2 |D|^2 + g/2 A3 + L A2 with A2 <= g^2 (|D|^2 + sigma_L^2/m),
    summed and divided by g/4."""
    lag = STEP**2 * DELAY**2 * NOISE**2 / PER_ROUND
    drift = 5 * K * L**2 * LOCAL**2 * (NOISE**2 + 6 * K * APART**2)
    spread = 3 * L**2 * lag + 3 * APART**2 + 3 * drift
    per_round = L * STEP**2 * NOISE**2 / PER_ROUND + STEP / 2 * spread
    return check_symbolic(
        claim,
        derived={"assembled_bound": (GAP / T + per_round) / (STEP / 4)},
        covers="all values of the parameters",
    )


def root(claim: Claim) -> Evidence:
    step, delay = sympy.Symbol("g", positive=True), sympy.Symbol("tau", positive=True)
    found = sympy.solve(2 * L * step + 3 * delay**2 * L**2 * step**2 - 1, step)
    return check_symbolic(
        claim,
        derived={"largest_step": found[0].subs(delay, DELAY)},
        covers="positive root of the quadratic, all L and tau > 0",
    )


@by_instances(
    Method.PROBABILITY, covers="of two equal workers the one with the larger noise arrives first"
)
def larger_noise_arrives() -> Iterator[Instance]:
    """M = 2, m = 1, K = 1, x^2/2 twice, noise +-1; whoever drew the larger noise arrives.

    Then n = +1 with chance 3/4, so E n = 1/2 and E n^2 = 1.
    """
    step, mean, second, total = Fraction(1, 100), Fraction(0), Fraction(0), Fraction(0)
    for rounds in range(1, 151):
        total += second
        if rounds % 50 == 0:
            yield Instance(
                {
                    "mean_squared_gradient": total / rounds,
                    "initial_loss_gap": 0,
                    "server_step_size": 1,
                    "local_step_size": step,
                    "num_rounds": rounds,
                    "smoothness": 1,
                    "clients_per_round": 1,
                    "max_delay": 0,
                    "local_steps": 1,
                    "gradient_noise": 1,
                    "dissimilarity": 0,
                },
                f"T = {rounds}, g = 1/100, x_0 = 0",
            )
        second = (1 - step) ** 2 * second - (1 - step) * step * mean + step**2
        mean = (1 - step) * mean - step / 2


CORRECTED = steps(2, least_delay=1, free=(Fraction(1, 10), 10))
HALVED = steps(1, least_delay=1, free=(Fraction(1, 10), 10))
CHECKS = (
    Check("afl.thm2", printed_conditions),
    Check("afl.thm2c", whole_region(CORRECTED)),
    Check("afl.thm2c", whole_region(CORRECTED, draws=FAR, count=200), slow=True),
    Check(
        "afl.thm2.half",
        whole_region(
            HALVED, edges=Region("afa-cd", rounds=(3,), spreads=(1,), noises=(1,)), count=60
        ),
        slow=True,
    ),
    Check("afl.thm2.simple", whole_region(HALVED, edges=SYNCHRONOUS, draws=SYNCHRONOUS, count=5)),
    Check("afl.thm2.a12", old_models((0, 1, 2))),
    Check("afl.thm2.a12c", old_models((0, 1, 2))),
    Check("afl.thm2.assembly", assembled),
    Check("afl.thm2.condition-b", root),
    Check("afl.thm2.adaptive", larger_noise_arrives),
)
