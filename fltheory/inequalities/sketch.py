"""Functions of which only the class is known: asking for a gradient makes a new unknown vector, and the answer is remembered."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from fltheory.arithmetic import RATIONAL
from fltheory.errors import InvalidInput
from fltheory.exact import exact
from fltheory.inequalities.expressions import Expression, Pair, Vector
from fltheory.worst_case.interpolation import FunctionClass

ORIGIN = Vector()
"""The point that all others are measured from; nothing else is known of it."""


@dataclass
class Sketch:
    """`count` functions of a class, known only by the points at which they were asked. It grows while quantities are written down.

    >>> sketch = Sketch(FunctionClass(1), 1)
    >>> start = sketch.vector()
    >>> after = start - sketch.gradient(0, start)
    >>> sketch.basis, len(sketch.records[0])
    (2, 1)
    """

    functions: FunctionClass
    count: int
    basis: int = 0
    records: list[list[tuple[Vector, Vector]]] = field(default_factory=list)
    minted: dict[int, tuple[int, Vector]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.records = [[] for _ in range(self.count)]

    def vector(self) -> Vector:
        """A vector of which nothing is known."""
        self.basis += 1
        return Vector({self.basis - 1: Fraction(1)})

    def gradient(self, which: int, point: Vector) -> Vector:
        """The gradient of a function at a point: the one that is known there, or a new vector."""
        return self.records[which][self._place(which, point)][1]

    def value(self, which: int, point: Vector) -> Expression:
        """The value of a function at a point."""
        return Expression(values={(which, self._place(which, point)): Fraction(1)})

    def tell(self, which: int, point: Vector, gradient: Vector) -> None:
        """Say what the gradient of a function at a point is, such as 0 at its minimiser."""
        if any(x.key == point.key for x, _ in self.records[which]):
            raise InvalidInput(f"gradient of function {which}", "be told before it is asked for, and once", "a known point")
        self.records[which].append((point, gradient))

    def common_optimum(self, shares: Iterable[Any]) -> None:
        """The origin minimises the sum of functions with these shares, all above 0: their gradients there cancel."""
        weights, rest = [exact(share) for share in shares], ORIGIN
        for f, weight in enumerate(weights[:-1]):
            slope = self.vector()
            self.tell(f, ORIGIN, slope)
            rest = rest - weight / weights[-1] * slope
        self.tell(self.count - 1, ORIGIN, rest)

    def _place(self, which: int, point: Vector) -> int:
        for r, (known, _) in enumerate(self.records[which]):
            if known.key == point.key:
                return r
        self.minted[self.basis] = (which, point)
        self.tell(which, point, self.vector())
        return len(self.records[which]) - 1

    def on(self, problem: Any, free: Iterable[Any]) -> tuple[dict[int, Fraction], dict[Pair, Fraction]]:
        """Numbers for the basis and the values on a problem with one coordinate; `free` are those that are no gradients, in order.

        Every gradient that was told must be the problem's own, and the problem of the class, or the member is refused.
        """
        given, numbers = iter(free), dict[int, Fraction]()

        def asked(function: Callable[[Any], Any], which: int, point: Vector) -> Fraction:
            return Fraction(function(RATIONAL.rows([[_number(point, numbers)]] * self.count))[which, 0])

        gradients, losses = problem.gradients(RATIONAL), problem.losses(RATIONAL)
        for k in range(self.basis):
            numbers[k] = asked(gradients, *self.minted[k]) if k in self.minted else exact(next(given))
        values = {}
        for f, records in enumerate(self.records):
            for r, (point, gradient) in enumerate(records):
                if asked(gradients, f, point) != _number(gradient, numbers):
                    raise InvalidInput(f"free numbers of a member, function {f}", f"give its own gradient at record {r}", "another one")
                values[f, r] = asked(losses, f, point)
        return numbers, values


def _number(vector: Vector, numbers: dict[int, Fraction]) -> Fraction:
    return sum((x * numbers[k] for k, x in vector.parts.items()), Fraction(0))
