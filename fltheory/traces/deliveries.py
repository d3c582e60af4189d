"""Sources of traces: any number of rounds, or enough of them to see that the pattern repeats."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import lcm
from typing import Literal, Protocol, TypeAlias, TypeVar

from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, Whole
from fltheory.traces.availability.base import Availability
from fltheory.traces.clocks import Policy, TimedTrace, simulate_clock
from fltheory.traces.delays import random_delays
from fltheory.traces.selection import everyone, longest_absent, uniform, wait_for_sample
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import repeats
from fltheory.traces.update_times import ExponentialTimes, UpdateTimes

MOST_CELLS = 10**8
"""Largest rounds x clients of one trace."""

FIRST_ROUNDS = 16
MOST_ROUNDS = 1 << 13
"""First and last number of rounds in the search for a repeating pattern."""

Select: TypeAlias = Callable[[BoolArray], BoolArray]
"""From an availability matrix to a participation matrix."""

Selection: TypeAlias = Literal["longest-absent", "uniform", "wait"]
SELECTIONS: tuple[Selection, ...] = ("longest-absent", "uniform", "wait")
"""Ways to choose: the longest absent of those available, a uniform sample of them, or a uniform
sample of all clients for which the server waits."""

Work: TypeAlias = Literal["fresh", "continuous"]
WORKS: tuple[Work, ...] = ("fresh", "continuous")
"""Which model a delivery starts from: the newest one, or the one that its client received last."""


def check_size(num_rounds: int, num_clients: int) -> None:
    """Refuse a trace that would fill the memory."""
    if num_rounds * num_clients > MOST_CELLS:
        raise InvalidInput(
            "rounds x clients", f"be at most {MOST_CELLS}", f"{num_rounds} x {num_clients}"
        )


class Deliveries(Protocol):
    """A source of traces."""

    def trace(self, num_rounds: int) -> Trace:
        """The first rounds."""

    def periodic(self) -> Trace:
        """Enough rounds to see that the pattern repeats for ever, or an error that says why it does
        not."""


@dataclass(frozen=True)
class FromClock:
    """Deliveries in the order in which the clients finish."""

    times: UpdateTimes
    policy: Policy
    local_steps: Whole = 1
    seed: int = 0

    def trace(self, num_rounds: int) -> Trace:
        return self.timed(num_rounds).trace

    def timed(self, num_rounds: int) -> TimedTrace:
        """The first rounds with their clock."""
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
        return _grown(self.timed, _clock_repeats).trace


@dataclass(frozen=True)
class FromAvailability:
    """Deliveries of those available, or of some of them.

    `clients_per_round` clients of those available are used, all without it; `selection` says which,
    by name or as a function of the availability matrix. With `max_delay`, each delivery starts from
    a random model up to so many rounds old.
    """

    model: Availability
    clients_per_round: int | None = None
    selection: Selection | Select = "longest-absent"
    max_delay: int | None = None
    local_steps: Whole = 1
    work: Work = "fresh"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.work not in WORKS:
            raise InvalidInput("work", f"be one of {', '.join(WORKS)}", repr(self.work))
        if callable(self.selection):
            if self.clients_per_round is not None:
                rule = "be left out where the selection is a function"
                raise InvalidInput("clients per round", rule, self.clients_per_round)
        elif self.selection not in SELECTIONS:
            raise InvalidInput(
                "selection", f"be one of {', '.join(SELECTIONS)}", repr(self.selection)
            )
        elif self.clients_per_round is None and self.selection != "longest-absent":
            raise InvalidInput("selection", "come with clients per round", self.selection)

    @property
    def is_random(self) -> bool:
        """Does something beside the availability depend on the seed?"""
        chosen = self.clients_per_round is not None and self.selection != "longest-absent"
        return self.max_delay is not None or callable(self.selection) or chosen

    def trace(self, num_rounds: int) -> Trace:
        check_size(num_rounds, self.model.num_clients)
        delivers = self._select(self.model.matrix(num_rounds, seed=self.seed))
        make = Trace.continuous if self.work == "continuous" else Trace.fresh
        trace = make(delivers, local_steps=self.local_steps)
        if self.max_delay is None:
            return trace
        return random_delays(trace, self.max_delay, seed=self.seed)

    @property
    def _select(self) -> Select:
        size = self.clients_per_round
        if callable(self.selection):
            return self.selection
        if size is None:
            return everyone
        if self.selection == "uniform":
            return partial(uniform, clients_per_round=size, seed=self.seed)
        if self.selection == "wait":
            return partial(wait_for_sample, sample_size=size, seed=self.seed)
        return partial(longest_absent, clients_per_round=size)

    def periodic(self) -> Trace:
        recorded = getattr(self.model, "num_rounds", None)
        if recorded is not None and not self.is_random:
            return self.trace(recorded)
        period = self.model.declares.period
        if period is None or self.is_random:
            raise no_period("a random or ever-changing one")
        return _grown(self.trace, lambda trace: self._repeats(trace, period))

    def _repeats(self, trace: Trace, period: int) -> bool:
        """Three times a common period of the rows and of the availability.

        That is enough for the longest-absent rule too: whoever is used in a period has the same age
        at its end each time, and whoever is not used is never available in it.
        """
        found = repeats(trace)
        if found is None:
            return False
        warm_up = max(found[0], self.model.declares.warm_up)
        return trace.num_rounds - warm_up >= 3 * lcm(found[1], period)


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


_Made = TypeVar("_Made")


def _grown(make: Callable[[int], _Made], enough: Callable[[_Made], bool]) -> _Made:
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
    """The error where a limit cycle does not exist."""
    return InvalidInput(
        "pattern of deliveries",
        "repeat itself for a limit cycle to exist (`fltheory simulate` runs any pattern)",
        what,
    )
