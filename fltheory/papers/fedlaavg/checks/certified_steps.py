"""Eq. (21)-(32) and (41)-(52), Lemma 4 and Corollary 2 over all smooth functions with bounded
gradients, without noise: certificates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from fltheory.analysis.inequalities.expressions import Expression, Vector
from fltheory.analysis.inequalities.sketch import ORIGIN, Sketch
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.claims.checks.inequality import Lemma, Stated, checks_of
from fltheory.claims.checks.instances import Instance
from fltheory.papers.fedlaavg.checks.literal import (
    Coordinate,
    Line,
    LineOfLosses,
    algorithm_3,
    moments,
)
from fltheory.papers.fedlaavg.checks.steps import (
    BALANCED,
    EVERYONE,
    LATE,
    NUMBERS,
    ONE_OF_THREE,
    THREE,
    TURNS,
    instances_of,
)

ZERO, LOSS_GAP = Fraction(0), Fraction(1, 8)
PARTS = {"everyone": EVERYONE, "turns": TURNS, "late": LATE, "three": ONE_OF_THREE}


@dataclass(frozen=True)
class Unknown:
    """What Algorithm 3 asks of its clients, answered by unknown vectors."""

    sketch: Sketch

    def slope(self, client: int, x: Vector) -> Vector:
        """The unknown gradient of one client."""
        return self.sketch.gradient(client, x)

    def mean_slope(self, x: Vector) -> Vector:
        """The average of the unknown gradients."""
        return sum((self.slope(i, x) for i in range(self.sketch.count)), ORIGIN) / self.sketch.count

    def mean_loss(self, x: Vector) -> Expression:
        """The average of the unknown losses."""
        values = (self.sketch.value(i, x) for i in range(self.sketch.count))
        return sum(values, Expression()) / self.sketch.count

    def bounded(self) -> list[Expression]:
        """|grad f_i|^2 <= 1 wherever it was asked for."""
        return [gradient**2 - 1 for records in self.sketch.records for _, gradient in records]

    def above_infimum(self) -> list[Expression]:
        """|grad f|^2/(2L) <= f - f* <= f - f(x^0) + LOSS_GAP wherever all clients were asked."""
        common = [
            x
            for x, _ in self.sketch.records[0]
            if all(any(y.key == x.key for y, _ in other) for other in self.sketch.records)
        ]
        return [
            self.mean_slope(x) ** 2 / 2 - (self.mean_loss(x) - self.mean_loss(ORIGIN)) - LOSS_GAP
            for x in common
        ]


def unknown(clients: int) -> Unknown:
    """Unknown 1-smooth losses in place of the real line of the exact runs."""
    return Unknown(Sketch(FunctionClass(1, convex=False), clients))


def mean(values: Sequence[Coordinate]) -> Coordinate:
    """The average of numbers, or of expressions."""
    return sum(values, 0 * values[0]) / len(values)


def mean_of_ends(found: Sequence[Mapping[str, Coordinate]], local_steps: int) -> Coordinate:
    """The average over the rounds of |grad f(x^{rC-1})|^2, from the values of all iterations."""
    ends = found[local_steps - 1 :: local_steps]
    return mean([values["squared_end_gradient"] for values in ends])


@cache
def stated(name: str, local_steps: int, size: Fraction) -> Stated:
    """The last iteration of a run, with averages over the run; the members are clipped
    parabolas."""
    parts, problem = PARTS[name], THREE if name == "three" else BALANCED
    line = unknown(len(parts[0]))
    found = list(moments(line, parts, local_steps, size, ORIGIN, ZERO).values())
    quantities = {
        **found[-1],
        "overall_squared_old_gradient": mean([values["squared_old_gradient"] for values in found]),
        "mean_squared_end_gradient": mean_of_ends(found, local_steps),
    }
    members = [
        dict(m.values)
        for m in instances_of(problem, parts, local_steps, size, Fraction(1, 2), ZERO)
    ]
    last = members[-1] | {"mean_squared_end_gradient": mean_of_ends(members, local_steps)}
    numbers = {name: last[name] for name in NUMBERS} | {"initial_loss_gap": LOSS_GAP}
    return Stated(
        line.sketch,
        quantities,
        numbers,
        (*line.bounded(), *line.above_infimum()),
        (Instance(last),),
    )


@cache
def change(of_client: bool, name: str, local_steps: int, size: Fraction) -> Stated:
    """Lemma 4 and Corollary 2: the gradient at the first and at the last (virtual) iterate of a
    run, cold start or not."""
    parts = PARTS[name]

    def squared_change(line: LineOfLosses, start: Coordinate) -> Coordinate:
        models = algorithm_3(line, parts, local_steps, size, start, {}).models
        slope = partial(line.slope, 0) if of_client else line.mean_slope
        return (slope(models[-1]) - slope(models[0])) ** 2

    line = unknown(2)
    quantities = {"squared_change": squared_change(line, ORIGIN)}
    numbers = {
        "local_step_size": size,
        "smoothness": 1,
        "gradient_bound": 1,
        "iterations_apart": len(parts) * local_steps,
    }
    member = Instance(numbers | {"squared_change": squared_change(Line(BALANCED), Fraction(1, 4))})
    return Stated(line.sketch, quantities, numbers, tuple(line.bounded()), (member,))


HALF, SMALL = Fraction(2, 5), Fraction(1, 8)
SINGLE = [
    ("turns", 1, HALF),
    ("everyone", 1, HALF),
    ("turns", 1, SMALL),
    ("late", 1, HALF),
    ("three", 1, HALF),
]
SEVERAL = [("everyone", 2, HALF), ("turns", 2, HALF), ("turns", 2, SMALL), ("everyone", 3, HALF)]


def _name(name: str, local_steps: int, size: Fraction) -> str:
    return f"{name}-steps{local_steps}-{size.numerator}over{size.denominator}"


def _lemmas(numbers: Sequence[str], cases: Sequence[tuple[str, int, Fraction]]) -> list[Lemma]:
    return [
        Lemma(f"fedlaavg.{number}", _name(*case), partial(stated, *case))
        for number in numbers
        for case in cases
    ]


ITERATIONS = _lemmas(("eq21", "eq25", "eq28", "eq29", "eq30", "eq31", "eq32"), SINGLE)
SPREADS = _lemmas(("eq27",), [case for case in SINGLE if case[0] != "everyone"])
ROUNDS = _lemmas(
    (
        "eq41",
        "eq45.corrected",
        "eq46.corrected",
        "eq47.corrected",
        "eq48.corrected",
        "eq49.corrected",
        "eq50.corrected",
        "eq51",
        "thm4",
    ),
    SEVERAL,
)
CHANGES = [
    Lemma(f"fedlaavg.{number}", _name(*case), partial(change, number == "lem4", *case))
    for number in ("lem4", "cor2")
    for case in (*SINGLE[:4], *SEVERAL[:2])
]
LEMMAS = [*ITERATIONS, *SPREADS, *ROUNDS, *CHANGES]

CLASS = "all 1-smooth functions, convex or not, with gradients up to 1, no noise, "
TABLES = {name: "/".join("".join(map(str, row)) for row in parts) for name, parts in PARTS.items()}
CHECKS = [
    *checks_of(
        ITERATIONS,
        covers=(
            f"{CLASS}f(x^0) - f* <= 1/8, one local step, last iteration of the participations"
            f" {TABLES['everyone']}, {TABLES['turns']}, {TABLES['late']} and {TABLES['three']} at"
            f" step size 2/5, {TABLES['turns']} also at 1/8"
        ),
    ),
    *checks_of(
        SPREADS,
        covers=(
            f"{CLASS}one local step, last iteration of the participations {TABLES['turns']},"
            f" {TABLES['late']} and {TABLES['three']} at step size 2/5, {TABLES['turns']} also"
            " at 1/8"
        ),
    ),
    *checks_of(
        ROUNDS,
        covers=(
            f"{CLASS}f(x^0) - f* <= 1/8, last iteration of two clients' participations"
            f" {TABLES['everyone']} with 2 and 3 local steps and {TABLES['turns']} with 2 at step"
            f" size 2/5, {TABLES['turns']} with 2 also at 1/8"
        ),
    ),
    *checks_of(
        CHANGES,
        covers=(
            f"{CLASS}first and last iterate of two clients' participations {TABLES['everyone']} and"
            f" {TABLES['turns']} with 1 and 2 local steps, {TABLES['late']} with 1, at step size"
            f" 2/5, {TABLES['turns']} with 1 also at 1/8"
        ),
    ),
]
