"""Every constraint of a worst case, without a row for each pair of records: rows are made for those
that a solver is given, and all left sides are computed from the records' inner products."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding, ValueName
from fltheory.analysis.worst_case.structure import Part, Structure
from fltheory.core.types import BoolArray, FloatArray, IntArray

NEGLIGIBLE = 1e-12
"""Coefficients below this are rounding errors."""


class Piece(NamedTuple):
    """<left, X right> + factor <square, X square>, with rows over the whole basis."""

    left: FloatArray
    right: FloatArray
    factor: float
    square: FloatArray


class Records(NamedTuple):
    """The records of a class in our basis: points, gradients (without the slope at the optimum),
    and the number of each record's value, -1 if it is fixed."""

    points: FloatArray
    slopes: FloatArray
    numbers: IntArray

    @property
    def num_pairs(self) -> int:
        """Ordered pairs of different records."""
        return len(self.points) * (len(self.points) - 1)


class Others(NamedTuple):
    """The constraints that are not interpolation: their pieces, and the constraint of each piece,
    values, bounds, and whether it is an equality."""

    pieces: list[Piece]
    owner: IntArray
    values: FloatArray
    bounds: FloatArray
    free: BoolArray


@dataclass(frozen=True)
class AllConstraints:
    """All constraints in the encoding's order: pairs of records by class, then the others.

    `form` is that of the function class, `blocks` the columns of each block, `first` marks the
    constraints of the first attempt: neighbours in time, pairs with the optimum, and everything
    that is not interpolation. For `unit` and `back` see Structure.
    """

    records: tuple[Records, ...]
    others: Others
    form: FloatArray
    blocks: tuple[IntArray, ...]
    objective: tuple[tuple[float, FloatArray], ...]
    objective_values: FloatArray
    first: BoolArray
    unit: float
    back: FloatArray
    names: tuple[ValueName, ...]

    @cached_property
    def bounds(self) -> FloatArray:
        """The right sides, scaled as `scales`."""
        none = np.zeros(sum(held.num_pairs for held in self.records))
        return np.concatenate([none, self.others.bounds]) / self.scales

    def only(self, which: IntArray) -> Structure:
        """Some of the constraints, in order, scaled to the units of the problem."""
        pieces: list[tuple[FloatArray, ...]] = []
        owner, values, bounds = [], [], []
        begin = made = 0
        for held in self.records:
            here = which[(which >= begin) & (which < begin + held.num_pairs)] - begin
            begin += held.num_pairs
            i, j = _pair(here, len(held.points))
            step, change = held.points[i] - held.points[j], held.slopes[i] - held.slopes[j]
            left = held.slopes[j] + self.form[0, 0] * step + 2 * self.form[0, 2] * change
            pieces.append((left, step, change, np.full(len(i), self.form[2, 2])))
            owner.append(np.arange(made, made + len(i)))
            coefficients = np.zeros((len(i), len(self.names)))
            for sign, chosen in ((1.0, j), (-1.0, i)):
                told = held.numbers[chosen] >= 0
                coefficients[np.flatnonzero(told), held.numbers[chosen[told]]] += sign
            values.append(coefficients * self.unit)
            bounds.append(np.zeros(len(i)))
            made += len(i)
        rest = which[which >= begin] - begin
        place = np.full(len(self.others.bounds), -1)
        place[rest] = np.arange(len(rest))
        for piece, k in zip(self.others.pieces, self.others.owner, strict=True):
            if place[k] >= 0:
                one, two, factor, row = piece
                pieces.append((one[None], two[None], row[None], np.array([factor])))
                owner.append(np.array([made + place[k]]))
        values.append(self.others.values[rest] * self.unit)
        bounds.append(self.others.bounds[rest])
        free = np.concatenate([np.zeros(made, bool), self.others.free[rest]])
        left, right, square, factors = (
            np.concatenate(field) for field in zip(*pieces, strict=True)
        )
        return self._scaled(
            (left, right, square),
            factors,
            np.concatenate(owner),
            np.concatenate(values),
            np.concatenate(bounds),
            which,
            free,
        )

    def _scaled(
        self,
        rows: tuple[FloatArray, ...],
        factors: FloatArray,
        owner: IntArray,
        values: FloatArray,
        bounds: FloatArray,
        which: IntArray,
        free: BoolArray,
    ) -> Structure:
        """Constraints divided by their size, the metric by the unit of loss."""
        left, right, square = rows
        sizes = (
            np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
            + abs(factors) * np.linalg.norm(square, axis=1) ** 2
        )
        scales = _positive(
            np.maximum(np.bincount(owner, sizes, len(bounds)), abs(values).max(axis=1, initial=0.0))
        )
        each = scales[owner]
        parts, objective, squares = [], [], []
        for columns in self.blocks:
            one, two, three = (part[:, columns] for part in rows)
            here = np.flatnonzero((abs(one) + abs(two) + abs(three)).max(axis=1) > NEGLIGIBLE)
            parts.append(
                Part(
                    here,
                    one[here] / each[here][:, None],
                    two[here],
                    three[here],
                    factors[here] / each[here],
                )
            )
            squares.append(
                tuple((factor / self.unit, row[columns]) for factor, row in self.objective)
            )
            objective.append(
                sum(
                    (factor * np.outer(row, row) for factor, row in squares[-1]),
                    np.zeros((len(columns), len(columns))),
                )
            )
        return Structure(
            tuple(parts),
            owner,
            values / scales[:, None],
            bounds / scales,
            tuple(objective),
            self.objective_values / self.unit,
            scales,
            free,
            tuple(squares),
        )

    @cached_property
    def scales(self) -> FloatArray:
        """The size of every constraint, up to rounding as in `only`."""
        found = []
        for held in self.records:
            products = _Products.of(self.form, held.points, held.slopes)
            sizes = np.sqrt(products.left_squared * products.step_squared)
            sizes += abs(self.form[2, 2]) * products.change_squared
            known = (held.numbers[:, None] >= 0) | (held.numbers[None, :] >= 0)
            found.append(_off_diagonal(np.maximum(sizes, known * self.unit)))
        sizes = np.zeros(len(self.others.bounds))
        for (one, two, factor, row), k in zip(self.others.pieces, self.others.owner, strict=True):
            sizes[k] += np.linalg.norm(one) * np.linalg.norm(two) + abs(factor) * (row @ row)
        values = abs(self.others.values * self.unit).max(axis=1, initial=0.0)
        return _positive(np.concatenate([*found, np.maximum(sizes, values)]))

    def left_sides(self, gram: Sequence[FloatArray], values: FloatArray) -> FloatArray:
        """The left side of every constraint, scaled, at a Gram matrix and values."""
        known = np.append(values * self.unit, 0.0)  # number -1: a fixed value
        found = []
        for held in self.records:
            told = known[held.numbers]
            total = told[None, :] - told[:, None]
            for columns, block in zip(self.blocks, gram, strict=True):
                products = _Products.of(
                    self.form, held.points[:, columns], held.slopes[:, columns], block
                )
                total += products.form + self.form[2, 2] * products.change_squared
            found.append(_off_diagonal(total))
        rest = self.others.values @ known[:-1]
        for (one, two, factor, row), k in zip(self.others.pieces, self.others.owner, strict=True):
            for columns, block in zip(self.blocks, gram, strict=True):
                rest[k] += one[columns] @ block @ two[columns]
                rest[k] += factor * (row[columns] @ block @ row[columns])
        return np.concatenate([*found, rest]) / self.scales

    def recovered(
        self, encoding: Encoding, gram: Sequence[FloatArray], values: FloatArray
    ) -> tuple[list[FloatArray], dict[ValueName, float]]:
        """Gram matrices of the encoding's blocks, and its values, with the slopes at the optimum
        restored."""
        recording = encoding.recording
        owners = np.array(recording.owners)
        whole = np.zeros((len(owners), len(owners)))
        for columns, block in zip(self.blocks, gram, strict=True):
            rows = self.back[:, columns]
            whole += rows @ block @ rows.T
        found = {name: float(x) * self.unit for name, x in zip(self.names, values, strict=True)}
        if recording.has_optimum:
            for c, records in enumerate(recording.records):
                slope = np.array(records[0].gradient, float) @ whole
                for r in range(1, len(records)):
                    found[c, r] += float(slope @ np.array(records[r].point, float))
        return [
            whole[np.ix_(owners == b, owners == b)] for b in range(len(encoding.block_sizes))
        ], found


