"""Batches of runs on a device, of which only statistics come back, after the last round.

The round is the text of the algorithm, recorded once as a graph of tensor operations: a graph has
no copies from the host and waits for nothing. It runs operation by operation, or compiled.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fltheory.core.errors import Diverged, InvalidInput
from fltheory.core.types import Array, Start, StepSize, TorchTensor
from fltheory.engine.arithmetic.base import Rows
from fltheory.engine.arithmetic.tensor import Tensor, torch
from fltheory.engine.device.roles import OnDevice, Statistic
from fltheory.engine.device.tables import RoundRow, RoundTables, bytes_of
from fltheory.engine.roles import Algorithm, check_roles
from fltheory.engine.run import Run, RunState, start_row
from fltheory.engine.workers import plain
from fltheory.traces.trace import Trace

Graph = Callable[..., list[TorchTensor]]
"""(state, statistics, round) -> state and statistics after the round, all as tensors."""

WORKING_COPIES = 8
"""How many times the numbers of the state a round may hold at once."""

LARGEST_TABLES = 3
"""How many tables of the largest size a round may hold at once."""


@dataclass(frozen=True, eq=False)
class DeviceRuns:
    """A method on a problem along a trace, ready to run: everything that it needs is on the device.

    `graph` maps state, statistics and round to state and statistics.
    """

    graph: Graph
    first: list[TorchTensor]
    tables: RoundTables
    statistic: Statistic
    gradients: Callable[[Rows], Rows]
    sums: int

    def advance(self, values: list[TorchTensor], t: int) -> list[TorchTensor]:
        """State and statistics after round t."""
        return self.graph(values, self.tables.row(t))

    def finish(self, values: list[TorchTensor]) -> tuple[Array, ...]:
        """The statistics of all models as arrays: the only copy to the host."""
        last = self.tables.rows.index[-1] + 1
        kept, model = tuple(values[1 : 1 + self.sums]), values[1 + self.sums]
        sums = self.statistic.add(kept, model, last, self.gradients)
        broken = values[0].cpu().numpy()
        if (broken >= 0).any():
            raise Diverged(int(broken[broken >= 0].min()), None)
        return tuple(found.cpu().numpy() for found in sums)

    def __call__(self) -> tuple[Array, ...]:
        """Run all rounds."""
        values = self.first
        for t in range(len(self.tables.rows.index)):
            values = self.advance(values, t)
        return self.finish(values)


def device_runs(
    algorithm: Algorithm[Any],
    problem: OnDevice,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    statistic: Statistic,
    device: str = "cpu",
    compiled: bool = False,
) -> DeviceRuns:
    """Put a run of every seed of a problem on a device.

    >>> from fltheory import Mifa, Quadratic
    >>> from fltheory.problems.closed_form import ClosedForm
    >>> problem = ClosedForm(Quadratic((1, 2), (0, 1), noise_squared=1), seed=(0, 1, 2))
    >>> last = Statistic(lambda model: (model,), lambda sums, model, index, gradients: (model,))
    >>> sizes = {"start": 1, "local_step_size": "1/4"}
    >>> runs = device_runs(Mifa(), problem, Trace.fresh([[1, 1]] * 3), statistic=last, **sizes)
    >>> runs()[0].shape
    (3, 1, 1)
    """
    check_roles(algorithm, problem, trace)
    if not isinstance(problem, OnDevice):
        raise InvalidInput("problem", "compute its gradients on a device", type(problem).__name__)
    if trace.num_clients != problem.num_clients:
        clients = f"{trace.num_clients} clients"
        raise InvalidInput("trace", f"have the problem's {problem.num_clients} clients", clients)
    batch = np.broadcast_shapes(problem.batch_shape or (1,), trace.batch_shape)
    check_memory(trace, batch, problem, device)
    arithmetic = Tensor(device, known={})
    tables = RoundTables.of(trace, arithmetic, local_step_size, server_step_size)
    placed = problem.on_device(arithmetic, device)
    zeros = arithmetic.zeros((*batch, problem.num_clients, problem.dimension))
    work = placed.local_work if algorithm.worker.direction is plain else None
    longest = max(tables.delays, default=0)
    run = Run(algorithm, placed.oracle, arithmetic, zeros, longest, work)
    model = start_row(start, problem.dimension, arithmetic) + zeros[..., :1, :]
    state = run.start(model)
    state = state._replace(past=(run.sent(state),) * longest)
    leaves, shape = torch.utils._pytree.tree_flatten(state)
    sums = statistic.start(model)
    broken = torch.full(batch, -1, device=device)
    step = _round_graph(run, arithmetic, tables, shape, statistic, placed.gradients, len(sums))
    first = [
        part.clone() for part in (broken, *sums, *leaves)
    ]  # a graph tells inputs apart by object
    graph = _recorded(step, first, tables.row(0))
    if compiled:
        graph = torch.compile(graph, dynamic=False, fullgraph=True)
    return DeviceRuns(graph, first, tables, statistic, placed.gradients, len(sums))


def _round_graph(
    run: Run[Any],
    arithmetic: Tensor,
    tables: RoundTables,
    shape: Any,
    statistic: Statistic,
    gradients: Callable[[Rows], Rows],
    count: int,
) -> Graph:
    """One round on a flat list: first broken round, statistics, state."""

    def advance(values: list[TorchTensor], row: RoundRow) -> list[TorchTensor]:
        broken, sums, leaves = values[0], tuple(values[1 : 1 + count]), values[1 + count :]
        state: RunState[Any] = torch.utils._pytree.tree_unflatten(leaves, shape)
        sums = statistic.add(sums, state.server.model, row.index, gradients)
        round = run.algorithm.worker.reads(tables.round_of(row, arithmetic))
        following = run.finish(state, run.deliveries(state, round), round)
        finite = torch.isfinite(following.server.model).all(-1).all(-1)
        broken = torch.where((broken < 0) & ~finite, row.index, broken)
        return [broken, *sums, *torch.utils._pytree.tree_leaves(following)]

    return advance


def _recorded(step: Graph, values: list[TorchTensor], row: RoundRow) -> Graph:
    """The operations of a round as a graph. A first pass makes the tensors of all constants; all
    operations note their shapes in one mode, where torch would make a mode for each."""
    from torch._guards import TracingContext, detect_fake_mode, tracing
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    step(values, row)
    with tracing(TracingContext(detect_fake_mode(values) or FakeTensorMode())):
        return make_fx(step)(values, row)


def check_memory(trace: Trace, batch: tuple[int, ...], problem: OnDevice, device: str) -> None:
    """Refuse runs that would not fit on the device."""
    state = int(np.prod(batch)) * problem.num_clients * problem.dimension * 8
    largest = int(np.prod(batch)) * problem.round_numbers * 8
    needed = bytes_of(trace) + state * (WORKING_COPIES + int(trace.delays.max()))
    needed += LARGEST_TABLES * largest
    free = free_bytes(device)
    if needed > free:
        raise InvalidInput(
            "runs on a device",
            f"fit into the {free / 1e9:.1f} GB that are free on {device}",
            f"about {needed / 1e9:.1f} GB",
        )


def free_bytes(device: str) -> int:
    """Free memory of a CUDA device, or of the machine."""
    if torch.device(device).type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
