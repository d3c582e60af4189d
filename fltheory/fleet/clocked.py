"""Clock time to a target for a log of deliveries: wait for all, for nobody, for a fixed window or
for a full buffer.

The stand-in is that of `predict`. Each client takes its logged times per delivery, pauses included,
in order and repeatedly; all start at the same moment, and events are exact. A large fleet is
represented by clients at evenly spaced ranks of their mean times: its arrivals are more frequent
and its steps smaller, in proportion to its size.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import cycle

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.engine.roles import Algorithm
from fltheory.fleet.predict import Prediction, StandIn, best_step
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
FEW_ROUNDS, MOST_ROUNDS = 400, 1600
WINDOWS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4), Fraction(8))
"""Factors and divisors of the median time per delivery, tried as FedFix windows."""
ARRIVALS: tuple[tuple[str, Algorithm, str], ...] = (
    ("MIFA, each arrival at once", Mifa(), "its theorem asks for fresh models"),
    ("FedLaAvg, each arrival at once", FedLaAvg(), "its theorem asks for fresh models"),
    ("AFA-CD, each arrival at once", AfaCrossDevice(), "biased towards clients that are fast"),
    ("AFA-CS, each arrival at once", AfaCrossSilo(), "the latest arrival of every client counts"),
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
    """The clients that represent a fleet, and their logged times."""

    fleet: StandIn
    times: LoggedTimes

    def run(self, policy: Policy, rounds: int) -> TimedTrace:
        return simulate_clock(
            self.times, policy, num_rounds=rounds, local_steps=self.fleet.task.local_steps
        )

    def best(
        self, method: str, policy: Policy, algorithm: Algorithm | None, says: str
    ) -> Prediction:
        """The best step size for one policy; by default, of aggregation with its weights.

        Runs last FEW_ROUNDS rounds, or MOST_ROUNDS if the target is not met within them. For single
        arrivals, rounds grow and steps shrink in proportion to the size of the fleet.
        """
        larger = (
            self.fleet.fleet_size / len(self.fleet.clients)
            if isinstance(policy, Asynchronous)
            else 1.0
        )
        for rounds in (FEW_ROUNDS, MOST_ROUNDS):
            timed = self.run(policy, rounds)
            chosen = (
                WeightedAggregation(self.times.weights(policy, timed.trace))
                if algorithm is None
                else algorithm
            )
            found = best_step(self.fleet, method, chosen, timed.trace, says)
            if found.rounds is not None:
                return replace(
                    found,
                    rounds=round(found.rounds * larger),
                    step_size=found.step_size / larger,
                    seconds=float(timed.times[found.rounds]),
                    unit="updates",
                    window=float(policy.duration) if isinstance(policy, FixedWindow) else None,
                )
        return found


def clocked(summary: Summary, task: LearningTask, most: int) -> Clocked:
    """The stand-in of a log of deliveries, with at most `most` clients."""
    deliveries = summary.log.deliveries
    assert deliveries is not None
    order = np.argsort(deliveries.means, kind="stable")
    chosen = [
        int(i)
        for i in order[np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(int)]
    ]
    no_table = np.empty((0, len(chosen)), bool)  # clocks decide who delivers
    times = LoggedTimes(tuple(tuple(deliveries.of(i).tolist()) for i in chosen))
    return Clocked(StandIn(tuple(chosen), no_table, task, summary.log.num_clients), times)


def predict_clocked(
    summary: Summary, task: LearningTask, *, watch: Callable[[str], None] = lambda says: None
) -> tuple[Prediction, ...]:
    """Seconds after which the expected gap stays at or below the target, for each policy.

    `rounds` counts server updates; `watch` is told what is being computed.
    """
    made, few = clocked(summary, task, MOST_CLIENTS), clocked(summary, task, MOST_WITH_MEMORY)
    found = []
    for name, policy, says in _policies(made.times.means):
        watch(f"predicting {name}")
        found.append(made.best(name, policy, None, says))
    for name, algorithm, says in ARRIVALS:
        watch(f"predicting {name}")
        fleet = made if isinstance(algorithm, AfaCrossDevice) else few
        found.append(fleet.best(name, Asynchronous(), algorithm, says))
    fixed = [p for p in found if p.method.startswith("FedFix")]
    best = min(fixed, key=lambda p: (p.seconds is None, p.seconds or 0.0, p.floor))
    ends = summary.log.num_rounds * (summary.log.round_seconds or math.inf)
    return tuple(
        replace(p, repeats_log=(p.seconds or 0.0) > ends)
        for p in found
        if not p.method.startswith("FedFix") or p is best
    )


def _policies(means: tuple[Fraction, ...]) -> Iterator[tuple[str, Policy, str]]:
    middle = sorted(means)[len(means) // 2]
    yield "FedAvg that waits for all", Synchronous(), "a round lasts as long as the slowest client"
    yield (
        "asynchronous with fair weights",
        Asynchronous(),
        "every arrival counts at once, with weight inverse to its rate",
    )
    for window in sorted(
        {middle * factor for factor in WINDOWS} | {middle / factor for factor in WINDOWS}
    ):
        yield (
            f"FedFix with a window of {float(window):.4g} s",
            FixedWindow(window),
            f"the best of {2 * len(WINDOWS) - 1} windows",
        )
    yield (
        "FedBuff with half a buffer",
        Buffer(max(len(means) // 2, 1)),
        "weights from counts over the run",
    )
