"""How far an instance is from contradicting a claim: a fast score for the search, an exact comparison for the verdict."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from fltheory.attack.leads import as_number, compiled
from fltheory.checks.instances import Instance, refuted, violated
from fltheory.claims import Claim, Identity, LowerBound, Order, evaluate
from fltheory.counterexamples import replay, to_file
from fltheory.enclosure import Comparison, as_expression, compare, shown
from fltheory.errors import InvalidInput, NotExact
from fltheory.evidence import Evidence, Method

UNTOLD = -2.0
"""Score of an instance that says nothing: both sides 0, or a side without a value."""

CLOSE = 1e-9
"""A relative distance of the sides below which a float does not tell their order."""


@dataclass(frozen=True)
class Look:
    """A fast look at one instance: the sides as fractions or floats, the score, and whether the sides were exact."""

    left: Any
    right: Any
    score: float

    @property
    def exact(self) -> bool:
        return isinstance(self.left, Fraction) and isinstance(self.right, Fraction)

    @property
    def promising(self) -> bool:
        """Worth an exact comparison; exact sides with a positive score already are a contradiction."""
        return self.score > 0 or (not self.exact and self.score > -CLOSE)


def look(claim: Claim, instance: Instance) -> Look:
    """Both sides, and how far they contradict the claim: (left - right)/(|left| + |right|), signed so that above 0 is a contradiction.

    Between -1 and 1; for positive sides it is (r - 1)/(r + 1) with r = left/right, so that it grows with r.
    """
    values = {s.name: as_number(_given(instance, s.name)) for s in claim.symbols}
    try:
        left: Any = compiled(claim.statement.left)(values)
        right: Any = compiled(claim.statement.right)(values)
        if any(isinstance(side, float) and not math.isfinite(side) for side in (left, right)):
            return Look(left, right, UNTOLD)
        total = abs(left) + abs(right)
        gap = float((left - right) / total) if total else 0.0 if isinstance(claim.statement, Identity) else UNTOLD
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


def told_factor(factor: Any, *, up: bool = False) -> str:
    """A factor above 1 in decimals: four digits, and more where two of them would not differ from 1; rounded `up` it is never too small.

    >>> told_factor(Fraction(100, 99)), told_factor(Fraction(100, 99), up=True), told_factor(1.0000432), told_factor(4000)
    ('1.01', '1.011', '1.000043', '4000')
    """
    exact = Fraction(factor)
    places = max(3 - math.floor(math.log10(exact)), 1 - math.floor(math.log10(exact - 1)))
    scale = Fraction(10) ** places
    rounded = (math.ceil if up else round)(exact * scale) / scale
    return f"{float(rounded):.{places + math.floor(math.log10(exact)) + 1}g}"


def worst(claim: Claim, instances: Iterable[Instance]) -> Instance:
    """The instance that comes closest to contradicting the claim, the first of equals: for spaces whose draw yields several."""
    best, score = None, -math.inf
    for instance in instances:
        found = look(claim, instance).score
        if found > score:
            best, score = instance, found
    if best is None:
        raise InvalidInput("instances of a draw", "be at least one", "none")
    return best


def contradicts(claim: Claim, instance: Instance) -> Comparison | None:
    """The exact comparison of the sides where it contradicts the claim; UNKNOWN where it is too close to decide; else None."""
    seen = look(claim, instance)
    if not seen.promising:
        return None
    if seen.exact:
        return compare(seen.left, seen.right)
    try:
        left, right = evaluate(claim.statement.left, instance.values), evaluate(claim.statement.right, instance.values)
        comparison = compare(left, right)
    except NotExact:
        return Comparison.UNKNOWN
    return comparison if comparison is Comparison.UNKNOWN or violated(claim, comparison) else None


def refutation(claim: Claim, instance: Instance, *, covers: str) -> Evidence:
    """REFUTED, after everything has been done once more: the run, its printed assumptions, the sides and their comparison."""
    if isinstance(claim.statement, Order):
        raise InvalidInput(f"claim {claim.id}", "not be an order, which one instance cannot refute", "an order")
    left, right = evaluate(claim.statement.left, instance.values), evaluate(claim.statement.right, instance.values)
    evidence = refuted(claim, instance, left, right, method=Method.ATTACK, covers=f"{covers}: {where(instance)}")
    again = replay(to_file(claim, evidence), claim)
    if not again.confirmed:
        raise InvalidInput(f"counterexample to {claim.id}", "replay", "; ".join(again.steps))
    return evidence


def where(instance: Instance) -> str:
    """An instance in words: its own, or the values of its quantities.

    >>> where(Instance({"num_clients": 2, "local_step_size": "1/2"}))
    'num clients 2, local step size 1/2'
    """
    return instance.says or ", ".join(f"{name.replace('_', ' ')} {shown(as_expression(value))}" for name, value in instance.values.items())


def told_ratio(claim: Claim, instance: Instance) -> str:
    """left/right as exact text."""
    left, right = evaluate(claim.statement.left, instance.values), evaluate(claim.statement.right, instance.values)
    return shown(sympy.S.One if left == right else sympy.S.Infinity if right == 0 else left / right)
