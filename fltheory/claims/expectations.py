"""Exact expectations over gradient noise, without sampling.

With affine gradients a run is affine in the noise, so x = x(0) + sum_j n_j (x(e_j) - x(0)) over all
single draws n_j, and E |x|^2 = |x(0)|^2 + (variance) sum_j |x(e_j) - x(0)|^2. The noise is
additive, independent over clients, rounds, steps and coordinates, with variance noise_squared /
dimension each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.types import Array
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.simulate import simulate

MAX_NOISE_DRAWS = 400
"""Largest number of single noise draws in an exact expectation."""


@dataclass(frozen=True)
class ExactRun:
    """The exact run of a scenario, and its response to every single draw of noise."""

    scenario: Scenario

    @cached_property
    def models(self) -> Array:
        """Models without noise, (rounds + 1, coordinates)."""
        return self._simulate(None, self.scenario.start)

    @cached_property
    def responses(self) -> Array:
        """Change of each model per unit of each noise draw, (draws, rounds + 1, coordinates)."""
        draws = self._draws()
        if not draws:
            return np.empty((0, *self.models.shape), dtype=object)
        problem = self.scenario.problem
        if not problem.affine:
            raise NotExact(
                f"no exact expectation is known for noisy runs on a {type(problem).__name__}"
            )
        if len(draws) > MAX_NOISE_DRAWS:
            raise InvalidInput(
                "noise draws of an exact expectation", f"be at most {MAX_NOISE_DRAWS}", len(draws)
            )
        shape = (len(draws), problem.num_clients, problem.dimension)

        def unit_noise(index: int, step: int) -> Array:
            table = RATIONAL.zeros(shape)
            for j, (t, i, k, coordinate) in enumerate(draws):
                if (t, k) == (index, step):
                    table[j, i, coordinate] = Fraction(1)
            return table

        start = np.broadcast_to(
            RATIONAL.rows([self.scenario.start]), (len(draws), 1, problem.dimension)
        )
        return self._simulate(unit_noise, start) - self.models

    @property
    def draw_variance(self) -> Fraction:
        """The variance of one draw in one coordinate."""
        return Fraction(self.scenario.problem.noise_squared) / self.scenario.problem.dimension

    def _draws(self) -> list[tuple[int, int, int, int]]:
        """(round, client, local step, coordinate) of each draw; empty without noise."""
        if not self.scenario.problem.noise_squared:
            return []
        steps, dimension = self.scenario.trace.local_steps, self.scenario.problem.dimension
        return [
            (int(t), int(i), k, c)
            for t, i in np.argwhere(steps > 0)
            for k in range(int(steps[t, i]))
            for c in range(dimension)
        ]

    def _simulate(
        self, noise: Callable[[int, int], Array] | None, start: Array | tuple[Fraction, ...]
    ) -> Array:
        s = self.scenario
        return simulate(
            s.method,
            s.problem,
            s.trace,
            start=start,
            local_step_size=s.local_schedule,
            server_step_size=s.server_step_size,
            noise=noise,
        ).models

    @cached_property
    def squared_gradients(self) -> list[Fraction]:
        """E |grad f|^2 at each model."""
        at_models = self.global_gradients(self.models)
        result = [sum(g * g for g in row) for row in at_models]
        if len(self.responses):
            moved = self.global_gradients(self.models + self.responses) - at_models
            spread = (moved**2).sum(axis=(0, -1)) * self.draw_variance
            result = [a + b for a, b in zip(result, spread, strict=True)]
        return result

    def global_gradients(self, points: Array) -> Array:
        """grad f at points, (..., coordinates)."""
        problem = self.scenario.problem
        rows = np.repeat(points[..., None, :], problem.num_clients, axis=-2)
        weights = RATIONAL.rows([[p] for p in problem.importance])
        return (weights * problem.gradients(RATIONAL)(rows)).sum(axis=-2)

    def loss_gap(self, point: Array) -> Fraction:
        """f - f* at one point."""
        problem = self.scenario.problem
        if problem.constants.infimum is None:
            raise NotExact(f"the infimum of this {type(problem).__name__} is not known")
        losses = problem.losses(RATIONAL)(np.repeat(point[None, :], problem.num_clients, axis=0))
        return (
            sum(p * x[0] for p, x in zip(problem.importance, losses, strict=True))
            - problem.constants.infimum
        )
