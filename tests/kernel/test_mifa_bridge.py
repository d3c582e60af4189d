"""Exact runs of MIFA satisfy the record of Mifa.v: `all_at_first`, `come_or_not`, `pull`,
`local_work` and `aggregate`, so that the theorems are about the code that runs."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from fltheory import RATIONAL, Clipped, Mifa, Quadratic, Trace, simulate
from fltheory.core.types import Array
from fltheory.engine.noise import Rademacher

LOCAL_STEPS = (Fraction(1, 7), Fraction(1, 9))
CLIENTS, ROUNDS, STEPS = 4, 7, 2
PROBLEMS: tuple[Quadratic | Clipped, ...] = (
    Quadratic(curvatures=(1, 2, "1/2", 3), optima=(0, 1, -2, "1/3")),
    Clipped(centres=(0, 1, -2, 3), bound=1),
)


@dataclass(frozen=True)
class MifaRecord:
    """The data of the record: models, gradients, noise, and whose report of which round is used."""

    models: Array
    gradient: Callable[[int, Array], Array]
    noise: Callable[[int, int, int], Array]
    latest: Array
    local_step: Callable[[int], Fraction]

    def report(self, t: int, i: int) -> Array:
        """`pull` and `local_work`: the mean stochastic gradient of client i's visit in round t."""
        point, total = self.models[t], 0 * self.models[t]
        for k in range(STEPS):
            moved = self.gradient(i, point) + self.noise(t, i, k)
            point, total = point - self.local_step(t) * moved, total + moved
        found: Array = total / Fraction(STEPS)
        return found

    def aggregates(self) -> bool:
        """`aggregate`, in every round."""
        return all(
            (
                self.models[t + 1]
                == self.models[t]
                - STEPS
                * self.local_step(t)
                * sum(self.report(int(self.latest[t, i]), i) for i in range(CLIENTS))
                / Fraction(CLIENTS)
            ).all()
            for t in range(ROUNDS)
        )


def mifa_record(problem: Quadratic | Clipped, seed: int) -> MifaRecord:
    random = np.random.default_rng(seed)
    delivers = random.random((ROUNDS, CLIENTS)) < 0.4
    delivers[0] = True
    rounds = np.arange(ROUNDS)[:, None] + 0 * delivers
    noise = Rademacher(problem, scale="1/3", seed=seed)
    step = LOCAL_STEPS[seed % 2]
    models = simulate(
        Mifa(),
        problem,
        Trace(delivers, rounds, STEPS * delivers),
        start="5/3",
        local_step_size=step,
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

    latest = np.maximum.accumulate(np.where(delivers, rounds, 0), axis=0)
    return MifaRecord(models, gradient, drawn, latest, lambda t: step)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: type(problem).__name__)
def test_a_run_satisfies_the_record(problem: Quadratic | Clipped, seed: int) -> None:
    run = mifa_record(problem, seed)
    assert run.aggregates()
    assert (run.latest[0] == 0).all()
    for t in range(1, ROUNDS):
        assert all(run.latest[t, i] in (t, run.latest[t - 1, i]) for i in range(CLIENTS))
        assert all(sum(run.noise(t, i, 0) ** 2) == Fraction(1, 9) for i in range(CLIENTS))


def test_another_run_does_not_satisfy_the_record() -> None:
    run = mifa_record(PROBLEMS[0], 1)
    silent = replace(run, noise=lambda t, i, k: np.array([Fraction(0)], dtype=object))
    fresh = replace(run, latest=np.arange(ROUNDS)[:, None] + 0 * run.latest)
    longer = replace(run, local_step=lambda t: 2 * LOCAL_STEPS[1])
    assert not any(wrong.aggregates() for wrong in (silent, fresh, longer))
