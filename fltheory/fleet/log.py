"""FleetLog: when each client was available, stored as runs of rounds.

Memory grows with the number of runs, not with clients times rounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, FloatArray, IntArray
from fltheory.fleet.delivery_times import DeliveryTimes


@dataclass(frozen=True, eq=False)
class FleetLog:
    """Client i was available in rounds begins[k] to ends[k] - 1 for first[i] <= k < first[i + 1].

    Runs are in increasing order. `round_seconds` is the clock time of a round, where it is known.
    In a log of deliveries (client, received, returned) each delivery is a round of its own;
    `max_delay` is then the largest number of deliveries between a model and the work that started
    from it, first reached in round `latest`. `importance` sums to 1 (None: all are equal);
    `dropouts` counts the models that a client received and never returned; `notes` say how the log
    was read.
    """

    names: tuple[str, ...]
    num_rounds: int
    first: IntArray
    begins: IntArray
    ends: IntArray
    round_seconds: float | None = None
    deliveries: DeliveryTimes | None = None
    max_delay: int = 0
    latest: int = 0
    importance: FloatArray | None = None
    dropouts: IntArray | None = None
    notes: tuple[str, ...] = ()

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
                f"be separate, sorted and within {self.num_rounds} rounds",
                "runs that are not",
            )

    @property
    def wanted(self) -> FloatArray:
        """The influence that each client should have: its importance, or 1/N."""
        if self.importance is not None:
            return self.importance
        return np.full(self.num_clients, 1 / self.num_clients)

    @property
    def num_clients(self) -> int:
        return len(self.names)

    @property
    def client_of_run(self) -> IntArray:
        """The client of each run."""
        return np.repeat(np.arange(self.num_clients), np.diff(self.first))

    def windowed(self, window: int) -> "FleetLog":
        """The log of FedFix's windows of `window` rounds.

        A client is available in a window if it came in one of its rounds; the last window may be
        shorter.

        >>> log = from_matrix([[1, 0], [0, 0], [0, 1], [0, 1], [1, 0]])
        >>> log.windowed(2).matrix().astype(int).tolist()
        [[1, 0], [0, 1], [1, 0]]
        """
        begins, ends = self.begins // window, (self.ends - 1) // window + 1
        return from_runs(
            self.names,
            -(-self.num_rounds // window),
            self.client_of_run,
            begins,
            ends,
            round_seconds=None if self.round_seconds is None else window * self.round_seconds,
            importance=self.importance,
        )

    def matrix(
        self, clients: Sequence[int] | None = None, *, num_rounds: int | None = None
    ) -> BoolArray:
        """Availability as rounds by clients, for chosen clients and the first rounds of the log."""
        chosen = range(self.num_clients) if clients is None else clients
        horizon = self.num_rounds if num_rounds is None else num_rounds
        table = np.zeros((horizon, len(chosen)), bool)
        for column, client in enumerate(chosen):
            for run in range(self.first[client], self.first[client + 1]):
                table[self.begins[run] : self.ends[run], column] = True
        return table


def from_runs(
    names: Sequence[str],
    num_rounds: int,
    clients: npt.ArrayLike,
    begins: npt.ArrayLike,
    ends: npt.ArrayLike,
    *,
    round_seconds: float | None = None,
    deliveries: DeliveryTimes | None = None,
    max_delay: int = 0,
    latest: int = 0,
    importance: FloatArray | None = None,
    dropouts: IntArray | None = None,
    notes: tuple[str, ...] = (),
) -> FleetLog:
    """A log from runs in any order; touching and overlapping runs of a client are merged.

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
        round_seconds,
        deliveries,
        max_delay,
        latest,
        importance,
        dropouts,
        notes,
    )


def from_matrix(available: npt.ArrayLike, names: Sequence[str] | None = None) -> FleetLog:
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
