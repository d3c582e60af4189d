"""Gram arithmetic: a coordinate is a coefficient of an unknown basis vector; each gradient request
adds a basis vector.

A run then holds for every function at once: only the inner products of the basis vectors are open,
and a semidefinite program decides about them.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.types import Array, BoolArray, Nested
from fltheory.engine.arithmetic.base import Arithmetic, Rows
from fltheory.engine.arithmetic.rational import RATIONAL

MEANS = 0
"""The block of basis vectors that all clients share; block c holds the deviations of the members of
a class from their mean."""


@dataclass(frozen=True)
class Gram:
    """Coefficients as fractions or floats: rows can be added and scaled, but no operation may read
    a single coordinate."""

    numbers: Arithmetic = RATIONAL
    name: str = "gram"

    def rows(self, values: Nested) -> Rows:
        return self.numbers.rows(values)

    def zeros(self, shape: tuple[int, ...]) -> Rows:
        return self.numbers.zeros(shape)

    def ratio(self, numerators: Array, denominators: Array) -> Rows:
        return self.numbers.ratio(numerators, denominators)

    def mask(self, booleans: BoolArray) -> Rows:
        return self.numbers.mask(booleans)

    def where(self, mask: Rows, new: Rows, old: Rows) -> Rows:
        return self.numbers.where(mask, new, old)

    def only(self, mask: Rows, rows: Rows) -> Rows:
        return rows

    def sin(self, rows: Rows) -> Rows:
        raise NotExact("a combination of unknown vectors has no sine")

    def cos(self, rows: Rows) -> Rows:
        raise NotExact("a combination of unknown vectors has no cosine")

    def clip(self, rows: Rows, bound: Rows) -> Rows:
        raise NotExact("a combination of unknown vectors cannot be clipped")

    def tidy(self, rows: Rows) -> Rows:
        return rows

    def finite(self, rows: Rows) -> Rows:
        return self.numbers.finite(rows)

    def stack(self, rows: list[Rows]) -> Rows:
        return self.numbers.stack(rows)

    def export(self, rows: Rows) -> Array:
        return self.numbers.export(rows)


class Record(NamedTuple):
    """A point at which a gradient was requested, and the gradient, as rows of coefficients."""

    point: Rows
    gradient: Rows


class NoiseVectors(NamedTuple):
    """The basis vectors of one noise draw (of its mean and of its deviation), and the number of
    clients in the mean."""

    vectors: tuple[int, ...]
    clients: int


@dataclass
class Tape:
    """The gradients requested from each class of clients; `members` partitions the clients into
    classes whose members always act alike.

    A gradient of class c is its mean over the class plus, if the class has several members, a
    deviation that sums to zero. The deviation of the first member has the factor 1, those of the n
    - 1 others have -1/(n-1): then every sum over clients is correct, and by linearity the row of
    the first member determines the others. A tape grows only while a run is recorded.
    """

    members: Sequence[Sequence[int]]
    capacity: int
    arithmetic: Arithmetic = field(default_factory=Gram)
    owners: list[int] = field(default_factory=list)
    noisy: bool = False
    """Whether each gradient that a working client receives has its own noise."""

    def __post_init__(self) -> None:
        self.records: list[list[Record]] = [[] for _ in self.members]
        self._known: list[dict[Hashable, Rows]] = [{} for _ in self.members]
        self.born_at: list[Rows | None] = []
        self.noises: list[NoiseVectors] = []
        self.num_clients = sum(len(members) for members in self.members)
        if sorted(i for members in self.members for i in members) != list(range(self.num_clients)):
            raise InvalidInput(
                "classes of clients",
                "hold every client once",
                [list(members) for members in self.members],
            )
        grows = [b for b, members in enumerate(self.members) if len(members) > 1]
        self.blocks: dict[int, int] = {c: b for b, c in enumerate(grows, start=1)}

    def mint(self, block: int = MEANS, point: Rows | None = None) -> Rows:
        """A new basis vector, with the point at which it was requested, if any."""
        if len(self.owners) == self.capacity:
            raise InvalidInput(
                "basis", f"have at most the {self.capacity} vectors it was made for", "one more"
            )
        row = self.arithmetic.zeros((self.capacity,))
        row[len(self.owners)] = row[len(self.owners)] + 1
        self.owners.append(block)
        self.born_at.append(point)
        return row

    def zero(self) -> Rows:
        """The zero vector; it is also the optimum, if there is one."""
        return self.arithmetic.zeros((self.capacity,))

    def add(self, which: int, point: Rows, gradient: Rows) -> None:
        """Record a known gradient of a class at a point."""
        self.records[which].append(Record(point, gradient))
        self._known[which][_key(point)] = gradient

    def gradient(self, which: int, point: Rows) -> Rows:
        """The gradient of the first member of a class: the one recorded at this point, or a new
        one."""
        found = self._known[which].get(_key(point))
        if found is None:
            found = self.fresh(which, point)
            self.add(which, point, found)
        return found

    def fresh(self, which: int, point: Rows) -> Rows:
        """An unknown vector of a class."""
        row = self.mint(MEANS, point)
        return row + self.mint(self.blocks[which], point) if which in self.blocks else row

    def noise(self, which: int, point: Rows) -> Rows:
        """The noise of a stochastic gradient at a point: drawn anew each time, independently for
        each client of the class."""
        first = len(self.owners)
        row = self.fresh(which, point)
        vectors = tuple(range(first, len(self.owners)))
        self.noises.append(NoiseVectors(vectors, len(self.members[which])))
        return row

    def place(self, which: int, point: Rows) -> int:
        """The index of the record of a class at a point; a missing record is created."""
        self.gradient(which, point)
        key = _key(point)
        return next(k for k, record in enumerate(self.records[which]) if _key(record.point) == key)

    def gradients(self, rows: Rows, busy: Sequence[bool] | BoolArray) -> Rows:
        """Row i -> the gradient of client i at row i for clients that work, zero for the others."""
        result = self.arithmetic.zeros((self.num_clients, self.capacity))
        for which, members in enumerate(self.members):
            if not busy[members[0]]:
                continue
            first, others = rows[members[0]], list(members[1:])
            if others:
                like_first = (
                    _same(rows[others], first * self._scales(len(members)))
                    & np.asarray(busy)[others]
                )
                if not like_first.all():
                    stray = others[int(np.argmin(like_first))]
                    raise InvalidInput(
                        f"client {stray}",
                        f"act like client {members[0]} of its class",
                        "another point or another time",
                    )
            answer = self.gradient(which, first)
            if self.noisy:
                answer = answer + self.noise(which, first)
            result[members[0]] = answer
            if others:  # computed again, because the answer may have added basis vectors
                result[others] = answer * self._scales(len(members))
        return result

    def _scales(self, size: int) -> Rows:
        """Factor of each coordinate for the members of a class other than the first."""
        other = Fraction(-1, size - 1) if size > 1 else Fraction(0)
        means = [Fraction(1) if block == MEANS else other for block in self.owners]
        return self.arithmetic.rows(means + [Fraction(0)] * (self.capacity - len(means)))


def _key(row: Rows) -> Hashable:
    return tuple(row) if row.dtype == object else row.tobytes()


def _same(left: Rows, right: Rows) -> BoolArray:
    """Which rows on the left equal the row on the right."""
    exact = left.dtype == object
    equal = left == right if exact else np.isclose(left, right, rtol=1e-9, atol=1e-12)
    return np.asarray(np.asarray(equal).astype(bool).all(axis=-1))
