"""Numbers that change with a whole number s = 1, 2, ..., as it grows: exact quotients of sums of
c s^q, or what such a number is asymptotically equal to, c s^q (log s)^p.

Standard library only; no code of the package.
"""

import sys
from decimal import Decimal
from fractions import Fraction as F
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_formulas import decimal, power
from replay_roots import exact  # type: ignore[import-not-found]
from strict_json import NotCheckable  # type: ignore[import-not-found]

NEVER = float("-inf")
MOST_TERMS, MOST_POWER = 200, 100


class Germ:
    """An exact quotient of two sums: the coefficient of each power of s."""

    def __init__(self, above, below=None):
        self.above = {q: c for q, c in above.items() if c != 0}
        self.below = {F(0): F(1)} if below is None else below
        if max(len(self.above), len(self.below)) > MOST_TERMS:
            raise NotCheckable("a sum with too many powers")
        if not self.below:
            raise ValueError("a number on a path is divided by 0")

    def __add__(self, other):
        if isinstance(other, Size):
            return self.size() + other
        left, right = _times(self.above, other.below), _times(other.above, self.below)
        both = {q: left.get(q, 0) + right.get(q, 0) for q in {*left, *right}}
        return Germ(both, _times(self.below, other.below))

    def __mul__(self, other):
        if isinstance(other, Size):
            return self.size() * other
        return Germ(_times(self.above, other.above), _times(self.below, other.below))

    def __sub__(self, other):
        return self + other * constant(-1)

    def __truediv__(self, other):
        return self * other.inverse()

    def inverse(self):
        return Germ(self.below, self.above)

    def is_zero(self):
        return not self.above

    def size(self):
        """What the number is like for large s."""
        if self.is_zero():
            raise NotCheckable("the size of a number that is 0")
        q, r = max(self.above), max(self.below)
        return Size(self.above[q] / self.below[r], q - r)

    def sign(self):
        """The sign for large s."""
        return 0 if self.is_zero() else self.size().sign()

    def whole(self):
        """The number if it is the same at every s; None if it is not."""
        if self.is_zero():
            return F(0)
        lead = self.size()
        return lead.c if lead.q == 0 and (self - constant(lead.c)).is_zero() else None


class Size:
    """A number that is asymptotically c s^q (log s)^p with c not 0; q is minus infinity for what
    falls faster than every power, and infinity for what grows faster."""

    def __init__(self, c, q, p=F(0)):
        self.c, self.q, self.p = c, q, p
        if q != q or c == 0:
            raise NotCheckable("an order of growth that is not known")

    def size(self):
        return self

    def is_zero(self):
        return False

    def whole(self):
        return None

    def sign(self):
        return 1 if self.c > 0 else -1

    def __add__(self, other):
        if isinstance(other, Germ) and other.is_zero():
            return self
        first, second = sorted((self, other.size()), key=lambda x: (x.q, x.p))
        if (first.q, first.p) != (second.q, second.p):
            return second
        total = _plain(first.c, second.c, lambda a, b: a + b)
        if not exact(total) and abs(total) <= abs(decimal(first.c)) * Decimal("1e-40"):
            raise NotCheckable("numbers on a path that are too close")
        return Size(total, first.q, first.p)

    def __mul__(self, other):
        if other.is_zero():
            return constant(0)
        two = other.size()
        return Size(_plain(self.c, two.c, lambda a, b: a * b), self.q + two.q, self.p + two.p)

    def __sub__(self, other):
        return self + other * constant(-1)

    def inverse(self):
        return Size(1 / self.c, -self.q, -self.p)

    def __truediv__(self, other):
        return self * other.inverse()


def constant(x):
    return Germ({F(0): x if exact(x) or isinstance(x, Decimal) else F(x)})


def _plain(a, b, of):
    return of(a, b) if exact(a) and exact(b) else of(decimal(a), decimal(b))


def _times(first, second):
    found: dict = {}
    for q, c in first.items():
        for r, d in second.items():
            found[q + r] = found.get(q + r, 0) + c * d
    return {q: c for q, c in found.items() if c != 0}


def unbounded(x):
    """Does |x| grow without bound?"""
    if x.is_zero():
        return False
    lead = x.size()
    return (lead.q, lead.p) > (0, 0)


