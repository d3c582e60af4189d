"""Section 5.1: the law of the staleness by enumeration, Theorem 5.2 by exact chains of runs."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.probability import (
    any_of,
    coin_flips,
    exceedance,
    mean,
    tail,
    total_staleness_law,
)
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.enclosure import interval
from fltheory.core.errors import NotExact
from fltheory.core.types import Formula
from fltheory.papers.mifa.checks.tools import check_convex_slack
from fltheory.papers.mifa.statements.bernoulli import (
    HORIZON_LIMIT,
    RATIO,
    SIMULTANEOUS_LIMIT,
    TIME,
)
from fltheory.traces.trace_statistics import rounds_since

CHANCES = tuple(map(Fraction, ("1/2", "1/3", "9/10", "1")))
BITS = 96


def staleness_by_enumeration(chance: Fraction, num_rounds: int) -> dict[int, Fraction]:
    """P(tau(t) = k) in the last round, over all patterns of one device."""
    law: dict[int, Fraction] = {}
    for matrix, mass in coin_flips([chance], num_rounds):
        age = int(rounds_since(matrix)[-1, 0])
        law[age] = law.get(age, Fraction(0)) + mass
    return law


@by_instances(Method.ENUMERATION, "all availability patterns of a device, four chances, t up to 6")
def tails() -> Iterator[Instance]:
    """P(tau(t) >= k) for every k < t (Definition 5.2)."""
    for chance, t in product(CHANCES, range(1, 7)):
        law = staleness_by_enumeration(chance, t)
        for k in range(t):
            yield Instance(
                {
                    "tail_probability": tail(law, k),
                    "availability_probability": chance,
                    "absence": k,
                },
                f"p = {chance}, t = {t}, k = {k}",
            )


@by_instances(Method.ENUMERATION, "all availability patterns of a device, four chances, t up to 7")
def expected_staleness() -> Iterator[Instance]:
    """E tau(t) in round t (Definition 5.2)."""
    for chance, t in product(CHANCES, range(1, 8)):
        yield Instance(
            {
                "expected_staleness": mean(staleness_by_enumeration(chance, t)),
                "availability_probability": chance,
                "round": t,
            },
            f"p = {chance}, t = {t}",
        )


@by_instances(
    Method.PROBABILITY, "exact law of the summed staleness, one and two devices, R up to 14"
)
def expected_average() -> Iterator[Instance]:
    """E taubar over R rounds (Definition 5.2)."""
    sizes = ((1, 1), (2, 2), (5, 1), (9, 2), (14, 1))
    for chance, (rounds, clients) in product(CHANCES, sizes):
        total = mean(total_staleness_law([chance] * clients, rounds))
        yield Instance(
            {
                "expected_mean_staleness": total / (clients * rounds),
                "availability_probability": chance,
                "num_rounds": rounds,
            },
            f"p = {chance}, R = {rounds}, N = {clients}",
        )


def whole_part(expression: Formula, rounding: Callable[[Fraction], int]) -> int:
    """Floor or ceiling of an exact number; an error where its enclosure does not decide."""
    if expression.is_Rational:
        return rounding(Fraction(int(expression.p), int(expression.q)))
    low, high = interval(expression, 40)
    if rounding(low) != rounding(high):
        raise NotExact(f"the whole part of {expression} is not decided by its enclosure")
    return rounding(low)


@cache
def crossing_round() -> Formula:
    """The t at which the limit of Theorem 5.2 reaches a level."""
    (crossing,) = sympy.solve(SIMULTANEOUS_LIMIT - RATIO, TIME)
    return crossing


def simultaneous_limits(
    chance: Fraction, clients: int, level: Fraction, num_rounds: int
) -> Callable[[int], int]:
    """t -> floor of (1/p)(log(N t/delta) + 1), by the rounds in which it steps up."""
    values = {"availability_probability": chance, "num_clients": clients, "confidence_gap": level}
    steps: list[int] = []
    while not steps or steps[-1] <= num_rounds:
        steps.append(whole_part(evaluate(crossing_round(), values | {"level": len(steps)}), ceil))
    return lambda t: bisect_right(steps, t) - 1


SETTINGS = (
    ("1/2", 1, "1"),
    ("3/10", 1, "1"),
    ("9/10", 2, "1"),
    ("1/10", 1, "1"),
    ("1/2", 3, "1/2"),
    ("1/10", 100, "1/20"),
)
"""Chance, number of devices, and delta."""


def simultaneous_failures(num_rounds: int) -> Iterator[Instance]:
    """The chance that some device breaks the limit of Theorem 5.2 in some round, rounded up."""
    for chance, clients, level in SETTINGS:
        p, gap = Fraction(chance), Fraction(level)
        limits = simultaneous_limits(p, clients, gap, num_rounds)
        each = exceedance(p, limits, num_rounds, bits=BITS)
        yield Instance(
            {
                "failure_probability": any_of(each, clients)[1],
                "confidence_gap": gap,
                "availability_probability": p,
            },
            f"p = {p}, N = {clients}, delta = {gap}",
        )


@by_instances(
    Method.PROBABILITY,
    "chain of runs over 80 rounds, rounded outwards: six settings with p from 1/10 to 9/10,"
    " N up to 100, equal p",
)
def simultaneous() -> Iterator[Instance]:
    """Theorem 5.2 over 80 rounds."""
    return simultaneous_failures(80)


@by_instances(
    Method.PROBABILITY,
    "chain of runs over 4000 rounds, rounded outwards: six settings with p from 1/10 to"
    " 9/10, N up to 100, equal p",
)
def simultaneous_long() -> Iterator[Instance]:
    """Theorem 5.2 over 4000 rounds."""
    return simultaneous_failures(4000)


@by_instances(
    Method.PROBABILITY,
    "chain of runs over 80 rounds, rounded outwards: three populations with different p",
)
def simultaneous_mixed() -> Iterator[Instance]:
    """Rare and frequent devices together: nobody fails with the product of the chances
    (Theorem 5.2)."""
    for kinds, level in (
        ({"1/2": 1, "1/10": 1}, "1"),
        ({"9/10": 50, "1/10": 50}, "1/20"),
        ({"1": 3, "1/20": 1}, "1/2"),
    ):
        clients, gap, safe = sum(kinds.values()), Fraction(level), Fraction(1)
        for p, count in ((Fraction(chance), count) for chance, count in kinds.items()):
            each = exceedance(p, simultaneous_limits(p, clients, gap, 80), 80, bits=BITS)
            safe *= 1 - any_of(each, count)[1]
        yield Instance(
            {"failure_probability": 1 - safe, "confidence_gap": gap},
            f"devices by chance {kinds}, delta = {gap}",
        )


def constant_limit(limit: int) -> Callable[[int], int]:
    """The same limit on the staleness in every round."""
    return lambda t: limit


@by_instances(Method.PROBABILITY, "chain of runs, rounded outwards: four settings, N up to 100")
def largest() -> Iterator[Instance]:
    """The chance that tau_max,T exceeds (1/p) log(N (T-1)/delta), rounded up (Theorem 5.2 (2))."""
    for chance, clients, level, rounds in (
        ("1/2", 1, "1", 5),
        ("1/2", 1, "1/10", 40),
        ("9/10", 3, "1/2", 30),
        ("1/10", 100, "1/20", 199),
    ):
        p, gap = Fraction(chance), Fraction(level)
        values = {
            "availability_probability": p,
            "num_clients": clients,
            "confidence_gap": gap,
            "num_rounds": rounds,
        }
        limit = whole_part(evaluate(HORIZON_LIMIT, values), floor)
        each = exceedance(p, constant_limit(limit), rounds, bits=BITS)
        yield Instance(
            {"failure_probability": any_of(each, clients)[1], "confidence_gap": gap},
            f"p = {p}, N = {clients}, delta = {gap}",
        )


def enough_for_slow_growth(claim: Claim) -> Evidence:
    """The limit of Theorem 5.2 stays below t0 + t/b, for the slack is convex in t
    (Theorem 5.2 (1))."""
    sample = {
        "num_clients": 2,
        "availability_probability": "1/2",
        "confidence_gap": "1/2",
        "smoothness": 1,
        "strong_convexity": 1,
    }
    return check_convex_slack(
        claim,
        TIME,
        sample=sample,
        covers="every t > 0, p, N, delta, L and mu: the slack is convex in t and touches 0 at b/p",
    )


CHECKS = (
    Check("mifa.def5.2", tails),
    Check("mifa.def5.2.mean", expected_staleness),
    Check("mifa.def5.2.average", expected_average),
    Check("mifa.thm5.2", simultaneous),
    Check("mifa.thm5.2", simultaneous_mixed),
    Check("mifa.thm5.2", simultaneous_long, slow=True),
    Check("mifa.thm5.2.explicit", simultaneous),
    Check("mifa.thm5.2.explicit", simultaneous_long, slow=True),
    Check(
        "mifa.thm5.2.1",
        enough_for_slow_growth,
        everything="an inequality in all its symbols, by convexity in t",
    ),
    Check("mifa.thm5.2.2", largest),
)
