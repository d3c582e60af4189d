"""The whole numbers and fixed numbers that the conditions of a claim allow for a quantity, so that
draws need not guess them."""

from bisect import bisect_left
from collections.abc import Iterable
from fractions import Fraction
from functools import cache

from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.forever import LIMITS as LIMITS

FARTHEST = 1000
"""The largest number considered."""

REACH = {"max_staleness": 1, "max_delay": 1, "staleness_bound": 0, "availability_window": -1}
"""Number of rounds beyond its own value that a quantity needs: work in round n - 1 is at most n - 1
rounds old; a window is one more than the longest absence, which may last all n rounds."""

AGES = frozenset({"max_staleness", "mean_staleness", "mean_client_max_staleness", "fresh_entries"})
"""Quantities that are defined only if all clients deliver in the first round."""


def formulas(claim: Claim) -> list[Condition]:
    """The printed assumptions that are formulas."""
    return [a.holds for a in claim.assumes if a.stated and isinstance(a.holds, Condition)]


def allowed(claim: Claim, name: str, *, least: int = 1) -> tuple[int, ...]:
    """Whole numbers that the conditions on this quantity alone allow, in order; all of them without
    such a condition."""
    own = tuple(condition for condition in formulas(claim) if condition.names == {name})
    found = _allowed(own, name, least)
    return found or _all_from(least)


@cache
def _all_from(least: int) -> tuple[int, ...]:
    return tuple(range(least, FARTHEST + 1))


@cache
def _allowed(own: Iterable[Condition], name: str, least: int) -> tuple[int, ...]:
    return tuple(
        n
        for n in range(least, FARTHEST + 1)
        if all(condition({name: n}) is True for condition in own)
    )


def rounds_allowed(claim: Claim) -> tuple[int, ...]:
    """Numbers of rounds that are large enough for the conditions on delays and windows.

    >>> from fltheory.papers.claim_files import claims_of
    >>> claim = {"id": "m.a", "says": "A.", "left": "num_rounds", "sign": "<=", "right": "1"}
    >>> def fewest(condition):
    ...     listed = [claim | {"about": ["fedavg"], "assumes": [condition]}]
    ...     return rounds_allowed(claims_of({"paper": {"key": "m"}, "claim": listed})[0])[0]
    >>> fewest("availability_window = 1"), fewest("availability_window = 3")
    (1, 2)
    >>> fewest("staleness_bound = 2"), fewest("max_delay = 2")
    (2, 3)
    """
    needed = max(allowed(claim, name, least=0)[0] + more for name, more in REACH.items())
    return _from(allowed(claim, "num_rounds"), needed)


def _from(numbers: tuple[int, ...], needed: int) -> tuple[int, ...]:
    """Those of the growing numbers that are large enough; all if there are none."""
    return numbers[bisect_left(numbers, needed) :] or numbers


def fixed(claim: Claim) -> dict[str, Fraction]:
    """Quantities that a condition sets to a number.

    >>> from fltheory.papers.claim_files import claims_of
    >>> claim = {"id": "m.a", "says": "A.", "left": "smoothness", "sign": "<=", "right": "1"}
    >>> listed = [claim | {"assumes": ["smoothness = 1/2"]}]
    >>> fixed(claims_of({"paper": {"key": "m"}, "claim": listed})[0])
    {'smoothness': Fraction(1, 2)}
    """
    found: dict[str, Fraction] = {}
    for condition in formulas(claim):
        for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
            if condition.sign == "=" and side.is_Symbol and other.is_Rational:
                found[side.name] = Fraction(int(other.p), int(other.q))
    return found


def names_of(claim: Claim) -> set[str]:
    """Every quantity of the claim and of its conditions."""
    return {
        s.name for s in claim.symbols.union(*(condition.symbols for condition in formulas(claim)))
    }


IMPORTANCE = frozenset(
    {
        "importance",
        "least_importance",
        "largest_importance",
        "sum_squared_importance",
        "client_importance",
    }
)
"""Quantities by which a claim speaks of unequal importance; without one, clients are equal."""


def speaks_of_importance(claim: Claim) -> bool:
    """Does the claim allow for clients of unequal importance?"""
    return any(word in name for name in names_of(claim) for word in IMPORTANCE)
