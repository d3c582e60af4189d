"""Quadratics with Gaussian gradient noise whose K local steps are drawn at once: one normal instead
of K, with the same distribution."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.randomness import Purpose, key_words, normals
from fltheory.core.types import Array, IntArray, Seed, TorchTensor, WordArray
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.compiled import NUMBA
from fltheory.engine.device.roles import OnDeviceWork
from fltheory.engine.local_work.jobs import Jobs, seeds_of_runs
from fltheory.engine.noise import Gaussian
from fltheory.engine.rounds import Round
from fltheory.engine.workers import LocalWork, Oracle
from fltheory.problems.constants import Constants
from fltheory.problems.quadratic import Quadratic


@dataclass(frozen=True)
class ClosedForm:
    """A quadratic with normal noise of its variance, drawn by key; several seeds give a batch of
    runs.

    With r = 1 - eta h, a delivery is (1 + r + ... + r^{K-1}) h (w - c) plus a normal number of
    variance (sigma^2/d)(1 + r^2 + ... + r^{2(K-1)}). Steps computed one by one have the noise of
    `fltheory.engine.noise.Gaussian`: another draw from the same distribution.

    >>> noisy = Quadratic(curvatures=(1, 1), optima=(0, 1), noise_squared=1)
    >>> ClosedForm(noisy, seed=(0, 1)).batch_shape
    (2,)
    """

    quadratic: Quadratic
    seed: Seed = 0

    @property
    def num_clients(self) -> int:
        return self.quadratic.num_clients

    @property
    def dimension(self) -> int:
        return self.quadratic.dimension

    @property
    def importance(self) -> tuple[Fraction, ...]:
        return self.quadratic.importance

    @property
    def round_numbers(self) -> int:
        """Numbers of the largest table of a run."""
        return self.num_clients * self.dimension

    @property
    def constants(self) -> Constants:
        return self.quadratic.constants

    @property
    def affine(self) -> bool:
        """Gradients are affine in the point, except for the noise."""
        return True

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs, one for each seed."""
        return np.shape(self.seed)

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> h_i (x - c_i), without noise."""
        return self.quadratic.gradients(arithmetic)

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number."""
        return self.quadratic.losses(arithmetic)

    def oracle(self, arithmetic: Arithmetic) -> Oracle:
        """Row i -> its gradient with new noise."""
        noise, exact = (
            Gaussian(self, self.quadratic.noise_squared, self.seed),
            self.quadratic.gradients(arithmetic),
        )
        return lambda rows, index, step: exact(rows) + arithmetic.rows(noise(index, step))

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork:
        """K steps at once, for clients that deliver only."""
        if arithmetic.name not in ("float", "tensor"):
            raise InvalidInput("arithmetic", "be float or tensor for normal noise", arithmetic.name)
        return _Work(
            self,
            arithmetic,
            batch,
            arithmetic.rows(self.quadratic.curvatures),
            arithmetic.rows(self.quadratic.optima),
        )

    def on_device(self, arithmetic: Arithmetic, device: str) -> OnDeviceWork:
        """Gradients and K steps at once for all clients of a run of every seed, in which everything
        stays on the device."""
        seeds = self.seed if isinstance(self.seed, tuple) else (self.seed,)
        work = _DeviceWork(self, arithmetic, seeds, device)
        return OnDeviceWork(work.gradients, self.quadratic.gradients(arithmetic), work)


