"""How long the clients of a log of deliveries take, and how often they count."""

from dataclasses import dataclass

import numpy as np

from fltheory.core.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class DeliveryTimes:
    """Seconds that each client took for each of its deliveries, pauses included.

    The times of client i are seconds[first[i] : first[i + 1]].
    """

    first: IntArray
    seconds: FloatArray

    @classmethod
    def between(
        cls, clients: IntArray, received: FloatArray, returned: FloatArray, num_clients: int
    ) -> "DeliveryTimes":
        """Times between successive returns of each client, for deliveries sorted by return.

        A client's first delivery counts from the moment at which it received the model.

        >>> received, returned = np.array([2.0, 0.0, 5.0]), np.array([3.0, 4.0, 7.0])
        >>> found = DeliveryTimes.between(np.array([0, 1, 0]), received, returned, 2)
        >>> found.seconds.tolist(), found.means.tolist()
        ([1.0, 4.0, 4.0], [2.5, 4.0])
        """
        order = np.argsort(clients, kind="stable")
        first = np.searchsorted(clients[order], np.arange(num_clients + 1))
        seconds = np.diff(returned[order], prepend=0.0)
        seconds[first[:-1]] = (returned - received)[order][first[:-1]]
        return cls(first, seconds)

    @property
    def means(self) -> FloatArray:
        """Mean time per delivery of each client."""
        means: FloatArray = np.add.reduceat(self.seconds, self.first[:-1]) / np.diff(self.first)
        return means

    @property
    def shares_of_arrivals(self) -> FloatArray:
        """Each client's long-run share of all arrivals, at its mean time per delivery.

        Deliveries at the same moment count as one.

        >>> times = np.array([1.0, 1.0, 5.0, 0.0, 1.0])
        >>> DeliveryTimes(np.array([0, 2, 5]), times).shares_of_arrivals.tolist()
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

        >>> times = DeliveryTimes(np.array([0, 3]), np.array([1.0, 5.0, 0.0]))
        >>> times.shares_of_windows(2).tolist()
        [0.5]
        """
        windows: FloatArray = np.add.reduceat(np.ceil(self.seconds / window), self.first[:-1])
        return np.add.reduceat(self.seconds > 0, self.first[:-1], dtype=float) / windows

    def of(self, client: int) -> FloatArray:
        """The times of one client; deliveries at the same moment count as one."""
        seconds = self.seconds[self.first[client] : self.first[client + 1]]
        return seconds[seconds > 0]
