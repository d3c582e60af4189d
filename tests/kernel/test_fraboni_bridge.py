"""Exact runs of aggregation with random weights satisfy the record of FraboniChance.v: `pull`,
`work` and `serve`, so that the theorems are about the code that runs."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from fltheory import RATIONAL, Quadratic, Trace, simulate
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.core.types import Array
from fltheory.engine.noise import Rademacher

LOCAL_STEP, SERVER_STEP = Fraction(1, 7), Fraction(3, 2)
CLIENTS, ROUNDS, STEPS, MAX_DELAY = 3, 6, 2, 2
PROBLEM = Quadratic(curvatures=(1, 2, "1/2"), optima=(0, 1, -2))


@dataclass(frozen=True)
class RandomRounds:
    """One outcome of the record: models, drawn weights, and rounds whose models clients had."""

    models: Array
    weights: list[list[Fraction]]
    pulled: Array
    noise: Rademacher

    def batch_gradient(self, n: int, i: int, k: int, point: Array) -> Array:
        """Gradient of the batch's loss, which is the client's with a slope added."""
        rows = RATIONAL.export(PROBLEM.gradients(RATIONAL)(RATIONAL.rows([point] * CLIENTS)))
        found: Array = rows[i] + self.noise(n, k)[i]
        return found

    def local(self, n: int, i: int) -> list[Array]:
        """`pull` and `work`."""
        points = [self.models[self.pulled[n, i]]]
        for k in range(STEPS):
            points.append(points[-1] - LOCAL_STEP * self.batch_gradient(n, i, k, points[-1]))
        return points

    def report(self, n: int, i: int) -> Array:
        points = self.local(n, i)
        found = sum(self.batch_gradient(n, i, k, points[k]) for k in range(STEPS)) / Fraction(STEPS)
        return np.asarray(found)

    def serves(self) -> bool:
        """`serve`, in every round."""
        move = SERVER_STEP * LOCAL_STEP * STEPS
        return all(
            (
                self.models[n + 1]
                == self.models[n]
                - move * sum(self.weights[n][i] * self.report(n, i) for i in range(CLIENTS))
            ).all()
            for n in range(ROUNDS)
        )


def random_rounds(seed: int) -> RandomRounds:
    random = np.random.default_rng(seed)
    delivers = random.random((ROUNDS, CLIENTS)) < 0.6
    rounds = np.arange(ROUNDS)[:, None]
    late = np.minimum(random.integers(MAX_DELAY + 1, size=delivers.shape), rounds)
    pulled = np.where(delivers, rounds - late, rounds)
    weights = [
        [Fraction(int(random.integers(1, 5)), 4) if here else Fraction(0) for here in row]
        for row in delivers
    ]
    noise = Rademacher(PROBLEM, scale="1/3", seed=seed)
    models = simulate(
        WeightedAggregation(weights),
        PROBLEM,
        Trace(delivers, pulled, STEPS * delivers),
        start="5/3",
        local_step_size=LOCAL_STEP,
        server_step_size=SERVER_STEP,
        noise=noise,
    ).models
    return RandomRounds(models, weights, pulled, noise)


@pytest.mark.parametrize("seed", range(8))
def test_a_run_satisfies_the_record(seed: int) -> None:
    run = random_rounds(seed)
    assert run.serves()
    assert (run.pulled <= np.arange(ROUNDS)[:, None]).all()
    assert (np.arange(ROUNDS)[:, None] <= run.pulled + MAX_DELAY).all()


def test_another_run_does_not_satisfy_the_record() -> None:
    run = random_rounds(0)
    heavier = [[2 * weight for weight in row] for row in run.weights]
    assert not RandomRounds(run.models, heavier, run.pulled, run.noise).serves()
    fresh = np.arange(ROUNDS)[:, None] + 0 * run.pulled
    assert not RandomRounds(run.models, run.weights, fresh, run.noise).serves()
    other = Rademacher(PROBLEM, scale="1/3", seed=9)
    assert not RandomRounds(run.models, run.weights, run.pulled, other).serves()


def test_batches_have_the_right_mean_over_all_signs() -> None:
    run = random_rounds(1)
    drawn = run.noise(0, 0)
    assert {abs(value) for row in drawn for value in row} == {Fraction(1, 3)}
