"""Samples from noisy runs: many seeds at once, one observation of a measured quantity per run.

Run k of a seed does not depend on the other runs, so a longer sample extends a shorter one. Float
runs have rounding errors (about 1e-15 relative), which no confidence statement covers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from fltheory.analysis.confidence.observations import Bounded, BoundedVariance
from fltheory.analysis.coordinates import coordinates
from fltheory.analysis.moments import ModelWeights, expected_gap
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Array, FloatArray, Start, StepSize
from fltheory.engine.arithmetic import FLOAT, Arithmetic
from fltheory.engine.noise import Gaussian, Noise, Rademacher
from fltheory.engine.roles import Algorithm
from fltheory.engine.simulate import simulate
from fltheory.problems.objective import Objective, loss_gap
from fltheory.traces.trace import Trace

RUNS_PER_SEED = 1 << 32
"""Number of runs per seed; seeds are below it too, so that no two samples share a run."""

BATCH_RUNS = 4096
"""Runs simulated as one batch."""

MAX_DRAWS = 4000
"""Maximum number of single draws of noise for a bound on the largest gap."""

ROUNDING_ROOM = Fraction(10**9 + 1, 10**9)
"""Factor by which bounds on a measured quantity are widened for the rounding of float runs."""

Draw = Callable[[int, int, int], FloatArray]
"""(seed, first run, number of runs) -> one observation per run."""


@dataclass(frozen=True)
class NoisyRuns:
    """A method on a problem along a trace with gradient noise; each run replaces the noise's seed.

    >>> from fltheory import Mifa, Quadratic, Trace
    >>> problem = Quadratic(curvatures=(1, 1), optima=(-1, 1))
    >>> trace = Trace.fresh([[1, 1], [1, 0]])
    >>> sizes = {"start": 1, "local_step_size": "1/2"}
    >>> runs = NoisyRuns(Mifa(), problem, trace, Gaussian(problem, 1), **sizes)
    >>> gaps = runs.gaps()
    >>> gaps(7, 0, 3).shape, bool((gaps(7, 0, 3)[1:] == gaps(7, 1, 2)).all())
    ((3,), True)
    """

    algorithm: Algorithm
    problem: Objective
    trace: Trace
    noise: Gaussian | Rademacher
    start: Start
    local_step_size: StepSize
    server_step_size: StepSize = 1
    arithmetic: Arithmetic = FLOAT

    def __post_init__(self) -> None:
        if self.trace.batch_shape:
            raise InvalidInput(
                "trace",
                "be a single one, because the seeds are the batch",
                f"a batch of shape {self.trace.batch_shape}",
            )

    def models(self, seed: int, first: int, count: int) -> FloatArray:
        """Models of the runs first, ..., first + count - 1, as (runs, rounds + 1, coordinates)."""
        if not 0 <= seed < RUNS_PER_SEED or not 0 <= first <= first + count <= RUNS_PER_SEED:
            raise InvalidInput(
                "seed and runs of a sample", f"lie in [0, {RUNS_PER_SEED})", (seed, first, count)
            )
        seeds = tuple(seed * RUNS_PER_SEED + first + k for k in range(count))
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._simulate(replace(self.noise, seed=seeds), self.arithmetic)
        return np.asarray(found, np.float64)

    def observe(self, quantity: Callable[[FloatArray], Array]) -> Draw:
        """Draws of a quantity, a map from models (runs, rounds + 1, coordinates) to numbers
        (runs,)."""

        def draw(seed: int, first: int, count: int) -> FloatArray:
            starts = range(first, first + count, BATCH_RUNS)
            parts = [
                np.asarray(
                    quantity(self.models(seed, k, min(BATCH_RUNS, first + count - k))), np.float64
                )
                for k in starts
            ]
            return np.concatenate(parts) if parts else np.zeros(0)

        return draw

    def gaps(self, *, average: ModelWeights | None = None) -> Draw:
        """Draws of f(x) - f* at the last model, or at the average of all models with weights
        average(t); never below 0."""
        shares = self._shares(average)

        def gap(models: FloatArray) -> Array:
            points = _weighted(shares, models)[:, None, :]
            return np.maximum(loss_gap(self.problem, points, FLOAT)[:, 0, 0], 0)

        return self.observe(gap)

    def gap_law(self, *, average: ModelWeights | None = None) -> Bounded | BoundedVariance:
        """What is known about the gap before any run, on quadratics.

        Random signs: the gap is at most sum_c h_c/2 (|x_c - x*_c| + scale sum_j |r_cj|)^2, where x
        is the model without noise and r_cj its move under one unit draw j. Normal noise: coordinate
        c of the model is normal, so the gap has the variance sum_c 2 n_c^2 + 4 n_c b_c, where n_c
        and b_c are the noise and bias parts of the expected gap.
        """
        lines = coordinates(self.problem, self.start)
        if isinstance(self.noise, Rademacher):
            quiet, moved = self._responses(self._shares(average))
            reach = [
                abs(exact(x) - line.optimum) + self.noise.scale * exact(r)
                for x, r, line in zip(quiet, moved, lines, strict=True)
            ]
            most = sum(
                (line.curvature / 2 * r**2 for line, r in zip(lines, reach, strict=True)),
                Fraction(0),
            )
            return Bounded(0, most * ROUNDING_ROOM)
        noisy = coordinates(self.problem, self.start, noise_squared=self.noise.variance)
        gaps = [
            expected_gap(
                self.algorithm,
                line.problem,
                self.trace,
                start=line.start,
                local_step_size=self.local_step_size,
                server_step_size=self.server_step_size,
                average=average,
            )
            for line in noisy
        ]
        return BoundedVariance(
            exact(sum(2 * gap.noise**2 + 4 * gap.noise * gap.bias for gap in gaps)) * ROUNDING_ROOM
        )

    def _shares(self, average: ModelWeights | None) -> FloatArray:
        rounds = self.trace.num_rounds
        weights = FLOAT.rows(
            [average(t) if average else int(t == rounds) for t in range(rounds + 1)]
        )
        return np.asarray(weights / weights.sum())

    def _responses(self, shares: FloatArray) -> tuple[Array, Array]:
        """The output without noise, and sum_j |its move under unit draw j|, for each coordinate."""
        rounds, clients, most = (
            self.trace.num_rounds,
            self.trace.num_clients,
            int(self.trace.local_steps.max()),
        )
        # clients at rest are included, because some methods use their noise
        places = list(product(range(rounds), range(clients), range(most)))
        if len(places) > MAX_DRAWS:
            raise InvalidInput(
                "draws of noise for a bound on the gap", f"be at most {MAX_DRAWS}", len(places)
            )

        def units(index: int, step: int) -> Array:
            table = np.zeros((len(places) + 1, self.trace.num_clients, self.problem.dimension))
            for j, (t, i, k) in enumerate(places):
                table[j, i] = (t, k) == (index, step)
            return table

        points = _weighted(shares, self._simulate(units, FLOAT))
        return points[-1], np.abs(points[:-1] - points[-1]).sum(axis=0)

    def _simulate(self, noise: Noise, arithmetic: Arithmetic) -> Array:
        return simulate(
            self.algorithm,
            self.problem,
            self.trace,
            start=self.start,
            local_step_size=self.local_step_size,
            server_step_size=self.server_step_size,
            arithmetic=arithmetic,
            noise=noise,
        ).models


def _weighted(shares: FloatArray, models: Array) -> Array:
    """sum_t share_t x_t for each run, in the order of the rounds, so that the bits do not depend on
    the number of runs."""
    return sum((share * models[:, t] for t, share in enumerate(shares) if share), np.zeros(()))
