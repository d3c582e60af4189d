"""The size of a run, on which a rate may depend, and who delivers when at that size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fltheory.core.types import BoolArray, ExactLike, IntArray
from fltheory.engine.compiled.moments import NOBODY_LATE, Tables
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.balance import balance
from fltheory.traces.clocks import Policy, simulate_clock
from fltheory.traces.selection import longest_absent


@dataclass(frozen=True)
class RunSize:
    """What a rate may depend on. All clients are available in one round of every `period`, and
    `clients_per_round` of them are used (default: all).

    Work that is used in round t began `delay` rounds before, but not before round 0.
    """

    num_clients: int = 2
    local_steps: int = 1
    num_rounds: int = 1000
    period: int = 1
    clients_per_round: int | None = None
    delay: int = 0

    @property
    def used(self) -> int:
        """Clients used per round."""
        return self.clients_per_round or self.num_clients

    @property
    def work(self) -> int:
        """Rounds x clients x clients used per round: how many numbers of the state's covariance
        change in a run."""
        return self.num_rounds * self.num_clients * self.used

    def tables(self, *, everyone_first: bool = True) -> Tables:
        """Tables in which the longest absent of the available clients deliver.

        The turns repeat if the number of used clients divides the number of clients.

        >>> size = RunSize(num_clients=4, num_rounds=3, clients_per_round=2)
        >>> size.tables().trace().delivers.astype(int).tolist()
        [[1, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0]]
        """
        turns = (
            self.num_clients // self.used
            if self.num_clients % self.used == 0
            else -(-self.num_rounds // self.period)
        )
        cycle = turns * self.period
        rows = min(self.num_rounds, 2 * cycle + self.delay)
        matrix = np.zeros((rows, self.num_clients), bool)
        once = longest_absent(np.ones((turns, self.num_clients), bool), self.used)
        matrix[:: self.period] = np.resize(once, (-(-rows // self.period), self.num_clients))
        if everyone_first:
            matrix[0] = True
        delays = (
            np.where(matrix, np.minimum(np.arange(rows), self.delay)[:, None], 0)
            if self.delay
            else NOBODY_LATE
        )
        return Tables(
            self.num_rounds,
            min(cycle, rows),
            matrix,
            delays,
            _steps(self.local_steps, matrix, late=self.delay > 0),
        )

    def clocked(self, update_times: Sequence[ExactLike], policy: Policy) -> Tables:
        """Tables of clients that always work, with fixed update times, under a waiting policy.

        They are periodic from the second period on.
        """
        cycle = balance(update_times, policy).period
        trace = simulate_clock(
            update_times, policy, num_rounds=min(self.num_rounds, 3 * cycle)
        ).trace
        return Tables(
            self.num_rounds,
            min(cycle, trace.num_rounds),
            trace.delivers,
            trace.delays,
            _steps(self.local_steps, trace.delivers, late=True),
        )

    def problem(self) -> Quadratic:
        """Unit curvature, optimum 0, unit noise for every client."""
        return Quadratic((1,) * self.num_clients, (0,) * self.num_clients, noise_squared=1)


def _steps(local_steps: int, delivers: BoolArray, *, late: bool) -> IntArray:
    """Local steps in the form of `Tables`: one entry if nobody is late."""
    return np.where(delivers, local_steps, 0) if late else np.array([[local_steps]])
