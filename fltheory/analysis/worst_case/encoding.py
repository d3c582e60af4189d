"""The worst case as an optimisation problem: constraints between points, gradients and values."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Metric
from fltheory.analysis.worst_case.recording import Recording
from fltheory.core.types import Array

ValueName = tuple[int, ...]
"""Which function value: (class, record), or () for the smallest squared gradient."""

Coefficients = dict[ValueName, Fraction]
"""Factors of function values."""


class Term(NamedTuple):
    """sum over a, b of matrix[a, b] <v_a, v_b>, where v_a is vector number places[a] of a block."""

    block: int
    places: tuple[int, ...]
    matrix: Array


class Constraint(NamedTuple):
    """Sum of terms + sum of coefficients times function values <= bound."""

    kind: str
    about: tuple[int, ...]
    terms: tuple[Term, ...]
    values: Coefficients
    bound: Fraction
    equal: bool = False
    """Whether the left side must equal the bound."""


@dataclass(frozen=True)
class Encoding:
    """The worst case as a problem; `weights` are those of the recording's points in the metric."""

    functions: FunctionClass
    recording: Recording
    conditions: Conditions
    metric: Metric
    weights: tuple[Fraction, ...]
    start: int | None = None
    """Index of x_0 among the recording's points, if its loss is needed."""

    @property
    def block_sizes(self) -> tuple[int, ...]:
        """Number of basis vectors in each block."""
        owners = self.recording.owners
        return tuple(owners.count(block) for block in range(1 + len(self.recording.blocks)))

    @property
    def num_constraints(self) -> int:
        """Number of constraints, without listing the interpolation ones."""
        pairs = sum(len(records) * (len(records) - 1) for records in self.recording.records)
        return pairs + sum(1 for _ in self.other_constraints())

    def vectors(self, block: int) -> Array:
        """Vectors of a block, as rows over its basis: the points of all records (of the block's
        class), then their gradients; with noise, the basis itself; in block 0, x_0 last."""
        columns = [k for k, owner in enumerate(self.recording.owners) if owner == block]
        found = [r for c in self._classes(block) for r in self.recording.records[c]]
        rows = [r.point for r in found] + [r.gradient for r in found]
        if self.recording.noises:
            rows += [
                np.array([Fraction(int(j == k)) for j in range(len(self.recording.owners))])
                for k in columns
            ]
        return np.array(rows + ([self.recording.models[0]] if block == 0 else []))[:, columns]

    def _classes(self, block: int) -> list[int]:
        return [
            c
            for c in range(len(self.recording.records))
            if block in (0, self.recording.blocks.get(c))
        ]

    def _places(self, block: int, which: int) -> tuple[int, int]:
        """First index of the points and of the gradients of a class in the vectors of a block."""
        sizes = {c: len(self.recording.records[c]) for c in self._classes(block)}
        before = sum(size for c, size in sizes.items() if c < which)
        return before, sum(sizes.values()) + before

    def pairs(self, which: int) -> list[tuple[int, int]]:
        """Ordered pairs of different records of a class."""
        count = len(self.recording.records[which])
        return [(i, j) for i in range(count) for j in range(count) if i != j]

    def in_blocks(self, which: int) -> list[tuple[int, int, int]]:
        """(block, first point, first gradient) for the mean of a class and, where it has one, its
        deviation."""
        blocks = [0, self.recording.blocks[which]] if which in self.recording.blocks else [0]
        return [(block, *self._places(block, which)) for block in blocks]

    def constraints(self) -> Iterator[Constraint]:
        """Every constraint, in a fixed order: interpolation by class, then the conditions."""
        form = self.functions.form()
        for which in range(len(self.recording.records)):
            blocks = self.in_blocks(which)
            for i, j in self.pairs(which):
                terms = tuple(Term(b, (x + i, x + j, g + i, g + j), form) for b, x, g in blocks)
                yield Constraint(
                    "interpolation",
                    (which, i, j),
                    terms,
                    self._value(which, j, 1) | self._value(which, i, -1),
                    Fraction(0),
                )
        yield from self.other_constraints()

    def other_constraints(self) -> Iterator[Constraint]:
        """The constraints that are not interpolation; each term is a multiple of a square or, for
        noise, a product of two vectors."""
        yield from self._conditions()
        yield from self._about_points()
        yield from self._about_noise()

    def _about_noise(self) -> Iterator[Constraint]:
        """For n clients with independent draws, E|mean|^2 <= s^2/n, and the mean of the squared
        deviations is at most s^2 (1 - 1/n)."""
        owners = self.recording.owners
        variance = self.conditions.gradient_noise_squared or Fraction(0)
        for number, noise in enumerate(self.recording.noises):
            parts = (Fraction(1, noise.clients), 1 - Fraction(1, noise.clients))
            for k, part in zip(noise.vectors, parts, strict=False):
                yield Constraint(
                    "noise",
                    (number, k),
                    (Term(owners[k], (self._unit(k),), np.array([[Fraction(1)]])),),
                    {},
                    variance * part,
                )
        half = np.array([[Fraction(0), Fraction(1, 2)], [Fraction(1, 2), Fraction(0)]])
        for k, j in self.recording.uncorrelated:
            yield Constraint(
                "uncorrelated",
                (k, j),
                (Term(owners[k], (self._unit(k), self._unit(j)), half),),
                {},
                Fraction(0),
                True,
            )

    def _unit(self, k: int) -> int:
        """Index of basis vector k among the vectors of its block."""
        owner = self.recording.owners[k]
        records = sum(len(self.recording.records[c]) for c in self._classes(owner))
        return 2 * records + self.recording.owners[:k].count(owner)

    def _about_points(self) -> Iterator[Constraint]:
        for number, point in enumerate(self.recording.points):
            square = self._squared_gradient(point)
            if not self.recording.has_optimum:
                floor = square._replace(matrix=square.matrix / (2 * self.functions.smoothness))
                yield Constraint(
                    "floor", (number,), (floor,), self.loss(point, Fraction(-1)), Fraction(0)
                )
            if self.metric is Metric.MIN_SQUARED_GRADIENT and self.weights[number]:
                yield Constraint(
                    "minimum",
                    (number,),
                    (square._replace(matrix=-square.matrix),),
                    {(): Fraction(1)},
                    Fraction(0),
                )
            known, classes = self.conditions, range(len(point))
            if known.dissimilarity_squared is not None:
                for c in classes:
                    yield Constraint(
                        "dissimilarity",
                        (number, c),
                        self._apart(point, c, Fraction(1)),
                        {},
                        known.dissimilarity_squared,
                    )
            if known.mean_dissimilarity_squared is not None:
                terms = tuple(
                    term
                    for c in classes
                    for term in self._apart(point, c, self.recording.shares[c])
                )
                yield Constraint(
                    "mean_dissimilarity", (number,), terms, {}, known.mean_dissimilarity_squared
                )

    def _conditions(self) -> Iterator[Constraint]:
        known, one = self.conditions, np.array([[Fraction(1)]])
        if known.distance_squared is not None:
            yield Constraint(
                "distance",
                (),
                (Term(0, (len(self.vectors(0)) - 1,), one),),
                {},
                known.distance_squared,
            )
        if known.loss_gap is not None and self.start is not None:
            yield Constraint(
                "gap",
                (),
                (),
                self.loss(self.recording.points[self.start], Fraction(1)),
                known.loss_gap,
            )
        classes = range(len(self.recording.records))
        if known.heterogeneity is not None and self.recording.has_optimum:
            terms = tuple(
                Term(b, (g,), self.recording.shares[c] * one)
                for c in classes
                for b, _, g in self.in_blocks(c)
            )
            yield Constraint("heterogeneity", (), terms, {}, known.heterogeneity)
        if known.gradient_bound_squared is not None:
            for c in classes:
                for r in range(len(self.recording.records[c])):
                    terms = tuple(Term(b, (g + r,), one) for b, _, g in self.in_blocks(c))
                    yield Constraint("gradient", (c, r), terms, {}, known.gradient_bound_squared)

    def objective(self) -> tuple[list[Term], Coefficients]:
        """The metric: terms and coefficients of values."""
        if self.metric is Metric.MIN_SQUARED_GRADIENT:
            return [], {(): Fraction(1)}
        chosen = [
            (point, w) for point, w in zip(self.recording.points, self.weights, strict=True) if w
        ]
        if self.metric is Metric.MEAN_SQUARED_GRADIENT:
            squares = [(self._squared_gradient(point), w) for point, w in chosen]
            return [s._replace(matrix=s.matrix * w) for s, w in squares], {}
        values: Coefficients = {}
        for point, weight in chosen:
            for name, share in self.loss(point, weight).items():
                values[name] = values.get(name, Fraction(0)) + share
        return [], values

    def loss(self, point: tuple[int, ...], factor: Fraction) -> Coefficients:
        """factor (f - f*) at a point as coefficients of values."""
        result: Coefficients = {}
        for which, (r, share) in enumerate(zip(point, self.recording.shares, strict=True)):
            result |= self._value(which, r, factor * share)
        return result

    def _value(self, which: int, record: int, factor: Fraction | int) -> Coefficients:
        """factor times a function value, measured from the optimum (record 0); without an optimum,
        f* = 0 and all classes but the first have value 0 at record 0."""
        fixed = record == 0 and (self.recording.has_optimum or which > 0)
        return {} if fixed else {(which, record): Fraction(factor)}

    def _squared_gradient(self, point: tuple[int, ...]) -> Term:
        """|sum_c share_c grad f_c|^2 at a point; the deviations within classes cancel."""
        shares = np.array(self.recording.shares, dtype=object)
        places = tuple(self._places(0, which)[1] + r for which, r in enumerate(point))
        return Term(0, places, np.outer(shares, shares))

    def _apart(self, point: tuple[int, ...], which: int, factor: Fraction) -> tuple[Term, ...]:
        """factor times the mean of |grad f_i - grad f|^2 over a class; by symmetry all members have
        the same value."""
        square = self._squared_gradient(point)
        row = np.array(
            [int(c == which) - share for c, share in enumerate(self.recording.shares)], dtype=object
        )
        one = np.array([[factor]])
        spread = tuple(Term(b, (g + point[which],), one) for b, _, g in self.in_blocks(which) if b)
        return (square._replace(matrix=factor * np.outer(row, row)), *spread)
