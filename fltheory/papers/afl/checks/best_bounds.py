"""Theorems 2*, 3*, 4* and Corollary 3*: exact runs and exact means over samples, with step sizes at
the edge of the conditions."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, product

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.exact_run import Region, below_root, tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.checks.general_arrivals import clipped_runs
from fltheory.papers.afl.checks.turns import turns
from fltheory.papers.afl.checks.uniform_arrivals import sampled
from fltheory.problems.objective import Objective
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import known_staleness

Largest = Callable[[int], Fraction]
"""The largest L g that a condition allows, by the delay or the age of the memory."""

EDGES = Region("afa-cd", rounds=(3,))
DRAWS = Region("afa-cd", clients=(1, 2, 3, 5), rounds=(2, 4, 7), delays=(0, 1, 3))
SINGLE = Region("afa-cd", rounds=(4,), local_steps=(1,), delays=(0, 3))
REMEMBERING = Region("afa-cs", rounds=(3,), everyone_first=True)
MANY = Region(
    "afa-cs",
    clients=(1, 2, 3, 5),
    rounds=(3, 6),
    delays=(0, 1, 3),
    starts=(1, -2),
    everyone_first=True,
)


def inside_root(first: int, second: int, delay: int) -> Fraction:
    """Just inside the root l of first l + second tau^2 l^2 = 1: 2/(first + sqrt(first^2 + 4 second
    tau^2)).

    >>> inside_root(2, 6, 0), float(inside_root(2, 6, 1))
    (Fraction(1, 2), 0.2742918...)
    """
    if not delay:
        return Fraction(1, first)
    return 2 / (first + below_root(first**2 + 4 * second * delay**2) + Fraction(1, 10**6))


def two(delay: int) -> Fraction:
    """2 l + 6 tau^2 l^2 = 1 (Theorem 2*)."""
    return inside_root(2, 6, delay)


def one_step(delay: int) -> Fraction:
    """l + 4 tau^2 l^2 = 1 (Theorem 2 with one local step)."""
    return inside_root(1, 4, delay)


def edge_steps(
    weight: int, largest: Largest, *, remembers: bool = False
) -> Callable[[Objective, Trace], Iterator[tuple[Fraction, Fraction]]]:
    """Local steps at the edge of weight K^2 L^2 eta_L^2 (tau + 1) = 1, or 1/10 and 10 for K = 1;
    server steps at the edge, and at a quarter of it."""

    def rule(problem: Objective, trace: Trace) -> Iterator[tuple[Fraction, Fraction]]:
        smoothness = known(problem.constants.smoothness)
        taken = int(trace.local_steps.max())
        delay = int((known_staleness(trace) if remembers else trace.delays).max())
        sizes = [Fraction(1, 10), Fraction(10)]
        if taken > 1:
            sizes = [below_root(Fraction(1, weight * (delay + 1))) / (taken * smoothness)]
        for local, part in product(sizes, (Fraction(1), Fraction(1, 4))):
            yield local, part * largest(delay) / (smoothness * local)

    return rule


def general(claim: Claim) -> Evidence:
    """Theorem 2* on exact runs of AFA-CD, with exact noise moments where the losses are
    quadratic."""
    rule = edge_steps(16, two)
    return check_on_runs(
        claim,
        chain(EDGES.edges(rule), DRAWS.draws(rule, count=40, seed=17), clipped_runs(rule)),
        covers=(
            "step sizes at the edge of the conditions: edges of the region and 40 draws with up to"
            " 5 workers, 7 rounds, 3 local steps and delay 3; tilted quadratics with exact noise"
            " moments, clipped losses without noise"
        ),
    )


def single_steps(claim: Claim) -> Evidence:
    """Theorem 2 with one local step, on exact runs of AFA-CD."""
    rule = edge_steps(1, one_step)
    return check_on_runs(
        claim,
        chain(SINGLE.edges(rule), SINGLE.draws(rule, count=30, seed=19)),
        covers=(
            "step sizes at the edge of the condition: tilted quadratics with exact noise moments,"
            " up to 3 workers, 4 rounds, delay 3"
        ),
    )


@by_instances(
    Method.PROBABILITY,
    covers="all sample sequences of up to 4 workers and 3 rounds, K = 1, 2, tau = 0, 1, exact"
    " noise, steps at the edge of the conditions",
)
def uniform() -> Iterator[Instance]:
    """Theorem 3*: exact means over all equally likely sequences of samples."""
    for (clients, size), steps, delay, noise in product(
        ((1, 1), (2, 1), (3, 1), (3, 2), (4, 1)), (1, 2), (0, 1), (0, 1)
    ):
        rounds = 3 if clients < 3 else 2
        delays = [
            [min(t, delay) if i % 2 == 0 else 0 for i in range(clients)] for t in range(rounds)
        ]
        local = below_root(Fraction(1, 20 * (delay + 1))) / steps
        server = Fraction(1, 6 * (delay + 1)) / local
        problem = tilted(clients, noise_squared=noise)
        yield sampled(problem, size, delays, steps, local, server)


def remembered(claim: Claim) -> Evidence:
    """Theorem 4* on exact runs of AFA-CS, and on long runs in which workers take turns."""
    rule = edge_steps(12, lambda age: Fraction(1, 4 * (age + 1)), remembers=True)
    in_turn = (
        Scenario(
            "afa-cs",
            tilted(clients, spread=spread, noise_squared=1),
            turns(clients, rounds),
            start=start,
            local_step_size=Fraction(1, 4 * clients),
        )
        for clients, rounds in ((2, 30), (5, 30), (12, 36))
        for spread, start in ((0, 0), (1, 1))
    )
    return check_on_runs(
        claim,
        chain(REMEMBERING.edges(rule), MANY.draws(rule, count=30, seed=23), in_turn),
        covers=(
            "step sizes at the edge of the conditions, exact noise moments: edges of the region and"
            " 30 draws with up to 5 workers, 6 rounds, 3 local steps and delay 3; 2, 5 and 12"
            " workers in turn for up to 36 rounds"
        ),
    )


def tuned(trace: Trace, part: Fraction, *, curvature: Fraction, start: Fraction) -> Scenario:
    """h x^2/2 with the noise for which `part` of the largest step size is the one that Corollary 3*
    chooses: sigma_L^2 = 4 (f_0 - f*) M/(7 L (tau + 1) T g^2)."""
    age = int(known_staleness(trace).max()) + 1
    step = part / (4 * curvature * age)
    noise = 2 * start**2 * trace.num_clients / (7 * age * trace.num_rounds * step**2)
    return Scenario(
        "afa-cs",
        tilted(trace.num_clients, curvature=curvature, spread=0, noise_squared=noise),
        trace,
        start=start,
        local_step_size=step,
    )


def balanced(claim: Claim) -> Evidence:
    """Corollary 3* on exact runs of workers in turn."""
    cases = product((1, 2, 4, 8), (4, 16, 32), (Fraction(1), Fraction(1, 2), Fraction(1, 10)))
    return check_on_runs(
        claim,
        (
            tuned(turns(clients, rounds), part, curvature=Fraction(1), start=Fraction(1))
            for clients, rounds, part in cases
        ),
        covers="exact second moments, M = 1, 2, 4, 8 workers in turn, up to 32 rounds, K = 1",
    )


CHECKS = (
    Check("afl.thm2star", general),
    Check("afl.thm2.onestep", single_steps),
    Check("afl.thm3star", uniform),
    Check("afl.thm4star", remembered),
    Check("afl.cor3star", balanced),
)
