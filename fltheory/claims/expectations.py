"""Exact expectations over gradient noise and participation, without sampling.

With affine gradients a run is affine in additive noise, so x = x(0) + sum_j n_j (x(e_j) - x(0))
over all single draws n_j, and E |x|^2 = |x(0)|^2 + (variance) sum_j |x(e_j) - x(0)|^2. This noise
is independent over clients, rounds, steps and coordinates, with variance noise_squared / dimension
each. With other gradients, or with noise that grows with the gradient, every draw takes two values
of equal chance, and the expectation is the mean over all runs; the same holds for participation
(fltheory.claims.participation). For affine gradients and methods without memory the means and
variances of the models are enough, which follow round by round (fltheory.claims.moments).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.claims.moments import Spread, moments, row_of
from fltheory.claims.round_maps import Branch, RoundByRound
from fltheory.claims.scenario import Scenario
from fltheory.claims.signed_noise import Signed, gradients_of, root_of
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.types import Array
from fltheory.engine.arithmetic import RATIONAL, Arithmetic
from fltheory.engine.simulate import simulate
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

MAX_NOISE_DRAWS = 400
"""Largest number of single noise draws in an exact expectation of an affine run."""

MAX_SIGNS = 9
"""Largest number of draws of two values each, all of whose combinations are run."""

Value = Callable[[Array, Array], Fraction]
"""(mean of a model, its covariance) -> an expectation."""


@dataclass(frozen=True)
class ExactRun:
    """The exact run of a scenario, its responses to single draws of noise, and its outcomes."""

    scenario: Scenario
    forever: bool = False
    arithmetic: Arithmetic = RATIONAL

    @cached_property
    def models(self) -> Array:
        """Models without noise, (rounds + 1, coordinates)."""
        return self._one.models

    @cached_property
    def responses(self) -> Array:
        """Change of each model per unit of each noise draw, (draws, rounds + 1, coordinates)."""
        return self._one.responses

    @property
    def _one(self) -> Branch:
        if len(self.branches) != 1:
            raise NotExact("the models of a random run are random; only expectations are known")
        return self.branches[0]

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """All outcomes, with chances that add up to 1."""
        return tuple(
            branch for chance, trace in self._traces() for branch in self._runs(chance, trace)
        )

    def _traces(self) -> Iterator[tuple[Fraction, Trace]]:
        s = self.scenario
        if s.participation is None:
            yield Fraction(1), s.trace
            return
        clients = range(s.trace.num_clients)
        sorts: Sequence[object] = [s.sort_of(i) for i in clients] if s.memoryless else clients
        for chance, delivers in s.participation.outcomes(s.trace.num_rounds, sorts):
            yield chance, Trace.fresh(delivers, local_steps=np.maximum(s.trace.local_steps, 1))

    def _runs(self, chance: Fraction, trace: Trace) -> Iterator[Branch]:
        s = self.scenario
        noisy = bool(s.problem.noise_squared)
        if s.relative_noise or (noisy and not s.problem.affine):
            models = self._signed(trace)
            none = np.empty((0, *models.shape[1:]), dtype=object)
            for one in models:
                yield Branch(chance / len(models), one, none)
            return
        models = self._simulate(trace, None, s.start)
        yield Branch(
            chance,
            models,
            self._responses(trace, models) if noisy else np.empty((0, *models.shape), dtype=object),
        )

    def _responses(self, trace: Trace, models: Array) -> Array:
        problem = self.scenario.problem
        draws = [
            (t, i, k, c) for t, i, k in gradients_of(trace) for c in range(problem.dimension)
        ]  # (round, client, local step, coordinate)
        if len(draws) > MAX_NOISE_DRAWS:
            raise InvalidInput(
                "noise draws of an exact expectation", f"be at most {MAX_NOISE_DRAWS}", len(draws)
            )
        shape = (len(draws), problem.num_clients, problem.dimension)

        def unit_noise(index: int, step: int) -> Array:
            table = self.arithmetic.zeros(shape)
            for j, (t, i, k, coordinate) in enumerate(draws):
                if (t, k) == (index, step):
                    table[j, i, coordinate] = 1
            return table

        start = np.broadcast_to(
            self.arithmetic.rows([self.scenario.start]), (len(draws), 1, problem.dimension)
        )
        return self._simulate(trace, unit_noise, start) - models

    def _signed(self, trace: Trace) -> Array:
        """The models for every combination of signs, (combinations, rounds + 1, coordinates)."""
        s = self.scenario
        count, size = s.problem.num_clients, s.problem.dimension
        deviation = root_of(self.draw_variance)
        if deviation is None:
            raise NotExact("noise of two values needs a rational standard deviation")
        kinds = [-1] * bool(s.relative_noise) + list(range(size if deviation else 0))
        draws = [(t, i, k, c) for t, i, k in gradients_of(trace) for c in kinds]
        if len(draws) > MAX_SIGNS:
            raise NotExact(f"the noise has more than 2^{MAX_SIGNS} outcomes")
        runs = 1 << len(draws)
        zero = np.zeros((runs, count, size), dtype=object)
        signs: dict[tuple[int, int], tuple[Array, Array]] = {}
        for t in range(trace.num_rounds):
            for k in range(max(int(trace.local_steps.max()), 1)):
                signs[t, k] = (zero.copy(), zero.copy())
        for j, (t, i, k, c) in enumerate(draws):
            sign = np.array([1 if run >> j & 1 else -1 for run in range(runs)], dtype=object)
            if c < 0:
                signs[t, k][0][:, i, :] = sign[:, None]
            else:
                signs[t, k][1][:, i, c] = sign
        problem = Signed(s.problem, signs, s.relative_noise, deviation, runs)
        return self._simulate(trace, None, s.start, problem)

    @property
    def draw_variance(self) -> Fraction:
        """The variance of one draw in one coordinate."""
        return Fraction(self.scenario.problem.noise_squared) / self.scenario.problem.dimension

    def _simulate(
        self,
        trace: Trace,
        noise: Callable[[int, int], Array] | None,
        start: Array | tuple[Fraction, ...],
        problem: Signed | None = None,
    ) -> Array:
        s = self.scenario
        return simulate(
            s.method,
            s.problem if problem is None else problem,
            trace,
            start=start,
            local_step_size=s.local_schedule,
            server_step_size=s.server_step_size,
            noise=noise,
            arithmetic=self.arithmetic,
        ).models

    @cached_property
    def by_moments(self) -> bool:
        """Do means and variances, round by round, give all expectations of this run?"""
        s = self.scenario
        draws = int(s.trace.local_steps.sum()) * s.problem.dimension
        many = bool(s.problem.noise_squared) and draws > MAX_NOISE_DRAWS
        random = s.participation is not None or bool(s.relative_noise) or many
        diagonal = isinstance(s.problem, Quadratic | CommonCurvature)
        return random and diagonal and s.memoryless and not s.trace.delays.any()

    @cached_property
    def _rounds(self) -> RoundByRound:
        return RoundByRound(
            self.scenario,
            self.arithmetic,
            lambda one: ExactRun(one, arithmetic=self.arithmetic).branches,
        )

    def _spreads(self, shares: Sequence[Fraction] | None) -> Iterator[tuple[Fraction, Spread]]:
        """Chance, mean and covariance of every model, or of a weighted average of them, on each
        outcome."""
        if self.by_moments:
            start = self.arithmetic.rows([self.scenario.start])[0]
            given = self.only(0) if shares is None else shares
            every, average = moments(
                self._rounds.chain, self._rounds.at, start, given, self.arithmetic
            )
            yield Fraction(1), every if shares is None else average
            return
        for branch in self.branches:
            points, moves = branch.models, branch.responses
            if shares is not None:
                weights = row_of(shares, self.arithmetic)
                points, moves = weights @ points, np.einsum("t,jtc->jc", weights, moves)
            if len(moves):
                square = np.einsum("j...c,j...d->...cd", moves, moves) * self.draw_variance
            else:
                square = np.zeros((*points.shape, points.shape[-1]), dtype=object)
            yield branch.chance, Spread(points, square)

    @cached_property
    def _each(self) -> list[tuple[Fraction, Spread]]:
        return list(self._spreads(None))

    @cached_property
    def squared_gradients(self) -> list[Fraction]:
        """E |grad f|^2 at each model."""
        result = [Fraction(0)] * self.num_models
        for chance, (points, covariances) in self._each:
            squares = (self.global_gradients(points) ** 2).sum(axis=-1)
            if covariances.any():
                squares = squares + self._traced(covariances, self.hessian @ self.hessian)
            result = [a + chance * b for a, b in zip(result, squares, strict=True)]
        return result

    def expected(self, shares: Sequence[Fraction], value: Value) -> Fraction:
        """The expectation of a value at a weighted average of the models."""
        alone = [t for t, share in enumerate(shares) if share]
        if len(alone) == 1 and shares[alone[0]] == 1:
            each = [(p, Spread(x[alone[0]], c[alone[0]])) for p, (x, c) in self._each]
        else:
            each = list(self._spreads(shares))
        return sum((chance * value(*spread) for chance, spread in each), Fraction(0))

    @cached_property
    def loss_gaps(self) -> list[Fraction]:
        """E f - f* at each model."""
        result = [Fraction(0)] * self.num_models
        problem = self.scenario.problem
        infimum = self._infimum()
        weights = self.arithmetic.rows([[p] for p in problem.importance])
        for chance, (points, covariances) in self._each:
            rows = np.repeat(points[:, None, :], problem.num_clients, axis=-2)
            gaps = (weights * problem.losses(self.arithmetic)(rows)).sum(axis=(-2, -1)) - infimum
            if covariances.any():
                gaps = gaps + self._traced(covariances, self.hessian) / 2
            result = [a + chance * b for a, b in zip(result, gaps, strict=True)]
        return result

    @cached_property
    def hessian(self) -> Array:
        """That of the global loss, which is the same everywhere for affine gradients."""
        size = self.scenario.problem.dimension
        origin = self.arithmetic.zeros((1, size))
        units = self.arithmetic.rows([[int(a == b) for b in range(size)] for a in range(size)])
        found: Array = self.global_gradients(units) - self.global_gradients(origin)
        return found

    def _traced(self, covariances: Array, matrix: Array) -> Any:
        """tr(C M) for each covariance C."""
        return (covariances * matrix.T).sum(axis=(-2, -1))

    def _infimum(self) -> Fraction:
        problem = self.scenario.problem
        if problem.constants.infimum is None:
            raise NotExact(f"the infimum of this {type(problem).__name__} is not known")
        least: Fraction = problem.constants.infimum
        return least if self.arithmetic is RATIONAL else self.arithmetic.rows([[least]])[0, 0]

    @property
    def num_models(self) -> int:
        """One more than the number of rounds."""
        return self.scenario.trace.num_rounds + 1

    def only(self, index: int) -> list[Fraction]:
        """The shares of one model alone."""
        return [Fraction(t == index) for t in range(self.num_models)]

    def gap_at(self, point: Array, covariance: Array) -> Fraction:
        """E f - f* at a model of this mean and covariance."""
        if not covariance.any():
            return self.loss_gap(point)
        bent: Fraction = self._traced(covariance, self.hessian)
        return self.loss_gap(point) + bent / 2

    def global_gradients(self, points: Array) -> Array:
        """grad f at points, (..., coordinates)."""
        problem = self.scenario.problem
        rows = np.repeat(points[..., None, :], problem.num_clients, axis=-2)
        weights = self.arithmetic.rows([[p] for p in problem.importance])
        return (weights * problem.gradients(self.arithmetic)(rows)).sum(axis=-2)

    def loss_gap(self, point: Array) -> Fraction:
        """f - f* at one point."""
        problem, infimum = self.scenario.problem, self._infimum()
        rows = np.repeat(point[None, :], problem.num_clients, axis=0)
        losses = problem.losses(self.arithmetic)(rows)
        return sum(p * x[0] for p, x in zip(problem.importance, losses, strict=True)) - infimum
