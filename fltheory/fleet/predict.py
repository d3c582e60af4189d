"""Rounds to a target on a log: exact expectations for a quadratic stand-in of the task, for every
step size of a grid and every setting of the constants.

The stand-in has two coordinates with curvatures mu and L, the given noise and heterogeneity, and
optima that increase with the clients' shares: frequent and rare clients want different models, so
availability bias shows in full. A large fleet is represented by clients at evenly spaced ranks of
their shares (by importance, if it is given), with noise scaled so that that of the weighted mean
over all clients is right. A log shorter than a run is repeated.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, FloatArray, IntArray
from fltheory.engine.roles import Algorithm
from fltheory.fleet.gap_curves import curve_points, over_least, settled
from fltheory.fleet.responses import Responses, same_answers
from fltheory.fleet.setting import Basis, LearningTask
from fltheory.fleet.summary import Summary
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


@dataclass(frozen=True, eq=False)
class Prediction:
    """Rounds (or updates) after which the expected gap stays at or below the target, for each
    setting of the constants (rows) and each step size (columns); infinite if it does not stay there
    for at least the last quarter of the run. `floors` are the mean gaps over the last quarter.

    The first setting is the task as given or assumed. `error` is the relative error against a
    stand-in with all clients. `window` is FedFix's, in rounds or, for deliveries, in seconds.
    `buffer` is FedBuff's number of deliveries. `member` is the registered method. `round_seconds`
    turns rounds into seconds, if rounds have a fixed length; `clock` if they have not. `curves` are
    the gaps: settings by step sizes by `curve_points` of the run's `num_rounds`.
    """

    method: str
    member: str
    steps: tuple[Fraction, ...]
    times: FloatArray
    floors: FloatArray
    error: float
    says: str
    basis: Basis = Basis.STAND_IN
    unit: str = "rounds"
    per_round: float = 1.0
    window: float | None = None
    buffer: int | None = None
    clock: FloatArray | None = None
    round_seconds: float | None = None
    log_rounds: int = 0
    curves: FloatArray | None = None
    num_rounds: int = 0

    @cached_property
    def column(self) -> int:
        """The step size that is nearest to the fastest one, on the average over the settings; that
        with the smallest gap if none reaches the target."""
        costs = self.costs()
        reached = np.isfinite(costs).any(axis=1)
        if not reached.any():
            return int(np.argmin(self.floors[0]))
        return int(np.argmin(np.log(over_least(costs[reached])).mean(axis=0)))

    @property
    def rounds(self) -> int | None:
        return self.rounds_at(self.column)

    def rounds_at(self, column: int, setting: int = 0) -> int | None:
        """Rounds at a step size, None if the target is not reached."""
        found = self.times[setting, column]
        return round(float(found) * self.per_round) if math.isfinite(found) else None

    @property
    def step_size(self) -> float:
        """The step size to use; NaN if none reaches the target in any setting."""
        reached = np.isfinite(self.times).any()
        return float(self.steps[self.column]) if reached else math.nan

    @property
    def floor(self) -> float:
        """The smallest gap that any step size reaches, for the first setting."""
        return float(self.floors[0].min())

    @property
    def seconds(self) -> float | None:
        return self.seconds_at(self.column)

    def seconds_at(self, column: int, setting: int = 0) -> float | None:
        """Clock time at a step size, None if it is not known."""
        found = self.times[setting, column]
        if not math.isfinite(found):
            return None
        if self.clock is not None:
            return float(self.clock[int(found)])
        return None if self.round_seconds is None else found * self.per_round * self.round_seconds

    def costs(self) -> FloatArray:
        """Clock times where they are known, else rounds: settings by step sizes."""
        if self.clock is None:
            return self.times * self.per_round
        reached = np.isfinite(self.times)
        return np.where(reached, self.clock[np.where(reached, self.times, 0).astype(int)], np.inf)

    @property
    def repeats_log(self) -> bool:
        return self.rounds is not None and 0 < self.log_rounds < self.rounds


@dataclass(frozen=True)
class StandIn:
    """The clients that represent the fleet (those of it that came; one may stand for several parts
    of the importance), their availability (rounds by clients) and the share of a single gradient's
    variance in a mean over the fleet, times their number."""

    clients: tuple[int, ...]
    available: BoolArray
    whole: bool
    noise_factor: Fraction

    @property
    def error(self) -> float:
        return 0.0 if self.whole else SAMPLED_ERROR

    @cached_property
    def ranks(self) -> tuple[Fraction, ...]:
        """Optima of mean zero that increase with the shares."""
        count = len(self.clients)
        return tuple(Fraction(2 * k - count + 1, max(count - 1, 1)) for k in range(count))

    @cached_property
    def mean_square(self) -> float:
        """Of the ranks."""
        return float(sum(r * r for r in self.ranks)) / len(self.ranks)

    def responses(self, algorithm: Algorithm, trace: Trace) -> Responses:
        return Responses(algorithm, trace, self.ranks)

    def gaps(self, made: Responses, step: Fraction, task: LearningTask) -> FloatArray:
        """E f - f* before each round and after the last, as a part of the initial gap."""
        mean_square, total = self.mean_square, np.zeros(made.trace.num_rounds + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            for curvature in (task.strong_convexity, task.smoothness):
                found, h = made.at(step * curvature), float(curvature)
                first = 1 / math.sqrt(h)
                spread = (
                    math.sqrt(float(task.heterogeneity) / 2 / mean_square) / h
                    if mean_square
                    else 0.0
                )
                noise = float(task.noise * self.noise_factor) / 2 / h**2
                total += (h / 2) * (
                    first**2 * found.start
                    + 2 * first * spread * found.cross
                    + spread**2 * found.apart
                    + noise * found.noise
                )
        return np.where(np.isfinite(total), total, np.inf)


def stand_in(summary: Summary, most: int) -> StandIn:
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
    chosen, factor = represented(order, log.importance, most)
    once = log.matrix([int(i) for i in chosen], num_rounds=min(log.num_rounds, MOST_ROUNDS))
    available = np.resize(once, (run_rounds(log.num_rounds), len(chosen)))
    whole = log.importance is None and len(chosen) == len(order)
    return StandIn(tuple(int(i) for i in chosen), available, whole, factor)


def represented(
    order: IntArray, importance: FloatArray | None, most: int
) -> tuple[IntArray, Fraction]:
    """Clients that represent others: at evenly spaced ranks, or at evenly spaced parts of the
    importance; and the factor of the noise.

    >>> chosen, factor = represented(np.array([2, 0, 1]), np.array([0.5, 0.25, 0.25]), 4)
    >>> chosen.tolist(), factor
    ([2, 0, 0, 1], Fraction(3, 2))
    """
    if importance is None:
        count = min(most, len(order))
        ranks = np.linspace(0, len(order) - 1, count).round().astype(int)
        return order[ranks], Fraction(count, len(order))
    shares = importance[order] / importance[order].sum()
    middles = (np.arange(most) + 0.5) / most
    chosen = order[np.searchsorted(np.cumsum(shares), middles).clip(max=len(order) - 1)]
    return chosen, Fraction(float((shares**2).sum()) * most).limit_denominator(10**6)


def run_rounds(log_rounds: int) -> int:
    """The number of rounds of a run: the log repeated, or its beginning.

    >>> run_rounds(10), run_rounds(60), run_rounds(400), run_rounds(100_000)
    (400, 1200, 4000, 4000)
    """
    return min(MOST_ROUNDS, max(REPEATED * log_rounds, FEWEST_ROUNDS))


def step_grid(task: LearningTask) -> tuple[Fraction, ...]:
    """1/(L K), 1/(2 L K), ..."""
    first = 1 / (task.smoothness * task.local_steps)
    return tuple(Fraction(first / 2**k) for k in range(HALVINGS + 1))


@dataclass
class Grid:
    """Predicts methods for all settings; methods that move alike are computed once."""

    tasks: Sequence[LearningTask]
    made: list[Responses]

    def predict(
        self,
        fleet: StandIn,
        method: str,
        member: str,
        algorithm: Algorithm,
        trace: Trace,
        says: str,
    ) -> Prediction:
        """The times and floors of a method on a stand-in."""
        responses = fleet.responses(algorithm, trace)
        steps = self.tasks[0].local_steps
        known = next((one for one in self.made if same_answers(one, responses, steps)), None)
        if known is None:
            self.made.append(responses)
        used = responses if known is None else known
        grid = step_grid(self.tasks[0])
        at = curve_points(trace.num_rounds)
        times, floors = np.full((2, len(self.tasks), len(grid)), np.inf)
        curves = np.empty((len(self.tasks), len(grid), len(at)))
        for column, step in enumerate(grid):
            for row, task in enumerate(self.tasks):
                gaps = fleet.gaps(used, step, task)
                times[row, column] = settled(gaps, float(task.target))
                curves[row, column] = gaps[at]
                with np.errstate(over="ignore"):
                    floors[row, column] = gaps[-max(len(gaps) // 4, 1) :].mean()
        return Prediction(
            method,
            member,
            grid,
            times,
            floors,
            fleet.error,
            says,
            curves=curves,
            num_rounds=trace.num_rounds,
        )
