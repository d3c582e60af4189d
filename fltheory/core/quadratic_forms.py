"""Sums of quadratic forms over vectors of fractions, computed with integers."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np

from fltheory.core.types import Array


class Form(NamedTuple):
    """factor * sum over a, b of matrix[a, b] <v_a, v_b>, where v_a is the vector number places[a].

    The matrix holds Fractions or integers.
    """

    factor: int
    places: Sequence[int]
    matrix: Array


def whole_sum(rows: Array, forms: Iterable[Form]) -> tuple[list[list[int]], int]:
    """N and s > 0 with N / s = R'MR, where R has the vectors as rows and M is the sum of the forms.

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


def _denominator(*arrays: Array) -> int:
    return lcm(*(Fraction(x).denominator for array in arrays for x in array.ravel().tolist()))
