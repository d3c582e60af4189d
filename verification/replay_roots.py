"""Exact numbers with square roots: sums of fractions times roots of whole numbers without squares,
which are linearly independent over the fractions, so that a number is 0 only if every term is.

Standard library only; no code of the package.
"""

import re
import sys
from decimal import Decimal
from fractions import Fraction as F
from functools import lru_cache
from math import gcd, isqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from strict_json import NotCheckable  # type: ignore[import-not-found]

LARGEST = 10**12
MOST_TERMS = 64
LONGEST, DEEPEST = 2000, 40
TOKEN = re.compile(r"\s*([0-9]{1,40}(?:\.[0-9]{1,40})?|sqrt|[-+*/()])")


@lru_cache(maxsize=4096)
def split(n):
    """(a, b) with n = a^2 b and no square in b, for a whole number above 0; None if n is too
    large. What has no factor up to its cube root is a prime, a product of two, or a square."""
    if n > LARGEST:
        return None
    square, rest, p = 1, 1, 2
    while p**3 <= n:
        while n % (p * p) == 0:
            n, square = n // (p * p), square * p
        if n % p == 0:
            n, rest = n // p, rest * p
        p += 1
    whole = isqrt(n)
    return (square * whole, rest) if whole * whole == n else (square, rest * n)


def root(x):
    """The root of a fraction that is not negative; None if its numbers are too large."""
    found = split(x.numerator * x.denominator) if x else (0, 1)
    return None if found is None else made({found[1]: F(found[0], x.denominator)})


def made(terms):
    """The sum of these fractions times roots, which is a fraction if there is no root in it."""
    left = {d: c for d, c in terms.items() if c}
    if len(left) > MOST_TERMS:
        raise NotCheckable("too many different roots")
    return left.get(1, F(0)) if left.keys() <= {1} else Roots(left)


class Roots:
    """A number that is irrational: whole numbers without squares, each with its factor."""

    def __init__(self, terms):
        self.terms = terms

    def __add__(self, other):
        found = dict(self.terms)
        for d, c in terms_of(other).items():
            found[d] = found.get(d, 0) + c
        return made(found)

    def __mul__(self, other):
        found: dict = {}
        for d, c in self.terms.items():
            for e, b in terms_of(other).items():
                g = gcd(d, e)
                f = d // g * (e // g)
                found[f] = found.get(f, 0) + c * b * g
        return made(found)

    def __neg__(self):
        return Roots({d: -c for d, c in self.terms.items()})

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def inverse(self):
        """1/x: for each prime p in turn, x is multiplied by itself with the other root of p."""
        above, below = F(1), self
        while isinstance(below, Roots):
            d = max(below.terms)
            p = next((q for q in range(2, isqrt(d) + 1) if d % q == 0), d)
            other = made({e: -c if e % p == 0 else c for e, c in below.terms.items()})
            above, below = other * above, below * other
        return above * (1 / below)

    def __truediv__(self, other):
        return self * (other.inverse() if isinstance(other, Roots) else 1 / F(other))

    def __rtruediv__(self, other):
        return self.inverse() * other

    def __pow__(self, exponent):
        if not isinstance(exponent, int):
            return NotImplemented
        found, base = F(1), self if exponent >= 0 else self.inverse()
        for digit in bin(abs(exponent))[2:]:
            found = found * found * (base if digit == "1" else 1)
        return found

    def floored(self, scale):
        """A whole number below scale times the number, by less than a unit for each term."""
        total = 0
        for d, c in self.terms.items():
            square = c * c * d * scale * scale
            below = isqrt(square.numerator // square.denominator)
            total += below if c > 0 else -below - 1
        return total

    def sign(self):
        """The sign; it is found at some scale, because the number is not 0."""
        scale = 1
        while True:
            low = self.floored(scale)
            if low >= 0 or low + len(self.terms) <= 0:
                return 1 if low >= 0 else -1
            scale <<= 32

    def __floordiv__(self, other):
        whole = (self / other).floored(1)
        while self / other - (whole + 1) > 0:
            whole += 1
        return whole

    def __abs__(self):
        return -self if self.sign() < 0 else self

    def __lt__(self, other):
        return below(self - other)

    def __gt__(self, other):
        return below(other - self)

    __le__, __ge__ = __lt__, __gt__
    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other):
        return isinstance(other, Roots) and self.terms == other.terms

    def __hash__(self):
        return hash(tuple(sorted(self.terms.items())))

    def __str__(self):
        return " + ".join(f"{c}*sqrt({d})" for d, c in sorted(self.terms.items()))

    def decimal(self):
        """The number in decimals of the current precision."""
        return sum(
            Decimal(c.numerator) / Decimal(c.denominator) * Decimal(d).sqrt()
            for d, c in self.terms.items()
        )


def terms_of(x):
    return x.terms if isinstance(x, Roots) else {1: F(x)}


def below(x):
    """Is a difference below 0?"""
    return x.sign() < 0 if isinstance(x, Roots) else x < 0


def exact(x):
    """Is this a number of which all digits are known?"""
    return isinstance(x, F | Roots)


def parsed(text):
    """The number in a text such as (1 - sqrt(5))/4: whole numbers, + - * /, brackets and roots."""
    tokens: list = []
    place = 0
    while len(text) <= LONGEST and place < len(text.rstrip()):
        match = TOKEN.match(text, place)
        if match is None:
            break
        tokens, place = [*tokens, match[1]], match.end()
    else:
        found, rest = _sum(tokens, 0) if len(text) <= LONGEST else (None, None)
        if rest == []:
            return found
    raise ValueError(f"{text[:40]!r} is no number with roots")


def _sum(tokens, depth):
    if depth > DEEPEST:
        raise ValueError("brackets too deep")
    total, tokens = _product(tokens, depth)
    while tokens[:1] in (["+"], ["-"]):
        sign, tokens = tokens[0], tokens[1:]
        part, tokens = _product(tokens, depth)
        total = total + part if sign == "+" else total - part
    return total, tokens


def _product(tokens, depth):
    total, tokens = _atom(tokens, depth)
    while tokens[:1] in (["*"], ["/"]):
        sign, tokens = tokens[0], tokens[1:]
        part, tokens = _atom(tokens, depth)
        total = total * part if sign == "*" else total / part
    return total, tokens


def _atom(tokens, depth):
    first, rest = tokens[0] if tokens else "nothing", tokens[1:]
    if first == "-":
        if depth > DEEPEST:
            raise ValueError("signs too deep")
        found, rest = _atom(rest, depth + 1)
        return -found, rest
    if first == "(" or tokens[:2] == ["sqrt", "("]:
        found, rest = _sum(rest[first == "sqrt" :], depth + 1)
        if rest[:1] != [")"]:
            raise ValueError("a bracket is missing")
        return (found if first == "(" else _root_of(found)), rest[1:]
    return F(first), rest


def _root_of(x):
    if isinstance(x, F) and x < 0:
        raise ValueError("the root of a negative number")
    found = root(x) if isinstance(x, F) else None
    if found is None:
        raise NotCheckable("a root of roots, or of a number that is too long")
    return found
