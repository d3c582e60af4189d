"""Who delivers when, for as many rounds as a command wants, or until the pattern has provably begun
to repeat."""

from collections.abc import Callable
from dataclasses import dataclass
from math import lcm
from typing import Any, Protocol

from fltheory.core.errors import InvalidInput
from fltheory.traces.clocks import Policy, TimedTrace, simulate_clock
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import repeats
from fltheory.traces.update_times import ExponentialTimes, UpdateTimes

MOST_CELLS = 10**8
"""Largest rounds x clients that are worked on at once."""

FIRST_ROUNDS = 16
MOST_ROUNDS = 1 << 13
"""Where the search for a repeating pattern begins and where it is given up."""


def check_size(num_rounds: int, num_clients: int) -> None:
    """Refuse what would fill the memory."""
    if num_rounds * num_clients > MOST_CELLS:
        raise InvalidInput(
            "rounds x clients", f"be at most {MOST_CELLS}", f"{num_rounds} x {num_clients}"
        )


class Deliveries(Protocol):
    """A source of traces."""

    def trace(self, num_rounds: int) -> Trace:
        """So many rounds."""

    def periodic(self) -> Trace:
        """Enough rounds to see that the pattern repeats for ever, or an error that says why it does
        not."""


@dataclass(frozen=True)
class FromClock:
    """Deliveries in the order in which the clients finish."""

    times: UpdateTimes
    policy: Policy
    local_steps: Any
    seed: int

    def trace(self, num_rounds: int) -> Trace:
        return self._timed(num_rounds).trace

    def _timed(self, num_rounds: int) -> TimedTrace:
        check_size(num_rounds, self.times.num_clients)
        return simulate_clock(
            self.times,
            self.policy,
            num_rounds=num_rounds,
            local_steps=self.local_steps,
            seed=self.seed,
        )

    def periodic(self) -> Trace:
        if isinstance(self.times, ExponentialTimes):
            raise no_period("random update times")
        return _grown(self._timed, _clock_repeats).trace


@dataclass(frozen=True)
class FromAvailability:
    """Deliveries of those available, or of some of them; `period` and `warm_up` are what the model
    declares, None without a period."""

    available: Callable[[int], Any]
    select: Callable[[Any], Any]
    work: Callable[[Any], Trace]
    period: int | None
    warm_up: int
    recorded_rounds: int | None

    def trace(self, num_rounds: int) -> Trace:
        return self.work(self.select(self.available(num_rounds)))

    def periodic(self) -> Trace:
        if self.recorded_rounds is not None:
            return self.trace(self.recorded_rounds)
        if self.period is None:
            raise no_period("a random or ever-changing one")
        return _grown(self.trace, lambda trace: self._repeats(trace))

    def _repeats(self, trace: Trace) -> bool:
        """Three times a common period of the rows and of the availability.

        That is enough for the longest-absent rule too: whoever is used in a period has the same age
        at its end each time, and whoever is not used is never available in it.
        """
        found = repeats(trace)
        if found is None or self.period is None:
            return False
        warm_up, period = max(found[0], self.warm_up), lcm(found[1], self.period)
        return trace.num_rounds - warm_up >= 3 * period


def _clock_repeats(run: TimedTrace) -> bool:
    """Rows and durations of two periods are equal and everybody delivers in each: then all work
    under way is equal, too."""
    found = repeats(run.trace)
    if found is None:
        return False
    warm_up, period = found
    durations = run.durations
    for length in range(period, (run.trace.num_rounds - warm_up) // 2 + 1, period):
        if (
            run.trace.delivers[-length:].any(axis=0).all()
            and durations[-length:] == durations[-2 * length : -length]
        ):
            return True
    return False


def _grown(make: Callable[[int], Any], enough: Callable[[Any], bool]) -> Any:
    rounds = FIRST_ROUNDS
    while rounds <= MOST_ROUNDS:
        made = make(rounds)
        if enough(made):
            return made
        rounds *= 2
    raise InvalidInput(
        "pattern of deliveries",
        f"repeat three times within {MOST_ROUNDS} rounds for a limit cycle",
        "a longer one",
    )


def no_period(what: str) -> InvalidInput:
    """The error of a limit cycle that does not exist."""
    return InvalidInput(
        "pattern of deliveries",
        "repeat itself for a limit cycle to exist (`fltheory simulate` runs any pattern)",
        what,
    )
