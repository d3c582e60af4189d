"""Clock time to a target for a log of deliveries: wait for all, for nobody, for a fixed window or
for a full buffer.

The stand-in is that of `predict`. Each client takes its logged times per delivery, pauses included,
in order and repeatedly; all start at the same moment, and events are exact. A large fleet is
represented by clients at evenly spaced ranks of their mean times: its arrivals are more frequent
and its steps smaller, in proportion to its size.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.engine.roles import Algorithm
from fltheory.fleet.fair import MOST_TIMES
from fltheory.fleet.predict import Grid, Prediction, StandIn, represented
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary
from fltheory.traces.clocks import (
    Asynchronous,
    Buffer,
    FixedWindow,
    Policy,
    Synchronous,
    TimedTrace,
    simulate_clock,
)
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import participation
from fltheory.traces.weights import Weights, asynchronous_weights

MOST_CLIENTS, MOST_WITH_MEMORY = 40, 12
"""Largest numbers of clients that represent a fleet; late work with memory is expensive."""
FEW_ROUNDS, MOST_ROUNDS = 400, 2000
WINDOWS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4), Fraction(8))
"""Factors and divisors of the median time per delivery, tried as FedFix windows."""
ARRIVALS: tuple[tuple[str, str, Algorithm, str], ...] = (
    ("MIFA, each arrival at once", "mifa", Mifa(), "its theorem asks for fresh models"),
    ("FedLaAvg, each arrival at once", "fedlaavg", FedLaAvg(), "its theorem asks for fresh models"),
    (
        "AFA-CD, each arrival at once",
        "afa-cd",
        AfaCrossDevice(),
        "biased towards clients that are fast",
    ),
    (
        "AFA-CS, each arrival at once",
        "afa-cs",
        AfaCrossSilo(),
        "the latest arrival of every client counts",
    ),
)
"""Methods that use arrivals as they come, without weights of their own."""


@dataclass(frozen=True)
class LoggedTimes:
    """Update times as logged, each client's in order and repeatedly.

    >>> from itertools import islice
    >>> [str(time) for time in islice(LoggedTimes(((1.5, 2.0),)).streams(0)[0], 3)]
    ['3/2', '2', '3/2']
    """

    seconds: tuple[tuple[float, ...], ...]

    @property
    def num_clients(self) -> int:
        return len(self.seconds)

    @property
    def means(self) -> tuple[Fraction, ...]:
        return tuple(sum(map(Fraction, own), Fraction(0)) / len(own) for own in self.seconds)

    def streams(self, seed: int) -> list[Iterator[Fraction]]:
        return [cycle(tuple(map(Fraction, own))) for own in self.seconds]

    def weights(self, policy: Policy, trace: Trace) -> Weights:
        """Weights that give all clients equal mean weights.

        Fraboni et al. (12) with mean times, (14) with mean windows per delivery, 1/N if all are
        waited for, otherwise from counts over the run (0 for a client that never came).
        """
        count = self.num_clients
        match policy:
            case Synchronous():
                return (Fraction(1, count),) * count
            case Asynchronous():
                return asynchronous_weights(self.means)
            case FixedWindow(duration=window):
                return tuple(
                    Fraction(
                        sum(math.ceil(Fraction(time) / window) for time in own), len(own) * count
                    )
                    for own in self.seconds
                )
            case _:
                return tuple(
                    1 / (count * share) if share else Fraction(0) for share in participation(trace)
                )


@dataclass(frozen=True)
class Clocked:
    """The clients that represent a fleet of `size`, and their logged times."""

    fleet: StandIn
    times: LoggedTimes
    size: int

    def run(self, policy: Policy, rounds: int, local_steps: int = 1) -> TimedTrace:
        return simulate_clock(self.times, policy, num_rounds=rounds, local_steps=local_steps)

    def best(
        self, names: tuple[str, str, str], policy: Policy, algorithm: Algorithm | None, grid: Grid
    ) -> Prediction:
        """One policy, with given names (method, member, remark); by default, aggregation with its
        weights.

        Runs last FEW_ROUNDS rounds, or MOST_ROUNDS if the target is not met within them for all
        settings. For single
        arrivals, rounds grow and steps shrink in proportion to the size of the fleet.
        """
        larger = (
            Fraction(self.size, len(self.fleet.clients))
            if isinstance(policy, Asynchronous)
            else Fraction(1)
        )
        for rounds in (FEW_ROUNDS, MOST_ROUNDS):
            timed = self.run(policy, rounds, grid.tasks[0].local_steps)
            chosen = (
                WeightedAggregation(_capped(self.times.weights(policy, timed.trace)))
                if algorithm is None
                else algorithm
            )
            method, member, says = names
            found = grid.predict(self.fleet, method, member, chosen, timed.trace, says)
            if np.isfinite(found.times.min(axis=1)).all():
                break
        return replace(
            found,
            steps=tuple(step / larger for step in found.steps),
            per_round=float(larger),
            unit="updates",
            window=float(policy.duration) if isinstance(policy, FixedWindow) else None,
            buffer=self._buffer(policy),
            clock=np.array([float(time) for time in timed.times]),
        )

    def _buffer(self, policy: Policy) -> int | None:
        """The number of deliveries per update of the whole fleet."""
        if not isinstance(policy, Buffer):
            return None
        return max(round(policy.size * self.size / len(self.fleet.clients)), 1)


def _capped(weights: Weights) -> Weights:
    """At most MOST_TIMES times the smallest weight of a client that came, as in `fair.capped`."""
    least = min(weight for weight in weights if weight)
    return tuple(min(weight, Fraction(MOST_TIMES) * least) for weight in weights)


def clocked(summary: Summary, most: int) -> Clocked:
    """The stand-in of a log of deliveries, with at most `most` clients."""
    deliveries = summary.log.deliveries
    assert deliveries is not None
    order = np.argsort(deliveries.means, kind="stable")
    chosen, factor = represented(order, summary.log.importance, most)
    no_table = np.empty((0, len(chosen)), bool)  # clocks decide who delivers
    whole = summary.log.importance is None and len(chosen) == len(order)
    times = LoggedTimes(tuple(tuple(deliveries.of(int(i)).tolist()) for i in chosen))
    fleet = StandIn(tuple(int(i) for i in chosen), no_table, whole, factor)
    return Clocked(fleet, times, summary.log.num_clients)


def predict_clocked(
    summary: Summary,
    tasks: Sequence[LearningTask],
    *,
    watch: Callable[[str], None] = lambda says: None,
) -> tuple[Prediction, ...]:
    """Seconds after which the expected gap stays at or below the target, for each policy and
    setting.

    `rounds` counts server updates; `watch` is told what is being computed.
    """
    made, few = clocked(summary, MOST_CLIENTS), clocked(summary, MOST_WITH_MEMORY)
    found = []
    for names, policy in _policies(made.times.means):
        watch(f"predicting {names[0]}")
        found.append(made.best(names, policy, None, Grid(tasks, [])))
    grids: dict[int, Grid] = {}
    for name, member, algorithm, says in ARRIVALS:
        watch(f"predicting {name}")
        fleet = made if isinstance(algorithm, AfaCrossDevice) else few
        grid = grids.setdefault(id(fleet), Grid(tasks, []))
        found.append(fleet.best((name, member, says), Asynchronous(), algorithm, grid))
    fixed = [p for p in found if p.member == "fedfix"]
    best = min(fixed, key=lambda p: (p.seconds is None, p.seconds or 0.0, p.floor))
    rounds = summary.log.num_rounds
    return tuple(replace(p, log_rounds=rounds) for p in found if p.member != "fedfix" or p is best)


def _policies(means: tuple[Fraction, ...]) -> Iterator[tuple[tuple[str, str, str], Policy]]:
    middle = sorted(means)[len(means) // 2]
    slowest = "a round lasts as long as the slowest client"
    yield ("FedAvg that waits for all", "sync", slowest), Synchronous()
    at_once = "every arrival counts at once, with weight inverse to its rate"
    yield ("asynchronous with fair weights", "async", at_once), Asynchronous()
    for window in sorted(
        {middle * factor for factor in WINDOWS} | {middle / factor for factor in WINDOWS}
    ):
        yield (
            (
                f"FedFix with a window of {float(window):.4g} s",
                "fedfix",
                f"the best of {2 * len(WINDOWS) - 1} windows",
            ),
            FixedWindow(window),
        )
    half = Buffer(max(len(means) // 2, 1))
    yield ("FedBuff with half a buffer", "fedbuff", "weights from counts over the run"), half
