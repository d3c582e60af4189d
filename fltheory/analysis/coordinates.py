"""The coordinates of a quadratic problem, each as a problem of its own."""

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Start
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic

Separable = Quadratic | CommonCurvature
"""A quadratic problem whose coordinates are independent of each other."""


class Coordinate(NamedTuple):
    """One coordinate of a quadratic problem, with curvature and optimum of its global loss and its
    start."""

    problem: Separable
    curvature: Fraction
    optimum: Fraction
    start: Fraction


def coordinates(
    problem: object, start: Start, *, noise_squared: Fraction | None = None
) -> list[Coordinate]:
    """The coordinates of a quadratic problem, each with an equal share of the noise variance.

    `noise_squared` replaces the problem's own noise variance.

    >>> problem = Quadratic(curvatures=[(1, 2), (3, 2)], optima=[(0, 0), (1, 4)], noise_squared=6)
    >>> [(str(c.curvature), str(c.optimum)) for c in coordinates(problem, 0)]
    [('2', '3/4'), ('2', '2')]
    """
    if not isinstance(problem, Quadratic | CommonCurvature):
        raise InvalidInput("problem", "be quadratic for exact moments", type(problem).__name__)
    dimension = problem.dimension
    starts = start if isinstance(start, tuple | list) else [start] * dimension
    if len(starts) != dimension:
        raise InvalidInput(
            "start", f"have the problem's {dimension} coordinates", f"{len(starts)} coordinates"
        )
    optimum = problem.constants.optimum
    if optimum is None:
        raise InvalidInput("problem", "have one optimum for its gap", "none or many")
    whole = problem.noise_squared if noise_squared is None else noise_squared
    return [
        Coordinate(
            _alone(problem, j, whole / dimension),
            _curvature(problem, j),
            optimum[j],
            exact(x, "start"),
        )
        for j, x in enumerate(starts)
    ]


def _alone(problem: Separable, j: int, variance: Fraction) -> Separable:
    """Coordinate j as a problem of its own."""
    if isinstance(problem, CommonCurvature):
        return replace(problem, noise_squared=variance, tilts=_column(problem.tilts, j))
    return replace(
        problem,
        noise_squared=variance,
        curvatures=_column(problem.curvatures, j),
        optima=_column(problem.optima, j),
    )


def _column(table: tuple[tuple[Fraction, ...], ...], j: int) -> tuple[tuple[Fraction], ...]:
    return tuple((row[j],) for row in table)


def _curvature(problem: Separable, j: int) -> Fraction:
    """Curvature of the global loss along coordinate j."""
    if isinstance(problem, CommonCurvature):
        return Fraction(problem.curvature)
    return sum(
        (p * row[j] for p, row in zip(problem.importance, problem.curvatures, strict=True)),
        Fraction(0),
    )
