"""How close an instance comes to contradicting a claim: a fast look, which decides nothing."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, Identity, LowerBound
from fltheory.claims.spaces.fast_evaluation import as_number, compiled
from fltheory.core.errors import InvalidInput

UNTOLD = -2.0
"""Score of an instance that says nothing: both sides 0, or a side without a value."""

CLOSE = 1e-9
"""A relative distance of the sides below which a float does not tell their order."""


@dataclass(frozen=True)
class Look:
    """A fast look at one instance: the sides as fractions or floats, the score, and whether the
    sides were exact."""

    left: Any
    right: Any
    score: float

    @property
    def exact(self) -> bool:
        return isinstance(self.left, Fraction) and isinstance(self.right, Fraction)

    @property
    def promising(self) -> bool:
        """Worth an exact comparison; exact sides with a positive score already are a
        contradiction."""
        return self.score > 0 or (not self.exact and self.score > -CLOSE)


def look(claim: Claim, instance: Instance) -> Look:
    """Both sides, and how far they contradict the claim: (left - right)/(|left| + |right|), signed
    so that above 0 is a contradiction.

    Between -1 and 1; for positive sides it is (r - 1)/(r + 1) with r = left/right, so that it grows
    with r.
    """
    values = {s.name: as_number(_given(instance, s.name)) for s in claim.symbols}
    try:
        left: Any = compiled(claim.statement.left)(values)
        right: Any = compiled(claim.statement.right)(values)
        if any(isinstance(side, float) and not math.isfinite(side) for side in (left, right)):
            return Look(left, right, UNTOLD)
        total = abs(left) + abs(right)
        gap = (
            float((left - right) / total)
            if total
            else 0.0
            if isinstance(claim.statement, Identity)
            else UNTOLD
        )
    except (ZeroDivisionError, OverflowError, ValueError):
        return Look(None, None, UNTOLD)
    if gap == UNTOLD:
        return Look(left, right, UNTOLD)
    return Look(left, right, _towards(claim, gap))


def _given(instance: Instance, name: str) -> Any:
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
    """The instance that comes closest to contradicting the claim, the first of equals: for spaces
    whose draw yields several."""
    best, score = None, -math.inf
    for instance in instances:
        found = look(claim, instance).score
        if found > score:
            best, score = instance, found
    if best is None:
        raise InvalidInput("instances of a draw", "be at least one", "none")
    return best