def holds(left, sign, right):
    """Does left <= right, left < right or left = right hold for all large s?"""
    gap = (right - left).sign()
    return {"<=": gap >= 0, "<": gap > 0, "=": gap == 0}[sign]


def germ(node, values):
    """A formula, given as nested lists, at values that are germs."""
    if isinstance(node, str):
        return constant(F(node))
    if isinstance(node, dict):
        if node["symbol"] not in values:
            raise NotCheckable(f"{node['symbol']} is not known along the path")
        return values[node["symbol"]]
    parts = [germ(part, values) for part in node[1:]]
    found = parts[0]
    if node[0] in ("+", "*"):
        for part in parts[1:]:
            found = found + part if node[0] == "+" else found * part
        return found
    if node[0] in ("max", "min"):
        for part in parts[1:]:
            more = (part - found).sign() > 0
            found = part if more == (node[0] == "max") else found
        return found
    if node[0] == "abs":
        return found * constant(-1) if found.sign() < 0 else found
    if node[0] in ("floor", "ceiling"):
        return _rounded(found, node[0])
    if node[0] == "log":
        return _log(found)
    if node[0] == "exp":
        return _exponential(found)
    return raised(found, parts[1])


def raised(base, exponent):
    """base^exponent."""
    e = exponent.whole()
    if e is not None and not isinstance(e, F):
        raise NotCheckable("an exponent that is irrational")
    if e is None:
        return base if base.whole() == 1 else _exponential(exponent * _log_of_power(base))
    if abs(e) > MOST_POWER:
        raise NotCheckable("a power that is too high")
    if isinstance(base, Germ) and e.denominator == 1:
        found, one = constant(1), base if e >= 0 else base.inverse()
        for _ in range(abs(int(e))):
            found = found * one
        return found
    if base.is_zero():
        return base
    if base.sign() < 0:
        raise NotCheckable("a root of a number below 0")
    c = base.size().c
    top = power(c, e) if exact(c) else (decimal(e) * c.ln()).exp()
    lead = Size(top, base.size().q * e, base.size().p * e)
    single = isinstance(base, Germ) and len(base.above) == len(base.below) == 1
    return Germ({lead.q: top}) if single and exact(top) else lead


def _rounded(x, name):
    value = x.whole()
    if value is not None:
        return constant(F(value // 1 if name == "floor" else -(-value // 1)))
    if isinstance(x, Germ) and is_count(x):
        return x
    if unbounded(x):
        return x.size()
    raise NotCheckable("a number on a path that is rounded")


def _log(x):
    if x.sign() <= 0:
        raise NotCheckable("a logarithm of a number that is not above 0")
    value, lead = x.whole(), x.size()
    if value is not None:
        return constant(0) if value == 1 else Size(decimal(value).ln(), F(0))
    if abs(lead.q) == float("inf") or (lead.q == 0 and lead.p):
        raise NotCheckable("a logarithm of a number of this order")
    if lead.q:
        return Size(lead.q, F(0), F(1))
    if lead.c != 1:
        return Size(decimal(lead.c).ln(), F(0))
    return _log_of_power(x)


def _log_of_power(x):
    """log x for an x that may tend to 1: then it is like x - 1."""
    near = x - constant(1) if isinstance(x, Germ) else None
    if near is not None and not near.is_zero() and near.size().q < 0:
        return near.size()
    if x.size().q == 0 and x.size().c == 1:
        raise NotCheckable("a logarithm of what may tend to 1")
    return _log(x)


def _exponential(x):
    if x.is_zero():
        return constant(1)
    lead = x.size()
    if lead.q > 0:
        return Size(F(1), float("inf") if lead.c > 0 else NEVER)
    if (lead.q, lead.p) < (0, 0):
        return Size(F(1), F(0))
    if lead.p:
        raise NotCheckable("an exponential of a logarithm")
    return Size(decimal(lead.c).exp(), F(0))


def is_count(x):
    """Is this a whole number above 0 at every s?"""
    if not isinstance(x, Germ) or len(x.below) != 1:
        return False
    ((r, d),) = x.below.items()
    terms = [(q - r, c / d) for q, c in x.above.items()]
    simple = (q.denominator == 1 and q >= 0 and isinstance(c, F) for q, c in terms)
    return bool(terms) and all(simple) and all(c.denominator == 1 and c > 0 for _, c in terms)
