"""The only loop over rounds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from fltheory.core.errors import Diverged, InvalidInput
from fltheory.core.results import Table, as_dict, as_html, as_point, as_points, as_text
from fltheory.core.types import Json
from fltheory.engine.arithmetic import RATIONAL, Arithmetic, Rows
from fltheory.engine.noise import Noise
from fltheory.engine.rounds import Round, rounds, schedule
from fltheory.engine.trajectory import trajectory_tables
from fltheory.engine.workers import LocalWork, Memory, Oracle, Pulled, Worker, plain, work
from fltheory.traces.trace import Trace


class ServerState(Protocol):
    """A named tuple of rows; the first field is the model, one row."""

    @property
    def model(self) -> Rows: ...


class Algorithm(Protocol):
    """The server side of a method, and the worker that its clients run."""

    @property
    def worker(self) -> Worker: ...

    def start(self, model: Rows, zeros: Rows) -> Any:
        """The first state; `zeros` has one zero row per client."""

    def step(self, state: Any, deliveries: Rows, round: Round) -> Any:
        """The state after a round; `deliveries` is zero for clients that do not deliver."""


class Problem(Protocol):
    """Clients' losses; row i of the oracle's answer is the gradient of client i's loss at row i."""

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def affine(self) -> bool: ...

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]: ...


@runtime_checkable
class Drawn(Protocol):
    """A problem that draws its own gradients by key, and may know a faster way to K steps of local
    SGD than one after the other."""

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """Axes of a batch of runs that differ in their seeds."""

    def oracle(self, arithmetic: Arithmetic) -> Oracle: ...

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork | None: ...


class RunState(NamedTuple):
    """Everything that the future depends on: the server's rows, the clients' rows, and models still
    in use."""

    server: Any
    memory: Memory
    past: tuple[Pulled, ...]


@dataclass(frozen=True)
class Run:
    """A method on a problem in one arithmetic: what turns one RunState into the next."""

    algorithm: Algorithm
    oracle: Oracle
    arithmetic: Arithmetic
    zeros: Rows
    max_delay: int
    local_work: LocalWork | None = None

    def start(self, model: Rows) -> RunState:
        return RunState(
            self.algorithm.start(model, self.zeros), self.algorithm.worker.start(self.zeros), ()
        )

    def sent(self, state: RunState) -> Pulled:
        """What a client pulls now."""
        return Pulled(state.server.model, self.algorithm.worker.sends(state.memory))

    def pulled(self, state: RunState, round: Round) -> Pulled:
        """What each client's delivery started from: the newest model, or an older one for those who
        are late."""
        result = self.sent(state)
        for delay, who in round.late:
            older = state.past[-delay]
            result = Pulled(
                self.arithmetic.where(who, older.model, result.model),
                tuple(
                    self.arithmetic.where(who, old, new)
                    for old, new in zip(older.extras, result.extras, strict=True)
                ),
            )
        return result

    def partial_deliveries(self, state: RunState, round: Round) -> list[Rows]:
        """Deliveries after 0, 1, ..., K local steps, zero for clients that do not deliver."""
        worker = self.algorithm.worker
        partial = work(
            worker, state.memory, self.pulled(state, round), self.oracle, round, self.zeros
        )
        return [round.choose(rows, self.zeros) for rows in partial]

    def deliveries(self, state: RunState, round: Round) -> Rows:
        """Deliveries after all local steps, by the problem's own local work where it has one."""
        if self.local_work is None:
            return self.partial_deliveries(state, round)[-1]
        return self.local_work(self.pulled(state, round).model, round)

    def advance(self, state: RunState, row: Round) -> RunState:
        """One round; a model that is not finite is an error, which names the first client at
        fault."""
        round = self.algorithm.worker.reads(row)
        deliveries = self.deliveries(state, round)
        following = self.finish(state, deliveries, round)
        if not self.arithmetic.finite(following.server.model).all():
            broken = ~np.asarray(self.arithmetic.export(self.arithmetic.finite(deliveries)))
            clients = np.nonzero(broken.any(axis=(*range(broken.ndim - 2), -1)))[0]
            raise Diverged(round.index, int(clients[0]) if len(clients) else None)
        return following

    def finish(self, state: RunState, deliveries: Rows, round: Round) -> RunState:
        """The server's step and the clients' bookkeeping, once the deliveries are in."""
        tidy, worker = self.arithmetic.tidy, self.algorithm.worker
        server = self.algorithm.step(state.server, deliveries, round)
        server = type(server)(*(tidy(rows) for rows in server))
        memory = tuple(
            tidy(rows)
            for rows in worker.finish(state.memory, deliveries, self.pulled(state, round), round)
        )
        past = (*state.past, self.sent(state))[-self.max_delay :] if self.max_delay else ()
        return RunState(server, memory, past)


@dataclass(frozen=True, repr=False)
class Trajectory:
    """`models[t]` is the model before round t, so there are num_rounds + 1 of them, each with one
    number per coordinate."""

    models: Any
    final: RunState

    @property
    def last(self) -> Any:
        return self.models[..., -1, :]

    def to_dict(self) -> Json:
        return as_dict({"models": as_points(self.models), "last": as_point(self.last)})

    def tables(self) -> list[Table]:
        return trajectory_tables(self.models)

    __repr__ = as_text
    _repr_html_ = as_html


