"""Exact runs of FedLaAvg satisfy the records of FedLaAvgRounds.v, FedLaAvg.v (one local step) and
FedLaAvgLemmas.v, and its choice of clients that of Staleness.v: `pull`, `work`, `nothing_stored`,
`store`, `serve` and `longest_wait`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory import RATIONAL, Clipped, FedLaAvg, Quadratic, Trace, simulate
from fltheory.core.types import Array, BoolArray
from fltheory.engine.noise import Rademacher
from fltheory.traces.selection import longest_absent

STEP = Fraction(1, 7)
CLIENTS, PER_ROUND, ROUNDS = 4, 2, 9
PROBLEMS: tuple[Quadratic | Clipped, ...] = (
    Quadratic(curvatures=(1, 2, "1/2", 3), optima=(0, 1, -2, "1/3")),
    Clipped(centres=(0, 1, -2, 3), bound=1),
)


@dataclass(frozen=True)
class FedLaAvgRecord:
    """The data of the record; row t of `selected` is the paper's iteration t + 1."""

    models: Array
    gradient: Callable[[int, Array], Array]
    noise: Callable[[int, int, int], Array]
    available: BoolArray
    selected: BoolArray
    local_steps: int
    step: Fraction = STEP

    def last(self, t: int, i: int) -> int:
        """The latest iteration up to t with client i; 0 if there is none."""
        return max((s + 1 for s in range(t) if self.selected[s, i]), default=0)

    def stored(self, t: int, i: int) -> Array:
        """`pull`, `work`, `nothing_stored` and `store`: the sum of client i's latest gradients."""
        latest, total = self.last(t, i), 0 * self.models[0]
        if latest:
            point = self.models[latest - 1]
            for k in range(self.local_steps):
                sample = self.gradient(i, point) + self.noise(latest - 1, i, k)
                point, total = point - self.step * sample, total + sample
        found: Array = total
        return found

    def serves(self) -> bool:
        """`serve`, in every iteration."""
        return all(
            (
                self.models[t + 1]
                == self.models[t]
                - self.step * sum(self.stored(t + 1, i) for i in range(CLIENTS)) / Fraction(CLIENTS)
            ).all()
            for t in range(ROUNDS)
        )

    def waits_longest(self) -> bool:
        """`longest_wait`: who is passed over, is so for PER_ROUND that have waited as long."""
        return all(
            self.selected[t].sum() >= PER_ROUND
            and all(
                self.last(t, int(j)) <= self.last(t, i) for j in np.flatnonzero(self.selected[t])
            )
            for t in range(ROUNDS)
            for i in range(CLIENTS)
            if self.available[t, i] and not self.selected[t, i]
        )


def fedlaavg_record(problem: Quadratic | Clipped, seed: int, local_steps: int) -> FedLaAvgRecord:
    random = np.random.default_rng(seed)
    available = random.random((ROUNDS, CLIENTS)) < 0.7
    selected = longest_absent(available, PER_ROUND)
    rounds = np.arange(ROUNDS)[:, None] + 0 * selected
    noise = Rademacher(problem, scale="1/3", seed=seed)
    models = simulate(
        FedLaAvg(),
        problem,
        Trace(selected, rounds, local_steps * selected),
        start="5/3",
        local_step_size=STEP,
        noise=noise,
    ).models
    all_gradients = problem.gradients(RATIONAL)

    def gradient(client: int, point: Array) -> Array:
        rows: Array = RATIONAL.export(all_gradients(RATIONAL.rows([point] * CLIENTS)))
        found: Array = rows[client]
        return found

    def drawn(t: int, client: int, k: int) -> Array:
        found: Array = noise(t, k)[client]
        return found

    return FedLaAvgRecord(models, gradient, drawn, available, selected, local_steps)


@pytest.mark.parametrize("local_steps", [1, 3])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
def test_a_run_satisfies_the_record(
    problem: Quadratic | Clipped, seed: int, local_steps: int
) -> None:
    run = fedlaavg_record(problem, seed, local_steps)
    assert run.serves()
    assert run.waits_longest()
    assert not (run.selected & ~run.available).any()


def test_another_run_does_not_satisfy_the_record() -> None:
    run = fedlaavg_record(PROBLEMS[0], 1, 3)
    silent = replace(run, noise=lambda t, i, k: np.array([Fraction(0)], dtype=object))
    everybody = replace(run, selected=np.ones_like(run.selected))
    longer = replace(run, step=2 * STEP)
    assert not any(wrong.serves() for wrong in (silent, everybody, longer))
    assert not replace(run, selected=np.roll(run.selected, 1, axis=1)).waits_longest()
