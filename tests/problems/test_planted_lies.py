"""Wrong constants and wrong gradients of problems are caught."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from fltheory import Quadratic
from fltheory.engine.arithmetic import Arithmetic
from fltheory.problems.bounded_gradient import OneMinusCosine, Sine
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from tests.problems.promises import slopes_are_gradients, violations

GRID = [(Fraction(k, 4),) for k in range(-16, 17)]


EXAMPLES = (
    Quadratic(curvatures=(1, 3), optima=(0, 1)),
    Quadratic(curvatures=(2, 2), optima=("-1/2", 1), importance=("1/4", "3/4"), noise_squared=2),
    CommonCurvature(curvature=2, tilts=(1, 2, -3)),
    CommonCurvature(curvature=0, tilts=(1, -1), noise_squared="1/2"),
    OneMinusCosine(centres=(1, 1)),
    OneMinusCosine(centres=(0, 2), noise_squared=1),
    Sine(phases=(0, 0)),
    Clipped(centres=(0, 3), bound=1, curvatures=(1, 2)),
    Clipped(
        centres=(0, 1, -2), bound="1/2", curvatures=(1, 2, -1), importance=("1/2", "1/4", "1/4")
    ),
)
LIES: dict[str, Callable[[Any], Any]] = {
    "smoothness": lambda value: value * Fraction(98, 100),
    "strong_convexity": lambda value: value * Fraction(102, 100),
    "gradient_bound_squared": lambda value: value * Fraction(98, 100),
    "dissimilarity_squared": lambda value: value * Fraction(98, 100) - Fraction(1, 100),
    "dissimilarity_at_optimum": lambda value: value + Fraction(1, 10**6),
    "optimum": lambda value: tuple(x + Fraction(1, 10**6) for x in value),
    "infimum": lambda value: value + Fraction(1, 10),
}


@pytest.mark.slow
@pytest.mark.parametrize("problem", EXAMPLES, ids=lambda problem: type(problem).__name__)
def test_the_constants_are_sharp(problem: Any) -> None:
    """Each holds on a grid, and the least change for the worse is seen there."""
    constants = problem.constants
    assert violations(problem, constants, GRID) == set()
    for name, lie in LIES.items():
        value = getattr(constants, name)
        if value is not None and not (name == "smoothness" and value == 0):
            assert name in violations(problem, replace(constants, **{name: lie(value)}), GRID), name


@dataclass(frozen=True)
class WrongSlope:
    """Losses of one problem with gradients that are not theirs."""

    problem: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.problem, name)

    def gradients(self, arithmetic: Arithmetic) -> Any:
        true = self.problem.gradients(arithmetic)
        return lambda rows: 2 * true(rows)


@pytest.mark.parametrize("problem", EXAMPLES, ids=lambda problem: type(problem).__name__)
def test_a_wrong_gradient_is_caught(problem: Any) -> None:
    points = [(Fraction(1, 7),), (Fraction(-9, 7),)]
    slopes_are_gradients(problem, points)
    with pytest.raises(AssertionError):
        slopes_are_gradients(WrongSlope(problem), points)
