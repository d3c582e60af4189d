"""The methods that are tried on a fleet's log, and their predictions."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.core.types import BoolArray
from fltheory.engine.roles import Algorithm
from fltheory.fleet.fair import capped
from fltheory.fleet.predict import (
    MOST_CLIENTS,
    MOST_WITH_MEMORY,
    Grid,
    Prediction,
    StandIn,
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
WINDOWS = (2, 4, 8, 16, 32)
"""FedFix on a table: rounds per window."""
ASKED = "everybody is asked once at the beginning"
FIXED = "fedfix"
"""Member of FedFix."""


class MethodPlan(NamedTuple):
    """A method on a stand-in, and who delivers when; `member` as in `Prediction`."""

    method: str
    algorithm: Algorithm
    fleet: StandIn
    trace: Trace
    says: str
    member: str


def plans(summary: Summary, task: LearningTask) -> tuple[MethodPlan, ...]:
    """All methods but FedFix on the same stand-in, with fewer clients for methods with memory."""
    fleet, few = stand_in(summary, MOST_CLIENTS), stand_in(summary, MOST_WITH_MEMORY)
    there, warm = fleet.available, few.available.copy()
    sample = min(max(len(set(fleet.clients)) // 2, 1), MOST_AWAITED)
    warm[0] = True
    fresh, waiting, remembered, everybody = (
        Trace.fresh(table, local_steps=task.local_steps)
        for table in (there, wait_for_sample(there, sample, seed=0), few.available, warm)
    )
    late, fair = (
        Trace.continuous(there[:MOST_LATE_ROUNDS], local_steps=task.local_steps),
        fair_aggregation(there),
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
            "fedavg-waiting",
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
            "async",
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
    summary: Summary,
    tasks: Sequence[LearningTask],
    *,
    watch: Callable[[str], None] = lambda says: None,
) -> tuple[Prediction, ...]:
    """All methods, FedFix with its best window, for all settings. `watch` is told what is being
    computed."""
    made, found = plans(summary, tasks[0]), []
    grid = Grid(tasks, [])
    for plan in made:
        watch(f"predicting {plan.method}")
        one = grid.predict(
            plan.fleet, plan.method, plan.member, plan.algorithm, plan.trace, plan.says
        )
        waits = plan.member == "fedavg-waiting" and one.error
        found.append(replace(one, error=WAITING_ERROR) if waits else one)
    watch("predicting FedFix")
    known = {"round_seconds": summary.log.round_seconds, "log_rounds": summary.log.num_rounds}
    fixed = best_window(made[0].fleet, grid)
    return tuple(replace(p, **known) for p in (*found, *fixed))  # type: ignore[arg-type]


def windowed(fleet: StandIn, window: int, local_steps: int) -> tuple[WeightedAggregation, Trace]:
    """FedFix on a table: clients that came within a window of rounds count at its end, divided by
    their shares of windows."""
    whole = len(fleet.available) // window * window
    windows = fleet.available[:whole].reshape(-1, window, len(fleet.clients))
    table: BoolArray = np.any(windows, axis=1)
    return fair_aggregation(table), Trace.fresh(table, local_steps=local_steps)


def best_window(fleet: StandIn, grid: Grid) -> Iterator[Prediction]:
    """FedFix with its best window, among those that fit into the run four times and in which every
    client comes at least once."""
    found = []
    for window in WINDOWS:
        whole = len(fleet.available) // window * window
        if whole >= 4 * window and fleet.available[:whole].any(axis=0).all():
            aggregation, trace = windowed(fleet, window, grid.tasks[0].local_steps)
            method = f"FedFix with a window of {window} rounds"
            made = grid.predict(fleet, method, FIXED, aggregation, trace, "")
            found.append(replace(made, per_round=window, window=window))
    if found:
        best = min(found, key=lambda p: (p.rounds is None, p.rounds or 0, p.floor))
        yield replace(
            best,
            says=f"the best of {len(found)} windows; arrivals divided by their shares of windows",
        )


def fair_aggregation(table: BoolArray) -> WeightedAggregation:
    """Arrivals divided by their shares of the rounds, up to the cap on weights."""
    shares = table.mean(axis=0)
    wanted = np.full(len(shares), 1 / len(shares))
    weights = capped(wanted, shares)
    return WeightedAggregation(tuple(Fraction(float(w)).limit_denominator(10**6) for w in weights))