class _DeviceWork:
    """Local work of a closed form for all clients, absent ones included; rounds are tensors."""

    def __init__(
        self, problem: ClosedForm, arithmetic: Arithmetic, seeds: tuple[int, ...], device: str
    ) -> None:
        from fltheory.engine.arithmetic.tensor_draws import DeviceNormals

        quadratic = problem.quadratic
        self.curvatures = arithmetic.rows(quadratic.curvatures)
        self.optima = arithmetic.rows(quadratic.optima)
        self.scale = float(quadratic.noise_squared / problem.dimension) ** 0.5
        self.normals = DeviceNormals(
            seeds, clients=problem.num_clients, dimension=problem.dimension, device=device
        )

    def gradients(self, rows: Rows, index: int, step: int) -> Rows:
        """Gradients with new noise."""
        drawn: Rows = self.normals(index, step).to(rows.dtype)
        return self.curvatures * (rows - self.optima) + self.scale * drawn

    def __call__(self, model: Rows, round: Round) -> Rows:
        shrink = 1 - round.started_step_size * self.curvatures
        gain = spread = round.arithmetic.zeros(tuple(shrink.shape)) + 1
        for k in range(1, round.most_steps):
            busy = round.arithmetic.mask(round.local_steps > k)
            gain = round.arithmetic.where(busy, 1 + shrink * gain, gain)
            spread = round.arithmetic.where(busy, 1 + shrink * shrink * spread, spread)
        drawn: Rows = self.normals(round.index, 0).to(shrink.dtype)
        noise = self.scale * spread**0.5 * drawn
        delivery = gain * self.curvatures * (model - self.optima) + noise
        return round.choose(delivery, 0 * delivery)


@dataclass(frozen=True, eq=False)
class _Work:
    """Local work of a closed form, in doubles or tensors."""

    problem: ClosedForm
    arithmetic: Arithmetic
    batch: tuple[int, ...]
    curvatures: Rows
    optima: Rows

    def __call__(self, model: Rows, round: Round) -> Rows:
        problem, jobs = self.problem, Jobs.of(round, self.batch)
        gain, spread = self._gains(jobs)
        scale = float(problem.quadratic.noise_squared / problem.dimension) ** 0.5
        deliveries = self.arithmetic.zeros(
            (int(np.prod(self.batch)), problem.num_clients, problem.dimension)
        )
        away = jobs.starts(model) - self.optima[jobs.client]
        deliveries[jobs.member, jobs.client] = gain * away + scale * spread * self.arithmetic.rows(
            self._normals(jobs, round.index)
        )
        return deliveries.reshape(*self.batch, problem.num_clients, problem.dimension)

    def _gains(self, jobs: Jobs) -> tuple[Rows, Rows]:
        """h (1 + r + ... + r^{K-1}) and the root of 1 + r^2 + ... + r^{2(K-1)} for every job, from
        a table by local steps and step size."""
        kinds, which = np.unique(jobs.steps + 1j * jobs.step_size, return_inverse=True)
        gains, spreads = self.arithmetic.zeros((2, len(kinds), *self.curvatures.shape))
        for kind, both in enumerate(kinds):
            shrink = 1 - float(both.imag) * self.curvatures
            for _ in range(int(both.real)):
                gains[kind], spreads[kind] = (
                    1 + shrink * gains[kind],
                    1 + shrink * shrink * spreads[kind],
                )
            gains[kind] *= self.curvatures
        return gains[which, jobs.client], spreads[which, jobs.client] ** 0.5

    @cached_property
    def keys(self) -> WordArray:
        """The two words of every run's seed."""
        words = key_words(seeds_of_runs(self.problem.seed, self.batch))
        return np.stack(words, axis=-1).astype(np.uint64)

    def _normals(self, jobs: Jobs, index: int) -> Array:
        """One normal number for every job and coordinate, drawn on the device of the run."""
        tensor: TorchTensor = self.curvatures
        if self.arithmetic.name == "tensor" and tensor.device.type != "cpu":
            from fltheory.engine.arithmetic import tensor_draws

            return tensor_draws.normals(*self._draws(jobs, index), device=tensor.device)
        if NUMBA:
            from fltheory.engine.compiled.normals import fill_job_normals

            found = np.empty((len(jobs.client), self.problem.dimension))
            fill_job_normals(
                self.keys[jobs.member], np.uint64(index), jobs.client.astype(np.uint64), found
            )
            return found
        return normals(*self._draws(jobs, index))

    def _draws(self, jobs: Jobs, index: int) -> tuple[Array, Purpose, int, IntArray, IntArray]:
        seeds = seeds_of_runs(self.problem.seed, self.batch)[jobs.member, None]
        return (
            seeds,
            Purpose.GRADIENT_NOISE,
            index,
            jobs.client[:, None],
            np.arange(self.problem.dimension),
        )
