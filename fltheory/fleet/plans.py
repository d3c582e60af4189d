"""The methods that are tried on a fleet's log, and their predictions."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import importance_sampling
from fltheory.core.types import BoolArray
from fltheory.engine.roles import Algorithm
from fltheory.fleet.log import FleetLog
from fltheory.fleet.predict import (
    MOST_CLIENTS,
    MOST_WITH_MEMORY,
    Prediction,
    StandIn,
    best_step,
    stand_in,
)
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary
from fltheory.traces.selection import wait_for_sample
from fltheory.traces.trace import Trace

MOST_AWAITED = 20
"""Largest sample that a server waits for; otherwise half of the fleet."""
MOST_LATE_ROUNDS = 1500
"""Longest run with late work, whose cost is quadratic in the rounds of delay."""
WAITING_ERROR = 0.6
"""Relative error of rounds and seconds of waiting for random samples, if a few clients represent a
fleet (docs/fleets/README.md)."""
WINDOWS = (2, 3, 4, 6, 8, 12, 16, 24, 32)
"""FedFix on a table: rounds per window."""
ASKED = "everybody is asked once at the beginning"


class MethodPlan(NamedTuple):
    """A method on a stand-in, and who delivers when; `member` as in `Prediction`."""

    method: str
    algorithm: Algorithm
    fleet: StandIn
    trace: Trace
    says: str
    member: str = ""


def plans(summary: Summary, task: LearningTask) -> tuple[MethodPlan, ...]:
    """All methods but FedFix on the same stand-in, with fewer clients for methods with memory."""
    fleet, few = stand_in(summary, task, MOST_CLIENTS), stand_in(summary, task, MOST_WITH_MEMORY)
    there, warm = fleet.available, few.available.copy()
    sample = min(max(len(fleet.clients) // 2, 1), MOST_AWAITED)
    warm[0] = True
    fresh, waiting, remembered, everybody = (
        Trace.fresh(table, local_steps=task.local_steps)
        for table in (there, wait_for_sample(there, sample, seed=0), few.available, warm)
    )
    late, fair = (
        Trace.continuous(there[:MOST_LATE_ROUNDS], local_steps=task.local_steps),
        importance_sampling(_shares(there)),
    )
    return (
        MethodPlan(
            "FedAvg over whoever is there",
            FedAvg(),
            fleet,
            fresh,
            "biased towards clients that are there often",
            "fedavg",
        ),
        MethodPlan(
            f"FedAvg that waits for a sample of {sample}",
            FedAvg(),
            fleet,
            waiting,
            "waiting rounds count; one draw of the samples",
        ),
        MethodPlan(
            "FedAvg-IS, arrivals divided by their shares",
            fair,
            fleet,
            fresh,
            "the shares must be known",
            "importance-sampling",
        ),
        MethodPlan(
            "asynchronous with fair weights",
            fair,
            fleet,
            late,
            "clients work while away, from the model of their last visit",
        ),
        MethodPlan("MIFA", Mifa(), few, everybody, ASKED, "mifa"),
        MethodPlan("FedLaAvg", FedLaAvg(), few, remembered, "", "fedlaavg"),
        MethodPlan(
            "AFA-CD",
            AfaCrossDevice(),
            fleet,
            fresh,
            "like FedAvg, it cannot know who is missing",
            "afa-cd",
        ),
        MethodPlan("AFA-CS", AfaCrossSilo(), few, everybody, ASKED, "afa-cs"),
    )


def predict(
    summary: Summary, task: LearningTask, *, watch: Callable[[str], None] = lambda says: None
) -> tuple[Prediction, ...]:
    """All methods, FedFix with its best window; with clock times if the length of a round is
    known. `watch` is told what is being computed."""
    made, found = plans(summary, task), []
    for plan in made:
        watch(f"predicting {plan.method}")
        one = best_step(plan.fleet, plan.method, plan.algorithm, plan.trace, plan.says)
        found.append(replace(one, member=plan.member))
    watch("predicting FedFix")
    found = [
        replace(p, error=WAITING_ERROR) if p.error and "waits" in p.method else p for p in found
    ]
    return tuple(_timed(p, summary.log) for p in (*found, *best_window(made[0].fleet)))


def _timed(prediction: Prediction, log: FleetLog) -> Prediction:
    if prediction.rounds is None:
        return prediction
    seconds = None if log.round_seconds is None else prediction.rounds * log.round_seconds
    return replace(prediction, seconds=seconds, repeats_log=prediction.rounds > log.num_rounds)


def windowed(fleet: StandIn, window: int) -> tuple[StandIn, Algorithm, Trace]:
    """FedFix on a table: clients that came within a window of rounds count at its end, divided by
    their shares of windows."""
    whole = len(fleet.available) // window * window
    windows = fleet.available[:whole].reshape(-1, window, len(fleet.clients))
    table: BoolArray = np.any(windows, axis=1)
    return (
        fleet,
        importance_sampling(_shares(table)),
        Trace.fresh(table, local_steps=fleet.task.local_steps),
    )


def best_window(fleet: StandIn) -> Iterator[Prediction]:
    """FedFix with its best window, among those that fit into the run four times and in which every
    client comes at least once."""
    found = []
    for window in WINDOWS:
        whole = len(fleet.available) // window * window
        if whole >= 4 * window and fleet.available[:whole].any(axis=0).all():
            made = best_step(
                fleet, f"FedFix with a window of {window} rounds", *windowed(fleet, window)[1:], ""
            )
            found.append(
                replace(
                    made,
                    rounds=None if made.rounds is None else made.rounds * window,
                    window=window,
                )
            )
    if found:
        best = min(found, key=lambda p: (p.rounds is None, p.rounds or 0, p.floor))
        yield replace(
            best,
            says=f"the best of {len(found)} windows; arrivals divided by their shares of windows",
        )


def _shares(table: BoolArray) -> list[Fraction]:
    return [Fraction(int(there), len(table)) for there in table.sum(axis=0)]
