"""Exact runs of the algorithms satisfy the records of verification/kernel: `pull`, `work`, `serve`
and the bounds of CrossDevice.v and CrossSilo.v, so that the theorems are about the code that
runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory import RATIONAL, AfaCrossDevice, AfaCrossSilo, Clipped, Quadratic, Trace, simulate
from fltheory.core.types import Array
from fltheory.engine.noise import Rademacher
from fltheory.engine.roles import Algorithm, State

LOCAL_STEP, SERVER_STEP = Fraction(1, 7), Fraction(3, 2)
CLIENTS, ROUNDS, MOST_STEPS, MAX_DELAY = 4, 7, 3, 2
PROBLEMS: tuple[Quadratic | Clipped, ...] = (
    Quadratic(curvatures=(1, 2, "1/2", 3), optima=(0, 1, -2, "1/3")),
    Clipped(centres=(0, 1, -2, 3), bound=1),
)


@dataclass(frozen=True)
class KernelRun:
    """What a record is made of: the data of the run, as in the Coq files. `jobs[t]` are the updates
    that the server uses in round t, each named by its worker and its round of arrival."""

    models: Array
    gradient: Callable[[int, Array], Array]
    noise: Callable[[int, int, int], Array]
    trace: Trace
    jobs: list[list[tuple[int, int]]]

    def delay(self, arrived: int, worker: int) -> int:
        return int(arrived - self.trace.started_from[arrived, worker])

    def local(self, arrived: int, worker: int) -> list[Array]:
        """`pull` and `work`: the local models of one job."""
        points = [self.models[arrived - self.delay(arrived, worker)]]
        for k in range(self.trace.local_steps[arrived, worker]):
            moved = self.gradient(worker, points[-1]) + self.noise(arrived, worker, k)
            points.append(points[-1] - LOCAL_STEP * moved)
        return points

    def update(self, arrived: int, worker: int) -> Array:
        """The mean of the stochastic gradients of a job."""
        points, steps = self.local(arrived, worker), int(self.trace.local_steps[arrived, worker])
        found: Array = sum(
            self.gradient(worker, points[k]) + self.noise(arrived, worker, k) for k in range(steps)
        ) / Fraction(steps)
        return found

    def serves(self) -> bool:
        """`serve`, in every round."""
        return all(
            (
                self.models[t + 1]
                == self.models[t]
                - SERVER_STEP
                * LOCAL_STEP
                * sum(self.update(arrived, worker) for worker, arrived in jobs)
                / Fraction(len(jobs))
            ).all()
            for t, jobs in enumerate(self.jobs)
        )


def random_trace(seed: int, *, everyone_first: bool) -> Trace:
    random = np.random.default_rng(seed)
    delivers = random.random((ROUNDS, CLIENTS)) < 0.5
    delivers[np.arange(ROUNDS), random.integers(CLIENTS, size=ROUNDS)] = True
    if everyone_first:
        delivers[0] = True
    rounds = np.arange(ROUNDS)[:, None]
    late = np.minimum(random.integers(MAX_DELAY + 1, size=delivers.shape), rounds)
    steps = random.integers(1, MOST_STEPS + 1, size=delivers.shape)
    return Trace(delivers, np.where(delivers, rounds - late, rounds), np.where(delivers, steps, 0))


def arriving(trace: Trace) -> list[list[tuple[int, int]]]:
    """AFA-CD uses the updates that arrive in the round."""
    return [[(int(i), t) for i in np.flatnonzero(row)] for t, row in enumerate(trace.delivers)]


def remembered(trace: Trace) -> list[list[tuple[int, int]]]:
    """AFA-CS uses the latest update of every worker."""
    last = [
        [max(a for a in range(t + 1) if trace.delivers[a, i]) for i in range(CLIENTS)]
        for t in range(ROUNDS)
    ]
    return [list(enumerate(row)) for row in last]


def _models(
    algorithm: Algorithm[State],
) -> Callable[[Quadratic | Clipped, Trace, Rademacher], Array]:
    def run(problem: Quadratic | Clipped, trace: Trace, noise: Rademacher) -> Array:
        return simulate(
            algorithm,
            problem,
            trace,
            start="5/3",
            local_step_size=LOCAL_STEP,
            server_step_size=SERVER_STEP,
            noise=noise,
        ).models

    return run


def kernel_run(problem: Quadratic | Clipped, trace: Trace, seed: int, *, memory: bool) -> KernelRun:
    noise = Rademacher(problem, scale="1/3", seed=seed)
    models = (_models(AfaCrossSilo()) if memory else _models(AfaCrossDevice()))(
        problem, trace, noise
    )
    all_gradients = problem.gradients(RATIONAL)

    def gradient(worker: int, point: Array) -> Array:
        rows: Array = RATIONAL.export(all_gradients(RATIONAL.rows([point] * CLIENTS)))
        found: Array = rows[worker]
        return found

    def drawn(arrived: int, worker: int, step: int) -> Array:
        found: Array = noise(arrived, step)[worker]
        return found

    jobs = remembered(trace) if memory else arriving(trace)
    return KernelRun(models, gradient, drawn, trace, jobs)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
@pytest.mark.parametrize("memory", [False, True], ids=["afa-cd", "afa-cs"])
def test_a_run_satisfies_the_record(problem: Quadratic | Clipped, memory: bool, seed: int) -> None:
    run = kernel_run(problem, random_trace(seed, everyone_first=memory), seed, memory=memory)
    assert run.serves()
    for t, jobs in enumerate(run.jobs):
        assert jobs
        for worker, arrived in jobs:
            assert arrived == t or memory
            assert 0 <= run.delay(arrived, worker) <= min(arrived, MAX_DELAY)
            assert 1 <= run.trace.local_steps[arrived, worker] <= MOST_STEPS
            for k in range(run.trace.local_steps[arrived, worker]):
                assert sum(run.noise(arrived, worker, k) ** 2) == Fraction(1, 9)


@pytest.mark.parametrize("memory", [False, True], ids=["afa-cd", "afa-cs"])
def test_another_run_does_not_satisfy_the_record(memory: bool) -> None:
    trace = random_trace(1, everyone_first=True)
    run = kernel_run(PROBLEMS[0], trace, 1, memory=memory)
    assert run.serves()
    silent = replace(run, noise=lambda arrived, worker, step: np.array([Fraction(0)], dtype=object))
    fresh = Trace(
        trace.delivers, np.arange(ROUNDS)[:, None] + 0 * trace.started_from, trace.local_steps
    )
    other = remembered(trace) if not memory else arriving(trace)
    for wrong in (silent, replace(run, trace=fresh), replace(run, jobs=other)):
        assert not wrong.serves()
