"""Clock time to a target for a log of deliveries: waiting for all, for nobody, for a fixed window, or for a full buffer.

The stand-in is that of `predict`, with clients at evenly spaced ranks of their mean times per delivery.
Times are rounded to quarters of the fastest client's; the events are then exact.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.clocks import Asynchronous, Buffer, FixedWindow, Policy, Synchronous, simulate_clock
from fltheory.errors import InvalidInput
from fltheory.fleet.predict import Prediction, StandIn, best_step
from fltheory.fleet.setting import Task
from fltheory.fleet.summary import Summary
from fltheory.weights import Weights, policy_weights

MOST_CLIENTS = 6
MOST_TURNS = 60
"""Runs last for so many deliveries of the slowest client at least, within MOST_ROUNDS."""
FEW_ROUNDS, MOST_ROUNDS = 400, 1200
WINDOWS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(4), Fraction(8))
"""FedFix is tried with the median time per delivery times and divided by these."""
ARRIVALS = (
    ("MIFA, each arrival at once", Mifa(), "its theorem asks for fresh models"),
    ("FedLaAvg, each arrival at once", FedLaAvg(), "its theorem asks for fresh models"),
    ("AFA-CD, each arrival at once", AfaCrossDevice(), "biased towards clients that are fast"),
    ("AFA-CS, each arrival at once", AfaCrossSilo(), "the latest arrival of every client counts"),
)
"""Methods that take arrivals as they come, with no weights of their own."""


@dataclass(frozen=True)
class Clocked:
    """Clients at evenly spaced ranks of their mean times per delivery; `times` are in units of the fastest one's `unit` seconds."""

    fleet: StandIn
    times: list[Fraction]
    unit: float

    def best(self, method: str, policy: Policy, algorithm: Any, says: str) -> Prediction:
        """The best step size for one policy: within FEW_ROUNDS if the target is met there, else within MOST_ROUNDS."""
        per_unit = sum(1 / t for t in self.times)
        enough = math.ceil(MOST_TURNS * max(self.times) * (per_unit if isinstance(policy, Asynchronous) else 1))
        for rounds in (min(FEW_ROUNDS, enough), min(MOST_ROUNDS, enough)):
            timed = simulate_clock(self.times, policy, num_rounds=rounds, local_steps=self.fleet.task.local_steps)
            found = best_step(self.fleet, method, algorithm, timed.trace, says)
            if found.rounds is not None:
                return replace(found, seconds=float(timed.times[found.rounds]) * self.unit)
        return found


def clocked(summary: Summary, task: Task) -> Clocked:
    """The stand-in of a log of deliveries."""
    work = summary.log.work_seconds
    assert work is not None
    order = np.argsort(work, kind="stable")
    chosen = order[np.linspace(0, len(order) - 1, min(MOST_CLIENTS, len(order))).round().astype(int)]
    unit = float(work[chosen].min())
    times = [max(Fraction(float(work[i]) / unit).limit_denominator(4), Fraction(1)) for i in chosen]
    return Clocked(StandIn(tuple(int(i) for i in chosen), None, task, summary.log.num_clients), times, unit)


def predict_clocked(summary: Summary, task: Task) -> tuple[Prediction, ...]:
    """Seconds after which the expected gap stays at or below the target, for each way of waiting; `rounds` are server updates."""
    made = clocked(summary, task)
    found = [made.best(name, policy, WeightedAggregation(weights), says)
             for name, policy, says in _policies(made.times) if (weights := _weights(made.times, policy)) is not None]
    found += [made.best(name, Asynchronous(), algorithm, says) for name, algorithm, says in ARRIVALS]
    fixed = [p for p in found if p.method.startswith("FedFix")]
    best = min(fixed, key=lambda p: (p.seconds is None, p.seconds or 0.0, p.floor))
    return tuple(p for p in found if not p.method.startswith("FedFix") or p is best)


def _policies(times: list[Fraction]) -> Iterator[tuple[str, Policy, str]]:
    middle = sorted(times)[len(times) // 2]
    yield "synchronous: wait for all", Synchronous(), "a round lasts as long as the slowest client"
    yield "asynchronous with fair weights", Asynchronous(), "every arrival counts at once, with weight inverse to its rate"
    for factor in WINDOWS:
        for window in {middle * factor, middle / factor}:
            told = f"FedFix with a window of {float(window):.3g} times the fastest client"
            yield told, FixedWindow(window), f"the best of {2 * len(WINDOWS) - 1} windows"
    yield "FedBuff with half a buffer", Buffer(max(len(times) // 2, 1)), "weights from long-run counts"


def _weights(times: list[Fraction], policy: Policy) -> Weights | None:
    """Fair weights; None where times as different as these do not repeat within the rounds that are searched."""
    try:
        return policy_weights(times, policy)
    except InvalidInput:
        return None
