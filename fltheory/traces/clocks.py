"""Waiting policies of the server, and the event loop that turns update times into a trace.

Every client always works. At the end of round n the server takes the deliveries that its policy
waited for, computes model n + 1 and sends it to exactly those clients; the others continue with the
model they have (Fraboni et al., Algorithm 1).
"""

from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, pairwise
from typing import NamedTuple, Protocol

import numpy as np

from fltheory.core.checked import Checked, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike, Whole
from fltheory.traces.trace import Trace
from fltheory.traces.update_times import UpdateTimes, UpdateTimesLike, as_update_times

Queue = list[tuple[Fraction, int]]
"""(time at which the client's work is done, client), sorted; equal times by index."""


class Policy(Protocol):
    """How long the server waits (Delta t^n) and for whom (S_n)."""

    def end_of_round(self, now: Fraction, queue: Queue) -> tuple[Fraction, int]:
        """The end of the round that starts now, and the number of clients at the front of the queue
        that deliver in it."""


@dataclass(frozen=True)
class Synchronous:
    """Wait for everybody: Delta t^n = max_i T_i^n."""

    def end_of_round(self, now: Fraction, queue: Queue) -> tuple[Fraction, int]:
        return queue[-1][0], len(queue)


@dataclass(frozen=True)
class Asynchronous:
    """Wait for the next client: Delta t^n = min_i T_i^n.

    Clients that finish at the same time deliver one after the other, by index, each in its own
    round and each receiving that round's model, as the paper's W, tau and alpha = 0 need. With
    `joint_ties` they all deliver in one round, as its S_n says.
    """

    joint_ties: bool = False

    def end_of_round(self, now: Fraction, queue: Queue) -> tuple[Fraction, int]:
        end = queue[0][0]
        return end, finished_by(end, queue) if self.joint_ties else 1


@frozen
class FixedWindow:
    """FedFix: rounds of equal duration; the clients that have finished at the end of a round or
    before deliver (possibly nobody)."""

    duration: Checked[ExactLike, Fraction]

    def __post_init__(self) -> None:
        duration = exact(self.duration, "window")
        if duration <= 0:
            raise InvalidInput("window", "be above 0", duration)
        object.__setattr__(self, "duration", duration)

    def end_of_round(self, now: Fraction, queue: Queue) -> tuple[Fraction, int]:
        end = now + self.duration
        return end, finished_by(end, queue)


@dataclass(frozen=True)
class Buffer:
    """FedBuff: wait for `size` clients; further clients that finish at the same time as the last of
    them deliver in the next round."""

    size: int

    def __post_init__(self) -> None:
        if not isinstance(self.size, int) or self.size < 1:
            raise InvalidInput("buffer", "be a whole number of at least 1", self.size)

    def end_of_round(self, now: Fraction, queue: Queue) -> tuple[Fraction, int]:
        if self.size > len(queue):
            raise InvalidInput("buffer", f"be at most the {len(queue)} clients", self.size)
        return queue[self.size - 1][0], self.size


def finished_by(time: Fraction, queue: Queue) -> int:
    """Number of clients whose work is done by that time.

    >>> finished_by(Fraction(2), [(Fraction(1), 1), (Fraction(2), 0), (Fraction(3), 2)])
    2
    """
    return bisect_right(queue, (time, len(queue)))


class Event(NamedTuple):
    """The end of a round: its time, who delivered in it, and the work under way after it."""

    time: Fraction
    clients: tuple[int, ...]
    queue: Queue


def events(update_times: UpdateTimes, policy: Policy, *, seed: int = 0) -> Iterator[Event]:
    """The start at time 0, then the end of each round, as an endless stream."""
    streams = update_times.streams(seed)
    queue = sorted((next(stream), client) for client, stream in enumerate(streams))
    event = Event(Fraction(0), (), queue)
    while True:
        yield event
        end, size = policy.end_of_round(event.time, event.queue)
        clients = tuple(client for _, client in event.queue[:size])
        queue = event.queue[size:]
        for client in clients:
            insort(queue, (end + next(streams[client]), client))
        event = Event(end, clients, queue)


@dataclass(frozen=True)
class TimedTrace:
    """A trace with its clock: round n runs from `times[n]` to `times[n + 1]`."""

    trace: Trace
    times: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        if self.trace.batch_shape:
            raise InvalidInput(
                "trace",
                "be a single one to carry times",
                f"a batch of shape {self.trace.batch_shape}",
            )
        if len(self.times) != self.trace.num_rounds + 1:
            raise InvalidInput(
                "times",
                f"have {self.trace.num_rounds + 1} entries, one more than the rounds",
                f"{len(self.times)} entries",
            )
        for n, (start, end) in enumerate(pairwise(self.times)):
            if start > end:
                raise InvalidInput(f"end of round {n}", f"not lie before its start at {start}", end)

    @property
    def durations(self) -> tuple[Fraction, ...]:
        """Delta t^n of each round."""
        return tuple(end - start for start, end in pairwise(self.times))


def trace_of(groups: Sequence[Sequence[int]], num_clients: int, *, local_steps: Whole = 1) -> Trace:
    """The trace of clients that always work, in which each round's group delivers.

    >>> trace_of([[0], [], [0, 1]], 2).started_from.tolist()
    [[0, 0], [1, 1], [1, 0]]
    """
    delivers = np.zeros((len(groups), num_clients), np.bool_)
    for n, group in enumerate(groups):
        delivers[n, list(group)] = True
    return Trace.continuous(delivers, local_steps=local_steps)


def simulate_clock(
    update_times: UpdateTimesLike,
    policy: Policy,
    *,
    num_rounds: int,
    local_steps: Whole = 1,
    seed: int = 0,
) -> TimedTrace:
    """Simulate Algorithm 1 of Fraboni et al. in exact time; `trace.started_from` is rho_i(n).

    `update_times` are one number per client or any UpdateTimes; only random ones use the seed.

    >>> run = simulate_clock([1, 2], Asynchronous(), num_rounds=3)
    >>> run.trace.delivers.astype(int).tolist(), [str(time) for time in run.times]
    ([[1, 0], [1, 0], [0, 1]], ['0', '1', '2', '2'])
    """
    if num_rounds < 1:
        raise InvalidInput("number of rounds", "be at least 1", num_rounds)
    laws = as_update_times(update_times)
    start, *ends = islice(events(laws, policy, seed=seed), num_rounds + 1)
    trace = trace_of([event.clients for event in ends], laws.num_clients, local_steps=local_steps)
    return TimedTrace(trace, (start.time, *(event.time for event in ends)))
