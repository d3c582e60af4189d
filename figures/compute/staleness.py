"""What staleness costs MIFA: its mean, at the same maximum, or its maximum, at the same mean."""

from typing import Any

import numpy as np

from fltheory import Mifa, Quadratic, Trace
from fltheory.analysis.moments import expected_gap
from fltheory.traces.trace_statistics import max_staleness, mean_staleness

CLIENTS = 8
LONGEST = 24
"""Largest staleness of the figure; t0 of Assumption 4 for every run, so that all have the same step
sizes."""
OFFSET = 40 * LONGEST
ROUNDS = 20 * OFFSET
PROBLEM = Quadratic((1,) * CLIENTS, (-1, 1) * (CLIENTS // 2), noise_squared=1)
SAME_MAXIMUM = [(late, LONGEST + 1) for late in range(1, CLIENTS + 1)]
SAME_MEAN = [(late, 1 + LONGEST // late) for late in range(1, CLIENTS + 1) if LONGEST % late == 0]


def stragglers(late: int, period: int) -> Trace:
    """The last `late` clients deliver in one round of every `period`, the others in all."""
    delivers = np.ones((ROUNDS, CLIENTS), bool)
    delivers[:, CLIENTS - late :] = (np.arange(ROUNDS) % period == 0)[:, None]
    return Trace.fresh(delivers)


def point(late: int, period: int) -> dict[str, Any]:
    """E f - f* of MIFA's weighted average (Theorem 5.1's step sizes and weights), with the trace's
    statistics."""
    trace = stragglers(late, period)
    gap = expected_gap(
        Mifa(),
        PROBLEM,
        trace,
        start=1,
        local_step_size=lambda index: 4 / (index + 1 + OFFSET),
        average=lambda index: (index + OFFSET) * (index + OFFSET - 1),
    )
    return {
        "late_clients": late,
        "period": period,
        "mean_staleness": float(mean_staleness(trace)),
        "max_staleness": max_staleness(trace),
        "gap": float(gap.total),
        "bias": float(gap.bias),
        "noise": float(gap.noise),
    }


def numbers() -> dict[str, Any]:
    """Both families of traces."""
    return {
        "title": "Mean staleness costs, maximal staleness hardly does",
        "caption": (
            f"MIFA on {CLIENTS} quadratic clients with optima -1 and 1, unit curvature, unit noise,"
            f" Theorem 5.1's step sizes 4/(t + a) and weights with a = {OFFSET}, {ROUNDS} rounds,"
            " exact expectations. Some clients deliver in one round of every few, the others in"
            " all. Left: ever more of them, each with the same longest absence. Right: ever fewer"
            " of them with ever longer absences, so that the mean stays. Dashed: (24/35)(2 mean +"
            " 1) σ²/(μNT), the limit for long runs."
        ),
        "num_clients": CLIENTS,
        "num_rounds": ROUNDS,
        "same_maximum": [point(*family) for family in SAME_MAXIMUM],
        "same_mean": [point(*family) for family in SAME_MEAN],
    }
