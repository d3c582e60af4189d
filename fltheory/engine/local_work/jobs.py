"""The work of one round as a list of jobs: one for each (run, client) that delivers, so that absent
clients cost nothing."""

from dataclasses import dataclass

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, IntArray, Seed
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.rounds import Round


@dataclass(frozen=True)
class Jobs:
    """Jobs ordered by client. `member` is the index of the run in a batch; `steps` and `step_size`
    belong to the local work of each job."""

    member: IntArray
    client: IntArray
    steps: IntArray
    step_size: Array

    @classmethod
    def of(cls, round: Round, batch: tuple[int, ...]) -> "Jobs":
        """The jobs of a round, for a batch of runs of that shape."""
        shape = (*batch, round.local_steps.shape[-2])

        def table(values: Array) -> Array:
            return np.broadcast_to(values[..., 0], shape).reshape(-1, shape[-1])

        steps = table(round.local_steps)
        sizes = table(round.arithmetic.export(round.started_step_size))
        client, member = np.nonzero(steps.T)
        return cls(member, client, steps[member, client], sizes[member, client])

    def groups(self) -> list[tuple[int, int, float, IntArray]]:
        """(client, steps, step size, positions in the list) for jobs that differ only in their
        run."""
        keys = list(
            zip(self.client.tolist(), self.steps.tolist(), self.step_size.tolist(), strict=True)
        )
        found: dict[tuple[int, int, float], list[int]] = {}
        for position, key in enumerate(keys):
            found.setdefault(key, []).append(position)
        return [(*key, np.array(positions)) for key, positions in found.items()]

    def starts(self, model: Rows) -> Rows:
        """The model that each job starts from, (jobs, coordinates)."""
        rows = model.reshape(-1, *model.shape[-2:])
        return rows[self.member, 0] if rows.shape[1] == 1 else rows[self.member, self.client]


def seeds_of_runs(seed: Seed, batch: tuple[int, ...]) -> Array:
    """One seed per run of a batch; several seeds belong to its last axis.

    >>> seeds_of_runs((1, 2), (2, 2)).tolist()
    [1, 2, 1, 2]
    """
    try:
        return np.broadcast_to(np.array(seed, dtype=object), batch).reshape(-1)
    except ValueError:
        raise InvalidInput(
            "seeds", f"fit a batch of runs of shape {batch}", f"{np.size(seed)} seeds"
        ) from None
