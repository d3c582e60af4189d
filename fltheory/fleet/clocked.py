"""Clock time to a target for a log of deliveries: waiting for all, for nobody, for a fixed window, or for a full buffer.

The stand-in is that of `predict`, with clients at evenly spaced ranks of their mean times per delivery.
Times are rounded to quarters of the fastest client's; the events are then exact.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

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
MOST_ROUNDS = 1200
WINDOWS = (1, 2, 4)
"""FedFix is tried with the median time per delivery times and divided by these."""


def predict_clocked(summary: Summary, task: Task) -> tuple[Prediction, ...]:
    """Seconds after which the expected gap stays at or below the target, for each way of waiting; `rounds` are server updates."""
    work = summary.log.work_seconds
    assert work is not None
    order = np.argsort(work, kind="stable")
    chosen = order[np.linspace(0, len(order) - 1, min(MOST_CLIENTS, len(order))).round().astype(int)]
    unit = float(work[chosen].min())
    times = [max(Fraction(float(work[i]) / unit).limit_denominator(4), Fraction(1)) for i in chosen]
    fleet = StandIn(tuple(int(i) for i in chosen), None, task, summary.log.num_clients)
    found = [_best(fleet, name, times, policy, weights, unit, says)
             for name, policy, says in _policies(times) if (weights := _weights(times, policy)) is not None]
    fixed = [p for p in found if p.method.startswith("FedFix")]
    best = min(fixed, key=lambda p: (p.seconds is None, p.seconds or 0.0, p.floor))
    return tuple(p for p in found if not p.method.startswith("FedFix") or p is best)


def _policies(times: list[Fraction]) -> Iterator[tuple[str, Policy, str]]:
    middle = sorted(times)[len(times) // 2]
    yield "synchronous: wait for all", Synchronous(), "a round lasts as long as the slowest client"
    yield "asynchronous with fair weights", Asynchronous(), "every arrival counts at once, with weight inverse to its rate"
    for factor in WINDOWS:
        for window in {middle * factor, middle / factor}:
            yield f"FedFix with a window of {float(window):.3g} times the fastest client", FixedWindow(window), "the best window tried"
    yield "FedBuff with half a buffer", Buffer(max(len(times) // 2, 1)), "weights from long-run counts"


def _weights(times: list[Fraction], policy: Policy) -> Weights | None:
    """Fair weights; None where times as different as these do not repeat within the rounds that are searched."""
    try:
        return policy_weights(times, policy)
    except InvalidInput:
        return None


def _best(fleet: StandIn, method: str, times: list[Fraction], policy: Policy, weights: Weights, unit: float, says: str) -> Prediction:
    """The best step size for one policy; the clock is in units of the fastest client's time."""
    per_unit = sum(1 / t for t in times)
    rounds = min(MOST_ROUNDS, math.ceil(MOST_TURNS * max(times) * (per_unit if isinstance(policy, Asynchronous) else 1)))
    timed = simulate_clock(times, policy, num_rounds=rounds, local_steps=fleet.task.local_steps)
    found = best_step(fleet, method, WeightedAggregation(weights), timed.trace, says)
    return found if found.rounds is None else replace(found, seconds=float(timed.times[found.rounds]) * unit)
