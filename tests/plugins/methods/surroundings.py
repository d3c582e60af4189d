"""An availability model and a problem that the package does not have."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.core.types import BoolArray
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.problems.constants import Constants
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.base import Declared


@dataclass(frozen=True)
class Blinking:
    """Everybody in every k-th round, nobody in between."""

    num_clients: int
    every: int = 2

    @property
    def declares(self) -> Declared:
        return Declared(everyone_first=True, availability_window=self.every, period=self.every)

    def matrix(self, num_rounds: int, *, seed: int = 0) -> BoolArray:
        rows = np.arange(num_rounds) % self.every == 0
        return np.repeat(rows[:, None], self.num_clients, axis=1)


@dataclass(frozen=True)
class Springs:
    """f_i(x) = (x - c_i)^2: springs of one strength."""

    optima: tuple[object, ...]
    noise_squared: int = 0

    @cached_property
    def _quadratic(self) -> Quadratic:
        return Quadratic((2,) * len(self.optima), self.optima, noise_squared=self.noise_squared)

    @property
    def num_clients(self) -> int:
        return len(self.optima)

    @property
    def dimension(self) -> int:
        return 1

    @property
    def affine(self) -> bool:
        return True

    @property
    def importance(self) -> tuple[object, ...]:
        return self._quadratic.importance

    @property
    def constants(self) -> Constants:
        return self._quadratic.constants

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        return self._quadratic.gradients(arithmetic)


AVAILABILITY = (Blinking,)
PROBLEMS = (Springs,)
