"""Compare exact numbers that may be irrational: interval arithmetic decides strict order, a proof
of zero decides equality."""

from enum import Enum

import sympy
from mpmath import iv, mp, mpf
from mpmath.ctx_iv import ivmpf

from fltheory.core.errors import NotExact
from fltheory.core.exact import exact
from fltheory.core.types import Scalar

DIGITS = (20, 60, 200)
"""Decimal digits tried in this order before a comparison is left undecided."""

SHOWN_CHARACTERS = 120
"""Longest number or formula that is shown in full."""


class Comparison(Enum):
    """How two exact numbers compare."""

    BELOW = "left < right"
    EQUAL = "left = right"
    ABOVE = "left > right"
    UNKNOWN = "too close to decide"


def as_expression(value: object) -> sympy.Expr:
    """A number as a sympy expression; floats are refused, because a rounded number near a boundary
    decides nothing.

    >>> as_expression("1/3")
    1/3
    """
    if isinstance(value, sympy.Expr):
        if value.has(sympy.Float):
            raise NotExact(f"{value} contains a float, which cannot decide a claim")
        return value
    if isinstance(value, float):
        raise NotExact(f"{value} is a float, which cannot decide a claim")
    number = exact(value)
    return sympy.Rational(number.numerator, number.denominator)


def compare(left: object, right: object) -> Comparison:
    """Which of two exact numbers is larger.

    >>> compare(sympy.sqrt(2) * sympy.sqrt(3), sympy.sqrt(6)).value
    'left = right'
    >>> compare("1/3", sympy.sqrt(2) - 1).value
    'left < right'
    """
    first, second = as_expression(left), as_expression(right)
    if sympy.oo in (first, second) or -sympy.oo in (first, second):
        return _compare_infinite(first, second)
    difference = first - second
    if difference.is_Rational:
        return _sign(difference)
    for digits in DIGITS:
        low, high = interval(difference, digits)
        if low > 0:
            return Comparison.ABOVE
        if high < 0:
            return Comparison.BELOW
    return Comparison.EQUAL if sympy.simplify(difference) == 0 else Comparison.UNKNOWN


def _sign(number: sympy.Rational) -> Comparison:
    return Comparison.ABOVE if number > 0 else Comparison.BELOW if number < 0 else Comparison.EQUAL


def _compare_infinite(left: sympy.Expr, right: sympy.Expr) -> Comparison:
    if left == right:
        return Comparison.EQUAL
    return Comparison.ABOVE if sympy.oo == left or right == -sympy.oo else Comparison.BELOW


def interval(expression: sympy.Expr, digits: int = 20) -> tuple[mpf, mpf]:
    """Rigorous lower and upper bounds of a number built from rationals by + * / powers, exp, log,
    min and max.

    >>> low, high = interval(sympy.sqrt(2))
    >>> low < high, str(low)[:6], str(high)[:6]
    (True, '1.4142', '1.4142')
    """
    previous, iv.dps = iv.dps, digits + 10
    try:
        low, high = _interval(expression)._mpi_
        return mp.make_mpf(low), mp.make_mpf(high)  # a conversion would round
    finally:
        iv.dps = previous


def _interval(node: sympy.Expr) -> ivmpf:
    if node.is_Rational:
        return iv.mpf(int(node.p)) / iv.mpf(int(node.q))
    if node is sympy.pi:
        return iv.pi
    if node is sympy.E:
        return iv.exp(iv.mpf(1))
    parts = [_interval(arg) for arg in node.args]
    if node.is_Add:
        return sum(parts, iv.mpf(0))
    if node.is_Mul:
        result = iv.mpf(1)
        for part in parts:
            result = result * part
        return result
    if node.is_Pow:
        return _power(node, parts)
    if isinstance(node, sympy.exp):
        return iv.exp(parts[0])
    if isinstance(node, sympy.log):
        return iv.log(parts[0])
    if isinstance(node, sympy.Abs):
        return abs(parts[0])
    if isinstance(node, sympy.Max | sympy.Min):
        pick = max if isinstance(node, sympy.Max) else min
        return iv.mpf([pick(p.a for p in parts), pick(p.b for p in parts)])
    raise NotExact(f"no interval is known for {node}")


def _power(node: sympy.Expr, parts: list[ivmpf]) -> ivmpf:
    exponent = node.exp
    if exponent.is_Integer:
        return parts[0] ** int(exponent)
    if exponent == sympy.Rational(1, 2):
        return iv.sqrt(parts[0])
    if exponent == sympy.Rational(-1, 2):
        return 1 / iv.sqrt(parts[0])
    return iv.exp(parts[1] * iv.log(parts[0]))


def shown(value: Scalar) -> str:
    """An exact number or a formula as text; a very long one is shortened in the middle.

    >>> shown(sympy.Integer(10) ** 200)
    '10000000000000000000000000000000000000000000000000...00000000000000000000 (about 1e+200)'
    """
    text = str(value)
    if len(text) <= SHOWN_CHARACTERS:
        return text
    size = "" if getattr(value, "free_symbols", None) else f" (about {float(value):.12g})"
    return f"{text[:50]}...{text[-20:]}{size}"
