"""The trace and the step sizes of a run as tensors on a device, put there once."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fltheory.core.types import Array, FloatArray, StepSize, TorchTensor
from fltheory.engine.arithmetic.float_ import doubles
from fltheory.engine.arithmetic.tensor import Tensor, placed
from fltheory.engine.rounds import Round, schedule
from fltheory.traces.trace import Trace


class RoundRow(NamedTuple):
    """One round on the device: its number, local steps, step sizes, and who is late by how much."""

    index: TorchTensor
    local_steps: TorchTensor
    local_step_size: TorchTensor
    started_step_size: TorchTensor
    server_step_size: TorchTensor
    late: tuple[TorchTensor, ...]


@dataclass(frozen=True, eq=False)
class RoundTables:
    """All rounds, along a first axis."""

    rows: RoundRow
    delays: tuple[int, ...]
    most_steps: int

    @classmethod
    def of(
        cls, trace: Trace, arithmetic: Tensor, local: StepSize, server: StepSize
    ) -> "RoundTables":
        """The tables of a trace, with or without a batch axis."""
        rounds = trace.num_rounds
        local_sizes, server_sizes = _sizes(local, rounds), _sizes(server, rounds)
        delays = _rounds_first(trace.delays)
        found = tuple(int(delay) for delay in np.unique(delays) if delay > 0)
        began = np.maximum(np.arange(rounds).reshape(-1, *[1] * (delays.ndim - 1)) - delays, 0)

        def place(table: Array) -> TorchTensor:
            return placed(table.copy(), arithmetic.device)

        def numbers(table: FloatArray) -> TorchTensor:
            return place(table).to(arithmetic.dtype)

        started = local_sizes[began] if found else local_sizes[:, None, None]
        rows = RoundRow(
            place(np.arange(rounds)),
            place(_rounds_first(trace.local_steps)),
            numbers(local_sizes[:, None, None]),
            numbers(started),
            numbers(server_sizes[:, None, None]),
            tuple(place(delays == delay) for delay in found),
        )
        return cls(rows, found, int(trace.local_steps.max()))

    def row(self, t: int) -> RoundRow:
        """A round, as views of the tables: no number moves."""
        rows = self.rows
        return RoundRow(
            rows.index[t],
            rows.local_steps[t],
            rows.local_step_size[t],
            rows.started_step_size[t],
            rows.server_step_size[t],
            tuple(mask[t] for mask in rows.late),
        )

    def round_of(self, row: RoundRow, arithmetic: Tensor) -> Round:
        """The round as an algorithm sees it."""
        return Round(
            index=row.index,
            block=0,
            arithmetic=arithmetic,
            local_steps=row.local_steps,
            late=tuple(zip(self.delays, row.late, strict=True)),
            local_step_size=row.local_step_size,
            started_step_size=row.started_step_size,
            server_step_size=row.server_step_size,
            most_steps=self.most_steps,
        )


def bytes_of(trace: Trace) -> int:
    """What the tables of a trace take on the device."""
    late = int(
        sum((trace.delays == delay).any() for delay in range(1, int(trace.delays.max()) + 1))
    )
    return int(trace.local_steps.size * (16 + late))


def _sizes(step_size: StepSize, rounds: int) -> FloatArray:
    sizes = schedule(step_size)
    return doubles([sizes(t) for t in range(rounds)])


def _rounds_first(table: Array) -> Array:
    """(rounds, ..., clients, 1) from (..., rounds, clients)."""
    return np.moveaxis(table, -2, 0)[..., None]
