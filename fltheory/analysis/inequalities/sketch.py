"""Functions of which only the class is known: every new gradient is a new unknown vector, and
recorded."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from fltheory.analysis.certificate_fields import index, items, short_fraction
from fltheory.analysis.inequalities.expressions import Expression, Pair, Vector
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike, Json
from fltheory.engine.arithmetic import RATIONAL, Rows
from fltheory.problems.objective import Objective

MAX_VECTORS, MAX_RECORDS = 500, 2000
"""Maximum size of the basis, and maximum number of records of all functions, in a file."""

ORIGIN = Vector()
"""The point from which all others are measured."""


@dataclass
class Sketch:
    """`count` functions of a class, known only by their gradients and values at recorded points.

    A sketch grows while expressions are written down.

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

    def to_json(self) -> Json:
        """The class, the size of the basis, and point and gradient of every record."""
        return {
            "smoothness": str(self.functions.smoothness),
            "lowest_curvature": str(self.functions.lowest_curvature),
            "basis": self.basis,
            "functions": [
                [[vector.to_json() for vector in record] for record in records]
                for records in self.records
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "Sketch":
        """Read the result of to_json; it does not say which vectors are gradients."""
        high = short_fraction(data.get("smoothness"), "smoothness")
        low = short_fraction(data.get("lowest_curvature"), "lowest curvature")
        convex = high <= 0 or low != -high
        functions = FunctionClass(high, low if convex else 0, convex)
        listed = items(data.get("functions"), "functions of a certificate")
        basis = index(data.get("basis"), "size of the basis", MAX_VECTORS + 1)
        sketch = cls(functions, len(listed), basis)
        told = [items(records, f"records of function {f}") for f, records in enumerate(listed)]
        if sum(map(len, told)) > MAX_RECORDS:
            raise InvalidInput("records of all functions", f"be at most {MAX_RECORDS}", "more")
        for f, records in enumerate(told):
            for record in records:
                point, gradient = items(record, f"record of function {f}", 2)
                vectors = Vector.from_json(point, basis), Vector.from_json(gradient, basis)
                sketch.records[f].append(vectors)
            if len({point.key for point, _ in sketch.records[f]}) < len(records):
                raise InvalidInput(f"points of function {f}", "be different", "one twice")
        return sketch

    def vector(self) -> Vector:
        """A new unknown vector."""
        self.basis += 1
        return Vector({self.basis - 1: Fraction(1)})

    def gradient(self, which: int, point: Vector) -> Vector:
        """The gradient of a function at a point: the recorded one, or a new vector."""
        return self.records[which][self._place(which, point)][1]

    def value(self, which: int, point: Vector) -> Expression:
        """The value of a function at a point."""
        return Expression(values={(which, self._place(which, point)): Fraction(1)})

    def tell(self, which: int, point: Vector, gradient: Vector) -> None:
        """Record a known gradient of a function at a point, such as 0 at its minimiser."""
        if any(x.key == point.key for x, _ in self.records[which]):
            raise InvalidInput(
                f"gradient of function {which}",
                "be told before it is asked for, and once",
                "a known point",
            )
        self.records[which].append((point, gradient))

    def common_optimum(self, shares: Iterable[ExactLike]) -> None:
        """Make the origin a minimiser of the weighted sum of the functions, with shares above 0:
        their gradients there cancel."""
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

    def on(
        self, problem: Objective, free: Iterable[ExactLike]
    ) -> tuple[dict[int, Fraction], dict[Pair, Fraction]]:
        """Numbers for the basis and the values on a problem with one coordinate; `free` holds the
        numbers of basis vectors that are not gradients, in order.

        It is an error if a known gradient differs from the problem's own.
        """
        given, numbers = iter(free), dict[int, Fraction]()

        def asked(function: Callable[[Rows], Rows], which: int, point: Vector) -> Fraction:
            return Fraction(
                function(RATIONAL.rows([[_number(point, numbers)]] * self.count))[which, 0]
            )

        gradients, losses = problem.gradients(RATIONAL), problem.losses(RATIONAL)
        for k in range(self.basis):
            numbers[k] = (
                asked(gradients, *self.minted[k]) if k in self.minted else exact(next(given))
            )
        values = {}
        for f, records in enumerate(self.records):
            for r, (point, gradient) in enumerate(records):
                if asked(gradients, f, point) != _number(gradient, numbers):
                    raise InvalidInput(
                        f"free numbers of a member, function {f}",
                        f"give its own gradient at record {r}",
                        "another one",
                    )
                values[f, r] = asked(losses, f, point)
        return numbers, values


def _number(vector: Vector, numbers: dict[int, Fraction]) -> Fraction:
    return sum((x * numbers[k] for k, x in vector.parts.items()), Fraction(0))
