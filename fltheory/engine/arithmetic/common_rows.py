"""Rows of fractions over one common denominator: whole numbers, which add and multiply without a
greatest common divisor for each."""

from collections.abc import Callable
from fractions import Fraction
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import numpy as np

from fltheory.core.denominators import aligned, shared_divisor, with_primes
from fltheory.core.ratio import ZERO, Ratio, in_lowest_terms
from fltheory.core.types import Array, BoolArray
from fltheory.engine.arithmetic.broadcasting import Shape, broadcast, common_shape, spread


class CommonRows:
    """A table of fractions, of which some may be left out: (rows, columns), numerators row by row
    (None where a number is left out), their common denominator, its prime factors, and whether it
    is known to be the least.

    Sums, differences and products with such tables and with numbers stay such tables. Everything
    else that NumPy can do happens on the array of fractions, in which what was left out is 0.

    >>> rows = CommonRows((2, 1), [1, 2], 3, 3)
    >>> (rows * rows - 1).fractions()[:, 0]
    array([Fraction(-8, 9), Fraction(-5, 9)], dtype=object)
    """

    __slots__ = ("denominator", "least", "numerators", "partial", "primes", "shape")
    ndim = 2
    dtype = np.dtype(object)

    def __init__(
        self,
        shape: Shape,
        numerators: list[Any],
        denominator: int,
        primes: int,
        partial: bool = False,
        least: bool = False,
    ) -> None:
        self.shape, self.numerators, self.denominator = shape, numerators, denominator
        self.primes, self.partial, self.least = primes, partial, least

    def fractions(self) -> Array:
        """The numbers in lowest terms, as an array."""
        found = np.empty(len(self.numerators), dtype=object)
        found[:] = self.listed()
        return found.reshape(self.shape)

    def listed(self) -> list[Ratio]:
        """The numbers in lowest terms, row by row."""
        if self.least and len(self.numerators) == 1:
            return [in_lowest_terms(self.numerators[0], self.denominator)]
        return [
            _lowest(number, self.denominator, self.primes) if number else ZERO
            for number in self.numerators
        ]

    def reduced(self) -> "CommonRows":
        """The same numbers over their least common denominator."""
        if self.denominator == 1 or self.partial:
            return self
        shared = shared_divisor(self.denominator, self.numerators, self.primes)
        least = self.denominator // shared
        numerators = self.numerators if shared == 1 else [n // shared for n in self.numerators]
        return CommonRows(self.shape, numerators, least, self.primes, False, True)

    def only(self, mask: BoolArray) -> "CommonRows":
        """The rows of the mask; the others are left out."""
        kept = spread(mask, self.shape)
        if all(kept):
            return self
        chosen = [n if k else None for n, k in zip(self.numerators, kept, strict=True)]
        return CommonRows(self.shape, chosen, self.denominator, self.primes, True)

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Any:
        if axis not in (-2, 0) or not keepdims or self.partial:
            return self.fractions().sum(axis=axis, keepdims=keepdims)
        width, numbers = self.shape[1], self.numerators
        added = [sum(numbers)] if width == 1 else [sum(numbers[j::width]) for j in range(width)]
        return CommonRows((1, width), added, self.denominator, self.primes)

    def __add__(self, other: Any) -> Any:
        found = other if type(other) is CommonRows else as_common(other)
        return self.fractions() + other if found is None else _added(self, found, 1)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        found = other if type(other) is CommonRows else as_common(other)
        return self.fractions() - other if found is None else _added(self, found, -1)

    def __rsub__(self, other: Any) -> Any:
        found = as_common(other)
        return other - self.fractions() if found is None else _added(found, self, -1)

    def __mul__(self, other: Any) -> Any:
        found = other if type(other) is CommonRows else as_common(other)
        return self.fractions() * other if found is None else _multiplied(self, found)

    __rmul__ = __mul__

    def __neg__(self) -> "CommonRows":
        return _multiplied(self, CommonRows((1, 1), [-1], 1, 1))

    def __truediv__(self, other: Any) -> Any:
        found = as_common(other)
        if found is None or found.shape != (1, 1) or not found.numerators[0]:
            return self.fractions() / np.asarray(other)
        number, denominator = found.numerators[0], found.denominator
        if number < 0:
            number, denominator = -number, -denominator
        primes = number if number.bit_length() < SMALL_BITS else 0
        return _multiplied(self, CommonRows((1, 1), [denominator], number, primes))

    def __rtruediv__(self, other: Any) -> Any:
        return other / self.fractions()

    def __pow__(self, power: Any) -> Any:
        if type(power) is not int or power < 1:
            return self.fractions() ** power
        raised = [None if n is None else n**power for n in self.numerators]
        return CommonRows(self.shape, raised, self.denominator**power, self.primes, self.partial)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.fractions() if dtype in (None, object) else self.fractions().astype(dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*(_plain(value) for value in inputs), **options)

    def __getitem__(self, key: Any) -> Any:
        found = self.fractions()[key]
        return from_fractions(found) if getattr(found, "ndim", 0) == 2 else found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.fractions(), name)

    def __len__(self) -> int:
        return self.shape[0]

    def _compared(self, other: Any, relation: Callable[[Any, Any], Any]) -> BoolArray:
        return np.asarray(relation(self.fractions(), _plain(other)), dtype=bool)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, eq)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, ne)

    def __lt__(self, other: Any) -> BoolArray:
        return self._compared(other, lt)

    def __le__(self, other: Any) -> BoolArray:
        return self._compared(other, le)

    def __gt__(self, other: Any) -> BoolArray:
        return self._compared(other, gt)

    def __ge__(self, other: Any) -> BoolArray:
        return self._compared(other, ge)

    __hash__ = None  # type: ignore[assignment]


