"""An inequality over a class of functions: two sides and assumptions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fltheory.analysis.certificate_fields import items, same_fields
from fltheory.analysis.inequalities.expressions import Expression, first_of
from fltheory.analysis.inequalities.sketch import Sketch
from fltheory.core.types import Json
from fltheory.core.words import counted

FORMAT = "fltheory inequality certificate 1"


@dataclass(frozen=True)
class Inequality:
    """left <= right for all functions of a sketch for which every expression in `assumed` is at
    most 0.

    `positive` says that the right side is at least 0, so that a smaller multiple of it may be
    proved.
    """

    sketch: Sketch
    left: Expression
    right: Expression
    assumed: tuple[Expression, ...] = ()
    positive: bool = False

    def to_json(self) -> Json:
        """The statement in a certificate, without the proof."""
        return {
            "format": FORMAT,
            **self.sketch.to_json(),
            "assumed": [e.to_json() for e in self.assumed],
            "left": self.left.to_json(),
            "right": self.right.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> "Inequality":
        """Read the result of to_json; any other text is refused, even if it means the same."""
        sketch = Sketch.from_json(data)
        assumed = items(data.get("assumed"), "assumed expressions")
        sides = [
            Expression.from_json(side, sketch.basis, [len(told) for told in sketch.records])
            for side in (data.get("left"), data.get("right"), *assumed)
        ]
        found = cls(sketch, sides[0], sides[1], tuple(sides[2:]))
        same_fields(data, found.to_json(), "be written as it is read")
        return found

    def sentence(self, factor: Fraction) -> str:
        """left <= factor right in words, with the points and gradients that it is about.

        >>> from fltheory.analysis.worst_case.function_classes import FunctionClass
        >>> sketch = Sketch(FunctionClass(1), 1)
        >>> start = sketch.vector()
        >>> slope, gap = sketch.gradient(0, start), sketch.value(0, start)
        >>> print(Inequality(sketch, slope**2, gap).sentence(Fraction(2)))
        1 <e_1, e_1> <= 2 (1 f_0(0)) for 1 function with curvature in [0, 1]; f_0: gradient 1 e_1 \
at 1 e_0
        """
        class_, count = self.sketch.functions, len(self.sketch.records)
        under = [f"{e.text()} <= 0" for e in self.assumed]
        known = [
            f"f_{f}: gradient {gradient.text()} at {point.text()}"
            for f, records in enumerate(self.sketch.records)
            for point, gradient in records
        ]
        return (
            f"{self.left.text()} <= {factor} ({self.right.text()}) for"
            f" {counted(count, 'function')} with curvature in [{class_.lowest_curvature},"
            f" {class_.smoothness}]"
            + f"; if {first_of(under)}" * bool(under)
            + f"; {first_of(known)}" * bool(known)
        )

    def names(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Kind and indices of each constraint: every pair of a function's records, then the
        assumptions."""
        for f, records in enumerate(self.sketch.records):
            for i in range(len(records)):
                yield from (("interpolation", (f, i, j)) for j in range(len(records)) if i != j)
        yield from (("assumed", (k,)) for k in range(len(self.assumed)))

    def constraint(self, kind: str, about: tuple[int, ...]) -> Expression:
        """The expression of that name, which is at most 0 for all functions of the class.

        With curvatures in [m, L]: f_j - f_i + <g_j, d> + m |d|^2 / 2 + |e - m d|^2 / (2 (L - m)),
        where d = x_i - x_j and e = g_i - g_j (Taylor, Hendrickx and Glineur 2017, Theorem 4).
        """
        if kind == "assumed":
            return self.assumed[about[0]]
        f, i, j = about
        low, high = self.sketch.functions.lowest_curvature, self.sketch.functions.smoothness
        (here, slope), (there, other) = self.sketch.records[f][i], self.sketch.records[f][j]
        step, change = here - there, slope - other
        rise = Expression(values={(f, j): Fraction(1), (f, i): Fraction(-1)})
        bent = (change - step * low) ** 2 / (2 * (high - low))
        return rise + (other + step * (low / 2)) * step + bent

    def constraints(self) -> Iterator[tuple[str, list[int], Expression]]:
        """Every constraint, with its name."""
        for kind, about in self.names():
            yield kind, list(about), self.constraint(kind, about)
