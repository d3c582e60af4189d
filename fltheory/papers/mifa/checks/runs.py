"""Exact MIFA runs that meet the printed hypotheses of Theorems 5.1 and 6.1."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import isqrt

from fltheory.claims.scenario import Scenario
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, below
from fltheory.core.types import ExactLike
from fltheory.papers.mifa.checks.staleness import patterns
from fltheory.papers.mifa.checks.tools import known
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import known_staleness, mean_client_max_staleness


def root(value: ExactLike) -> Fraction:
    """The exact root of a rational square."""
    number = exact(value)
    result = Fraction(isqrt(number.numerator), isqrt(number.denominator))
    if result**2 != number:
        raise ValueError(f"{number} is no rational square")
    return result


def decreasing_steps(
    problem: Quadratic,
    pattern: Sequence[Sequence[int]],
    *,
    initial_gap: ExactLike,
    start: ExactLike = 1,
    local_steps: int = 1,
) -> Scenario:
    """MIFA with the step sizes 4/(mu K (t + a)), a = max(100, 40 t0)(L/mu)^1.5; L/mu must be a
    rational square."""
    gap, convexity = exact(initial_gap), known(problem.constants.strong_convexity)
    condition = known(problem.constants.smoothness) / convexity
    offset = max(Fraction(100), 40 * gap) * root(condition) ** 3
    sizes = tuple(
        Fraction(4) / (convexity * local_steps * (t + offset)) for t in range(1, len(pattern) + 1)
    )
    return Scenario(
        "mifa",
        problem,
        Trace.fresh(pattern, local_steps=local_steps),
        start=start,
        local_step_size=sizes,
        parameters={"initial_gap": gap, "step_offset": offset},
    )


def average_weights(offset: Fraction, num_rounds: int) -> list[Fraction]:
    """(t + a - 1)(t + a - 2) for the iterates t = 1, ..., T: the weights of wbar_T in Theorem 5.1.

    >>> average_weights(Fraction(100), 1)
    [Fraction(9900, 1), Fraction(10100, 1)]
    """
    return [(t + offset) * (t + offset - 1) for t in range(num_rounds + 1)]


def every_round(num_rounds: int, num_clients: int = 1) -> list[tuple[int, ...]]:
    """Everybody in every round."""
    return [(1,) * num_clients] * num_rounds


def periodic(num_rounds: int, periods: Sequence[int]) -> list[tuple[int, ...]]:
    """Device i in rounds 0, p_i, 2 p_i, ..."""
    return [tuple(int(t % period == 0) for period in periods) for t in range(num_rounds)]


def strongly_convex_runs() -> Iterator[Scenario]:
    """The edges first: no round to speak of, no noise, one device; then staleness, several steps,
    other curvatures, all small patterns."""
    one = Quadratic((1,), (0,))
    for num_rounds in (1, 10, 72, 150):
        yield decreasing_steps(one, every_round(num_rounds), initial_gap=1)
    yield decreasing_steps(one, every_round(72), initial_gap=1, local_steps=4)
    yield decreasing_steps(one, periodic(60, [3]), initial_gap=2)
    noisy = Quadratic((1,), (0,), noise_squared=4)
    for period in (1, 2, 5):
        yield decreasing_steps(
            noisy, periodic(20, [period]), initial_gap=max(1, period - 1), start=0
        )
    for curvatures, steps in product(((1, 1), (1, 4), (4, 4)), (1, 2)):
        pair = Quadratic(curvatures, (1, -2), noise_squared=1)
        yield decreasing_steps(
            pair,
            periodic(9, [1, 3]),
            initial_gap=2,
            start=known(pair.constants.optimum)[0],
            local_steps=steps,
        )
    quiet = Quadratic((1, 4), (1, -2))
    for pattern in patterns(2, 4):
        yield decreasing_steps(quiet, pattern, initial_gap=3, local_steps=2)


def searched_runs(count: int) -> Iterator[Scenario]:
    """Drawn problems and availabilities, everything keyed by the number of the run."""
    for run in range(count):

        def draw(bound: int, place: int, *, run: int = run) -> int:
            return int(below(bound, 0, Purpose.SEARCH, run, place)[0])

        clients, num_rounds, steps = 1 + draw(3, 0), 1 + draw(12, 1), 1 + draw(3, 2)
        condition = (1, 4, 9)[draw(3, 3)]
        curvatures = [1, *(condition if draw(2, 10 + i) else 1 for i in range(clients - 1))]
        problem = Quadratic(
            curvatures, [draw(9, 20 + i) - 4 for i in range(clients)], noise_squared=draw(3, 4)
        )
        rows = [
            [1] * clients,
            *(
                [draw(2, 100 + clients * t + i) for i in range(clients)]
                for t in range(num_rounds - 1)
            ),
        ]
        gap = max(1, int(known_staleness(Trace.fresh(rows)).max()))
        yield decreasing_steps(
            problem, rows, initial_gap=gap, start=draw(9, 5) - 4 + Fraction(1, 7), local_steps=steps
        )


def constant_step(
    problem: Quadratic,
    pattern: Sequence[Sequence[int]],
    *,
    start: ExactLike = 1,
    local_steps: int = 1,
    slope: ExactLike = 2,
    offset: ExactLike | None = None,
) -> Scenario:
    """MIFA with eta = sqrt(N/(K T L (1 + nubar))), which must be rational; beta defaults to 2 D."""
    trace, smoothness = (
        Trace.fresh(pattern, local_steps=local_steps),
        known(problem.constants.smoothness),
    )
    worst = mean_client_max_staleness(trace)
    size = root(
        Fraction(len(pattern[0])) / (local_steps * (len(pattern) + 1) * smoothness * (1 + worst))
    )
    if offset is None:
        spread = 2 * known(problem.constants.dissimilarity_at_optimum)
    else:
        spread = exact(offset)
    return Scenario(
        "mifa",
        problem,
        trace,
        start=start,
        local_step_size=size,
        parameters={
            "dissimilarity_slope": slope,
            "dissimilarity_offset": max(spread, Fraction(1, 100)),
            "hessian_smoothness": 0,
            "noise_bound": root(problem.noise_squared),
        },
    )


def nonconvex_runs() -> Iterator[Scenario]:
    """Quadratics at and above the thresholds of Theorem 6.1, with rational step sizes: full,
    periodic and lopsided availability."""
    for curvature, num_rounds in (("1/16", 3), ("1/16", 15), ("1/4", 63), ("1", 63)):
        yield constant_step(Quadratic((curvature,), (0,)), every_round(num_rounds), slope=1)
    for curvature, num_rounds, period, start in (
        ("1/16", 15, 1, 2),
        ("1/4", 35, 1, 2),
        ("1/32", 15, 2, 3),
        ("1/128", 15, 2, 3),
        ("1/64", 15, 4, 3),
        ("1/64", 35, 4, 3),
    ):
        noisy = Quadratic((curvature,), (0,), noise_squared=1)
        yield constant_step(noisy, periodic(num_rounds, [period]), slope=1, start=start)
    pair = Quadratic(("1/64", "1/64"), (1, -1), noise_squared=1)
    yield constant_step(pair, every_round(7, 2), start=4)
    yield constant_step(pair, every_round(15, 2), start=4, local_steps=2)
    for pattern in patterns(2, 3):
        rows = [*pattern, *every_round(4, 2)]
        flat = Fraction(1, 64) / (1 + mean_client_max_staleness(Trace.fresh(rows)))
        yield constant_step(Quadratic((flat, flat), (2, -2), noise_squared=1), rows, start=3)
