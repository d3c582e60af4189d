"""Nonnegative solutions of linear systems over fractions: the first phase of the simplex method,
exact."""

from collections.abc import Sequence
from fractions import Fraction


def nonnegative_solution(
    rows: Sequence[Sequence[Fraction]], goal: Sequence[Fraction]
) -> list[Fraction] | None:
    """x >= 0 with A x = b, or None if there is none; Bland's rule guarantees that it ends.

    >>> one, three = Fraction(1), Fraction(3)
    >>> nonnegative_solution([[one, one], [one, -one]], [three, one])
    [Fraction(2, 1), Fraction(1, 1)]
    >>> nonnegative_solution([[one, one]], [-one]) is None
    True
    """
    count, width = len(rows), len(rows[0])
    table = [
        [(-x if b < 0 else x) for x in row] + [Fraction(i == k) for i in range(count)] + [abs(b)]
        for k, (row, b) in enumerate(zip(rows, goal, strict=True))
    ]
    basis = [width + k for k in range(count)]
    while True:
        missing = [
            sum((table[k][j] for k in range(count) if basis[k] >= width), Fraction(0))
            for j in range(width)
        ]
        entering = next((j for j in range(width) if missing[j] > 0), None)
        if entering is None:
            break
        ratios = [
            (table[k][-1] / table[k][entering], basis[k], k)
            for k in range(count)
            if table[k][entering] > 0
        ]
        if not ratios:
            break
        _pivot(table, min(ratios)[2], entering)
        basis[min(ratios)[2]] = entering
    if any(table[k][-1] for k in range(count) if basis[k] >= width):
        return None
    found = [Fraction(0)] * width
    for k, j in enumerate(basis):
        if j < width:
            found[j] = table[k][-1]
    return found


def _pivot(table: list[list[Fraction]], row: int, column: int) -> None:
    """Make the column a unit vector with its 1 in that row."""
    table[row] = [x / table[row][column] for x in table[row]]
    for k, other in enumerate(table):
        if k != row and other[column]:
            table[k] = [x - other[column] * y for x, y in zip(other, table[row], strict=True)]
