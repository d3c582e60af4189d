"""FleetLog: when each client was there, as runs of rounds; memory grows with the number of runs,
not with clients times rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fltheory.core.errors import InvalidInput

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Deliveries:
    """How long each client took for each of its deliveries, pauses included: those of client i are
    seconds[first[i] : first[i + 1]]."""

    first: Ints
    seconds: Floats

    @classmethod
    def between(
        cls, clients: Ints, received: Floats, returned: Floats, num_clients: int
    ) -> "Deliveries":
        """From one return of a client to its next, and from the reception to the return of its
        first delivery; returns are in order.

        >>> found = Deliveries.between(np.array([0, 1, 0]), np.array([2., 0., 5.]), np.array([3., 4., 7.]), 2)
        >>> found.seconds.tolist(), found.means.tolist()
        ([1.0, 4.0, 4.0], [2.5, 4.0])
        """
        order = np.argsort(clients, kind="stable")
        first = np.searchsorted(clients[order], np.arange(num_clients + 1))
        seconds = np.diff(returned[order], prepend=0.0)
        seconds[first[:-1]] = (returned - received)[order][first[:-1]]
        return cls(first, seconds)

    @property
    def means(self) -> Floats:
        """Mean time per delivery of each client."""
        means: Floats = np.add.reduceat(self.seconds, self.first[:-1]) / np.diff(self.first)
        return means

    @property
    def shares_of_arrivals(self) -> Floats:
        """Which part of all arrivals is each client's in the long run, at its mean time; deliveries
        at the same moment count as one.

        >>> Deliveries(np.array([0, 2, 5]), np.array([1., 1., 5., 0., 1.])).shares_of_arrivals.tolist()
        [0.75, 0.25]
        """
        rates = np.add.reduceat(self.seconds > 0, self.first[:-1], dtype=float) / np.add.reduceat(
            self.seconds, self.first[:-1]
        )
        shares: Floats = rates / rates.sum()
        return shares

    def shares_of_windows(self, window: float) -> Floats:
        """In which part of FedFix's windows each client counts, were it to begin anew when one
        ends: 1/(mean of ceil(time/window)); deliveries at the same moment count as one.

        >>> Deliveries(np.array([0, 3]), np.array([1., 5., 0.])).shares_of_windows(2).tolist()
        [0.5]
        """
        windows: Floats = np.add.reduceat(np.ceil(self.seconds / window), self.first[:-1])
        return np.add.reduceat(self.seconds > 0, self.first[:-1], dtype=float) / windows

    def of(self, client: int) -> Floats:
        """The times of one client; deliveries at the same moment count as one."""
        seconds = self.seconds[self.first[client] : self.first[client + 1]]
        return seconds[seconds > 0]


@dataclass(frozen=True, eq=False)
class FleetLog:
    """Client i was available in the rounds begins[k] .. ends[k] - 1 for k in first[i] .. first[i +
    1] - 1, in increasing order.

    `round_seconds` is the clock time of a round where the log knows it. In a log of deliveries
    (client, received, returned) each delivery is a round of its own, and `max_delay` the largest
    number of deliveries between a model and the work that began with it, first met in round
    `latest`.
    """

    names: tuple[str, ...]
    num_rounds: int
    first: Ints
    begins: Ints
    ends: Ints
    round_seconds: float | None = None
    deliveries: Deliveries | None = None
    max_delay: int = 0
    latest: int = 0

    def __post_init__(self) -> None:
        if not self.names:
            raise InvalidInput("log", "have at least one client", "none")
        if self.num_rounds < 1:
            raise InvalidInput("log", "have at least one round", self.num_rounds)
        if (
            len(self.first) != len(self.names) + 1
            or self.first[-1] != len(self.begins)
            or len(self.begins) != len(self.ends)
        ):
            raise InvalidInput(
                "runs of a log",
                "belong to its clients",
                f"{len(self.begins)} runs of {len(self.first) - 1} clients",
            )
        inside = (self.begins >= 0) & (self.begins < self.ends) & (self.ends <= self.num_rounds)
        apart = np.ones(len(self.begins), bool)
        apart[1:] = self.begins[1:] > self.ends[:-1]
        apart[self.first[:-1][self.first[:-1] < len(apart)]] = True
        if not (inside & apart).all():
            raise InvalidInput(
                "runs of a log",
                f"lie apart, in order, within {self.num_rounds} rounds",
                "one that does not",
            )

    @property
    def num_clients(self) -> int:
        return len(self.names)

    @property
    def client_of_run(self) -> Ints:
        """The client of each run."""
        return np.repeat(np.arange(self.num_clients), np.diff(self.first))

    def windowed(self, window: int) -> "FleetLog":
        """The log of FedFix's windows of so many rounds: a client is there if it came within one;
        the last one may be shorter.

        >>> from_matrix([[1, 0], [0, 0], [0, 1], [0, 1], [1, 0]]).windowed(2).matrix().astype(int).tolist()
        [[1, 0], [0, 1], [1, 0]]
        """
        begins, ends = self.begins // window, (self.ends - 1) // window + 1
        return from_runs(
            self.names, -(-self.num_rounds // window), self.client_of_run, begins, ends
        )

    def matrix(
        self, clients: Sequence[int] | None = None, *, num_rounds: int | None = None
    ) -> npt.NDArray[np.bool_]:
        """Rounds by clients, for some clients and a beginning of the log."""
        chosen = range(self.num_clients) if clients is None else clients
        horizon = self.num_rounds if num_rounds is None else num_rounds
        table = np.zeros((horizon, len(chosen)), bool)
        for column, client in enumerate(chosen):
            for run in range(self.first[client], self.first[client + 1]):
                table[self.begins[run] : self.ends[run], column] = True
        return table


def from_runs(
    names: Sequence[str], num_rounds: int, clients: Any, begins: Any, ends: Any, **more: Any
) -> FleetLog:
    """A log from runs in any order; runs of one client that touch or overlap become one.

    >>> log = from_runs(["a", "b"], 6, clients=[1, 0, 0], begins=[2, 3, 0], ends=[4, 5, 3])
    >>> log.begins.tolist(), log.ends.tolist(), log.first.tolist()
    ([0, 2], [5, 4], [0, 1, 2])
    """
    owner, begin, end = (np.asarray(x, np.int64) for x in (clients, begins, ends))
    order = np.lexsort((begin, owner))
    owner, begin, end = owner[order], begin[order], end[order]
    # Within a client, a run starts a new stretch where it begins after everything before it has
    # ended.
    shift = owner * (num_rounds + 2)
    reach = np.maximum.accumulate(end + shift) if len(end) else end
    fresh = np.ones(len(owner), bool)
    fresh[1:] = (begin + shift)[1:] > reach[:-1]
    starts = np.flatnonzero(fresh)
    lasts = np.append(starts[1:], len(owner)) - 1
    merged = owner[starts]
    return FleetLog(
        tuple(names),
        num_rounds,
        np.searchsorted(merged, np.arange(len(names) + 1)),
        begin[starts],
        (reach - shift)[lasts] if len(end) else end,
        **more,
    )


def from_matrix(available: Any, names: Sequence[str] | None = None) -> FleetLog:
    """A log from a table of rounds by clients.

    >>> from_matrix([[1, 0], [1, 1], [0, 1]]).ends.tolist()
    [2, 3]
    """
    table = np.asarray(available, bool)
    padded = np.zeros((table.shape[0] + 2, table.shape[1]), np.int8)
    padded[1:-1] = table
    change = np.diff(padded, axis=0)
    client, begin = np.nonzero(change.T == 1)
    _, end = np.nonzero(change.T == -1)
    labels = [f"client_{i}" for i in range(table.shape[1])] if names is None else names
    return from_runs(labels, table.shape[0], client, begin, end)
