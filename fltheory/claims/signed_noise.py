"""Noise of two values of equal chance, added to a gradient or in proportion to it."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from fltheory.core.types import Array
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.roles import Problem
from fltheory.engine.workers import Oracle
from fltheory.traces.trace import Trace


@dataclass(frozen=True)
class Signed:
    """A problem whose stochastic gradients are (1 + a r) grad f_i + b s, with given signs a and b
    (draw, client, coordinate): noise that grows with the gradient, and noise of two values."""

    problem: Problem
    signs: dict[tuple[int, int], tuple[Array, Array]]
    relative: Fraction
    deviation: Fraction
    batch: int

    @property
    def num_clients(self) -> int:
        return self.problem.num_clients

    @property
    def dimension(self) -> int:
        return self.problem.dimension

    @property
    def affine(self) -> bool:
        """Not in the noise."""
        return False

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """One run for each combination of signs."""
        return (self.batch,)

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """The gradients without noise."""
        return self.problem.gradients(arithmetic)

    def oracle(self, arithmetic: Arithmetic) -> Oracle:
        """The stochastic gradients."""
        plain = self.problem.gradients(arithmetic)

        def gradients(rows: Rows, index: int, step: int) -> Rows:
            scaled, added = self.signs[index, step]
            return plain(rows) * (1 + self.relative * scaled) + self.deviation * added

        return gradients

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> None:
        """No faster way."""
        return


def root_of(square: Fraction) -> Fraction | None:
    """The root, if it is rational.

    >>> root_of(Fraction(9, 4)), root_of(Fraction(2))
    (Fraction(3, 2), None)
    """
    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    return Fraction(top, bottom) if Fraction(top, bottom) ** 2 == square else None


def gradients_of(trace: Trace) -> list[tuple[int, int, int]]:
    """(round, client, local step) of every stochastic gradient of a trace."""
    steps = trace.local_steps
    return [(int(t), int(i), k) for t, i in np.argwhere(steps > 0) for k in range(int(steps[t, i]))]
