"""Exact numbers and formulas of counterexample files, with the standard library only."""

import sys
from decimal import MAX_EMAX, MIN_EMIN, Decimal, getcontext
from fractions import Fraction as F
from math import isqrt, prod
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from replay_roots import Roots, exact, parsed, root  # type: ignore[import-not-found]

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
    """A fraction from text, or a number with roots; refuse anything else."""
    return (
        parsed(text)
        if "sqrt" in text
        else F(text if len(text) <= 100_000 else "a number that is too long")
    )


def decimal(x):
    """A number with 60 digits."""
    if isinstance(x, Roots):
        return x.decimal()
    return Decimal(x.numerator) / Decimal(x.denominator) if isinstance(x, F) else x


def formula(node, values):
    """A formula, given as nested lists, at given values.

    The result is exact if it is built from fractions and roots of fractions by + * / and whole
    powers, else a Decimal with 60 digits.
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
    if node[0] == "^" and exact(parts[0]) and isinstance(parts[1], F):
        return power(*parts)
    known = node[0] not in ("^", "exp", "log") and all(map(exact, parts))
    found = OPERATIONS[node[0]](*(parts if known else map(decimal, parts)))
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
    """A power of an exact number: exact for whole exponents, and for roots of fractions."""
    if isinstance(base, Roots):
        whole = exponent.denominator == 1 and abs(exponent) <= 1000
        return base ** int(exponent) if whole else (decimal(exponent) * decimal(base).ln()).exp()
    if exponent.denominator == 2 and base >= 0:
        half = F(isqrt(base.numerator), isqrt(base.denominator))
        found = half if half * half == base else root(base)
        if found is not None:
            return power(found, F(exponent.numerator))
    short = abs(exponent) * sum(map(abs, base.as_integer_ratio())).bit_length() <= 10**6
    if exponent.denominator == 1 and short:
        return base ** int(exponent)
    return (decimal(exponent) * decimal(base).ln()).exp()
