"""Unknown vectors and quadratic expressions in them, with exact coefficients.

A run over unknown vectors holds for every function at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar, overload

from fltheory.analysis.certificate_fields import fields, index, items, short_fraction
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike, Json, JsonValue

SHOWN = 6
"""Terms of a formula, and records, that a sentence shows."""

Pair = tuple[int, int]
Key = TypeVar("Key")


@dataclass(frozen=True)
class Vector:
    """A combination of basis vectors. Vectors add and scale; u * v is their inner product, an
    Expression, and u**2 = u * u.

    >>> x, y = Vector({0: Fraction(1)}), Vector({1: Fraction(1)})
    >>> ((x - 2 * y) ** 2).squares
    {(0, 0): Fraction(1, 1), (0, 1): Fraction(-4, 1), (1, 1): Fraction(4, 1)}
    """

    parts: Mapping[int, Fraction] = field(default_factory=dict)

    @property
    def key(self) -> frozenset[tuple[int, Fraction]]:
        """Equal for equal vectors."""
        return frozenset(self.parts.items())

    def __add__(self, other: "Vector | ExactLike") -> "Vector":
        if isinstance(other, Vector):
            return Vector(added(self.parts, other.parts))
        if other != 0:
            raise InvalidInput("what is added to a vector", "be a vector or 0", other)
        return self

    @overload
    def __mul__(self, other: "Vector") -> "Expression": ...

    @overload
    def __mul__(self, other: ExactLike) -> "Vector": ...

    def __mul__(self, other: "Vector | ExactLike") -> "Vector | Expression":
        if not isinstance(other, Vector):
            factor = exact(other)
            return Vector({k: factor * x for k, x in self.parts.items() if factor})
        total: dict[Pair, Fraction] = {}
        for a, x in self.parts.items():
            for b, y in other.parts.items():
                key = (min(a, b), max(a, b))
                total[key] = total.get(key, Fraction(0)) + x * y
        return Expression({k: x for k, x in total.items() if x})

    def __pow__(self, power: int) -> "Expression":
        if power != 2:
            raise InvalidInput("power of a vector", "be 2", power)
        return self * self

    def __sub__(self, other: "Vector") -> "Vector":
        return self + other * -1

    def __truediv__(self, number: ExactLike) -> "Vector":
        return self * (1 / exact(number))

    def __radd__(self, other: ExactLike) -> "Vector":
        return self + other

    def __rmul__(self, number: ExactLike) -> "Vector":
        return self * number

    def text(self) -> str:
        """The vector as a formula in basis vectors e_k.

        >>> Vector({1: Fraction(-1, 2)}).text(), Vector().text()
        ('-1/2 e_1', '0')
        """
        return first_of([f"{x} e_{k}" for k, x in sorted(self.parts.items())], " + ") or "0"

    def to_json(self) -> Json:
        """Factors by index of the basis vector, sorted."""
        return {str(k): str(x) for k, x in sorted(self.parts.items())}

    @classmethod
    def from_json(cls, data: object, basis: int) -> "Vector":
        """Read the result of to_json, over a basis of that size."""
        parts = {}
        for name, text in fields(data, "vector").items():
            number = int(name) if name.isascii() and name.isdigit() and len(name) < 10 else name
            k = index(number, "number of a basis vector", basis)
            parts[k] = short_fraction(text, f"factor of basis vector {k}")
        return cls(parts)


@dataclass(frozen=True)
class Expression:
    """Factors of inner products <e_a, e_b> (a <= b) and of function values (function, record), and
    a constant.

    >>> (3 * Expression(values={(0, 1): Fraction(1)}) - 1).constant
    Fraction(-1, 1)
    """

    squares: Mapping[Pair, Fraction] = field(default_factory=dict)
    values: Mapping[Pair, Fraction] = field(default_factory=dict)
    constant: Fraction = Fraction(0)

    def __add__(self, other: "Expression | ExactLike") -> "Expression":
        if not isinstance(other, Expression):
            return Expression(self.squares, self.values, self.constant + exact(other))
        return Expression(
            added(self.squares, other.squares),
            added(self.values, other.values),
            self.constant + other.constant,
        )

    def __mul__(self, number: ExactLike) -> "Expression":
        factor = exact(number)
        squares, values = (
            {k: factor * x for k, x in part.items() if factor}
            for part in (self.squares, self.values)
        )
        return Expression(squares, values, factor * self.constant)

    def __sub__(self, other: "Expression | ExactLike") -> "Expression":
        return self + (other * -1 if isinstance(other, Expression) else -exact(other))

    def __truediv__(self, number: ExactLike) -> "Expression":
        return self * (1 / exact(number))

    def __radd__(self, number: ExactLike) -> "Expression":
        return self + number

    def __rmul__(self, number: ExactLike) -> "Expression":
        return self * number

    def at(self, numbers: Mapping[int, Fraction], values: Mapping[Pair, Fraction]) -> Fraction:
        """The value in one dimension, where basis vector k is numbers[k]."""
        squares = sum(
            (x * numbers[a] * numbers[b] for (a, b), x in self.squares.items()), Fraction(0)
        )
        return (
            squares
            + sum((x * values[k] for k, x in self.values.items()), Fraction(0))
            + self.constant
        )

    def text(self) -> str:
        """The expression as a formula, f_i(r) for the value of function i at its record r."""
        terms = [f"{x} <e_{a}, e_{b}>" for (a, b), x in sorted(self.squares.items())]
        terms += [f"{x} f_{f}({r})" for (f, r), x in sorted(self.values.items())]
        return first_of([*terms, *([str(self.constant)] * bool(self.constant))], " + ") or "0"

    def to_json(self) -> Json:
        """Sorted lists of [index, index, factor]."""
        return {
            "squares": _listed(self.squares),
            "values": _listed(self.values),
            "constant": str(self.constant),
        }

    @classmethod
    def from_json(cls, data: object, basis: int, records: Sequence[int]) -> "Expression":
        """Read the result of to_json; `records` holds the number of records of each function."""
        told = fields(data, "expression")
        squares, values = {}, {}
        for entry in items(told.get("squares"), "squares of an expression"):
            a, b, text = items(entry, "square in an expression", 3)
            second = index(b, "second vector of a square", basis)
            first = index(a, "first vector of a square", second + 1)
            squares[first, second] = short_fraction(text, f"factor of square ({first}, {second})")
        for entry in items(told.get("values"), "values of an expression"):
            f, r, text = items(entry, "value in an expression", 3)
            which = index(f, "function of a value", len(records))
            place = index(r, "record of a value", records[which])
            values[which, place] = short_fraction(text, f"factor of value ({which}, {place})")
        return cls(
            squares, values, short_fraction(told.get("constant"), "constant of an expression")
        )


def first_of(parts: Sequence[str], between: str = "; ") -> str:
    """The first parts of a long list, and how many there are.

    >>> first_of(["a", "b"], " + "), first_of(["a"] * 8)
    ('a + b', 'a; a; a; a; a; a; ... (8 in all, as in the file)')
    """
    more = [f"... ({len(parts)} in all, as in the file)"] if len(parts) > SHOWN else []
    return between.join([*parts[:SHOWN], *more])


def _listed(part: Mapping[Pair, Fraction]) -> list[JsonValue]:
    return [[a, b, str(x)] for (a, b), x in sorted(part.items())]


def added(left: Mapping[Key, Fraction], right: Mapping[Key, Fraction]) -> dict[Key, Fraction]:
    """Coefficients of a sum, without zeros.

    >>> added({0: Fraction(1)}, {0: Fraction(-1), 1: Fraction(2)})
    {1: Fraction(2, 1)}
    """
    total = {k: left.get(k, Fraction(0)) + right.get(k, Fraction(0)) for k in {**left, **right}}
    return {k: x for k, x in total.items() if x}
