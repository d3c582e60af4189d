"""Theorem 2: exact runs over its whole region, the steps of its proof, and arrivals that depend on
the noise."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, product

import sympy

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import Decide, by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.enumeration import delay_sequences
from fltheory.claims.checks.exact_run import Region, below_root
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Scalar
from fltheory.papers.afl.paper import APART, DELAY, GAP, LOCAL, NOISE, PER_ROUND, STEP, K, L, T
from fltheory.problems.clipped import Clipped
from fltheory.problems.objective import Objective
from fltheory.traces.trace import Trace

SMALL = Region("afa-cd", clients=(1,), rounds=(1, 2), local_steps=(1, 2), delays=(0, 1))
EDGES = Region("afa-cd", rounds=(3,))
WIDE = Region("afa-cd", rounds=(2, 3, 4))
FAR = Region(
    "afa-cd", clients=(1, 2, 3, 4), rounds=(3, 5, 8), local_steps=(1, 2, 4), delays=(0, 1, 3)
)
SYNCHRONOUS = Region("afa-cd", local_steps=(1,), delays=(0,), rounds=(1, 2, 4))
NOISY = Region("afa-cd", rounds=(3,), spreads=(1,), noises=(1,))

Rule = Callable[[Objective, Trace], Iterator[tuple[Fraction, Fraction]]]
"""Local and server step sizes to try on any loss."""

LAG = STEP**2 * DELAY**2 * NOISE**2 / PER_ROUND
DRIFT = 5 * K * L**2 * LOCAL**2 * (NOISE**2 + 6 * K * APART**2)
PER_ROUND_2 = L * STEP**2 * NOISE**2 / PER_ROUND + STEP / 2 * (
    3 * L**2 * LAG + 3 * APART**2 + 3 * DRIFT
)
"""What one round adds in the proof of Theorem 2: L A2 and g/2 A3 with A2 <= g^2 sigma_L^2/m and the
bounds LAG on A4 and DRIFT on A5."""


def largest_step(weight: int, smoothness: Fraction, delay: int) -> Fraction:
    """Just inside the root of weight L g + 3 tau^2 L^2 g^2 = 1: 2 / (L (weight + sqrt(weight^2 + 12
    tau^2)))."""
    root = below_root(weight**2 + 12 * delay**2) + (Fraction(1, 10**6) if delay else 0)
    return 2 / (smoothness * (weight + root))


def steps(weight: int, *, least_delay: int) -> Rule:
    """Local steps at the edge of 180 eta_L^2 K^2 L^2 max(tau, least_delay) = 1, or 1/10 and 10
    where that is no condition.

    Server steps are at the edge of weight L g + 3 tau^2 L^2 g^2 = 1, and at a quarter of it.
    """

    def rule(problem: Objective, trace: Trace) -> Iterator[tuple[Fraction, Fraction]]:
        smoothness = known(problem.constants.smoothness)
        taken = int(trace.local_steps.max())
        delay = int(trace.delays.max())
        counted = max(delay, least_delay)
        sizes = [Fraction(1, 10), Fraction(10)]
        if counted and not (taken == 1 and least_delay):
            sizes = [below_root(Fraction(1, 180 * counted) / (taken * smoothness) ** 2)]
        for local, part in product(sizes, (Fraction(1), Fraction(1, 4))):
            yield local, part * largest_step(weight, smoothness, delay) / local

    return rule


def printed_conditions(claim: Claim) -> Evidence:
    """Theorem 2 as printed: without delay its condition (a) allows every local step size."""
    return check_on_runs(
        claim,
        SMALL.edges(steps(2, least_delay=0)),
        covers=(
            "x^2/2, one worker, K = 1 and 2, tau = 0 and 1, up to 2 rounds, step sizes at the edge"
            " of the conditions"
        ),
    )


def clipped_runs(rule: Rule) -> Iterator[Scenario]:
    """Losses that are neither quadratic nor convex, without noise."""
    places: tuple[tuple[int, ...], ...] = ((0, 3), (0, 1, 5))
    for centres, curvatures, taken, delay in product(places, (None, (1, 1, -1)), (1, 3), (0, 1)):
        problem = Clipped(centres, 1, curvatures[-len(centres) :] if curvatures else None)
        if problem.constants.infimum is None:
            continue
        everybody, others = [1] * len(centres), [0] * (len(centres) - 1)
        rows = [everybody, [1, *others], [*others, 1], everybody]
        trace = Trace.with_delays(rows, [[min(t, delay)] for t in range(4)], local_steps=taken)
        for local, server in rule(problem, trace):
            yield Scenario(
                "afa-cd", problem, trace, start=2, local_step_size=local, server_step_size=server
            )


def whole_region(
    rule: Rule, *, edges: Region = EDGES, draws: Region = WIDE, count: int = 15
) -> Decide:
    """Theorem 2 and its variants on exact runs with the step sizes of the rule."""

    def decide(claim: Claim) -> Evidence:
        runs = chain(edges.edges(rule), draws.draws(rule, count=count, seed=7), clipped_runs(rule))
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


def old_models(largest_delays: tuple[int, ...]) -> Decide:
    """Step (a12): the sum of |grad f|^2 over the used models against the sum over all models, with
    squared gradients 0 or 1 and all delay sequences of up to 4 rounds."""

    @by_instances(
        Method.ENUMERATION,
        covers=f"all delay sequences of up to 4 rounds, tau in {largest_delays},"
        " squared gradients 0 or 1, not all 0",
    )
    def decide() -> Iterator[Instance]:
        for most, rounds in product(largest_delays, range(1, 5)):
            for table in delay_sequences(rounds, most):
                delays = tuple(table[:, 0].tolist())
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
    return check_symbolic(
        claim,
        derived={"assembled_bound": (GAP / T + PER_ROUND_2) / (STEP / 4)},
        covers="all values of the parameters",
    )


def root(claim: Claim) -> Evidence:
    """Condition (b): the largest g with 2 L g + 3 tau^2 L^2 g^2 <= 1."""
    step, delay = sympy.Symbol("g", positive=True), sympy.Symbol("tau", positive=True)
    found = sympy.solve(2 * L * step + 3 * delay**2 * L**2 * step**2 - 1, step)
    return check_symbolic(
        claim,
        derived={"largest_step": found[0].subs(delay, DELAY)},
        covers="positive root of the quadratic, all L and tau > 0",
    )


def unit_worker(step: Fraction, rounds: int, error: Fraction) -> dict[str, Scalar]:
    """The symbols of Theorem 2 for workers with x^2/2 from the optimum: L = sigma_L = K = m = 1, no
    delay, sigma_G = 0, eta = 1."""
    return {
        "mean_squared_gradient": error,
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
    }


@by_instances(
    Method.PROBABILITY, covers="of two equal workers the one with the larger noise arrives first"
)
def larger_noise_arrives() -> Iterator[Instance]:
    """M = 2, m = 1, K = 1, x^2/2 twice, noise +-1; the worker with the larger noise arrives.

    Then n = +1 with chance 3/4, so E n = 1/2 and E n^2 = 1.
    """
    step, mean, second, total = Fraction(1, 100), Fraction(0), Fraction(0), Fraction(0)
    for rounds in range(1, 151):
        total += second
        if rounds % 50 == 0:
            yield Instance(
                unit_worker(step, rounds, total / rounds), f"T = {rounds}, g = 1/100, x_0 = 0"
            )
        second = (1 - step) ** 2 * second - (1 - step) * step * mean + step**2
        mean = (1 - step) * mean - step / 2


CORRECTED, HALVED = steps(2, least_delay=1), steps(1, least_delay=1)
CHECKS = (
    Check("afl.thm2", printed_conditions),
    Check("afl.thm2c", whole_region(CORRECTED)),
    Check("afl.thm2c", whole_region(CORRECTED, draws=FAR, count=200), slow=True),
    Check("afl.thm2.half", whole_region(HALVED, edges=NOISY, count=60), slow=True),
    Check("afl.thm2.simple", whole_region(HALVED, edges=SYNCHRONOUS, draws=SYNCHRONOUS, count=5)),
    Check("afl.thm2.a12", old_models((0, 1, 2))),
    Check("afl.thm2.a12c", old_models((0, 1, 2))),
    Check("afl.thm2.assembly", assembled, everything="an identity in all its symbols"),
    Check(
        "afl.thm2.condition-b",
        root,
        everything="the positive root for all L and tau; at tau = 0 see afl.rem3",
    ),
    Check("afl.thm2.adaptive", larger_noise_arrives),
)
