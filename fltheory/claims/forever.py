"""Runs without end: a trace that repeats for ever, and its statistics, for claims about limits."""

from collections.abc import Iterable

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import repeats

LIMITS = frozenset({"limit", "limit_error"})
"""Quantities of the run in which the trace is repeated for ever; beside one of them, every
statistic of the trace is that of the trace without end."""

MORE_PERIODS = 3
"""Periods that are appended: an absence or a delay that crosses the end of a period ends within
the next one, so the maxima over the longer trace are those over all rounds."""


def about_limits(names: Iterable[str]) -> bool:
    """Does one of the names speak of the limit of a run?"""
    return not LIMITS.isdisjoint(names)


def lengthened(trace: Trace) -> Trace:
    """The trace, with some more of its periods.

    >>> lengthened(Trace.fresh([[1, 0], [0, 1]] * 3)).num_rounds
    12
    """
    period = _period(trace)
    last = trace.num_rounds - period
    rows = [*range(trace.num_rounds), *(last + k for k in range(period))]
    rows += [last + k for _ in range(MORE_PERIODS - 1) for k in range(period)]
    longer = Trace.with_delays(
        trace.delivers[rows], trace.delays[rows], local_steps=trace.local_steps[rows]
    )
    if not longer.delivers[-period:].any(axis=0).all():
        absent = int(np.flatnonzero(~longer.delivers[-period:].any(axis=0))[0])
        raise InvalidInput(
            f"client {absent}", "deliver again and again in a trace without end", "its last time"
        )
    return longer


def one_period(trace: Trace) -> slice:
    """The rounds over which averages are taken: a period at the end."""
    return slice(trace.num_rounds - _period(trace), trace.num_rounds)


def _period(trace: Trace) -> int:
    repeating = repeats(trace)
    if repeating is None:
        raise InvalidInput("trace", "repeat at least three times for a run without end", "none")
    return repeating[1]
