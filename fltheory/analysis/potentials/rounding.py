"""From floats to rationals that satisfy a program exactly."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from fltheory.analysis.potentials.program import ONE, Affine, MatrixProgram, Unknown
from fltheory.core.semidefinite import is_semidefinite

DIGITS = (3, 4, 5, 6, 7, 8, 10, 12)
"""Decimal digits that are tried, short ones first."""


def rounded(
    program: MatrixProgram, values: Mapping[Unknown, float], factor: Fraction
) -> dict[Unknown, Fraction] | None:
    """Short rationals near the values for which everything holds exactly, if any are found."""
    for digits in DIGITS:
        scale = 10**digits
        near = {name: Fraction(round(value * scale), scale) for name, value in values.items()}
        for name in program.positive:
            near[name] = max(near[name], Fraction(0))
        exactly = _repaired(program.equalities, near, factor, program.positive)
        if exactly is not None and not violations(program, exactly, factor):
            return exactly
    return None


def violations(
    program: MatrixProgram, values: Mapping[Unknown, Fraction], factor: Fraction
) -> list[str]:
    """What does not hold exactly; empty if the values are a proof."""
    found = [f"{name} is negative" for name in program.positive if values[name] < 0]
    for line in program.equalities:
        if sum((a + factor * b) * (1 if u is ONE else values[u]) for u, (a, b) in line.items()):
            found.append("function values or tilts do not cancel")
            break
    if found:
        return found
    return [
        f"{one.name} is not positive semidefinite"
        for one in program.inequalities
        if not is_semidefinite(one.matrix(values, factor))
    ][:1]


def _repaired(
    equalities: Iterable[Mapping[Unknown, Affine]],
    values: Mapping[Unknown, Fraction],
    factor: Fraction,
    positive: set[Unknown],
) -> dict[Unknown, Fraction] | None:
    """Move as few unknowns as possible, large ones first, so that the equalities hold exactly."""
    pivots: dict[Unknown, tuple[dict[Unknown, Fraction], Fraction]] = {}
    for line in equalities:
        row = {u: a + factor * b for u, (a, b) in line.items() if a + factor * b}
        right = -row.pop(ONE, Fraction(0))
        for name, (other, value) in pivots.items():
            if name in row:
                scale = row.pop(name)
                _subtract(row, other, scale)
                right -= scale * value
        if not row:
            if right:
                return None
            continue
        pivot = max(row, key=lambda u: (u not in positive, abs(values[u])))
        scale = row.pop(pivot)
        row, right = {u: x / scale for u, x in row.items()}, right / scale
        for name, (other, value) in list(pivots.items()):
            if pivot in other:
                share = other.pop(pivot)
                _subtract(other, row, share)
                pivots[name] = (other, value - share * right)
        pivots[pivot] = (row, right)
    found = dict(values)
    for name, (row, right) in pivots.items():
        found[name] = right - sum((x * values[u] for u, x in row.items()), Fraction(0))
    return found


def _subtract(
    row: dict[Unknown, Fraction], other: Mapping[Unknown, Fraction], by: Fraction
) -> None:
    for name, value in other.items():
        row[name] = row.get(name, Fraction(0)) - by * value
        if not row[name]:
            del row[name]
