"""Runs of a thousand workers with exact second moments: noise, delays, many local steps, horizons
much shorter than the number of workers."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt

import sympy

from fltheory.claims.checks.crowd import Arrivals, Course, Crowd, Work, course, sampled_course
from fltheory.claims.checks.exact_run import below_root
from fltheory.claims.checks.instances import Instance
from fltheory.core.types import Scalar

ONE, ZERO = Fraction(1), Fraction(0)
ALONE = Crowd((1, 999), (ONE, Fraction(-1, 999)))
"""One worker that is unlike the other 999."""
HALVES = Crowd((500, 500), (ONE, -ONE))
GROUPS = Crowd((100,) * 10, (ONE, -ONE) * 5)
FEW = Crowd((1, 1, 1, 1, 996), (ONE, -ONE, ONE, -ONE, ZERO))
"""Four workers that come and go, and 996 that come once."""
SIZES = ((1, 50), (5, 8), (50, 3))
"""Local steps and rounds."""


def above_root(square: Fraction) -> int:
    """The least whole number whose square is at least `square`."""
    root = isqrt(square.numerator // square.denominator)
    return root if root * root >= square else root + 1


def local_sizes(weight: int, steps: int, counted: int) -> tuple[Fraction, ...]:
    """Local step sizes just inside weight K^2 L^2 eta_L^2 counted <= 1, and any where K = 1."""
    if steps == 1:
        return Fraction(1, 10), Fraction(10)
    return (Fraction(1, above_root(Fraction(weight * counted * steps**2))),)


def server_edge(first: int, second: int, delay: int) -> Fraction:
    """Just inside the root l of first l + second tau^2 l^2 = 1."""
    if not delay:
        return Fraction(1, first)
    root = below_root(first**2 + 4 * second * delay**2, digits=2) + Fraction(1, 100)
    return 2 / (first + root)


@dataclass(frozen=True)
class Edges:
    """Step sizes at the edge of a theorem's conditions: local ones by (K, tau), the product with
    the server's by tau."""

    local: Callable[[int, int], Iterable[Fraction]]
    server: Callable[[int], Fraction]


def instance(
    crowd: Crowd,
    run: Course,
    steps: int,
    local: Fraction,
    step: Fraction,
    **more: Scalar,
) -> Instance:
    """The symbols of Theorems 2 to 4 for one run."""
    start, noise = run.models[0], sympy.Rational(crowd.noise_squared)
    values: dict[str, Scalar] = {
        "num_clients": crowd.num_clients,
        "num_rounds": len(run.models) - 1,
        "local_steps": steps,
        "least_local_steps": steps,
        "local_step_size": local,
        "server_step_size": step / local,
        "smoothness": crowd.curvature,
        "gradient_noise": sympy.sqrt(noise),
        "dissimilarity": crowd.spread,
        "initial_loss_gap": crowd.curvature * start**2 / 2,
        "mean_squared_gradient": run.mean_squared_gradient,
        **more,
    }
    return Instance(values, f"{crowd.num_clients} workers, K = {steps}, g = {step}")


def late(rounds: int, delay: int, *groups: int, of: int) -> list[list[int | None]]:
    """The named groups arrive in turn, with work that is `delay` rounds old where that is
    possible."""
    return [
        [min(t, delay) if j == groups[t % len(groups)] else None for j in range(of)]
        for t in range(rounds)
    ]


def general(edges: Edges) -> Iterator[Instance]:
    """AFA-CD: one worker alone for ever, halves in turn, everybody; delays 0, 1 and 5."""
    for (steps, rounds), delay, start in product(SIZES, (0, 1, 5), (ONE, ZERO)):
        everybody = [[min(t, delay)] * 2 for t in range(rounds)]
        for crowd, arrivals, used in (
            (ALONE, late(rounds, delay, 0, of=2), 1),
            (HALVES, late(rounds, delay, 0, 1, of=2), 500),
            (ALONE, everybody, 1000),
        ):
            reached = min(delay, rounds - 1)
            for local in edges.local(steps, reached):
                step = edges.server(reached)
                work = Work.of(steps, local, crowd.curvature, crowd.noise_squared)
                run = course(crowd, arrivals, work, step, start, memory=False)
                yield instance(
                    crowd, run, steps, local, step, max_delay=reached, clients_per_round=used
                )


def uniform(
    edges: Callable[[int, int, int], Iterable[tuple[Fraction, Fraction]]],
) -> Iterator[Instance]:
    """AFA-CD under uniform arrivals of m = 1, 10, 999 and 1000 of 1000 workers; delays 0 and 3;
    `edges` gives local sizes and steps by (m, K, tau)."""
    for (steps, rounds), delay, size in product(SIZES, (0, 3), (1, 10, 999, 1000)):
        reached = min(delay, rounds - 1)
        delays = [min(t, delay) for t in range(rounds)]
        for start, (local, step) in product((ONE, ZERO), edges(size, steps, reached)):
            work = Work.of(steps, local, HALVES.curvature, HALVES.noise_squared)
            run = sampled_course(HALVES, size, delays, work, step, start)
            yield instance(
                HALVES, run, steps, local, step, max_delay=reached, clients_per_round=size
            )


def in_turn(rounds: int, groups: int, comers: int, delay: int) -> Arrivals:
    """Everybody in the first round, then the first `comers` groups in turn."""
    later = late(rounds - 1, delay, *range(comers), of=groups)
    return [[0] * groups, *[[None if d is None else d for d in row] for row in later]]


def oldest(arrivals: Arrivals) -> tuple[int, int]:
    """The largest age of an entry of the memory, and the least number of groups with a fresh
    one."""
    ages, most, fresh = [0] * len(arrivals[0]), 0, len(arrivals[0])
    for row in arrivals:
        ages = [age + 1 if d is None else d for age, d in zip(ages, row, strict=True)]
        most, fresh = max(most, max(ages)), min(fresh, ages.count(0))
    return most, fresh


def remembered(edges: Edges) -> Iterator[Instance]:
    """AFA-CS: ten groups of 100 in turn, four workers of 1000 in turn, everybody."""
    for (steps, rounds), start in product(SIZES, (ONE, ZERO)):
        for crowd, arrivals in (
            (GROUPS, in_turn(rounds, 10, 10, 0)),
            (GROUPS, in_turn(rounds, 10, 10, 1)),
            (FEW, in_turn(min(rounds, 8), 5, 4, 0)),
            (HALVES, [[0, 0]] * rounds),
        ):
            age, _ = oldest(arrivals)
            for local in edges.local(steps, age):
                step = edges.server(age)
                work = Work.of(steps, local, crowd.curvature, crowd.noise_squared)
                run = course(crowd, arrivals, work, step, start, memory=True)
                fresh = crowd.num_clients if not age else 0
                yield instance(
                    crowd, run, steps, local, step, max_staleness=age, fresh_entries=fresh
                )
