"""Polynomials with fractions over a box, and the decision whether a polynomial matrix is positive
semidefinite there, with the standard library only."""

from collections import defaultdict
from fractions import Fraction as F
from itertools import product
from math import comb, lcm

from strict_json import index, items, need, number  # type: ignore[import-not-found]


def one(box, value=1):
    return {(0,) * len(box): F(value)}


def polynomial(box, entry):
    """A number of a file: a fraction, or a list of [fraction, powers]."""
    if isinstance(entry, str):
        return one(box, number(entry))
    found: dict = {}
    for term in items(entry, "a polynomial"):
        value, powers = items(term, "a monomial", 2)
        places = tuple(index(k, 30, "a power") for k in items(powers, "powers", len(box)))
        need(places not in found, "a monomial occurs twice")
        found[places] = number(value)
    return found


def unit(box, name):
    return {name: one(box)}


def plus(p, q, factor=1):
    found = dict(p)
    for k, x in q.items():
        found[k] = found.get(k, 0) + factor * x
    return found


def times(p, q, factor=1):
    found: dict = defaultdict(F)
    for (k, x), (m, y) in product(p.items(), q.items()):
        value = x * y if factor == 1 else x * y * factor
        found[tuple(map(sum, zip(k, m, strict=True))) if k else k] += value
    return {k: x for k, x in found.items() if x}


def row_plus(u, v, factor):
    return {k: plus(u.get(k, {}), v.get(k, {}), factor) for k in {*u, *v}}


def nonnegative(form, box, what):
    """Every Bernstein coefficient of the polynomial matrix over the box is semidefinite."""
    names = sorted({v for pair, poly in form.items() if any(poly.values()) for v in pair})
    powers = {k for poly in form.values() for k, x in poly.items() if x}
    degrees = [max((k[n] for k in powers), default=0) for n in range(len(box))]
    for place in product(*(range(d + 1) for d in degrees)):
        weight = bernstein(place, degrees, powers, box)
        matrix = {a: dict.fromkeys(names, F(0)) for a in names}
        for (a, b), poly in form.items():
            value = sum((x * weight[k] for k, x in poly.items() if x), F(0)) / 2
            if value:
                matrix[a][b] += value
                matrix[b][a] += value
        table = [[matrix[a][b] for b in names] for a in names]
        need(semidefinite(table), f"{what} is not positive semidefinite {place or ''}".rstrip())


def bernstein(place, degrees, powers, box):
    """The coefficient at a place of each monomial, written in s with parameter = low + width s."""
    found = {}
    for k in powers:
        value = F(1)
        for n, (low, high) in enumerate(box):
            value *= sum(
                comb(k[n], i) * low ** (k[n] - i) * (high - low) ** i
                * F(comb(place[n], i), comb(degrees[n], i))
                for i in range(min(k[n], place[n]) + 1)
            )  # fmt: skip
        found[k] = value
    return found


def semidefinite(table):
    """Elimination in whole numbers, in which a zero pivot needs a row of zeros."""
    scale, previous = lcm(*(x.denominator for row in table for x in row)), 1
    m = [[int(x * scale) for x in row] for row in table]
    for k in range(len(m)):
        if m[k][k] < 0 or (m[k][k] == 0 and any(m[k][k:])):
            return False
        for i in range(k + 1, len(m) if m[k][k] else 0):
            for j in range(len(m) - 1, k - 1, -1):
                m[i][j] = (m[k][k] * m[i][j] - m[i][k] * m[k][j]) // previous
        previous = m[k][k] or previous
    return True
