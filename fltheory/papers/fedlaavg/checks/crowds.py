"""Theorems 3 and 4 and their best forms with a thousand clients: exact second moments, cold starts,
horizons much shorter than the number of clients."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import product

import sympy

from fltheory.claims.checks.by_instances import Decide
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.crowd import Arrivals, Crowd, Work, course
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scope import Coverage

ONE, ZERO = Fraction(1), Fraction(0)
GROUPS = Crowd((100,) * 10, (ONE, -ONE) * 5)
PAIRS = Crowd((1,) * 10, (ONE, -ONE) * 5)
EQUAL = Crowd((1000,), (ZERO,))


def in_turn(rounds: int, groups: int, *, warm: bool) -> Arrivals:
    """The groups take part one after the other; everybody in the first round if `warm`."""
    rows: list[list[int | None]] = [
        [0 if t % groups == j else None for j in range(groups)] for t in range(rounds)
    ]
    if warm:
        rows[0] = [0] * groups
    return rows


def longest_wait(arrivals: Arrivals) -> int:
    """I: the largest t - T_i^t, counted from round 0 for a group not yet heard from."""
    ages, most = [0] * len(arrivals[0]), 0
    for row in arrivals:
        ages = [age + 1 if d is None else 0 for age, d in zip(ages, row, strict=True)]
        most = max(most, *ages)
    return most


def run(crowd: Crowd, arrivals: Arrivals, steps: int, size: Fraction, start: Fraction) -> Instance:
    """The symbols of Theorems 3 and 4 for one run with noise of +-sigma.

    The losses may be clipped where no model of any outcome gets: G^2 is the largest squared slope
    there plus sigma^2.
    """
    noise = sympy.sqrt(sympy.Rational(crowd.noise_squared))
    work = Work.of(steps, size, crowd.curvature, crowd.noise_squared)
    models = course(crowd, arrivals, work, size * steps, start, memory=True)
    bounded = Fraction(int(sympy.ceiling(noise)))
    pushed = size * steps * (crowd.spread + bounded)
    slope = crowd.curvature * (models.reach(bounded) + pushed) + crowd.spread
    values = {
        "num_clients": crowd.num_clients,
        "num_rounds": len(arrivals),
        "local_steps": steps,
        "local_step_size": size,
        "smoothness": crowd.curvature,
        "staleness_bound": longest_wait(arrivals),
        "gradient_noise": noise,
        "gradient_bound": sympy.sqrt(sympy.Rational(slope**2) + noise**2),
        "initial_loss_gap": crowd.curvature * start**2 / 2,
        "mean_squared_gradient": models.mean_squared_gradient,
    }
    return Instance(values, f"{crowd.num_clients} clients, C = {steps}, gamma = {size}")


def tables(*, warm: tuple[bool, ...]) -> Iterator[tuple[Crowd, Arrivals]]:
    """Groups in turn for 60, 12 and 4 rounds, and everybody in every round."""
    for crowd, rounds, first in product((GROUPS, PAIRS), (60, 12, 4), warm):
        yield crowd, in_turn(rounds, 10, warm=first)
    for rounds in (4, 100):
        yield EQUAL, [[0]] * rounds


def short_steps(
    *, warm: tuple[bool, ...], local_steps: tuple[int, ...] = (1,)
) -> Iterator[Instance]:
    """At the edge of 4 gamma L C (I + 1) <= 1, and at a tenth of it."""
    for steps, (crowd, arrivals), part, start in product(
        local_steps, tables(warm=warm), (ONE, Fraction(1, 10)), (ONE, ZERO)
    ):
        if len(arrivals) * steps <= 120:
            edge = 4 * crowd.curvature * steps * (longest_wait(arrivals) + 1)
            yield run(crowd, arrivals, steps, part / edge, start)


def tuned() -> Iterator[Instance]:
    """With the noise for which the edge, or a tenth of it, is the balancing step size."""
    for (crowd, arrivals), part in product(tables(warm=(True, False)), (ONE, Fraction(1, 10))):
        age = longest_wait(arrivals) + 1
        size = part / (4 * age)
        noise = Fraction(2 * crowd.num_clients, 7 * age * len(arrivals)) / size**2
        noisy = Crowd(crowd.sizes, crowd.tilts, crowd.curvature, noise)
        yield run(noisy, arrivals, 1, size, ONE)


def large_steps(local_steps: tuple[int, ...]) -> Iterator[Instance]:
    """gamma L = 49/100 and 1/20, warm and cold."""
    sizes = (Fraction(49, 100), Fraction(1, 20))
    for steps, (crowd, arrivals), size in product(local_steps, tables(warm=(True, False)), sizes):
        if len(arrivals) * steps <= 60:
            yield run(crowd, arrivals, steps, size, ONE)


def on_crowds(instances: Callable[[], Iterable[Instance]], covers: str) -> Decide:
    """A check of a bound on these runs."""

    def decide(claim: Claim) -> Evidence:
        coverage = Coverage()
        coverage.add_kind("losses", "quadratics of one curvature, clipped where no run gets")
        coverage.add_kind("noise", "with noise, exact second moments")
        coverage.add_kind("participation", "some are absent, cold and warm starts")
        return check_instances(
            claim, instances(), method=Method.BOUND_ON_RUN, covers=covers, coverage=coverage
        )

    return decide


WHO = (
    "10 and 1000 clients in ten groups in turn for 4, 12 and 60 rounds, 1000 clients in every round"
    " for 4 and 100; exact second moments"
)
EDGE = "at the edge of the step-size condition and at a tenth of it"
CHECKS = (
    Check(
        "fedlaavg.thm3star",
        on_crowds(lambda: short_steps(warm=(True, False)), f"{WHO}, {EDGE}, warm and cold starts"),
    ),
    Check(
        "fedlaavg.thm3star.warm",
        on_crowds(lambda: short_steps(warm=(True,)), f"{WHO}, {EDGE}, warm start"),
    ),
    Check("fedlaavg.cor1star", on_crowds(tuned, f"{WHO}, {EDGE}, warm and cold starts")),
    Check(
        "fedlaavg.thm4star",
        on_crowds(
            lambda: short_steps(warm=(True, False), local_steps=(1, 5, 30)),
            f"{WHO}, {EDGE}, 1, 5 and 30 local steps, warm and cold starts",
        ),
    ),
    Check(
        "fedlaavg.thm3",
        on_crowds(lambda: large_steps((1,)), f"{WHO}, step sizes 49/(100 L) and 1/(20 L)"),
    ),
    Check(
        "fedlaavg.thm4.server",
        on_crowds(
            lambda: large_steps((1, 5, 15)),
            f"{WHO}, step sizes 49/(100 L) and 1/(20 L), 1, 5 and 15 local steps",
        ),
    ),
)