class _Products(NamedTuple):
    """For records i and j of a class, with step x_i - x_j and change g_i - g_j: their squares, and
    those of the left row g_j + a step + 2 b change, and its product with the step."""

    step_squared: FloatArray
    change_squared: FloatArray
    left_squared: FloatArray
    form: FloatArray

    @classmethod
    def of(
        cls,
        form: FloatArray,
        points: FloatArray,
        slopes: FloatArray,
        gram: FloatArray | None = None,
    ) -> "_Products":
        """From inner products of the records only; `gram` is the identity if it is not given."""
        x, g = (points, slopes) if gram is None else (points @ gram, slopes @ gram)
        xx, xg, gg = x @ points.T, x @ slopes.T, g @ slopes.T
        dx, dg, dxg = np.diag(xx), np.diag(gg), np.diag(xg)
        step = dx[:, None] + dx[None, :] - 2 * xx
        change = dg[:, None] + dg[None, :] - 2 * gg
        both = dxg[:, None] + dxg[None, :] - xg - xg.T
        along, turned = xg - dxg[None, :], gg - dg[None, :]  # g_j with the step and the change
        a, b = form[0, 0], 2 * form[0, 2]
        left = dg[None, :] + a * a * step + b * b * change
        left = left + 2 * (a * along + b * turned + a * b * both)
        return cls(
            np.maximum(step, 0.0),
            change if gram is not None else np.maximum(change, 0.0),
            np.maximum(left, 0.0),
            along + a * step + b * both,
        )


def _pair(numbers: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """The records of pairs, which are numbered as in Encoding.pairs.

    >>> [part.tolist() for part in _pair(np.arange(6), 3)]
    [[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]]
    """
    i, j = np.divmod(numbers, max(count - 1, 1))
    return i, j + (j >= i)


def _off_diagonal(table: FloatArray) -> FloatArray:
    """The entries of pairs of different records, in order."""
    found: FloatArray = table[~np.eye(len(table), dtype=bool)]
    return found


def _positive(scales: FloatArray) -> FloatArray:
    """Scales, with 1 for constraints that are empty."""
    return np.where(scales == 0, 1.0, scales)
