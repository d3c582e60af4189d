"""Score how close an instance comes to contradicting a claim: fast, without deciding anything."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Identity, LowerBound
from fltheory.claims.fast_evaluation import Number, as_number, compiled, magnitude
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Scalar

UNTOLD = -2.0
"""Score of an uninformative instance: both sides are 0, or a side has no value."""

CLOSE = 1e-9
"""Relative distance of the sides below which floats do not determine their order."""


@dataclass(frozen=True)
class Look:
    """A fast look at one instance: both sides as fractions or floats (NaN without a value), and the
    score."""

    left: Number
    right: Number
    score: float

    @property
    def exact(self) -> bool:
        return isinstance(self.left, Fraction) and isinstance(self.right, Fraction)

    @property
    def promising(self) -> bool:
        """Is an exact comparison worthwhile? Exact sides with a positive score already contradict
        the claim."""
        return self.score > 0 or (not self.exact and self.score > -CLOSE)


def look(claim: Claim, instance: Instance) -> Look:
    """Both sides and their score (left - right)/(|left| + |right|), signed so that a positive score
    is a contradiction.

    The score lies between -1 and 1; for positive sides it is (r - 1)/(r + 1) with r = left/right,
    which grows with r.
    """
    values = {s.name: as_number(_given(instance, s.name)) for s in claim.symbols}
    try:
        left = compiled(claim.statement.left)(values)
        right = compiled(claim.statement.right)(values)
        if any(isinstance(side, float) and not math.isfinite(side) for side in (left, right)):
            return Look(left, right, UNTOLD)
        total = magnitude(left) + magnitude(right)
        gap = (
            float((left - right) / total)
            if total
            else 0.0
            if isinstance(claim.statement, Identity)
            else UNTOLD
        )
    except (ZeroDivisionError, OverflowError, ValueError):
        return Look(math.nan, math.nan, UNTOLD)
    if gap == UNTOLD:
        return Look(left, right, UNTOLD)
    return Look(left, right, _towards(claim, gap))


def _given(instance: Instance, name: str) -> Scalar | str:
    if name not in instance.values:
        raise InvalidInput(f"symbol {name}", "have a value in every instance of its space", "none")
    return instance.values[name]


def _towards(claim: Claim, gap: float) -> float:
    if isinstance(claim.statement, Identity):
        return abs(gap)
    return -gap if isinstance(claim.statement, LowerBound) else gap


def ratio_of(score: float) -> float:
    """left/right (right/left of a lower bound) at an instance with this score and positive sides.

    >>> ratio_of(0.0), ratio_of(0.5), ratio_of(-1.0)
    (1.0, 3.0, 0.0)
    """
    return math.inf if score >= 1 else (1 + score) / (1 - score)


def worst(claim: Claim, instances: Iterable[Instance]) -> Instance:
    """The first instance with the highest score, for spaces whose draw yields several."""
    best, score = None, -math.inf
    for instance in instances:
        found = look(claim, instance).score
        if found > score:
            best, score = instance, found
    if best is None:
        raise InvalidInput("instances of a draw", "be at least one", "none")
    return best