SMALL_BITS = 64
"""Size up to which a denominator counts as small, so that it is its own list of prime factors."""


def as_common(value: Any) -> CommonRows | None:
    """Numbers or a table of fractions as rows; None for everything else."""
    kind = type(value)
    if kind is CommonRows:
        return value
    if kind is int or kind is Ratio or kind is Fraction:
        top, bottom = value.numerator, value.denominator
        return CommonRows((1, 1), [top], bottom, _primes_of(bottom))
    return None


def from_fractions(table: Array) -> CommonRows:
    """A table of fractions over their least common denominator."""
    return from_numbers(table.ravel().tolist(), (table.shape[0], table.shape[1]))


def from_numbers(numbers: list[Any], shape: Shape) -> CommonRows:
    """Fractions and whole numbers, row by row, over their least common denominator."""
    denominator, primes = 1, 1
    for number in numbers:
        below = number.denominator
        if denominator % below:
            denominator *= aligned(denominator, below, 0)[0]
            primes = with_primes(primes, _primes_of(below))
    numerators = [n.numerator * (denominator // n.denominator) for n in numbers]
    return CommonRows(shape, numerators, denominator, primes)


def chosen(mask: BoolArray, new: CommonRows, old: CommonRows) -> CommonRows:
    """`new` where the mask holds, `old` elsewhere."""
    shape = new.shape
    if not mask.shape == shape == old.shape:
        shape = common_shape(common_shape(mask.shape, shape), old.shape)
    which = spread(mask, shape)
    if all(which) and new.shape == shape:
        return new
    if not any(which) and old.shape == shape:
        return old
    primes = with_primes(new.primes, old.primes)
    to_new, to_old, denominator = aligned(new.denominator, old.denominator, primes)
    both = zip(which, _numbers(new, shape), _numbers(old, shape), strict=True)
    if not (new.partial or old.partial):
        found = [n * to_new if w else o * to_old for w, n, o in both]
        return CommonRows(shape, found, denominator, primes)
    found = [
        (None if n is None else n * to_new) if w else (None if o is None else o * to_old)
        for w, n, o in both
    ]
    return CommonRows(shape, found, denominator, primes, None in found)


def _added(left: CommonRows, right: CommonRows, sign: int) -> CommonRows:
    """left + sign * right."""
    shape = left.shape if left.shape == right.shape else common_shape(left.shape, right.shape)
    if right.denominator == 1 and not right.partial and not any(right.numerators):
        return _widened(left, shape)
    if left.denominator == 1 and sign == 1 and not left.partial and not any(left.numerators):
        return _widened(right, shape)
    primes = with_primes(left.primes, right.primes)
    to_left, to_right, denominator = aligned(left.denominator, right.denominator, primes)
    if sign < 0:
        to_right = -to_right
    both = zip(_numbers(left, shape), _numbers(right, shape), strict=True)
    if left.partial or right.partial:
        found = [None if x is None or y is None else x * to_left + y * to_right for x, y in both]
        return CommonRows(shape, found, denominator, primes, True)
    found = [x * to_left + y * to_right for x, y in both]
    return CommonRows(shape, found, denominator, primes)


def _widened(rows: CommonRows, shape: Shape) -> CommonRows:
    """The same rows, broadcast to a shape."""
    if rows.shape == shape:
        return rows
    numbers = broadcast(rows.numerators, rows.shape, shape)
    return CommonRows(shape, numbers, rows.denominator, rows.primes, rows.partial)


def _multiplied(left: CommonRows, right: CommonRows) -> CommonRows:
    if left.shape == (1, 1) and not left.partial:
        left, right = right, left
    if right.shape == (1, 1) and not (left.partial or right.partial):
        factor, below = right.numerators[0], right.denominator
        if factor == below:
            return left
        found = left.numerators if factor == 1 else [x * factor for x in left.numerators]
        primes = with_primes(left.primes, right.primes)
        return CommonRows(left.shape, found, left.denominator * below, primes)
    denominator = left.denominator * right.denominator
    primes = with_primes(left.primes, right.primes)
    shape = left.shape if left.shape == right.shape else common_shape(left.shape, right.shape)
    both = zip(_numbers(left, shape), _numbers(right, shape), strict=True)
    if left.partial or right.partial:
        found = [None if x is None or y is None else x * y for x, y in both]
        return CommonRows(shape, found, denominator, primes, True)
    return CommonRows(shape, [x * y for x, y in both], denominator, primes)


def _numbers(rows: CommonRows, shape: Shape) -> list[Any]:
    """The numerators of rows that are broadcast to a shape."""
    return rows.numerators if rows.shape == shape else broadcast(rows.numerators, rows.shape, shape)


def _primes_of(denominator: int) -> int:
    return denominator if denominator.bit_length() <= SMALL_BITS else 0


def _lowest(numerator: int, denominator: int, primes: int) -> Ratio:
    """A quotient in lowest terms."""
    shared = shared_divisor(denominator, (numerator,), primes)
    return in_lowest_terms(numerator // shared, denominator // shared)


def _plain(value: Any) -> Any:
    return value.fractions() if type(value) is CommonRows else value
