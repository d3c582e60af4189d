"""Linear matrix inequalities with scalar unknowns, solved in floating point by Clarabel."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np

from fltheory.core.types import FloatArray

Unknown = Hashable
"""The name of an unknown."""

ONE: Unknown = None
"""The constant among the unknowns."""

Affine = tuple[Fraction, Fraction]
"""(a, b) stands for a + b r, where r is the factor in the rate."""

TIGHT = 1e-9
"""Accuracy that is asked of the solver."""

LARGEST_MARGIN = 1.0


@dataclass(frozen=True)
class MatrixInequality:
    """The matrix with these upper entries (unknown, i, j), i <= j, is positive semidefinite."""

    name: str
    size: int
    entries: Mapping[tuple[Unknown, int, int], Affine]

    def matrix(self, values: Mapping[Unknown, Fraction], factor: Fraction) -> list[list[Fraction]]:
        """The matrix at exact values of the unknowns."""
        found = [[Fraction(0)] * self.size for _ in range(self.size)]
        for (name, i, j), (a, b) in self.entries.items():
            value = (a + factor * b) * (Fraction(1) if name is ONE else values[name])
            found[i][j] += value
            if i != j:
                found[j][i] += value
        return found

    @cached_property
    def _whole_entries(self) -> list[tuple[Unknown, int, int, int, int]]:
        """The entries, with their numbers a and b times one whole number."""
        scale = lcm(*(x.denominator for pair in self.entries.values() for x in pair))
        return [
            (name, i, j, int(a * scale), int(b * scale))
            for (name, i, j), (a, b) in self.entries.items()
        ]

    def whole(self, values: Mapping[Unknown, Fraction], factor: Fraction) -> list[list[int]]:
        """A positive multiple of the matrix at exact values, in whole numbers.

        >>> one = MatrixInequality("one", 1, {("x", 0, 0): (Fraction(1, 2), Fraction(1))})
        >>> at = {"x": Fraction(1, 3)}, Fraction(1)
        >>> one.matrix(*at), one.whole(*at)
        ([[Fraction(1, 2)]], [[3]])
        """
        entries = self._whole_entries
        used = {name: values[name] for name, *_ in entries if name is not ONE}
        scale = lcm(*(value.denominator for value in used.values()))
        times = {
            name: value.numerator * (scale // value.denominator) for name, value in used.items()
        }
        times[ONE] = scale
        found = [[0] * self.size for _ in range(self.size)]
        for name, i, j, a, b in entries:
            value = (a * factor.denominator + b * factor.numerator) * times[name]
            found[i][j] += value
            if i != j:
                found[j][i] += value
        return found


class Solved(NamedTuple):
    """What the solver says; `values` are floats."""

    feasible: bool
    values: dict[Unknown, float]
    objective: float
    status: str


@dataclass
class MatrixProgram:
    """Unknowns in order of their appearance; it grows only while a model is assembled."""

    unknowns: dict[Unknown, int] = field(default_factory=dict)
    positive: set[Unknown] = field(default_factory=set)
    inequalities: list[MatrixInequality] = field(default_factory=list)
    equalities: list[dict[Unknown, Affine]] = field(default_factory=list)

    def unknown(self, name: Unknown, *, positive: bool = False) -> Unknown:
        """The name, known from now on."""
        self.unknowns.setdefault(name, len(self.unknowns))
        if positive:
            self.positive.add(name)
        return name

    def solve(
        self, factor: float, goal: Mapping[Unknown, float] | None = None, *, margin: bool = False
    ) -> Solved:
        """Minimise the goal, or with `margin` make all inequalities as strict as possible."""
        import clarabel
        from scipy import sparse

        matrix, right, cones, count = self._compiled(factor, margin)
        objective = np.zeros(count)
        if margin:
            objective[-1] = -1.0
        for name, weight in (goal or {}).items():
            objective[self.unknowns[name]] += weight
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_iter = 300
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TIGHT
        kinds = {
            "zero": clarabel.ZeroConeT,
            "positive": clarabel.NonnegativeConeT,
            "matrix": clarabel.PSDTriangleConeT,
        }
        out = clarabel.DefaultSolver(
            sparse.csc_matrix((count, count)),
            objective,
            matrix,
            right,
            [kinds[kind](size) for kind, size in cones],
            settings,
        ).solve()
        status, found = str(out.status), np.array(out.x)
        return Solved(
            status in ("Solved", "AlmostSolved"),
            dict(zip(self.unknowns, found.tolist(), strict=False)),
            float(found[-1]) if margin else float(out.obj_val),
            status,
        )

    def _compiled(
        self, factor: float, margin: bool
    ) -> tuple[object, FloatArray, list[tuple[str, int]], int]:
        """b - A x in a product of cones."""
        from scipy import sparse

        index, count = self.unknowns, len(self.unknowns) + margin
        rows: list[int] = []
        columns: list[int] = []
        data: list[float] = []
        right: list[float] = []
        cones: list[tuple[str, int]] = []

        def put(row: int, column: int, value: float) -> None:
            rows.append(row)
            columns.append(column)
            data.append(value)

        for line in self.equalities:
            constant = 0.0
            for name, (a, b) in line.items():
                value = float(a) + factor * float(b)
                if name is ONE:
                    constant -= value
                else:
                    put(len(right), index[name], value)
            right.append(constant)
        if self.equalities:
            cones.append(("zero", len(self.equalities)))
        before = len(right)
        for name in self.unknowns:
            if name in self.positive:
                put(len(right), index[name], -1.0)
                right.append(0.0)
        if margin:
            put(len(right), count - 1, 1.0)
            right.append(LARGEST_MARGIN)
        if len(right) > before:
            cones.append(("positive", len(right) - before))
        for inequality in self.inequalities:
            first, size = len(right), inequality.size
            constants = [0.0] * (size * (size + 1) // 2)
            for (name, i, j), (a, b) in inequality.entries.items():
                value = (float(a) + factor * float(b)) * (1.0 if i == j else 2.0**0.5)
                place = j * (j + 1) // 2 + i
                if name is ONE:
                    constants[place] += value
                else:
                    put(first + place, index[name], -value)
            if margin:
                for i in range(size):
                    put(first + i * (i + 1) // 2 + i, count - 1, 1.0)
            right.extend(constants)
            cones.append(("matrix", size))
        matrix = sparse.csc_matrix((data, (rows, columns)), shape=(len(right), count))
        return matrix, np.array(right), cones, count
