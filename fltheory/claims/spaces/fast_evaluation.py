"""Formulas at exact values, fast: fractions where all is rational, floats where a root or a
logarithm comes in.

A float is only a lead: what it suggests is decided by fltheory.core.enclosure on the formula
itself.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from operator import add, mul
from typing import Any

import sympy

from fltheory.core.errors import NotExact
from fltheory.core.exact import exact

Number = Fraction | float
Values = Mapping[str, Any]

MOST_BITS = 1 << 16
"""Longest exact power; beyond it a float must do."""


def as_number(value: Any) -> Number:
    """A value of an instance as a fraction, or as a float if it is irrational.

    >>> as_number("1/2"), round(as_number(sympy.sqrt(2)), 4)
    (Fraction(1, 2), 1.4142)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, sympy.Expr):
        return Fraction(int(value.p), int(value.q)) if value.is_Rational else float(value)
    return exact(value)


@cache
def compiled(expression: sympy.Expr) -> Callable[[Values], Number]:
    """The formula as a function of its symbols' numbers; raises ZeroDivisionError, OverflowError or
    ValueError where it has no value.

    >>> x = sympy.Symbol("x")
    >>> compiled(sympy.ceiling(x / 2) + sympy.sqrt(x))({"x": Fraction(9)})
    Fraction(8, 1)
    """
    if isinstance(expression, sympy.Symbol):
        name = expression.name
        return lambda values: values[name]
    if expression.is_Rational:
        constant = Fraction(int(expression.p), int(expression.q))
        return lambda values: constant
    if expression in (sympy.E, sympy.pi):
        number = float(expression)
        return lambda values: number
    if isinstance(expression, sympy.Sum):
        return _summed(expression)
    parts = [compiled(arg) for arg in expression.args]
    if expression.is_Pow:
        base, exponent = parts
        return lambda values: _power(base(values), exponent(values))
    combine = _combiner(expression)
    return lambda values: combine([part(values) for part in parts])


def _summed(expression: sympy.Sum) -> Callable[[Values], Number]:
    """A sum over one index from a whole number to another; other limits have no value here."""
    (index, first, last), *_ = expression.limits
    term, low, high = compiled(expression.function), compiled(first), compiled(last)

    def total(values: Values) -> Number:
        start, end = low(values), high(values)
        if start != int(start) or end != int(end) or end - start > MOST_BITS:
            raise ValueError("a sum without whole limits, or with too many terms")
        return reduce(
            add,
            [term({**values, index.name: Fraction(k)}) for k in range(int(start), int(end) + 1)],
            Fraction(0),
        )

    return total


def _combiner(expression: sympy.Expr) -> Callable[[list[Any]], Any]:
    """How the values of the parts of a formula make its value."""
    if expression.is_Add or expression.is_Mul:
        operation = add if expression.is_Add else mul
        return lambda parts: reduce(operation, parts)
    kinds: dict[Any, Callable[[list[Any]], Any]] = {
        sympy.Max: max,
        sympy.Min: min,
        sympy.Abs: lambda x: abs(x[0]),
        sympy.exp: lambda x: math.exp(x[0]),
        sympy.log: lambda x: _log(x[0]),
        sympy.ceiling: lambda x: Fraction(math.ceil(x[0])),
        sympy.floor: lambda x: Fraction(math.floor(x[0])),
        sympy.binomial: lambda x: _binomial(*x),
    }
    for kind, function in kinds.items():
        if isinstance(expression, kind):
            return function
    raise NotExact(f"no fast evaluation is known for {type(expression).__name__} in {expression}")


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        if exponent.denominator == 1:
            bits = abs(exponent) * max(base.numerator.bit_length(), base.denominator.bit_length())
            return base ** int(exponent) if bits <= MOST_BITS else float(base) ** float(exponent)
        if base >= 0:
            root = _root(base, exponent.denominator)
            if root is not None:
                return root ** int(exponent.numerator)
    if base < 0:
        raise ValueError("a root of a negative number")
    return float(base) ** float(exponent)


def _root(number: Fraction, degree: int) -> Fraction | None:
    """The exact root, where it is rational."""
    parts = []
    for part in (number.numerator, number.denominator):
        near = round(part ** (1 / degree)) if part.bit_length() < 1000 else -1
        if degree == 2:
            near = math.isqrt(part)
        if near < 0 or near**degree != part:
            return None
        parts.append(near)
    return Fraction(*parts)


def _log(number: Number) -> float:
    """Of large fractions too, which are no floats."""
    if isinstance(number, Fraction) and number > 0:
        return math.log(number.numerator) - math.log(number.denominator)
    return math.log(number)


def _binomial(upper: Fraction, lower: Fraction) -> Fraction:
    return Fraction(math.comb(int(upper), int(lower)))
