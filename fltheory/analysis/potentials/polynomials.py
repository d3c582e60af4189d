"""Polynomials in the parameters of a box, and rows of them over named vectors."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import comb
from typing import TypeAlias

Powers: TypeAlias = tuple[int, ...]
"""The exponent of each parameter; () where there are none."""

Poly: TypeAlias = Mapping[Powers, Fraction]
"""Coefficients of monomials; the zero polynomial is empty."""

Row: TypeAlias = Mapping[str, Poly]
"""A vector as a combination of named vectors."""

Interval: TypeAlias = tuple[Fraction, Fraction]


def constant(value: Fraction | int, parameters: int = 0) -> Poly:
    """A number as a polynomial.

    >>> constant(3)
    {(): Fraction(3, 1)}
    """
    return {(0,) * parameters: Fraction(value)} if value else {}


def plus(left: Poly, right: Poly, factor: Fraction | int = 1) -> Poly:
    """left + factor * right."""
    found = dict(left)
    for powers, value in right.items():
        found[powers] = found.get(powers, Fraction(0)) + factor * value
    return {powers: value for powers, value in found.items() if value}


def times(*factors: Poly) -> Poly:
    """The product of polynomials of which at least one is given.

    >>> times({(1,): Fraction(2)}, {(0,): Fraction(3), (1,): Fraction(1)})
    {(1,): Fraction(6, 1), (2,): Fraction(2, 1)}
    """
    found, *others = factors
    for other in others:
        result: dict[Powers, Fraction] = {}
        for (left, x), (right, y) in product(found.items(), other.items()):
            powers = tuple(a + b for a, b in zip(left, right, strict=True))
            result[powers] = result.get(powers, Fraction(0)) + x * y
        found = {powers: value for powers, value in result.items() if value}
    return found


def unit(name: str, factor: Poly | Fraction | int = 1) -> Row:
    """A named vector, times a factor."""
    return {name: factor if isinstance(factor, Mapping) else constant(factor)}


def combine(*parts: tuple[Poly | Fraction | int, Row]) -> Row:
    """The sum of rows, each with a factor.

    >>> combine((1, unit("x")), (-2, unit("g")), (1, unit("g", 2)))
    {'x': {(): Fraction(1, 1)}}
    """
    found: dict[str, Poly] = {}
    for factor, row in parts:
        scale = factor if isinstance(factor, Mapping) else constant(factor)
        for name, value in row.items():
            found[name] = plus(found.get(name, {}), times(scale, value))
    return {name: value for name, value in found.items() if value}


def bernstein(
    monomials: Iterable[tuple[Powers, Fraction]], box: tuple[Interval, ...], degrees: Powers
) -> Iterator[tuple[Powers, Fraction]]:
    """Shares of Bernstein coefficients of these degrees over a box, as (place, share) pairs.

    A polynomial lies between its smallest and its largest Bernstein coefficient, so a polynomial
    matrix whose coefficients are all semidefinite is semidefinite on the whole box.

    >>> sorted(bernstein([((1,), Fraction(4))], ((Fraction(0), Fraction(1, 2)),), (1,)))
    [((1,), Fraction(2, 1))]
    """
    for powers, value in monomials:
        for part in product(*(range(k + 1) for k in powers)):
            share = value
            for k, i, (low, high) in zip(powers, part, box, strict=True):
                share *= comb(k, i) * low ** (k - i) * (high - low) ** i
            if not share:
                continue
            for place in product(*(range(i, d + 1) for i, d in zip(part, degrees, strict=True))):
                weight = share
                for i, k, d in zip(part, place, degrees, strict=True):
                    weight *= Fraction(comb(k, i), comb(d, i))
                yield place, weight
