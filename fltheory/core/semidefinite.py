"""Decide exactly whether a symmetric matrix of fractions is positive semidefinite."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np

from fltheory.core.errors import InvalidInput

Triangle = list[list[int]]
"""Lower triangle of a symmetric matrix: row i ends with its diagonal entry."""

MAX_SIZE_FOR_ELIMINATION = 12
"""Up to this size elimination is faster than an attempt in floating point."""

BINARY_DIGITS = 60
"""Binary digits after the point of a factor's entries; products have twice as many."""

DIAGONAL_MARGIN = 2.0**-34
"""Subtracted from a diagonal near 1 before the factor is computed: far above rounding errors."""


def is_semidefinite(matrix: Sequence[Sequence[Fraction | int]]) -> bool:
    """Whether x'Ax >= 0 for all x: by a short proof if A is clearly positive, else by elimination.

    >>> is_semidefinite([[Fraction(1, 2), 1], [1, 2]]), is_semidefinite([[0, 1], [1, 5]])
    (True, False)
    """
    whole = _whole(matrix)
    return (len(whole) > MAX_SIZE_FOR_ELIMINATION and _clearly(whole)) or _eliminated(whole)


def _clearly(triangle: Triangle) -> bool:
    """Whether A = LL' + E for a rounded factor L and a diagonally dominant E, which proves that A
    is positive semidefinite.

    L comes from floating point and is then exact by definition; everything else is computed with
    integers. With units 2^-e_i that bring the diagonal near 1, entries of A are cut to 2 *
    BINARY_DIGITS binary digits (an error below 1 unit); e_ii > sum over j != i of (|e_ij| + 1)
    shows that E is semidefinite.
    """
    size = len(triangle)
    if min(row[-1] for row in triangle) <= 0:
        return False
    lengths = [row[-1].bit_length() // 2 for row in triangle]
    cut = np.zeros((size, size), dtype=object)
    for i, row in enumerate(triangle):
        for j, x in enumerate(row):
            cut[i, j] = cut[j, i] = _shifted(x, 2 * BINARY_DIGITS - lengths[i] - lengths[j])
    if max(abs(x) for x in cut.flat) >> 2 * BINARY_DIGITS + 2:  # some a_ij^2 > a_ii a_jj
        return False
    try:
        near = cut.astype(float) / 4.0**BINARY_DIGITS - DIAGONAL_MARGIN * np.eye(size)
        lower = np.linalg.cholesky(near) * 2.0**BINARY_DIGITS
    except np.linalg.LinAlgError:
        return False
    factor = np.array([[int(x) for x in row] for row in lower], dtype=object)
    rest = cut - factor @ factor.T
    return _dominant(rest.tolist())


def _dominant(rest: Sequence[Sequence[int]]) -> bool:
    """Whether every diagonal entry is at least the sum of the others' absolute values in its row,
    each of which may be wrong by less than 1."""
    return all(2 * row[i] >= sum(abs(x) + 1 for x in row) for i, row in enumerate(rest))


def _shifted(x: int, digits: int) -> int:
    """x 2^digits, rounded down."""
    return x << digits if digits >= 0 else x >> -digits


def _eliminated(triangle: Triangle) -> bool:
    """Factor A = L D L' without fractions, always with the smallest pivot.

    After the pivots S, entry (i, j) of the remaining matrix is the minor of A over the rows S + i
    and the columns S + j, so the division by the previous pivot is exact. A negative diagonal entry
    refutes A; a zero entry requires a row of zeros, which is then removed.
    """
    rest, before = triangle, 1
    while rest:
        diagonal = [row[-1] for row in rest]
        if min(diagonal) < 0:
            return False
        gone = {i for i, pivot in enumerate(diagonal) if not pivot}
        if any(x for i in gone for x in _line(rest, i)):
            return False
        if gone:
            rest = _without(rest, gone)
            continue
        before, rest = min(diagonal), _complement(rest, diagonal.index(min(diagonal)), before)
    return True


def _whole(matrix: Sequence[Sequence[Fraction | int]]) -> Triangle:
    """The lower triangle as integers, up to a positive factor."""
    size = len(matrix)
    if any(len(row) != size for row in matrix):
        widths = sorted({len(row) for row in matrix})
        raise InvalidInput("matrix", f"have {size} columns in each of its {size} rows", widths)
    if any(matrix[i][j] != matrix[j][i] for i in range(size) for j in range(i)):
        raise InvalidInput("matrix", "be symmetric", "different entries at (i, j) and (j, i)")
    factor = lcm(*(x.denominator for row in matrix for x in row))
    return [
        [x.numerator * (factor // x.denominator) for x in matrix[i][: i + 1]] for i in range(size)
    ]


def _line(triangle: Triangle, k: int) -> list[int]:
    """Row k of the full symmetric matrix."""
    return triangle[k] + [row[k] for row in triangle[k + 1 :]]


def _without(triangle: Triangle, gone: set[int]) -> Triangle:
    """The matrix without some of its rows and the same columns."""
    return [
        [x for j, x in enumerate(row) if j not in gone]
        for i, row in enumerate(triangle)
        if i not in gone
    ]


def _complement(triangle: Triangle, k: int, before: int) -> Triangle:
    """(p a_ij - a_ik a_jk) / before for all i and j except k, where p = a_kk is the pivot."""
    column, pivot = _line(triangle, k), triangle[k][k]
    result = []
    for i, row in enumerate(triangle):
        if i == k:
            continue
        factor = column[i]
        if factor:
            new = [(pivot * x - factor * c) // before for x, c in zip(row, column, strict=False)]
        else:
            new = [pivot * x // before for x in row]
        del new[k : k + 1]
        result.append(new)
    return result
