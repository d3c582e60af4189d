"""Section 5.1: the law of the staleness by enumeration, Theorems 5.2 and 5.3 by exact chains of
runs."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor
from typing import Any

import sympy

from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
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
from fltheory.papers.mifa.checks.tools import check_convex_slack
from fltheory.papers.mifa.statements.bernoulli import (
    AVERAGE_LIMIT,
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


def tails(claim: Claim) -> Evidence:
    instances = (
        Instance(
            {"tail_probability": tail(law, k), "availability_probability": chance, "absence": k},
            f"p = {chance}, t = {t}, k = {k}",
        )
        for chance, t in product(CHANCES, range(1, 7))
        for law in [staleness_by_enumeration(chance, t)]
        for k in range(t)
    )
    return check_instances(
        claim,
        instances,
        method=Method.ENUMERATION,
        covers="all availability patterns of a device, four chances, t up to 6",
    )


def expected_staleness(claim: Claim) -> Evidence:
    instances = (
        Instance(
            {
                "expected_staleness": mean(staleness_by_enumeration(chance, t)),
                "availability_probability": chance,
                "round": t,
            },
            f"p = {chance}, t = {t}",
        )
        for chance, t in product(CHANCES, range(1, 8))
    )
    return check_instances(
        claim,
        instances,
        method=Method.ENUMERATION,
        covers="all availability patterns of a device, four chances, t up to 7",
    )


def expected_average(claim: Claim) -> Evidence:
    instances = (
        Instance(
            {
                "expected_mean_staleness": (
                    mean(total_staleness_law([chance] * clients, rounds)) / (clients * rounds)
                ),
                "availability_probability": chance,
                "num_rounds": rounds,
            },
            f"p = {chance}, R = {rounds}, N = {clients}",
        )
        for chance, (rounds, clients) in product(CHANCES, ((1, 1), (2, 2), (5, 1), (9, 2), (14, 1)))
    )
    return check_instances(
        claim,
        instances,
        method=Method.PROBABILITY,
        covers="exact law of the summed staleness, one and two devices, R up to 14",
    )


def whole_part(expression: sympy.Expr, rounding: Callable[[Any], int]) -> int:
    """Floor or ceiling of an exact number; an error where its enclosure does not decide."""
    if expression.is_Rational:
        return rounding(Fraction(int(expression.p), int(expression.q)))
    low, high = interval(expression, 40)
    if rounding(low) != rounding(high):
        raise NotExact(f"the whole part of {expression} is not decided by its enclosure")
    return rounding(low)


@cache
def crossing_round() -> sympy.Expr:
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


def simultaneous_failures(
    settings: tuple[tuple[str, int, str], ...], num_rounds: int
) -> Iterator[Instance]:
    for chance, clients, level in settings:
        p, gap = Fraction(chance), Fraction(level)
        each = exceedance(
            p, simultaneous_limits(p, clients, gap, num_rounds), num_rounds, bits=BITS
        )
        yield Instance(
            {
                "failure_probability": any_of(each, clients)[1],
                "confidence_gap": gap,
                "availability_probability": p,
            },
            f"p = {p}, N = {clients}, delta = {gap}",
        )


SETTINGS = (
    ("1/2", 1, "1"),
    ("3/10", 1, "1"),
    ("9/10", 2, "1"),
    ("1/10", 1, "1"),
    ("1/2", 3, "1/2"),
    ("1/10", 100, "1/20"),
)


def simultaneous(claim: Claim) -> Evidence:
    return check_instances(
        claim,
        simultaneous_failures(SETTINGS, 80),
        method=Method.PROBABILITY,
        covers=(
            "chain of runs over 80 rounds, rounded outwards: six settings with p from 1/10 to 9/10,"
            " N up to 100, equal p"
        ),
    )


def simultaneous_long(claim: Claim) -> Evidence:
    return check_instances(
        claim,
        simultaneous_failures(SETTINGS, 4000),
        method=Method.PROBABILITY,
        covers=(
            "chain of runs over 4000 rounds, rounded outwards: six settings with p from 1/10 to"
            " 9/10, N up to 100, equal p"
        ),
    )


def simultaneous_mixed(claim: Claim) -> Evidence:
    """Rare and frequent devices together: nobody fails with the product of the chances."""

    def instances() -> Iterator[Instance]:
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

    return check_instances(
        claim,
        instances(),
        method=Method.PROBABILITY,
        covers="chain of runs over 80 rounds, rounded outwards: three populations with different p",
    )


def largest(claim: Claim) -> Evidence:
    def instances() -> Iterator[Instance]:
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
            each = exceedance(p, lambda t, limit=limit: limit, rounds, bits=BITS)  # type: ignore[misc]
            yield Instance(
                {"failure_probability": any_of(each, clients)[1], "confidence_gap": gap},
                f"p = {p}, N = {clients}, delta = {gap}",
            )

    return check_instances(
        claim,
        instances(),
        method=Method.PROBABILITY,
        covers="chain of runs, rounded outwards: four settings, N up to 100",
    )


AVERAGES = (
    (("1/2",), 12),
    (("1/10",), 28),
    (("1/2", "1/5"), 12),
    (("9/10", "1/10"), 14),
    (("1/4", "1/4", "1/2"), 8),
)


def average_fails(claim: Claim) -> Evidence:
    def instances() -> Iterator[Instance]:
        for chances, rounds in AVERAGES:
            inverse = sum(1 / Fraction(p) for p in chances) / len(chances)
            law = total_staleness_law(chances, rounds)
            for level in map(Fraction, ("1", "1/2", "1/10")):
                limit = evaluate(
                    AVERAGE_LIMIT, {"confidence_gap": level, "mean_inverse_chance": inverse}
                )
                most = whole_part(limit * len(chances) * rounds, floor)
                yield Instance(
                    {"failure_probability": tail(law, most + 1), "confidence_gap": level},
                    f"{chances}, R = {rounds}",
                )

    return check_instances(
        claim,
        instances(),
        method=Method.PROBABILITY,
        covers="exact law of taubar for five populations, three values of delta",
    )


def average_tail(claim: Claim) -> Evidence:
    def instances() -> Iterator[Instance]:
        for chances, rounds in AVERAGES:
            inverse = sum(1 / Fraction(p) for p in chances) / len(chances)
            law = total_staleness_law(chances, rounds)
            levels = [total for total in law if total >= inverse * len(chances) * rounds]
            for total in levels[:: max(1, len(levels) // 6)]:
                yield Instance(
                    {
                        "tail_probability": tail(law, total),
                        "level": Fraction(total, len(chances) * rounds) / inverse,
                    },
                    f"{chances}, R = {rounds}, summed staleness {total}",
                )

    return check_instances(
        claim,
        instances(),
        method=Method.PROBABILITY,
        covers="exact law of taubar for five populations, levels x >= 1",
    )


def enough_for_slow_growth(claim: Claim) -> Evidence:
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


def constant_of_average(claim: Claim) -> Evidence:
    return check_convex_slack(
        claim, RATIO, sample={}, covers="every x > 0: the slack is convex and touches 0 at x = e"
    )


def rounds_needed(claim: Claim) -> Evidence:
    """24/35 (2 taubar + 1) at the limit of E taubar, which is the mean of q/p."""

    def instances() -> Iterator[Instance]:
        for chances in (
            ("1",),
            ("1/2",),
            ("1/10", "9/10"),
            ("1/10", "1/5", "3/10"),
            ("1/100", "1"),
        ):
            known = [Fraction(p) for p in chances]
            staleness = sum((1 - p) / p for p in known) / len(known)
            yield Instance(
                {
                    "leading_constant": Fraction(24, 35) * (2 * staleness + 1),
                    "mean_inverse_chance": sum(1 / p for p in known) / len(known),
                },
                f"p = {chances}",
            )

    return check_instances(
        claim,
        instances(),
        method=Method.PROBABILITY,
        covers="exact leading constants of mifa.thm5.1.asymptote for five populations",
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
    Check("mifa.thm5.2.1", enough_for_slow_growth),
    Check("mifa.thm5.2.2", largest),
    Check("mifa.thm5.3", average_fails),
    Check("mifa.thm5.3.explicit", average_tail),
    Check("mifa.thm5.3.constant", constant_of_average),
    Check("mifa.eq2", rounds_needed),
)
