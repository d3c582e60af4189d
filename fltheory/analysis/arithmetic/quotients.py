"""Quotients of polynomials that are never reduced, so that the work of a check can be counted."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sympy import ZZ
from sympy.polys.rings import PolyElement, PolyRing

from fltheory.core.errors import InvalidInput

MOST_STEPS = 4_000_000
MOST_VARIABLES = 24
MAX_POWER = 10_000
MAX_BITS = 1000
"""Longest coefficient."""


class StepCount:
    """Counts the steps of a check: products of terms and characters of formulas.

    >>> work = StepCount(10)
    >>> work.spend(8)
    >>> work.left
    2
    """

    def __init__(self, most: int = MOST_STEPS) -> None:
        self.most = self.left = most

    def spend(self, steps: int) -> None:
        """Refuse what takes more steps than are left."""
        self.left -= steps
        if self.left < 0:
            raise wrong(f"take at most {self.most} steps", "more")


@dataclass(frozen=True, eq=False)
class Quotient:
    """`over` times a product of factors, whose powers may be below 0; whole coefficients.

    Sums expand factors that both sides do not share; nothing else is expanded.

    >>> x, y = variables(["x", "y"])
    >>> (x / y + 1) * y == x + y
    True
    """

    over: PolyElement
    factors: Mapping[PolyElement, int]
    work: StepCount

    def constant(self, x: Fraction | int) -> "Quotient":
        """A number beside this quotient."""
        ring, x = self.over.ring, Fraction(x)
        below = {ring(x.denominator): -1} if x.denominator > 1 else {}
        return Quotient(ring(x.numerator), below, self.work)

    def __add__(self, other: "Quotient | int") -> "Quotient":
        other = self._same_kind(other)
        shared = {
            f: min(self.factors.get(f, 0), other.factors.get(f, 0))
            for f in (*self.factors, *other.factors)
        }
        sides = [one._beside(shared) for one in (self, other)]
        return Quotient(sides[0] + sides[1], {f: k for f, k in shared.items() if k}, self.work)

    def __neg__(self) -> "Quotient":
        return Quotient(-self.over, self.factors, self.work)

    def __sub__(self, other: "Quotient | int") -> "Quotient":
        return self + -self._same_kind(other)

    def __radd__(self, other: int) -> "Quotient":
        return self + other

    def __rsub__(self, other: int) -> "Quotient":
        return -self + other

    def __mul__(self, other: "Quotient") -> "Quotient":
        powers = Counter(self.factors)
        powers.update(other.factors)
        known = {f: k for f, k in powers.items() if k}
        return Quotient(self._times(self.over, other.over), known, self.work)

    def __truediv__(self, other: "Quotient") -> "Quotient":
        return self * other**-1

    def __pow__(self, power: int) -> "Quotient":
        if not self.over and power < 0:
            raise wrong("not divide by 0", "0")
        if not self.over or power == 0:
            return self.constant(1) if power == 0 else self
        self.work.spend(len(self.over))
        powers = Counter({f: k * power for f, k in self.factors.items()})
        content, whole = self.over.primitive()
        for factor in (self.over.ring(content), whole):
            if factor != 1:
                powers[factor] += power
        if any(abs(k) > MAX_POWER for k in powers.values()):
            raise wrong(f"have powers of at most {MAX_POWER}", str(power)[:20])
        return Quotient(self.over.ring(1), {f: k for f, k in powers.items() if k}, self.work)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quotient) and not (self - other).over

    __hash__ = None  # type: ignore[assignment]

    def _same_kind(self, other: "Quotient | int") -> "Quotient":
        return self.constant(other) if isinstance(other, int) else other

    def _beside(self, shared: Mapping[PolyElement, int]) -> PolyElement:
        """The numerator when only the shared factors are left outside."""
        return self._expanded(self.over, {f: self.factors.get(f, 0) - k for f, k in shared.items()})

    def _expanded(self, start: PolyElement, factors: Mapping[PolyElement, int]) -> PolyElement:
        for factor, k in factors.items():
            for _ in range(k):
                start = self._times(start, factor)
        return start

    def _times(self, p: PolyElement, q: PolyElement) -> PolyElement:
        self.work.spend(len(p) * len(q) + 1)
        found = p * q
        if any(abs(x).bit_length() > MAX_BITS for x in found.values()):
            raise wrong(f"have coefficients of at most {MAX_BITS} bits", "larger ones")
        return found

    @cached_property
    def numer(self) -> PolyElement:
        """The expanded numerator."""
        return self._expanded(self.over, {f: k for f, k in self.factors.items() if k > 0})

    @cached_property
    def denom(self) -> PolyElement:
        """The expanded denominator."""
        below = {f: -k for f, k in self.factors.items() if k < 0}
        return self._expanded(self.over.ring(1), below)

    def is_quotient_of(self, up: PolyElement, low: PolyElement) -> bool:
        """Is it up/low? Not if low is 0."""
        return bool(low) and self._times(self.numer, low) == self._times(up, self.denom)

    def without_variables(self) -> Fraction | None:
        """The number that it is; None if it has variables."""
        if not (self.numer.is_ground and self.denom.is_ground):
            return None
        return Fraction(int(self.numer.coeff(1)), int(self.denom.coeff(1)))


def variables(names: list[str], work: StepCount | None = None) -> Iterator[Quotient]:
    """A quotient for each name; all share the count of steps."""
    if len(names) > MOST_VARIABLES:
        raise wrong(f"have at most {MOST_VARIABLES} variables", str(len(names)))
    ring, work = PolyRing(names or ["nothing"], ZZ), work or StepCount()
    return (Quotient(ring(1), {x: 1}, work) for x in ring.gens)


def wrong(rule: str, got: str) -> InvalidInput:
    """An error of an arithmetic certificate."""
    return InvalidInput("arithmetic certificate", rule, got)
