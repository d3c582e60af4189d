"""Corollary 1: the least number of rounds from which on its step sizes are allowed, by
bisection."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.evidence import Method


def least(holds: Callable[[int], bool]) -> int:
    """The least whole number above 0 at which a condition holds that stays true from there on.

    >>> least(lambda n: n**2 > 50)
    8
    """
    low, high = 0, 1
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def least_horizon(steps: int, delay: int, per_round: int, smoothness: Fraction) -> int:
    """The least T with 180 K^2 L^2 max(tau, 1) <= T unless K = 1, and 2 L g + 3 tau^2 L^2 g^2 <= 1
    at g = sqrt(m/T)."""

    def allowed(rounds: int) -> bool:
        if steps > 1 and 180 * steps**2 * smoothness**2 * max(delay, 1) > rounds:
            return False
        # 2 L sqrt(m/T) <= 1 - 3 tau^2 L^2 m/T, squared where both sides are at least 0
        squared_step = Fraction(per_round, rounds)
        rest = 1 - 3 * delay**2 * smoothness**2 * squared_step
        return rest >= 0 and 4 * smoothness**2 * squared_step <= rest**2

    return least(allowed)


@by_instances(
    Method.EXACT_RUN,
    covers="bisection for K up to 10, tau up to 4, m up to 100, three values of L",
)
def horizons() -> Iterator[Instance]:
    """The least T at which both conditions hold in exact arithmetic; both are monotone in T."""
    for case in product(
        (1, 2, 5, 10), (0, 1, 4), (1, 5, 100), (Fraction(1, 10), Fraction(1), Fraction(3, 2))
    ):
        names = ("local_steps", "max_delay", "clients_per_round", "smoothness")
        values = {"smallest_horizon": least_horizon(*case)} | dict(zip(names, case, strict=True))
        yield Instance(values, f"(K, tau, m, L) = {case}")


CHECKS = (Check("afl.cor1.horizon", horizons),)
