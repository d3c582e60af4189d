"""What every problem promises: gradients that are slopes of the losses, and constants that hold."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from fltheory import FLOAT, RATIONAL, NotExact, named_arithmetic
from fltheory.engine.arithmetic import Arithmetic
from fltheory.problems.constants import Constants
from fltheory.problems.objective import global_gradient, global_loss


def arithmetic_of(problem: Any) -> tuple[Arithmetic, Any]:
    """The strictest arithmetic that can run the problem, and the rounding to forgive."""
    try:
        problem.gradients(RATIONAL)(RATIONAL.zeros((problem.num_clients, problem.dimension)))
    except NotExact:
        return FLOAT, 1e-9
    return RATIONAL, 0


def violations(problem: Any, constants: Constants, points: Any) -> set[str]:
    """The constants that some point or pair of points contradicts."""
    arithmetic, slack = arithmetic_of(problem)
    rows = arithmetic.rows(points)[:, None, :]
    weights = arithmetic.rows(problem.importance)
    gradients, losses = (
        problem.gradients(arithmetic)(rows),
        global_loss(problem, rows, arithmetic)[:, 0, 0],
    )
    apart, moved = rows[:, None] - rows[None], gradients[:, None] - gradients[None]
    distance, change = (apart**2).sum(axis=-1), (moved**2).sum(axis=-1)
    found = set()

    def claim(name: str, holds: Callable[[Any], Any]) -> None:
        value = getattr(constants, name)
        if value is not None and not np.all(holds(value)):
            found.add(name)

    def settle(name: str, left: Callable[[], Any], right: Any) -> None:
        if None not in (right, constants.optimum) and np.any(
            abs(left() - arithmetic.rows([[right]])) > slack
        ):
            found.add(name)

    claim("smoothness", lambda value: change <= value**2 * distance + slack)
    claim(
        "strong_convexity", lambda value: (moved * apart).sum(axis=-1) >= value * distance - slack
    )
    claim(
        "gradient_bound_squared",
        lambda value: (
            (gradients**2).sum(axis=-1) + constants.gradient_noise_squared <= value + slack
        ),
    )
    from_global = gradients - global_gradient(problem, rows, arithmetic)
    claim("dissimilarity_squared", lambda value: (from_global**2).sum(axis=-1) <= value + slack)
    claim("infimum", lambda value: losses >= value - slack)
    best = [constants.optimum]
    settle("infimum", lambda: global_loss(problem, best, arithmetic), constants.infimum)
    settle("optimum", lambda: global_gradient(problem, best, arithmetic), 0)
    settle(
        "dissimilarity_at_optimum",
        lambda: weights @ (problem.gradients(arithmetic)(arithmetic.rows(best)) ** 2).sum(axis=-1),
        constants.dissimilarity_at_optimum,
    )
    return found


def slopes_are_gradients(problem: Any, points: Any) -> None:
    """Exact symmetric differences on quadratic pieces, else the symbolic derivative."""
    if arithmetic_of(problem)[0] is RATIONAL:
        rows, near = RATIONAL.rows(points)[:, None, :], Fraction(1, 10**9)
        losses = problem.losses(RATIONAL)
        for j in range(problem.dimension):
            step = RATIONAL.rows([[near if k == j else 0 for k in range(problem.dimension)]])
            slope = (losses(rows + step) - losses(rows - step)) / (2 * near)
            assert (slope[..., 0] == problem.gradients(RATIONAL)(rows)[..., j]).all()
        return
    symbols = np.array(sympy.symbols(f"x0:{problem.num_clients * problem.dimension}")).reshape(
        problem.num_clients, problem.dimension
    )
    symbolic = named_arithmetic("symbolic")
    losses, gradients = problem.losses(symbolic)(symbols), problem.gradients(symbolic)(symbols)
    assert all(
        losses[i, 0].diff(symbols[i, j]) == gradients[i, j] for i, j in np.ndindex(*symbols.shape)
    )


def same_in_every_arithmetic(problem: Any, points: Any) -> None:
    exact, _ = arithmetic_of(problem)
    for name in ("float", "tensor", "symbolic"):
        arithmetic = named_arithmetic(name)
        for part in ("losses", "gradients"):
            expected = getattr(problem, part)(exact)(exact.rows(points)[:, None, :]).astype(float)
            got = arithmetic.export(
                getattr(problem, part)(arithmetic)(arithmetic.rows(points)[:, None, :])
            ).astype(float)
            assert got == pytest.approx(expected, rel=1e-12, abs=1e-12), name