def make_run(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    arithmetic: Arithmetic,
    noise: Noise | None = None,
    batch: tuple[int, ...] = (),
    fused: bool = True,
) -> Run:
    """Bind a method, a problem and a trace's delays to one arithmetic.

    With `fused`, a problem's own local work replaces the loop over local steps where clients run
    plain local SGD.
    """
    if trace.num_clients != problem.num_clients:
        raise InvalidInput(
            "trace",
            f"have the problem's {problem.num_clients} clients",
            f"{trace.num_clients} clients",
        )
    local_work = None
    if isinstance(problem, Drawn):
        gradients = problem.oracle(arithmetic)
        if fused and noise is None and algorithm.worker.direction is plain:
            local_work = problem.local_work(arithmetic, batch)
    else:
        exact_gradients = problem.gradients(arithmetic)

        def gradients(rows: Rows, index: int, step: int) -> Rows:
            return exact_gradients(rows)

    def oracle(rows: Rows, index: int, step: int) -> Rows:
        return (
            gradients(rows, index, step)
            if noise is None
            else gradients(rows, index, step) + arithmetic.rows(noise(index, step))
        )

    zeros = arithmetic.zeros((*batch, problem.num_clients, problem.dimension))
    return Run(algorithm, oracle, arithmetic, zeros, int(trace.delays.max()), local_work)


def start_row(start: Any, dimension: int, arithmetic: Arithmetic) -> Rows:
    """A starting point as one row: a number for every coordinate, a vector, or rows with batch axes
    as they are."""
    axes = getattr(start, "ndim", int(hasattr(start, "__len__") and not isinstance(start, str)))
    if axes >= 2:
        return arithmetic.rows(start)
    values = list(start) if axes else [start] * dimension
    if len(values) != dimension:
        raise InvalidInput(
            "start", f"have the problem's {dimension} coordinates", f"{len(values)} coordinates"
        )
    return arithmetic.rows([values])


def simulate(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any = 1,
    arithmetic: Arithmetic = RATIONAL,
    noise: Noise | None = None,
    fused: bool = True,
) -> Trajectory:
    """Run a method along a trace.

    Step sizes are constants or schedules (functions of the round, counted from 0). The trace, the
    start and the noise (or the problem's own seeds) may each have leading batch axes.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> drift = Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]])
    >>> run = simulate(FedAvg(), Quadratic(curvatures=(2, 2), optima=(0, 1)), drift, start=0, local_step_size="1/4")
    >>> [str(x) for x in run.models[:, 0]]
    ['0', '0', '1/2', '3/4', '7/8']
    """
    given = {
        "start": start,
        "local_step_size": local_step_size,
        "server_step_size": server_step_size,
    }
    states = states_of_run(
        algorithm, problem, trace, **given, arithmetic=arithmetic, noise=noise, fused=fused
    )
    models = []
    for state in states:
        models.append(state.server.model)
    return Trajectory(_over_rounds(arithmetic, models), state)


def states_of_run(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any = 1,
    arithmetic: Arithmetic = RATIONAL,
    noise: Noise | None = None,
    fused: bool = True,
) -> Iterator[RunState]:
    """The states before round 0, 1, ... and after the last one, each as soon as it is known: for
    models too large to keep them all.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> states = states_of_run(FedAvg(), Quadratic(curvatures=(2,), optima=(1,)), Trace.fresh([[1], [1]]), start=0, local_step_size="1/4")
    >>> [str(state.server.model[0, 0]) for state in states]
    ['0', '1/2', '3/4']
    """
    model = start_row(start, problem.dimension, arithmetic)
    noises = () if noise is None else np.shape(noise(0, 0))[:-2]
    seeds = problem.batch_shape if isinstance(problem, Drawn) else ()
    batch = np.broadcast_shapes(trace.batch_shape, tuple(model.shape[:-2]), noises, seeds)
    run = make_run(
        algorithm, problem, trace, arithmetic=arithmetic, noise=noise, batch=batch, fused=fused
    )
    state = run.start(model + run.zeros[..., :1, :])
    yield state
    for round in rounds(trace, arithmetic, schedule(local_step_size), schedule(server_step_size)):
        state = run.advance(state, round)
        yield state


def simulate_virtual(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any = 1,
    arithmetic: Arithmetic = RATIONAL,
    noise: Noise | None = None,
) -> Any:
    """Virtual iterates: the model as if round n were cut after k local steps, for n = 0..R-1 and k
    = 0..K.

    FedLaAvg's Algorithm 3 (x^t with t = (r-1)C + k) and Fraboni's theta^{n,k}. The server runs K+1
    times at once along a new first axis, once for each k, on the deliveries as they stand after k
    steps; only the full ones move the model. Returns an array of shape (rounds, K + 1,
    coordinates).
    """
    if trace.batch_shape:
        raise InvalidInput(
            "trace", "be a single one for virtual iterates", f"a batch of shape {trace.batch_shape}"
        )
    run = make_run(algorithm, problem, trace, arithmetic=arithmetic, noise=noise)
    most = int(trace.local_steps.max())
    state = run.start(start_row(start, problem.dimension, arithmetic))
    shadows = None
    iterates = []
    for row in rounds(trace, arithmetic, schedule(local_step_size), schedule(server_step_size)):
        round = algorithm.worker.reads(row)
        partial = run.partial_deliveries(state, round)
        partial += [partial[-1]] * (most + 1 - len(partial))
        shadows = type(state.server)(state.server.model, *(shadows or state.server)[1:])
        shadows = run.algorithm.step(shadows, arithmetic.stack(partial), round)
        iterates.append(shadows.model[:, 0, :])
        state = run.finish(state, partial[-1], round)
    return arithmetic.export(arithmetic.stack(iterates))


def _over_rounds(arithmetic: Arithmetic, models: list[Rows]) -> Any:
    """(..., rounds + 1, coordinates) from one (..., 1, coordinates) row per round."""
    stacked = arithmetic.export(arithmetic.stack(models))[..., 0, :]
    axes = (*range(1, stacked.ndim - 1), 0, stacked.ndim - 1)
    return stacked.transpose(axes)
