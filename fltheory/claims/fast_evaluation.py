"""Fast evaluation of formulas at exact values: in fractions where all is rational, in floats where
a root or a logarithm occurs.

A float decides nothing: fltheory.core.enclosure decides on the formula itself.
"""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, reduce
from operator import add, mul

import sympy

from fltheory.core.errors import NotExact
from fltheory.core.exact import exact
from fltheory.core.ratio import in_lowest_terms
from fltheory.core.types import Scalar

Number = Fraction | float
Numbers = Mapping[str, Number]
Evaluate = Callable[[Numbers], Number]
Combine = Callable[[list[Number]], Number]

MOST_BITS = 1 << 16
"""Bits of the longest exact power; longer powers are floats."""


def as_number(value: Scalar | str) -> Number:
    """A value of an instance as a fraction, or as a float if it is irrational.

    >>> as_number("1/2"), round(as_number(sympy.sqrt(2)), 4)
    (Fraction(1, 2), 1.4142)
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, sympy.Expr):
        return Fraction(int(value.p), int(value.q)) if value.is_Rational else float(value)
    return exact(value)


def magnitude(number: Number) -> Number:
    """The absolute value.

    >>> magnitude(Fraction(-1, 2))
    Fraction(1, 2)
    """
    return -number if number < 0 else number


@cache
def compiled(expression: sympy.Expr) -> Evaluate:
    """The formula as a function of the numbers of its symbols; it raises ZeroDivisionError,
    OverflowError or ValueError where the formula has no value.

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
        if expression.exp.is_Integer:
            power = int(expression.exp)
            return lambda values: _whole_power(base(values), power)
        return lambda values: _power(base(values), exponent(values))
    if len(parts) == 2 and (expression.is_Add or expression.is_Mul):
        first, second = parts
        if expression.is_Add:
            return lambda values: first(values) + second(values)
        return lambda values: first(values) * second(values)
    combine = _combiner(expression)
    return lambda values: combine([part(values) for part in parts])


def _summed(expression: sympy.Sum) -> Evaluate:
    """A sum over one index between whole numbers; with other limits it has no value."""
    (index, first, last), *_ = expression.limits
    term, low, high = compiled(expression.function), compiled(first), compiled(last)

    def total(values: Numbers) -> Number:
        start, end = low(values), high(values)
        if start != int(start) or end != int(end) or end - start > MOST_BITS:
            raise ValueError("a sum without whole limits, or with too many terms")
        return reduce(
            add,
            [term({**values, index.name: Fraction(k)}) for k in range(int(start), int(end) + 1)],
            Fraction(0),
        )

    return total


def _combiner(expression: sympy.Expr) -> Combine:
    """The function that computes a formula's value from the values of its parts."""
    if expression.is_Add or expression.is_Mul:
        operation = add if expression.is_Add else mul
        return lambda parts: reduce(operation, parts)
    kinds: dict[type, Combine] = {
        sympy.Max: max,
        sympy.Min: min,
        sympy.Abs: lambda x: magnitude(x[0]),
        sympy.exp: lambda x: math.exp(x[0]),
        sympy.log: lambda x: _log(x[0]),
        sympy.ceiling: lambda x: Fraction(math.ceil(x[0])),
        sympy.floor: lambda x: Fraction(math.floor(x[0])),
        sympy.binomial: lambda x: _binomial(x[0], x[1]),
    }
    for kind, function in kinds.items():
        if isinstance(expression, kind):
            return function
    raise NotExact(f"no fast evaluation is known for {type(expression).__name__} in {expression}")


def _whole_power(base: Number, exponent: int) -> Number:
    if isinstance(base, Fraction):
        top, bottom = base.numerator, base.denominator
        if abs(exponent) * max(top.bit_length(), bottom.bit_length()) <= MOST_BITS:
            if exponent == -1 and top:
                return in_lowest_terms(bottom, top) if top > 0 else in_lowest_terms(-bottom, -top)
            return base**exponent
    elif base < 0:
        raise ValueError("a root of a negative number")
    return float(base) ** float(exponent)


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        if exponent.denominator == 1:
            return _whole_power(base, int(exponent))
        if base >= 0:
            root = _root(base, exponent.denominator)
            if root is not None:
                return root ** int(exponent.numerator)
    if base < 0:
        raise ValueError("a root of a negative number")
    return float(base) ** float(exponent)


def _root(number: Fraction, degree: int) -> Fraction | None:
    """The exact root; None if it is irrational."""
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
    """The logarithm, also of fractions beyond the range of floats."""
    if isinstance(number, Fraction) and number > 0:
        return math.log(number.numerator) - math.log(number.denominator)
    return math.log(number)


def _binomial(upper: Number, lower: Number) -> Fraction:
    return Fraction(math.comb(int(upper), int(lower)))
