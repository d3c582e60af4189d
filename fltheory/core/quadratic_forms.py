"""Sums of quadratic forms over vectors of fractions, in whole numbers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.object_]
"""Fractions or whole numbers of any length."""


class Form(NamedTuple):
    """factor times the sum over a, b of matrix[a, b] <v_a, v_b>, v_a being vector places[a]."""

    factor: int
    places: Sequence[int]
    matrix: Numbers


def whole_sum(rows: Numbers, forms: Iterable[Form]) -> tuple[list[list[int]], int]:
    """N and s > 0 with N / s = R'MR: R has the vectors as rows, M adds up the forms over pairs.

    >>> rows = np.array([[Fraction(1, 2), 0], [0, Fraction(1)]], dtype=object)
    >>> whole_sum(rows, [Form(3, (0, 1), np.array([[1, 0], [0, Fraction(1, 3)]], dtype=object))])
    ([[9, 0], [0, 12]], 12)
    """
    listed = list(forms)
    matrices = {id(form.matrix): form.matrix for form in listed}
    coarse = _denominator(*matrices.values())
    entries = {
        key: [(a, b, int(x * coarse)) for (a, b), x in np.ndenumerate(matrix) if x]
        for key, matrix in matrices.items()
    }
    middle: defaultdict[tuple[int, int], int] = defaultdict(int)
    for factor, places, matrix in listed:
        for a, b, x in entries[id(matrix)]:
            middle[places[a], places[b]] += factor * x
    fine = _denominator(rows)
    vectors = np.array([[int(x * fine) for x in row] for row in rows.tolist()], dtype=object)
    moved = np.zeros(rows.shape, dtype=object)
    for (a, b), x in middle.items():
        if x:
            moved[a] += x * vectors[b]
    return (vectors.reshape(rows.shape).T @ moved).tolist(), coarse * fine**2


def _denominator(*arrays: Numbers) -> int:
    return lcm(*(Fraction(x).denominator for array in arrays for x in array.ravel().tolist()))
