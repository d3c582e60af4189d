"""How long the clients of a log of deliveries take, how often they count, and how old their updates
become."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.core.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DeliveryTimes:
    """Who delivered, when its model was received and when it was returned, in the order of returns.

    `seconds` is how long each delivery took, pauses included, client by client: those of client i
    are seconds[first[i] : first[i + 1]]. A client's first delivery counts from the moment at which
    it received the model.

    >>> received, returned = np.array([2.0, 0.0, 5.0]), np.array([3.0, 4.0, 7.0])
    >>> found = DeliveryTimes(np.array([0, 1, 0]), received, returned, 2)
    >>> found.seconds.tolist(), found.means.tolist()
    ([1.0, 4.0, 4.0], [2.5, 4.0])
    """

    clients: IntArray
    received: FloatArray
    returned: FloatArray
    num_clients: int

    @cached_property
    def first(self) -> IntArray:
        """Where the deliveries of each client begin in `seconds`."""
        return np.searchsorted(self.clients[self._by_client], np.arange(self.num_clients + 1))

    @cached_property
    def _by_client(self) -> IntArray:
        return np.argsort(self.clients, kind="stable")

    @cached_property
    def seconds(self) -> FloatArray:
        """The seconds between successive returns of each client."""
        order, starts = self._by_client, self.first[:-1]
        seconds = np.diff(self.returned[order], prepend=0.0)
        seconds[starts] = (self.returned - self.received)[order][starts]
        return seconds

    @cached_property
    def delays(self) -> IntArray:
        """The number of deliveries between a model and the work that started from it.

        >>> received, returned = np.array([0.0, 0.0, 3.0]), np.array([3.0, 4.0, 7.0])
        >>> DeliveryTimes(np.array([0, 1, 0]), received, returned, 2).delays.tolist()
        [0, 1, 1]
        """
        known = np.searchsorted(self.returned, self.received, side="right")
        delays: IntArray = np.arange(len(known)) - known
        return delays

    @cached_property
    def oldest(self) -> int:
        """The greatest age, in deliveries, of the model behind the latest update of a client, from
        the delivery on with which all clients have delivered.

        >>> times = np.arange(6.0)
        >>> who = np.array([0, 1, 0, 0, 0, 1])
        >>> DeliveryTimes(who, times - 0.5, times, 2).oldest
        3
        """
        order = self._by_client
        rounds, starts, last = np.arange(len(order))[order], self.first[:-1], self.first[1:] - 1
        begun = int(rounds[starts].max())
        until = np.append(rounds[1:], 0)  # the next delivery of the same client
        until[last] = len(order)
        ages = until - 1 - (rounds - self.delays[order])
        return int(ages[until > begun].max())

    @property
    def means(self) -> FloatArray:
        """Mean time per delivery of each client."""
        means: FloatArray = np.add.reduceat(self.seconds, self.first[:-1]) / np.diff(self.first)
        return means

    @property
    def shares_of_arrivals(self) -> FloatArray:
        """Each client's long-run share of all arrivals, at its mean time per delivery.

        Deliveries at the same moment count as one.

        >>> returned = np.array([1.0, 2.0, 5.0, 5.0, 6.0])
        >>> received = np.array([0.0, 1.0, 0.0, 2.0, 5.0])
        >>> who = np.array([0, 0, 1, 1, 1])
        >>> DeliveryTimes(who, received, returned, 2).shares_of_arrivals.tolist()
        [0.75, 0.25]
        """
        rates = np.add.reduceat(self.seconds > 0, self.first[:-1], dtype=float) / np.add.reduceat(
            self.seconds, self.first[:-1]
        )
        shares: FloatArray = rates / rates.sum()
        return shares

    def shares_of_windows(self, window: float) -> FloatArray:
        """Each client's share of FedFix's windows: 1/(mean of ceil(time/window)).

        A client starts again when a window ends; deliveries at the same moment count as one.

        >>> received, returned = np.array([0.0, 1.0, 6.0]), np.array([1.0, 6.0, 6.0])
        >>> DeliveryTimes(np.array([0, 0, 0]), received, returned, 1).shares_of_windows(2).tolist()
        [0.5]
        """
        windows: FloatArray = np.add.reduceat(np.ceil(self.seconds / window), self.first[:-1])
        return np.add.reduceat(self.seconds > 0, self.first[:-1], dtype=float) / windows

    def of(self, client: int) -> FloatArray:
        """The times of one client; deliveries at the same moment count as one."""
        seconds = self.seconds[self.first[client] : self.first[client + 1]]
        return seconds[seconds > 0]
