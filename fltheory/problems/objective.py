"""The global loss f = sum_i p_i f_i of any problem, its gradient and its gap to the infimum."""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Nested
from fltheory.engine.arithmetic import Arithmetic, Rows, total
from fltheory.problems.constants import Constants


class Objective(Protocol):
    """A problem with gradients, losses and constants."""

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def importance(self) -> tuple[Fraction, ...]: ...

    @property
    def constants(self) -> Constants: ...

    @property
    def affine(self) -> bool: ...

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]: ...

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]: ...


def global_loss(problem: Objective, model_rows: Nested, arithmetic: Arithmetic) -> Rows:
    """f(x) = sum_i p_i f_i(x) for one-row models (..., 1, coordinates), as (..., 1, 1).

    The models of a trajectory become rows by `models[..., None, :]`.

    >>> from fltheory import RATIONAL, Quadratic
    >>> global_loss(Quadratic(curvatures=(1, 1), optima=(0, 2)), [[0]], RATIONAL)[0, 0]
    Fraction(1, 1)
    """
    return _weighted(problem, problem.losses(arithmetic)(arithmetic.rows(model_rows)), arithmetic)


def global_gradient(problem: Objective, model_rows: Nested, arithmetic: Arithmetic) -> Rows:
    """grad f(x) = sum_i p_i grad f_i(x), as one row.

    >>> from fltheory import RATIONAL, Quadratic
    >>> global_gradient(Quadratic(curvatures=(1, 1), optima=(0, 2)), [[0]], RATIONAL)[0, 0]
    Fraction(-1, 1)
    """
    return _weighted(
        problem, problem.gradients(arithmetic)(arithmetic.rows(model_rows)), arithmetic
    )


def loss_gap(problem: Objective, model_rows: Nested, arithmetic: Arithmetic) -> Rows:
    """f(x) - inf f, if the infimum is known.

    >>> from fltheory import RATIONAL, Quadratic
    >>> loss_gap(Quadratic(curvatures=(1, 1), optima=(0, 2)), [[0]], RATIONAL)[0, 0]
    Fraction(1, 2)
    """
    infimum = problem.constants.infimum
    if infimum is None:
        raise InvalidInput("infimum of the global loss", "be known for a gap", "None")
    return global_loss(problem, model_rows, arithmetic) - arithmetic.rows([[infimum]])


def _weighted(problem: Objective, rows: Rows, arithmetic: Arithmetic) -> Rows:
    return total(arithmetic.rows([[share] for share in problem.importance]) * rows)
