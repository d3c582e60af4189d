"""The only loop over rounds."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.results import Table, as_dict, as_html, as_point, as_points, as_text
from fltheory.core.types import Array, Json, Start, StepSize
from fltheory.engine.arithmetic import RATIONAL, Arithmetic, Rows
from fltheory.engine.arithmetic.integer import INTEGER
from fltheory.engine.noise import Noise
from fltheory.engine.roles import Algorithm, Problem, State, check_roles, is_drawn, with_rows
from fltheory.engine.rounds import rounds, schedule
from fltheory.engine.run import Run, RunState, make_run, start_row
from fltheory.engine.trajectory import trajectory_tables
from fltheory.engine.workers import Pulled
from fltheory.traces.trace import Trace


@dataclass(frozen=True, repr=False)
class Trajectory(Generic[State]):
    """The models of a run: `models[t]` is the model before round t, so there are num_rounds + 1,
    each with one number per coordinate."""

    models: Array
    state: RunState[State]
    arithmetic: Arithmetic

    @cached_property
    def final(self) -> RunState[State]:
        """The state after the last round."""
        return _plain(self.state) if self.arithmetic is INTEGER else self.state

    @property
    def last(self) -> Array:
        """The model after the last round."""
        return self.models[..., -1, :]

    def to_dict(self) -> Json:
        return as_dict({"models": as_points(self.models), "last": as_point(self.last)})

    def tables(self) -> list[Table]:
        return trajectory_tables(self.models)

    __repr__ = as_text
    _repr_html_ = as_html


def simulate(
    algorithm: Algorithm[State],
    problem: Problem,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    arithmetic: Arithmetic = RATIONAL,
    noise: Noise | None = None,
    fused: bool = True,
) -> Trajectory[State]:
    """Run a method along a trace.

    Step sizes are constants or schedules (functions of the round, counted from 0). The trace, the
    start and the noise (or the problem's own seeds) may each have leading batch axes.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> problem = Quadratic(curvatures=(2, 2), optima=(0, 1))
    >>> drift = Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]])
    >>> run = simulate(FedAvg(), problem, drift, start=0, local_step_size="1/4")
    >>> [str(x) for x in run.models[:, 0]]
    ['0', '0', '1/2', '3/4', '7/8']
    """
    check_roles(algorithm, problem, trace)
    model = start_row(start, problem.dimension, arithmetic)
    batch = _batch(problem, trace, model, noise)
    inner = arithmetic
    if arithmetic is RATIONAL and batch == ():
        inner, model = INTEGER, INTEGER.rows(model)
    run = make_run(
        algorithm, problem, trace, arithmetic=inner, noise=noise, batch=batch, fused=fused
    )
    models = []
    for state in _states(run, model, trace, local_step_size, server_step_size):
        models.append(state.server.model)
    return Trajectory(_over_rounds(inner, models), state, inner)


def states_of_run(
    algorithm: Algorithm[State],
    problem: Problem,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    arithmetic: Arithmetic = RATIONAL,
    noise: Noise | None = None,
    fused: bool = True,
) -> Iterator[RunState[State]]:
    """The states before round 0, 1, ... and after the last round, one at a time: for models that
    are too large to keep all of them.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> problem, trace = Quadratic(curvatures=(2,), optima=(1,)), Trace.fresh([[1], [1]])
    >>> states = states_of_run(FedAvg(), problem, trace, start=0, local_step_size="1/4")
    >>> [str(state.server.model[0, 0]) for state in states]
    ['0', '1/2', '3/4']
    """
    check_roles(algorithm, problem, trace)
    model = start_row(start, problem.dimension, arithmetic)
    batch = _batch(problem, trace, model, noise)
    run = make_run(
        algorithm, problem, trace, arithmetic=arithmetic, noise=noise, batch=batch, fused=fused
    )
    yield from _states(run, model, trace, local_step_size, server_step_size)


def _states(
    run: Run[State],
    model: Rows,
    trace: Trace,
    local_step_size: StepSize,
    server_step_size: StepSize,
) -> Iterator[RunState[State]]:
    state = run.start(model + run.zeros[..., :1, :])
    yield state
    local, server = schedule(local_step_size), schedule(server_step_size)
    for round in rounds(trace, run.arithmetic, local, server):
        state = run.advance(state, round)
        yield state


def simulate_virtual(
    algorithm: Algorithm[State],
    problem: Problem,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    arithmetic: Arithmetic = RATIONAL,
    noise: Noise | None = None,
) -> Array:
    """Virtual iterates: the model if round n ended after k local steps, for n = 0..R-1 and k =
    0..K.

    FedLaAvg's Algorithm 3 (x^t with t = (r-1)C + k) and Fraboni's theta^{n,k}. The server runs K+1
    times at once along a new first axis, once for each k, on the deliveries after k steps; only the
    full deliveries move the model. Returns an array of shape (rounds, K + 1, coordinates).

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> problem, trace = Quadratic(curvatures=(2,), optima=(1,)), Trace.fresh([[1]], local_steps=2)
    >>> iterates = simulate_virtual(FedAvg(), problem, trace, start=0, local_step_size="1/4")
    >>> [str(x) for x in iterates[0, :, 0]]
    ['0', '1/2', '3/4']
    """
    check_roles(algorithm, problem, trace)
    if trace.batch_shape:
        raise InvalidInput(
            "trace", "be a single one for virtual iterates", f"a batch of shape {trace.batch_shape}"
        )
    run = make_run(algorithm, problem, trace, arithmetic=arithmetic, noise=noise)
    most = int(trace.local_steps.max())
    state = run.start(start_row(start, problem.dimension, arithmetic))
    shadows: State | None = None
    iterates = []
    for row in rounds(trace, arithmetic, schedule(local_step_size), schedule(server_step_size)):
        round = algorithm.worker.reads(row)
        partial = run.partial_deliveries(state, round)
        partial += [partial[-1]] * (most + 1 - len(partial))
        before = state.server if shadows is None else shadows
        shadows = with_rows(state.server, (state.server.model, *list(before)[1:]))
        shadows = run.algorithm.step(shadows, arithmetic.stack(partial), round)
        iterates.append(shadows.model[:, 0, :])
        state = run.finish(state, partial[-1], round)
    return arithmetic.export(arithmetic.stack(iterates))


def _batch(problem: Problem, trace: Trace, model: Rows, noise: Noise | None) -> tuple[int, ...]:
    """The batch axes of a run."""
    noises = () if noise is None else np.shape(noise(0, 0))[:-2]
    seeds = problem.batch_shape if is_drawn(problem) else ()
    return np.broadcast_shapes(trace.batch_shape, tuple(model.shape[:-2]), noises, seeds)


def _plain(state: RunState[State]) -> RunState[State]:
    """A state of whole numbers over common denominators as arrays of fractions."""
    out = INTEGER.export
    return RunState(
        with_rows(state.server, (out(rows) for rows in state.server)),
        tuple(out(rows) for rows in state.memory),
        tuple(
            Pulled(out(pulled.model), tuple(out(rows) for rows in pulled.extras))
            for pulled in state.past
        ),
    )


def _over_rounds(arithmetic: Arithmetic, models: list[Rows]) -> Array:
    """(..., rounds + 1, coordinates) from one (..., 1, coordinates) row per round."""
    stacked = arithmetic.export(arithmetic.stack(models))[..., 0, :]
    axes = (*range(1, stacked.ndim - 1), 0, stacked.ndim - 1)
    return stacked.transpose(axes)
