"""Statistics of the trace of a run; of the trace without end, for claims about limits."""

from fractions import Fraction

from fltheory.claims.expectations import ExactRun
from fltheory.claims.forever import lengthened, one_period
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array
from fltheory.traces import trace_statistics
from fltheory.traces.trace import Trace


def settled(run: ExactRun) -> Trace:
    """The trace without end that the run repeats, or the trace itself."""
    if run.scenario.participation is not None:
        raise InvalidInput("trace", "not be random for this claim", "random participation")
    return lengthened(run.scenario.trace) if run.forever else run.scenario.trace


def mean_staleness(run: ExactRun) -> Fraction:
    """Mean staleness over clients and rounds."""
    ages = trace_statistics.known_staleness(settled(run))
    if run.forever:
        ages = ages[one_period(settled(run))]
    return Fraction(int(ages.sum()), ages.size)


def mean_over(table: Array, where: Array) -> Fraction:
    """The average of whole numbers over the deliveries; 0 without any."""
    return Fraction(int(table[where].sum()), max(int(where.sum()), 1))


def local_steps(run: ExactRun) -> int:
    """The largest number; 1 if nobody ever delivers, so that bounds stay defined."""
    return max(int(run.scenario.trace.local_steps.max()), 1)


def least_local_steps(run: ExactRun) -> int:
    """The fewest local steps of a delivery."""
    steps = run.scenario.trace.local_steps
    return int(steps[steps > 0].min()) if (steps > 0).any() else 1
