"""Exact decisions about matrices: by a short proof, by elimination, and by another program."""

import random
import re
from fractions import Fraction

import pytest

from fltheory.core.errors import InvalidInput
from fltheory.core.semidefinite import (
    MAX_SIZE_FOR_ELIMINATION,
    _clearly,
    _dominant,
    _eliminated,
    _whole,
    is_semidefinite,
)
from verification.check_certificate import semidefinite

Matrix = list[list[Fraction]]


def gram(size: int, rank: int, seed: int, bits: int = 20) -> Matrix:
    """<v_i, v_j> of vectors with so many coordinates, some of them 0."""
    chance = random.Random(seed)
    rows = [
        [
            Fraction(chance.randint(-(2**bits), 2**bits), chance.randint(1, 9))
            * chance.randint(0, 1)
            for _ in range(rank)
        ]
        for _ in range(size)
    ]
    return [
        [sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0)) for v in rows] for u in rows
    ]


def less(matrix: Matrix, place: int, amount: Fraction) -> Matrix:
    """The matrix with less on its diagonal at one place."""
    changed = [list(row) for row in matrix]
    changed[place][place] -= amount
    return changed


def alone(matrix: Matrix) -> bool:
    return semidefinite([list(row) for row in _mirrored(_whole(matrix))])


def _mirrored(triangle: list[list[int]]) -> list[list[int]]:
    size = len(triangle)
    return [[triangle[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)]


@pytest.mark.parametrize(
    ("matrix", "answer"),
    [
        ([], True),
        ([[0]], True),
        ([[-1]], False),
        ([[2, 1], [1, 2]], True),
        ([[1, 2], [2, 1]], False),
        ([[0, 1], [1, 5]], False),
        ([[5, 1], [1, 0]], False),
        ([[0, 0, 0], [0, 2, 2], [0, 2, 3]], True),
        ([[1, 1, 1], [1, 1, 1], [1, 1, 0]], False),
        ([[Fraction(1, 3), Fraction(1, 2)], [Fraction(1, 2), Fraction(3, 4)]], True),
        ([[Fraction(1, 3), Fraction(1, 2)], [Fraction(1, 2), Fraction(74, 100)]], False),
    ],
)
def test_small_matrices(matrix: Matrix, answer: bool) -> None:
    assert is_semidefinite(matrix) is answer


@pytest.mark.parametrize(
    "size", [1, 3, 6, MAX_SIZE_FOR_ELIMINATION, MAX_SIZE_FOR_ELIMINATION + 1, 18]
)
@pytest.mark.parametrize("seed", range(6))
def test_gram_matrices_of_any_rank_and_a_little_less(size: int, seed: int) -> None:
    for rank in (size // 2, size, 2 * size):
        matrix = gram(size, rank, seed)
        assert is_semidefinite(matrix)
        for amount in (Fraction(1, 10**30), Fraction(1), Fraction(10**13)):
            lower = less(matrix, seed % size, amount)
            assert is_semidefinite(lower) is _eliminated(_whole(lower)) is alone(lower)


def test_both_ways_are_taken() -> None:
    inside, edge = gram(20, 40, 1), gram(20, 10, 1)
    assert _clearly(_whole(inside))
    assert not _clearly(_whole(edge))  # singular: no room for a short proof
    assert is_semidefinite(edge)


@pytest.mark.slow
def test_a_short_proof_is_never_found_for_what_is_false() -> None:
    """On the edge: the largest amount that may be taken off is 1 / (inverse)_kk, and no more."""
    for seed in range(4):
        matrix = gram(MAX_SIZE_FOR_ELIMINATION + 4, 2 * MAX_SIZE_FOR_ELIMINATION, seed)
        low, high = Fraction(0), matrix[2][2]
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if alone(less(matrix, 2, middle)) else (low, middle)
        assert is_semidefinite(less(matrix, 2, low))
        assert not is_semidefinite(less(matrix, 2, high))
        assert not _clearly(_whole(less(matrix, 2, high)))


def test_entries_of_very_different_sizes() -> None:
    matrix = gram(MAX_SIZE_FOR_ELIMINATION + 3, 30, 5)
    scales = [Fraction(10) ** (7 * k - 40) for k in range(len(matrix))]
    scaled = [
        [scales[i] * scales[j] * x for j, x in enumerate(row)] for i, row in enumerate(matrix)
    ]
    assert _clearly(_whole(scaled))
    scaled[0][-1] = scaled[-1][0] = scales[0] * scales[-1] * matrix[0][0] * matrix[-1][-1]
    assert not is_semidefinite(scaled)


@pytest.mark.parametrize(
    ("matrix", "why"),
    [
        ([[1, 0]], "have 1 columns in each of its 1 rows, got [2]"),
        ([[1], [0, 1]], "have 2 columns in each of its 2 rows, got [1, 2]"),
        ([[1, 2], [3, 9]], "be symmetric, got different entries at (i, j) and (j, i)"),
    ],
)
def test_what_is_no_symmetric_matrix_is_refused(matrix: list[list[int]], why: str) -> None:
    with pytest.raises(InvalidInput, match=f"^matrix must {re.escape(why)}$"):
        is_semidefinite(matrix)


def test_a_diagonal_dominates_with_room_for_what_was_cut() -> None:
    """3 >= (1 + 1) + 1, and not 2 >= (1 + 1) + 1."""
    assert _dominant([[3, 1], [-1, 3]])
    assert not _dominant([[2, 1], [1, 3]])
    assert not _dominant([[3, 1], [1, 2]])
    assert _clearly([[1]])
    assert not _clearly([[0]])
