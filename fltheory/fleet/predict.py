"""Rounds to a target on this log: exact expectations for a quadratic stand-in of the task, with the best of a grid of step sizes.

The stand-in has two coordinates with curvatures mu and L, the given noise and heterogeneity, and optima that grow with the clients' shares
(those who are often there want one thing, those who rarely come another): availability bias shows in full. A large fleet is
represented by clients at evenly spaced ranks of their shares, with the noise scaled so that its mean over all clients is right. A log
shorter than a run is repeated.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import importance_sampling
from fltheory.errors import InvalidInput
from fltheory.fleet.setting import Basis, Task
from fltheory.fleet.summary import Summary
from fltheory.moments import mean_squares
from fltheory.problems.quadratic import Quadratic
from fltheory.selection import wait_for_sample
from fltheory.trace import Trace

MOST_CLIENTS = 40
MOST_ROUNDS = 4000
HALVINGS = 9
"""Step sizes 1/(L K), 1/(2 L K), ..., the last one halved so often."""


@dataclass(frozen=True)
class Prediction:
    """Rounds after which the expected gap stays at or below the target, at the best step size of the grid.

    None where it does not stay there for the last quarter of the run at least.

    `floor` is the least gap that any step size of the grid reaches, as the mean over the last quarter of the run.
    """

    method: str
    rounds: int | None
    step_size: float
    floor: float
    basis: Basis
    says: str
    seconds: float | None = None


@dataclass(frozen=True)
class StandIn:
    """The clients that stand for the fleet, their availability (rounds by clients) and the task in numbers."""

    clients: tuple[int, ...]
    available: Any
    task: Task
    fleet_size: int

    def problems(self) -> Iterator[tuple[float, Quadratic, float]]:
        """(curvature, problem, start) of each coordinate; every optimum of the whole is 0, and the initial gaps sum to 1."""
        count = len(self.clients)
        ranks = [Fraction(2 * k - count + 1, max(count - 1, 1)) for k in range(count)]
        mean_square = float(sum(r * r for r in ranks)) / count
        for curvature in (self.task.strong_convexity, self.task.smoothness):
            spread = math.sqrt(float(self.task.heterogeneity) / 2 / mean_square) / float(curvature) if mean_square else 0.0
            noise = self.task.noise / 2 * Fraction(count, self.fleet_size)
            optima = tuple(float(r) * spread for r in ranks)
            yield float(curvature), Quadratic((curvature,) * count, optima, noise_squared=noise), 1 / math.sqrt(float(curvature))

    def gaps(self, algorithm: Any, trace: Trace, step_size: float) -> Any:
        """E f - f* before each round and after the last."""
        total = np.zeros(trace.num_rounds + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            for curvature, problem, start in self.problems():
                total += curvature / 2 * mean_squares(algorithm, problem, trace, start=start, local_step_size=step_size)
        return np.where(np.isfinite(total), total, np.inf)


def stand_in(summary: Summary, task: Task) -> StandIn:
    """Clients at evenly spaced ranks of their shares (those that did not come are left out), the log repeated if it is
    short; of a long log, its first MOST_ROUNDS rounds."""
    log = summary.log
    order = np.argsort(summary.shares, kind="stable")
    order = order[summary.first_seen[order] < min(log.num_rounds, MOST_ROUNDS)]
    if not len(order):
        raise InvalidInput("log", f"have a client that is there within its first {MOST_ROUNDS} rounds", "none")
    count = min(MOST_CLIENTS, len(order))
    chosen = order[np.linspace(0, len(order) - 1, count).round().astype(int)]
    once = log.matrix([int(i) for i in chosen], num_rounds=min(log.num_rounds, MOST_ROUNDS))
    rounds = max(len(once), min(MOST_ROUNDS, 20 * len(once)))
    available = np.resize(once, (rounds, count))
    return StandIn(tuple(int(i) for i in chosen), available, task, log.num_clients)


def predict(summary: Summary, task: Task) -> tuple[Prediction, ...]:
    """Every method on the same stand-in."""
    fleet = stand_in(summary, task)
    warm = fleet.available.copy()
    warm[0] = True
    half = max(len(fleet.clients) // 2, 1)
    shares = [Fraction(int(there), len(fleet.available)) for there in fleet.available.sum(axis=0)]
    plans = (
        ("FedAvg over whoever is there", FedAvg(), fleet.available, "biased towards clients that are there often"),
        (f"FedAvg that waits for a sample of {half}", FedAvg(), wait_for_sample(fleet.available, half, seed=0), "waiting rounds count"),
        ("FedAvg-IS, arrivals divided by their shares", importance_sampling(shares), fleet.available, "the shares must be known"),
        ("MIFA", Mifa(), warm, "everybody is asked once at the beginning"),
        ("FedLaAvg", FedLaAvg(), fleet.available, ""),
        ("AFA-CD", AfaCrossDevice(), fleet.available, "like FedAvg, it cannot know who is missing"),
        ("AFA-CS", AfaCrossSilo(), warm, "everybody is asked once at the beginning"),
    )
    traces = (Trace.fresh(delivers, local_steps=task.local_steps) for _, _, delivers, _ in plans)
    return tuple(best_step(fleet, name, algorithm, trace, says) for (name, algorithm, _, says), trace in zip(plans, traces, strict=True))


def best_step(fleet: StandIn, method: str, algorithm: Any, trace: Trace, says: str) -> Prediction:
    """The best of the grid of step sizes."""
    target, best, floor = float(fleet.task.target), None, math.inf
    first = 1 / (float(fleet.task.smoothness) * fleet.task.local_steps)
    for size in (first / 2**k for k in range(HALVINGS + 1)):
        gaps = fleet.gaps(algorithm, trace, size)
        floor = min(floor, float(gaps[-max(len(gaps) // 4, 1) :].mean()))
        above = np.flatnonzero(gaps > target)
        settled = int(above[-1]) + 1 if len(above) else 0
        if settled <= 3 * trace.num_rounds // 4 and (best is None or settled < best[0]):
            best = (settled, size)
    rounds, size = best if best is not None else (None, math.nan)
    return Prediction(method, rounds, size, floor, Basis.STAND_IN, says)
