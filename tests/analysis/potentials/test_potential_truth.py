"""Is it true? Runs on losses that are not quadratic, and the worst case over all functions for
small numbers of clients and rounds, over every trace of the language."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
import pytest

from fltheory import FLOAT, Metric, Mifa, Trace, forever, simulate, worst_case
from fltheory.core.types import FloatArray
from fltheory.engine.arithmetic import Arithmetic, Rows


@dataclass(frozen=True)
class Kinked:
    """f_i = mu/2 |x|^2 + (L - mu) sum of Huber losses or half-squares in random directions, tilted
    so that the mean gradient vanishes at 0; a batch of problems."""

    turn: FloatArray
    shift: FloatArray
    width: FloatArray
    mu: float
    affine: bool = False

    @property
    def num_clients(self) -> int:
        return int(self.turn.shape[1])

    @property
    def dimension(self) -> int:
        return int(self.turn.shape[2])

    def raw(self, rows: Rows) -> FloatArray:
        z = np.einsum("bnij,bnj->bni", self.turn, rows) + self.shift
        bent = np.where(self.width > 0, np.clip(z, -self.width, self.width), np.maximum(z, 0))
        return self.mu * rows + (1 - self.mu) * np.einsum("bnij,bni->bnj", self.turn, bent)

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        at_zero = self.raw(np.zeros(self.shift.shape)).mean(axis=1, keepdims=True)
        return lambda rows: self.raw(np.broadcast_to(rows, self.shift.shape)) - at_zero


def kinked(rng: np.random.Generator, batch: int, clients: int, mu: float) -> Kinked:
    turn = np.linalg.qr(rng.normal(size=(batch, clients, 2, 2)))[0]
    shift = 2 * rng.normal(size=(batch, clients, 2))
    width = rng.uniform(-1, 3, size=(batch, clients, 2))
    return Kinked(turn, shift, width, mu)


def traces(
    rng: np.random.Generator, batch: int, rounds: int, clients: int, staleness: int
) -> Trace:
    """Random and periodic traces of the language, with everybody in round 0."""
    delivers = np.zeros((batch, rounds, clients), bool)
    age = np.full((batch, clients), staleness)
    chance = rng.choice([0.05, 0.3, 0.8], size=(batch, 1))
    for t in range(rounds):
        now = (age == staleness) | (rng.random((batch, clients)) < chance)
        delivers[:, t] = now
        age = np.where(now, 0, age + 1)
    here = np.broadcast_to(np.arange(rounds)[:, None], delivers.shape)
    return Trace(delivers, here, delivers.astype(int))


@pytest.mark.parametrize(
    ("staleness", "clients", "batch"), [(1, 2, 3000), (3, 4, 4000), (5, 3, 3000), (3, 1000, 4)]
)
def test_ten_thousand_runs_obey_the_theorem(staleness: int, clients: int, batch: int) -> None:
    mu, step = 0.1, f"3/{2 * (staleness + 1)}"
    found = forever("mifa", staleness=staleness, strong_convexity="1/10", step_size=step)
    assert found.status == "CERTIFIED"
    assert found.rate is not None
    assert found.constant is not None
    rng = np.random.default_rng(staleness)
    rounds = 24
    run = simulate(
        Mifa(),
        kinked(rng, batch, clients, mu),
        traces(rng, batch, rounds, clients, staleness),
        start=5 * rng.normal(size=(batch, 1, 2)),
        local_step_size=step,
        arithmetic=FLOAT,
    )
    distance = (np.asarray(run.models, float) ** 2).sum(axis=-1)
    allowed = float(found.constant) * float(found.rate) ** np.arange(rounds + 1)
    ratio = distance / (distance[:, :1] * allowed)
    assert ratio.max() <= 1 + 1e-9
    assert ratio.max() > 0.5  # the runs are not far from what is allowed


def columns(staleness: int, rounds: int) -> list[tuple[int, ...]]:
    """All traces of one client that delivers in round 0."""
    found: list[tuple[int, ...]] = [(1,)]
    for _ in range(rounds - 1):
        found = [
            (*one, now)
            for one in found
            for now in (0, 1)
            if now or 1 in one[len(one) - staleness :] or len(one) < staleness
        ]
    return [c for c in found if c[0] == 1 and longest_silence(c) <= staleness]


def longest_silence(column: tuple[int, ...]) -> int:
    return max(len(part) for part in "".join(map(str, column)).split("1"))


def all_traces(staleness: int, rounds: int, clients: int) -> Iterator[Trace]:
    for chosen in combinations_with_replacement(columns(staleness, rounds), clients):
        yield Trace.fresh(np.array(chosen).T)


@pytest.mark.slow
@pytest.mark.parametrize(("staleness", "clients", "rounds"), [(1, 2, 4), (2, 2, 4), (1, 3, 3)])
def test_no_worst_case_of_a_finite_horizon_exceeds_the_theorem(
    staleness: int, clients: int, rounds: int
) -> None:
    step = f"3/{2 * (staleness + 1)}"
    distance = forever("mifa", staleness=staleness, strong_convexity="1/10", step_size=step)
    gradient = forever("mifa", staleness=staleness, convex=False, step_size=step)
    assert distance.rate is not None
    assert gradient.constant is not None
    size = 1.5 / (staleness + 1)
    for trace in all_traces(staleness, rounds, clients):
        loss = worst_case("mifa", trace, local_step_size=step, strong_convexity="1/10")
        assert loss.worst_case is not None
        assert loss.worst_case <= 0.5 * float(distance.rate) ** rounds * (1 + 1e-6)
        mean = worst_case(
            "mifa", trace, local_step_size=step, convex=False, metric=Metric.MEAN_SQUARED_GRADIENT
        )
        assert mean.worst_case is not None
        assert mean.worst_case <= float(gradient.constant) / (size * rounds) * (1 + 1e-6)
