"""Exact numbers and formulas of counterexample files, with the standard library only."""

from decimal import MAX_EMAX, MIN_EMIN, Decimal, getcontext
from fractions import Fraction as F
from math import isqrt, prod

getcontext().prec = 60
getcontext().Emax, getcontext().Emin = MAX_EMAX, MIN_EMIN
OPERATIONS: dict = {
    "+": lambda *xs: sum(xs),
    "*": lambda *xs: prod(xs),
    "^": lambda a, b: a ** int(b) if b == int(b) and abs(b) < 1000 else (b * a.ln()).exp(),
    "max": max,
    "min": min,
    "abs": abs,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.ln(),
    "ceiling": lambda x: -(-x // 1),
    "floor": lambda x: x // 1,
}


def number(text):
    """A fraction from text; refuse anything else."""
    return F(text if len(text) <= 100_000 else "a number that is too long")


def decimal(x):
    """A number with 60 digits."""
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, F) else x


def formula(node, values):
    """A formula, given as nested lists, at given values.

    The result is a Fraction, or a Decimal with 60 digits if it is irrational.
    """
    if not isinstance(node, list):
        return number(node) if isinstance(node, str) else values[node["symbol"]]
    if node[0] == "sum":
        first, last = (int(formula(part, values)) for part in node[3:])
        if last - first > 10000:
            number("a sum that is too long")
        index = node[2]["symbol"]
        terms = (formula(node[1], {**values, index: F(k)}) for k in range(first, last + 1))
        return sum(terms, F(0))
    parts = [formula(part, values) for part in node[1:]]
    if node[0] == "^" and isinstance(parts[0], F) and isinstance(parts[1], F):
        return power(*parts)
    exact = node[0] not in ("exp", "log") and all(isinstance(p, F) for p in parts)
    found = OPERATIONS[node[0]](*(parts if exact else map(decimal, parts)))
    return F(found) if isinstance(found, int) else found


def path_grammar(values, names):
    """The symbol along which a path grows, which may be a name that has no value, or None if there
    is none; coefficients and powers are small enough for the scales that are looked at to be far
    beyond all of them."""
    symbols, parts = set(), list(values.values())
    while parts:
        node = parts.pop()
        if isinstance(node, dict):
            symbols.add(node["symbol"])
        elif isinstance(node, str):
            x = number(node)
            if max(abs(x.numerator), x.denominator) >= 10**12:
                number("a coefficient of a path that is too long")
        else:
            if node[0] not in ("+", "*", "^"):
                number("a path of sums, products and powers")
            if node[0] == "^" and (abs(number(node[2])) > 20 or 12 % number(node[2]).denominator):
                number("a power of a path that is not simple")
            parts += node[1:]
    symbols = symbols or set(names) - set(values)
    if len(symbols) > 1:
        number("a path along several symbols")
    return symbols.pop() if symbols else None


def power(base, exponent):
    """A power of fractions: exact for whole exponents and square roots of squares."""
    root = F(isqrt(abs(base.numerator)), isqrt(base.denominator))
    if exponent.denominator == 2 and root * root == base:
        return root**exponent.numerator
    short = abs(exponent) * sum(map(abs, base.as_integer_ratio())).bit_length() <= 10**6
    if exponent.denominator == 1 and short:
        return base ** int(exponent)
    return (decimal(exponent) * decimal(base).ln()).exp()
