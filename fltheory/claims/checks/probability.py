"""Exact probability for coin-flip availability: absences, staleness, waiting; enclosures for
infinite series."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import comb, prod
from typing import TypeVar

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import BoolArray, ExactLike
from fltheory.traces.availability.base import chances, whole

Bounds = tuple[Fraction, Fraction]
"""A lower and an upper bound of a number; equal if the number is known exactly."""

Mass = TypeVar("Mass", int, Fraction)
"""A probability, exact or scaled to a whole number."""

MAX_PATTERNS = 1 << 16
"""Maximum number of availability patterns to enumerate."""

GUARD_BITS = 160
"""Binary digits behind the point in outward-rounded sums."""


def coin_flips(
    probabilities: Sequence[ExactLike], num_rounds: int
) -> Iterator[tuple[BoolArray, Fraction]]:
    """Every availability matrix with everybody in round one, and its chance under independent coin
    flips (MIFA Def. 5.2).

    >>> for matrix, chance in coin_flips(["1/3"], 2):
    ...     print(matrix[:, 0].astype(int), chance)
    [1 0] 2/3
    [1 1] 1/3
    """
    known, rounds = chances(probabilities), whole(num_rounds, "number of rounds")
    cells = (rounds - 1) * len(known)
    if 1 << cells > MAX_PATTERNS:
        raise InvalidInput(
            "number of availability patterns", f"be at most {MAX_PATTERNS}", f"2^{cells}"
        )
    for bits in product((False, True), repeat=cells):
        later = np.array(bits, np.bool_).reshape(rounds - 1, len(known))
        chance = prod(
            (p if here else 1 - p for row in later for p, here in zip(known, row, strict=True)),
            start=Fraction(1),
        )
        if chance:
            yield np.concatenate([np.ones((1, len(known)), np.bool_), later]), chance


def staleness_law(probability: ExactLike, num_rounds: int) -> dict[int, Fraction]:
    """Law of the sum of one client's tau(t) over the rounds, by the chain of its current absence
    (MIFA Def. 5.2).

    >>> staleness_law("1/2", 3)
    {0: Fraction(1, 4), 1: Fraction(1, 2), 3: Fraction(1, 4)}
    """
    (chance,) = chances([probability])
    states = {(0, 0): Fraction(1)}
    for _ in range(whole(num_rounds, "number of rounds") - 1):
        following: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
        for (absence, total), mass in states.items():
            following[0, total] += mass * chance
            if chance < 1:
                following[absence + 1, total + absence + 1] += mass * (1 - chance)
        states = following
    law: dict[int, Fraction] = defaultdict(Fraction)
    for (_, total), mass in states.items():
        law[total] += mass
    return dict(sorted(law.items()))


def total_staleness_law(probabilities: Sequence[ExactLike], num_rounds: int) -> dict[int, Fraction]:
    """Law of sum_i sum_t tau(t, i), which is N (T-1) times MIFA's taubar_T; clients are
    independent.

    >>> total_staleness_law(["1/2", "1/2"], 2)
    {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}
    """
    law = {0: Fraction(1)}
    for probability in chances(probabilities):
        one = staleness_law(probability, num_rounds)
        joint: dict[int, Fraction] = defaultdict(Fraction)
        for (total, mass), (more, other) in product(law.items(), one.items()):
            joint[total + more] += mass * other
        law = dict(joint)
    return dict(sorted(law.items()))


def tail(law: Mapping[int, Fraction], level: ExactLike) -> Fraction:
    """Chance of a value of at least `level`.

    >>> tail(staleness_law("1/2", 3), 1)
    Fraction(3, 4)
    """
    least = exact(level, "level")
    return sum((mass for value, mass in law.items() if value >= least), Fraction(0))


def mean(law: Mapping[int, Fraction]) -> Fraction:
    """Expected value.

    >>> mean(staleness_law("1/2", 3))
    Fraction(5, 4)
    """
    return sum((value * mass for value, mass in law.items()), Fraction(0))


def exceedance(
    probability: ExactLike, limit: Callable[[int], int], num_rounds: int, *, bits: int | None = None
) -> Bounds:
    """Chance that tau(t) > limit(t) for some t = 1..num_rounds, by the chain of runs (one client,
    there in round one).

    `limit` must not fall as t grows. u_t = P(there at t, never above the limit before) = p sum_s
    u_s q^(t-s-1) over the earlier rounds s from which the absence is still within its limits. With
    `bits` the products are rounded outwards.

    >>> exceedance("1/2", lambda t: 1, 4)[0], exceedance("1/2", lambda t: 1, 4, bits=8)
    (Fraction(3, 8), (Fraction(3, 8), Fraction(3, 8)))
    """
    (chance,) = chances([probability])
    rounds = whole(num_rounds, "number of rounds")
    limits = [limit(t) for t in range(1, rounds + 1)]
    if any(a > b for a, b in pairwise(limits)):
        raise InvalidInput("limit on the absence", "not fall as rounds go by", "a falling one")
    if bits is None:
        survives = _survival(
            limits, Fraction(1), lambda mass: mass * chance, lambda mass: mass * (1 - chance)
        )
        return 1 - survives, 1 - survives
    scale = 1 << whole(bits, "bits")
    lower = _survival(limits, scale, _times(chance, up=False), _times(1 - chance, up=False))
    upper = _survival(limits, scale, _times(chance, up=True), _times(1 - chance, up=True))
    return max(1 - Fraction(upper, scale), Fraction(0)), 1 - Fraction(lower, scale)


def _times(factor: Fraction, *, up: bool) -> Callable[[int], int]:
    """Multiply a scaled whole number, rounded one way."""
    over, under = factor.numerator, factor.denominator
    return (lambda mass: -(-mass * over // under)) if up else (lambda mass: mass * over // under)


def _survival(
    limits: Sequence[int],
    one: Mass,
    returns: Callable[[Mass], Mass],
    stays_away: Callable[[Mass], Mass],
) -> Mass:
    """P(no absence above its limit); `alive[k]` is the chance of a current absence of k rounds with
    no excess so far."""
    nothing = one - one
    alive: list[Mass] = [one] if limits[0] >= 0 else []
    for limit in limits[1:]:
        back = [returns(sum(alive, nothing))]
        alive = back + [stays_away(mass) for mass in alive[:limit]] if limit >= 0 else []
    return sum(alive, nothing)


def any_of(each: Bounds, copies: int) -> Bounds:
    """Chance that at least one of several independent copies of an event happens.

    >>> any_of((Fraction(1, 2), Fraction(1, 2)), 2)
    (Fraction(3, 4), Fraction(3, 4))
    """
    low, high = (1 - (1 - bound) ** whole(copies, "copies") for bound in each)
    return low, high


def expected_wait_bounds(
    populations: Mapping[ExactLike, int], *, sample_size: int | None = None, terms: int = 800
) -> Bounds:
    """Mean number of rounds until every client of a uniform sample has been seen, for many clients
    of a few kinds (MIFA Sec. 5.1, E_S T(S)).

    E_S T(S) = sum_{k >= 0} (1 - e_S(1 - q_1^k, ..., 1 - q_N^k) / C(N, S)) with the elementary
    symmetric polynomial e_S; the terms after the last are at most N q_max^k in sum N q_max^terms /
    p_min. Rounded outwards.

    >>> low, high = expected_wait_bounds({"1/2": 2})
    >>> low <= Fraction(8, 3) <= high and high - low < Fraction(1, 10**20)
    True
    """
    kinds = dict(
        zip(
            chances(populations),
            (whole(n, "clients of a kind") for n in populations.values()),
            strict=True,
        )
    )
    clients = sum(kinds.values())
    size = clients if sample_size is None else whole(sample_size, "sample size")
    if size > clients:
        raise InvalidInput("sample size", f"be at most the {clients} clients to choose from", size)
    scale = 1 << GUARD_BITS
    subsets, low, high = comb(clients, size), 0, 0
    for k in range(whole(terms, "number of terms")):
        seen = [(1 - (1 - p) ** k, n) for p, n in kinds.items()]
        low += scale - -(-_symmetric(seen, size, scale, up=True) // subsets)
        high += scale - _symmetric(seen, size, scale, up=False) // subsets
    least = min(kinds)
    return Fraction(low, scale), Fraction(high, scale) + clients * (1 - least) ** terms / least


def _symmetric(kinds: Sequence[tuple[Fraction, int]], degree: int, scale: int, *, up: bool) -> int:
    """e_degree of numbers with multiplicities, times the scale and rounded one way: a coefficient
    of prod (1 + x z)^n."""
    clients = sum(count for _, count in kinds)
    coefficients = [scale] + [0] * degree
    done = 0
    for value, count in kinds:
        times = _times(Fraction(_times(value, up=up)(scale), scale), up=up)
        for _ in range(count):
            done += 1
            # only degrees from which the wanted one can still be reached
            for d in range(min(degree, done), max(0, degree - clients + done - 1), -1):
                coefficients[d] += times(coefficients[d - 1])
    return coefficients[degree]
