"""Theorems 2 to 4 and their corollaries with a thousand workers: exact second moments, step sizes
at the edge of the conditions."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import product

from fltheory.claims.checks.by_instances import Decide
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.crowd import Crowd, Work, course, sampled_course
from fltheory.claims.checks.exact_run import below_root
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scope import Coverage
from fltheory.papers.afl.checks.crowd_runs import (
    HALVES,
    ONE,
    ZERO,
    Edges,
    above_root,
    general,
    in_turn,
    instance,
    late,
    local_sizes,
    oldest,
    remembered,
    server_edge,
    uniform,
)
from fltheory.papers.afl.statements.uniform_arrivals import spread


def balanced() -> Iterator[Instance]:
    """Corollary 3*: ten groups of `size` workers in turn, with the noise for which `part` of the
    largest step is the one that it chooses."""
    for size, rounds, part in product((1, 100), (12, 100), (ONE, Fraction(1, 10))):
        arrivals = in_turn(rounds, 10, 10, 0)
        age, _ = oldest(arrivals)
        step = part / (4 * (age + 1))
        noise = Fraction(20 * size, 7 * (age + 1) * rounds) / step**2
        crowd = Crowd((size,) * 10, (ONE, -ONE) * 5, noise_squared=noise)
        work = Work.of(1, step, crowd.curvature, noise)
        run = course(crowd, arrivals, work, step, ONE, memory=True)
        yield instance(crowd, run, 1, step, step, max_staleness=age, fresh_entries=0)


def at_uniform_rates() -> Iterator[Instance]:
    """Corollary 2 from its horizon on: T = n^2 rounds, m = 1 and 4 of 1000 workers."""
    for side, delay, steps in ((1, 0, 1), (1, 1, 1), (2, 0, 1), (1, 0, 2), (1, 1, 2)):
        root = max(6 * side * (delay + 1), above_root(Fraction(20 * steps**2 * (delay + 1))))
        delays = [min(t, delay) for t in range(root**2)]
        local = Fraction(1, root)
        work = Work.of(steps, local, HALVES.curvature, HALVES.noise_squared)
        run = sampled_course(HALVES, side**2, delays, work, side * local, ONE)
        yield instance(
            HALVES, run, steps, local, side * local, max_delay=delay, clients_per_round=side**2
        )


def at_memory_rates() -> Iterator[Instance]:
    """Corollary 3 from its horizon on: T = n^2 rounds, four workers, all of them or pairs in
    turn, and one."""
    for size, groups, turns, steps in ((1, 1, 1, 1), (2, 2, 1, 1), (2, 2, 2, 1), (1, 1, 1, 2)):
        crowd = Crowd((size,) * groups, (ONE, -ONE)[:groups] if groups > 1 else (ZERO,))
        side = above_root(Fraction(crowd.num_clients))
        root = max(4 * side * turns, above_root(Fraction(12 * steps**2 * turns)))
        arrivals: list[list[int | None]] = [[0] * groups] * root**2
        if turns > 1:
            arrivals = [*arrivals[:1], *late(root**2 - 1, 0, *range(groups), of=groups)]
        local = Fraction(1, root)
        work = Work.of(steps, local, crowd.curvature, crowd.noise_squared)
        run = course(crowd, arrivals, work, side * local, ONE, memory=True)
        yield instance(
            crowd, run, steps, local, side * local, max_staleness=turns - 1, fresh_entries=size
        )


def on_crowds(
    instances: Callable[[], Iterable[Instance]], covers: str, participation: str
) -> Decide:
    """A check of a bound on these runs."""

    def decide(claim: Claim) -> Evidence:
        coverage = Coverage()
        coverage.add_kind("losses", "quadratics of one curvature")
        coverage.add_kind("noise", "with noise, exact second moments")
        coverage.add_kind("participation", participation)
        return check_instances(
            claim,
            instances(),
            method=Method.BOUND_ON_RUN,
            covers=covers,
            coverage=coverage,
        )

    return decide


def uniform_edges(size: int, steps: int, delay: int) -> Iterator[tuple[Fraction, Fraction]]:
    """The edge of (ii) and of (iii) with tau + 1 in Theorem 3 as corrected."""
    rho = spread(1000, size)
    local = (
        Fraction(1, above_root(Fraction(240 * (delay + 1) * steps**2)))
        if steps > 1
        else Fraction(1, 10**6)
    )
    used = (steps * local) ** 2
    limits = [Fraction(1, 2) / (1 - rho)] if rho != 1 else []
    if rho:
        limits.append((Fraction(1, delay + 1) - 120 * used) / (4 * rho * (90 * used + 3)))
    move = min(limits)
    if delay:
        move = 2 * move / (1 + below_root(1 + 4 * delay**2 * move, digits=3) + Fraction(1, 1000))
    yield local, Fraction(int(move * 10**4), 10**4)


def star_edges(size: int, steps: int, delay: int) -> Iterator[tuple[Fraction, Fraction]]:
    """The edges of the two conditions of Theorem 3*."""
    for local in local_sizes(20, steps, delay + 1):
        yield local, Fraction(1, 6 * (delay + 1))


def memory_edge(age: int) -> Fraction:
    """Nearly what (4) and 27 q (1 + l) tau^2 l^2 <= 1 allow with q = 1, or (4) alone."""
    return min(Fraction(1, 18), Fraction(3, 16 * age)) if age else Fraction(1, 14)


TWO_C = Edges(lambda k, d: local_sizes(180, k, max(d, 1)), lambda d: server_edge(2, 3, d))
TWO_HALF = Edges(lambda k, d: local_sizes(180, k, max(d, 1)), lambda d: server_edge(1, 3, d))
TWO_STAR = Edges(lambda k, d: local_sizes(16, k, d + 1), lambda d: server_edge(2, 6, d))
FOUR_C = Edges(lambda k, a: [Fraction(1, above_root(Fraction(2520 * (a + 1) * k**2)))], memory_edge)
FOUR_STAR = Edges(lambda k, a: local_sizes(12, k, a + 1), lambda a: Fraction(1, 4 * (a + 1)))

GENERAL = (
    "1000 workers, exact second moments, step sizes at the edge of the conditions: one worker that"
    " is unlike all others alone for ever, halves in turn, everybody; K = 1, 5, 50 with T = 50, 8,"
    " 3; delays 0, 1, 5; from x_0 = 1 and from the optimum"
)
SAMPLED = (
    "m = 1, 10, 999 and 1000 of 1000 workers uniformly at random, exact second moments over samples"
    " and noise, step sizes at the edge of the conditions; K = 1, 5, 50 with T = 50, 8, 3; delays 0"
    " and 3; from x_0 = 1 and from the optimum"
)
KEPT = (
    "1000 workers, exact second moments, step sizes at the edge of the conditions: ten groups of"
    " 100 in turn with delays 0 and 1, four workers in turn while 996 are absent, everybody; K = 1,"
    " 5, 50 with T = 50, 8, 3; from x_0 = 1 and from the optimum"
)

TUNED = (
    "10 and 1000 workers in ten groups in turn, T = 12 and 100, K = 1, exact second moments, the"
    " noise for which the chosen step is the largest or a tenth of it"
)


def _general(claim: str, edges: Edges) -> Check:
    told = "some are absent, delays"
    return Check(claim, on_crowds(lambda: general(edges), GENERAL, told))


def _kept(claim: str, edges: Edges) -> Check:
    told = "some are absent, remembered updates"
    return Check(claim, on_crowds(lambda: remembered(edges), KEPT, told))


CHECKS = (
    _general("afl.thm2c", TWO_C),
    _general("afl.thm2.half", TWO_HALF),
    _general("afl.thm2star", TWO_STAR),
    Check("afl.thm3c", on_crowds(lambda: uniform(uniform_edges), SAMPLED, "uniform samples")),
    Check("afl.thm3star", on_crowds(lambda: uniform(star_edges), SAMPLED, "uniform samples")),
    _kept("afl.thm4c", FOUR_C),
    _kept("afl.thm4star", FOUR_STAR),
    Check(
        "afl.cor2.explicit",
        on_crowds(
            at_uniform_rates,
            "m = 1 and 4 of 1000 workers uniformly at random, K = 1, 2, tau = 0, 1, from the least"
            " T on; exact second moments over samples and noise",
            "uniform samples",
        ),
    ),
    Check(
        "afl.cor3.explicit",
        on_crowds(
            at_memory_rates,
            "one and four workers, all of them or pairs in turn, K = 1, 2, at the least T; exact"
            " second moments",
            "everybody, or some are absent",
        ),
    ),
    Check("afl.cor3star", on_crowds(balanced, TUNED, "some are absent, remembered updates")),
)
