"""From floats to rationals that satisfy a program exactly."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from fltheory.analysis.potentials.program import ONE, Affine, MatrixProgram, Unknown
from fltheory.core.semidefinite import is_semidefinite

DIGITS = (3, 4, 5, 6, 7, 8, 10, 12)
"""Decimal digits that are tried, short ones first."""


def rounded(
    program: MatrixProgram, values: Mapping[Unknown, float], factor: Fraction
) -> dict[Unknown, Fraction] | None:
    """Short rationals near the values for which everything holds exactly, if any are found."""
    solved: SolvedEqualities | None = None
    for digits in DIGITS:
        scale = 10**digits
        near = {name: round(value * scale) for name, value in values.items()}
        for name in program.positive:
            near[name] = max(near[name], 0)
        if solved is None or not solved.still_chooses(near, program.positive):
            solved = _solved(program.equalities, near, factor, program.positive)
        if solved is None:
            return None
        exactly = solved.values(near, scale)
        if not violations(program, exactly, factor):
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
    for one in program.inequalities:
        if not is_semidefinite(one.whole(values, factor)):
            return [f"{one.name} is not positive semidefinite"]
    return []


class WholeLine(NamedTuple):
    """own * (an unknown) + the sum of row = right, in whole numbers."""

    own: int
    row: dict[Unknown, int]
    right: int

    def shortened(self) -> "WholeLine":
        """The same without a common factor."""
        common = gcd(self.own, self.right, *self.row.values())
        if common < 2:
            return self
        row = {u: x // common for u, x in self.row.items()}
        return WholeLine(self.own // common, row, self.right // common)


class SolvedEqualities(NamedTuple):
    """Equalities solved for some of their unknowns, and among which each of these was chosen."""

    lines: dict[Unknown, WholeLine]
    choices: list[tuple[tuple[Unknown, ...], Unknown]]

    def still_chooses(self, near: Mapping[Unknown, int], positive: set[Unknown]) -> bool:
        """Whether the same unknowns would be chosen at other values."""
        return all(_chosen(names, near, positive) == name for names, name in self.choices)

    def values(self, near: Mapping[Unknown, int], scale: int) -> dict[Unknown, Fraction]:
        """The values near / scale, with the chosen unknowns moved so that the equalities hold."""
        found = {name: Fraction(value, scale) for name, value in near.items()}
        for name, line in self.lines.items():
            rest = sum(x * near[u] for u, x in line.row.items())
            found[name] = Fraction(line.right * scale - rest, line.own * scale)
        return found


def _chosen(
    names: Iterable[Unknown], near: Mapping[Unknown, int], positive: set[Unknown]
) -> Unknown:
    """A large unknown that may have any sign, if there is one."""
    return max(names, key=lambda u: (u not in positive, abs(near[u])))


def _solved(
    equalities: Iterable[Mapping[Unknown, Affine]],
    near: Mapping[Unknown, int],
    factor: Fraction,
    positive: set[Unknown],
) -> SolvedEqualities | None:
    """Solve for as few unknowns as possible, large ones first; None if the equalities contradict
    each other."""
    lines: dict[Unknown, WholeLine] = {}
    choices: list[tuple[tuple[Unknown, ...], Unknown]] = []
    for line in equalities:
        given = {u: a + factor * b for u, (a, b) in line.items() if a + factor * b}
        common = lcm(*(x.denominator for x in given.values()))
        row = {u: x.numerator * (common // x.denominator) for u, x in given.items()}
        now = WholeLine(0, row, -row.pop(ONE, 0))
        for name, known in lines.items():
            if name in now.row:
                now = _without(name, now, known)
        if not now.row:
            if now.right:
                return None
            continue
        pivot = _chosen(now.row, near, positive)
        choices.append((tuple(now.row), pivot))
        new = WholeLine(now.row.pop(pivot), now.row, now.right).shortened()
        for name, known in lines.items():
            if pivot in known.row:
                lines[name] = _without(pivot, known, new)
        lines[pivot] = new
    return SolvedEqualities(lines, choices)


def _without(name: Unknown, line: WholeLine, known: WholeLine) -> WholeLine:
    """The line after an unknown in it has been replaced by what is known of it."""
    row, own = dict(line.row), known.own
    by = row.pop(name)
    row = {u: own * x for u, x in row.items()}
    for u, x in known.row.items():
        row[u] = row.get(u, 0) - by * x
        if not row[u]:
            del row[u]
    return WholeLine(own * line.own, row, own * line.right - by * known.right).shortened()
