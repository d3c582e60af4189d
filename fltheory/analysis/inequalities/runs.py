"""A scenario's run over unknown functions: the same method on models that are unknown vectors."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Protocol

from fltheory.analysis.inequalities.expressions import Expression, Vector
from fltheory.analysis.inequalities.sketch import Sketch
from fltheory.analysis.worst_case.client_symmetry import singletons
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.recording import record
from fltheory.engine.roles import Algorithm
from fltheory.traces.trace import Trace


class RunWithExactSteps(Protocol):
    """A method, a trace and exact step sizes: a scenario without its problem."""

    @property
    def method(self) -> Algorithm: ...

    @property
    def trace(self) -> Trace: ...

    @property
    def server_step_size(self) -> Fraction: ...

    def local_schedule(self, index: int) -> Fraction: ...


def run_over(
    scenario: RunWithExactSteps, functions: FunctionClass, *, optimum: bool
) -> tuple[Sketch, list[Vector]]:
    """The clients' points and gradients, and the models before each round and after the last, for
    any losses.

    The origin is the start or, with `optimum`, a minimiser of the average loss.

    >>> from fltheory import Quadratic, Scenario, Trace
    >>> problem, trace = Quadratic((1,), (0,)), Trace.fresh([[1], [1]])
    >>> descent = Scenario("fedavg", problem, trace, start=1, local_step_size="1/2")
    >>> sketch, models = run_over(descent, FunctionClass(1, convex=False), optimum=False)
    >>> models[2].parts
    {0: Fraction(-1, 2), 1: Fraction(-1, 2)}
    """
    found = record(
        scenario.method,
        scenario.trace,
        singletons(scenario.trace.num_clients),
        local_step_size=scenario.local_schedule,
        server_step_size=scenario.server_step_size,
        has_optimum=optimum,
    )
    sketch = Sketch(functions, scenario.trace.num_clients, basis=len(found.owners))
    for f, records in enumerate(found.records):
        for point, gradient in records:
            slope = _vector(gradient)
            sketch.tell(f, _vector(point), slope)
            if not (optimum and not _vector(point).parts) and len(slope.parts) == 1:
                sketch.minted[next(iter(slope.parts))] = (f, _vector(point))
    return sketch, [_vector(row) for row in found.models]


def _vector(row: Iterable[Fraction]) -> Vector:
    return Vector({k: Fraction(x) for k, x in enumerate(row) if x})


def mean_slope(sketch: Sketch, point: Vector) -> Vector:
    """The gradient of the average loss at a point."""
    return sum((sketch.gradient(i, point) for i in range(sketch.count)), Vector()) / sketch.count


def mean_value(sketch: Sketch, point: Vector) -> Expression:
    """The average loss at a point."""
    return sum((sketch.value(i, point) for i in range(sketch.count)), Expression()) / sketch.count


def mean_square(sketch: Sketch, points: list[Vector]) -> Expression:
    """The average of |grad f|^2 over points."""
    return sum((mean_slope(sketch, point) ** 2 for point in points), Expression()) / len(points)


def above_infimum(sketch: Sketch, points: list[Vector], gap: Fraction) -> list[Expression]:
    """|grad f|^2/(2L) <= f - f* at each point, where f(origin) - f* <= gap."""
    start, smoothness = mean_value(sketch, Vector()), sketch.functions.smoothness
    return [
        mean_slope(sketch, x) ** 2 / (2 * smoothness) - (mean_value(sketch, x) - start) - gap
        for x in points
    ]
