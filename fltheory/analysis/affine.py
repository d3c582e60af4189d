"""The state of a run as one vector, on which rounds act as affine maps: the basis of limits and
moments."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fltheory.engine.arithmetic import Rows
from fltheory.engine.run import Run, RunState
from fltheory.engine.workers import Pulled


@dataclass(frozen=True)
class StateSpace:
    """All states of a run, including the older models still in use; a vector has one entry per
    number in the state."""

    run: Run

    @cached_property
    def zero(self) -> RunState:
        """The state of zeros."""
        state = self.run.start(self.run.arithmetic.zeros((1, self.run.zeros.shape[-1])))
        return state._replace(past=(self.run.sent(state),) * self.run.max_delay)

    @cached_property
    def size(self) -> int:
        """How many numbers a state has."""
        return sum(rows.size for rows in _rows_of(self.zero))

    def vector(self, state: RunState, batch: tuple[int, ...] = ()) -> Rows:
        """Vectors of shape (*batch, size); the state's rows have those leading axes, or fewer."""
        pairs = zip(_rows_of(state), _rows_of(self.zero), strict=True)
        return np.concatenate(
            [np.broadcast_to(rows, batch + like.shape).reshape(*batch, -1) for rows, like in pairs],
            axis=-1,
        )

    def state(self, vector: Rows) -> RunState:
        """The state of a vector; leading axes are a batch."""
        ends = np.cumsum([like.size for like in _rows_of(self.zero)])
        pieces = np.split(vector, ends[:-1], axis=-1)
        shaped = iter(
            [
                piece.reshape(*vector.shape[:-1], *like.shape)
                for piece, like in zip(pieces, _rows_of(self.zero), strict=True)
            ]
        )
        server = type(self.zero.server)(*(next(shaped) for _ in self.zero.server))
        memory = tuple(next(shaped) for _ in self.zero.memory)
        past = tuple(
            Pulled(next(shaped), tuple(next(shaped) for _ in pulled.extras))
            for pulled in self.zero.past
        )
        return RunState(server, memory, past)

    def zero_and_units(self, size: int) -> Rows:
        """The zero vector and all unit vectors, as the rows of a (size + 1, size) array."""
        return self.run.arithmetic.rows(
            np.concatenate([np.zeros((1, size), int), np.eye(size, dtype=int)])
        )


def _rows_of(state: RunState) -> list[Rows]:
    past = [rows for pulled in state.past for rows in (pulled.model, *pulled.extras)]
    return [*state.server, *state.memory, *past]
