"""Rounds to a target on a log: exact expectations for a quadratic stand-in of the task, at the best
step size of a grid.

The stand-in has two coordinates with curvatures mu and L, the given noise and heterogeneity, and
optima that increase with the clients' shares: frequent and rare clients want different models, so
availability bias shows in full. A large fleet is represented by clients at evenly spaced ranks of
their shares, with noise scaled so that its mean over all clients is right. A log shorter than a run
is repeated.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.analysis.moments import mean_squares
from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, FloatArray
from fltheory.engine.roles import Algorithm
from fltheory.fleet.setting import Basis, LearningTask
from fltheory.fleet.summary import Summary
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

MOST_CLIENTS, MOST_WITH_MEMORY = 400, 100
"""Largest numbers of clients that represent a fleet; the cost of a method with memory is quadratic
in their number."""
MOST_ROUNDS, FEWEST_ROUNDS, REPEATED = 4000, 400, 20
"""A run lasts REPEATED times as long as the log, within these bounds."""
SAMPLED_ERROR = 0.3
"""Relative error of rounds and seconds if a few clients represent a fleet, tested as described in
docs/fleets/README.md."""
HALVINGS = 9
"""Step sizes are 1/(L K), 1/(2 L K), ..., halved this many times."""


@dataclass(frozen=True)
class Prediction:
    """Rounds after which the expected gap stays at or below the target, at the best step size of
    the grid; None if it does not stay there for at least the last quarter of the run.

    `floor` is the smallest gap that any step size of the grid reaches, as a mean over the last
    quarter of the run. `error` is the relative error of rounds and seconds against a stand-in with
    all clients. `repeats_log` says that the log was repeated. `window` is FedFix's, in rounds or,
    for a log of deliveries, in seconds. `member` is the registered method whose worst case on the
    log's rounds `fltheory.fleet.certified` bounds, if there is one.
    """

    method: str
    rounds: int | None
    step_size: float
    floor: float
    error: float
    basis: Basis
    says: str
    seconds: float | None = None
    unit: str = "rounds"
    repeats_log: bool = False
    window: float | None = None
    member: str = ""


@dataclass(frozen=True)
class StandIn:
    """The clients that represent the fleet (those of it that came), their availability (rounds by
    clients) and the task."""

    clients: tuple[int, ...]
    available: BoolArray
    task: LearningTask
    fleet_size: int

    @property
    def error(self) -> float:
        return 0.0 if len(self.clients) == self.fleet_size else SAMPLED_ERROR

    @cached_property
    def problems(self) -> tuple[tuple[float, Quadratic, float], ...]:
        """(curvature, problem, start) of each coordinate; the global optima are 0, and the initial
        gaps sum to 1."""
        count, found = len(self.clients), []
        ranks = [Fraction(2 * k - count + 1, max(count - 1, 1)) for k in range(count)]
        mean_square = float(sum(r * r for r in ranks)) / count
        for curvature in (self.task.strong_convexity, self.task.smoothness):
            spread = (
                math.sqrt(float(self.task.heterogeneity) / 2 / mean_square) / float(curvature)
                if mean_square
                else 0.0
            )
            noise = self.task.noise / 2 * Fraction(count, self.fleet_size)
            optima = tuple(float(r) * spread for r in ranks)
            found.append(
                (
                    float(curvature),
                    Quadratic((curvature,) * count, optima, noise_squared=noise),
                    1 / math.sqrt(float(curvature)),
                )
            )
        return tuple(found)

    def gaps(self, algorithm: Algorithm, trace: Trace, step_size: float) -> FloatArray:
        """E f - f* before each round and after the last."""
        total = np.zeros(trace.num_rounds + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            for curvature, problem, start in self.problems:
                total += (
                    curvature
                    / 2
                    * mean_squares(
                        algorithm, problem, trace, start=start, local_step_size=step_size
                    )
                )
        return np.where(np.isfinite(total), total, np.inf)


def stand_in(summary: Summary, task: LearningTask, most: int) -> StandIn:
    """At most `most` clients at evenly spaced ranks of their shares, without those that never came.

    A short log is repeated; of a long log, the first MOST_ROUNDS rounds are used.
    """
    log = summary.log
    order = np.argsort(summary.shares, kind="stable")
    order = order[summary.first_seen[order] < min(log.num_rounds, MOST_ROUNDS)]
    if not len(order):
        raise InvalidInput(
            "log", f"have a client that is available within its first {MOST_ROUNDS} rounds", "none"
        )
    count = min(most, len(order))
    chosen = order[np.linspace(0, len(order) - 1, count).round().astype(int)]
    once = log.matrix([int(i) for i in chosen], num_rounds=min(log.num_rounds, MOST_ROUNDS))
    available = np.resize(once, (run_rounds(log.num_rounds), count))
    return StandIn(tuple(int(i) for i in chosen), available, task, len(order))


def run_rounds(log_rounds: int) -> int:
    """The number of rounds of a run: the log repeated, or its beginning.

    >>> run_rounds(10), run_rounds(60), run_rounds(400), run_rounds(100_000)
    (400, 1200, 4000, 4000)
    """
    return min(MOST_ROUNDS, max(REPEATED * log_rounds, FEWEST_ROUNDS))


def best_step(
    fleet: StandIn, method: str, algorithm: Algorithm, trace: Trace, says: str
) -> Prediction:
    """The prediction at the best step size of the grid."""
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
    return Prediction(method, rounds, size, floor, fleet.error, Basis.STAND_IN, says)
