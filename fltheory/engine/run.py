"""One round of a run: a method on a problem in one arithmetic, from state to state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, cast

import numpy as np

from fltheory.core.errors import Diverged, InvalidInput
from fltheory.core.types import Nested, Start
from fltheory.engine.arithmetic import RATIONAL, Arithmetic, Rows
from fltheory.engine.local_work.exact_steps import StepsAtOnce
from fltheory.engine.noise import Noise
from fltheory.engine.roles import Algorithm, Problem, State, is_drawn, with_rows
from fltheory.engine.rounds import Round
from fltheory.engine.workers import LocalWork, Memory, Oracle, Pulled, plain, unchanged, work
from fltheory.traces.trace import Trace


class RunState(NamedTuple, Generic[State]):
    """Everything that the future of a run depends on: the server's rows, the clients' rows, and
    models that are still in use."""

    server: State
    memory: Memory
    past: tuple[Pulled, ...]


@dataclass(frozen=True)
class Run(Generic[State]):
    """A method on a problem in one arithmetic; `advance` maps a state to the next one."""

    algorithm: Algorithm[State]
    oracle: Oracle
    arithmetic: Arithmetic
    zeros: Rows
    max_delay: int
    local_work: LocalWork | None = None
    exact: bool = False
    """The numbers are fractions, which are always finite."""
    skip: bool = False
    """Clients that do not work may be left out: plain steps along affine gradients, which only add
    and multiply."""

    def start(self, model: Rows) -> RunState[State]:
        """The state before round 0."""
        return RunState(
            self.algorithm.start(model, self.zeros), self.algorithm.worker.start(self.zeros), ()
        )

    def sent(self, state: RunState[State]) -> Pulled:
        """What a client receives now."""
        return Pulled(state.server.model, self.algorithm.worker.sends(state.memory))

    def pulled(self, state: RunState[State], round: Round) -> Pulled:
        """What the work of each client started from: the newest model, or an older one for late
        deliveries."""
        result = self.sent(state)
        if not round.late:
            return result
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

    def partial_deliveries(self, state: RunState[State], round: Round) -> list[Rows]:
        """Deliveries after 0, 1, ..., K local steps, zero for clients that do not deliver."""
        return work(
            self.algorithm.worker,
            state.memory,
            self.pulled(state, round),
            self.oracle,
            round,
            self.zeros,
            skip=self.skip,
        )

    def deliveries(self, state: RunState[State], round: Round) -> Rows:
        """Deliveries after all local steps, by the problem's own local work if it has one."""
        if self.local_work is None:
            return self.partial_deliveries(state, round)[-1]
        return self.local_work(self.pulled(state, round).model, round)

    def advance(self, state: RunState[State], row: Round) -> RunState[State]:
        """The state after one round; a model that is not finite is an error, which names the first
        client whose delivery is not finite."""
        round = self.algorithm.worker.reads(row)
        deliveries = self.deliveries(state, round)
        following = self.finish(state, deliveries, round)
        if self.exact:
            return following
        if not self.arithmetic.finite(following.server.model).all():
            broken = ~np.asarray(self.arithmetic.export(self.arithmetic.finite(deliveries)))
            clients = np.nonzero(broken.any(axis=(*range(broken.ndim - 2), -1)))[0]
            raise Diverged(round.index, int(clients[0]) if len(clients) else None)
        return following

    def finish(self, state: RunState[State], deliveries: Rows, round: Round) -> RunState[State]:
        """The server's step and the clients' bookkeeping, given the deliveries of the round."""
        tidy, worker = self.arithmetic.tidy, self.algorithm.worker
        server = self.algorithm.step(state.server, deliveries, round)
        server, memory = with_rows(server, map(tidy, server)), state.memory
        if worker.finish is not unchanged:
            pulled = self.pulled(state, round)
            memory = tuple(map(tidy, worker.finish(memory, deliveries, pulled, round)))
        past = (*state.past, self.sent(state))[-self.max_delay :] if self.max_delay else ()
        return RunState(server, memory, past)


def make_run(
    algorithm: Algorithm[State],
    problem: Problem,
    trace: Trace,
    *,
    arithmetic: Arithmetic,
    noise: Noise | None = None,
    batch: tuple[int, ...] = (),
    fused: bool = True,
) -> Run[State]:
    """Bind a method, a problem and the delays of a trace to one arithmetic.

    If `fused`, the problem's own local work replaces the loop over local steps for clients that run
    plain local SGD.
    """
    if trace.num_clients != problem.num_clients:
        raise InvalidInput(
            "trace",
            f"have the problem's {problem.num_clients} clients",
            f"{trace.num_clients} clients",
        )
    local_work = None
    if is_drawn(problem):
        gradients = problem.oracle(arithmetic)
        if fused and noise is None and algorithm.worker.direction is plain:
            local_work = problem.local_work(arithmetic, batch)
    else:
        exact_gradients = problem.gradients(arithmetic)

        def gradients(rows: Rows, index: int, step: int) -> Rows:
            return exact_gradients(rows)

        at_once = fused and noise is None and algorithm.worker.direction is plain
        if at_once and hasattr(problem, "steps_at_once"):
            local_work = cast(StepsAtOnce, problem).steps_at_once(arithmetic)

    def oracle(rows: Rows, index: int, step: int) -> Rows:
        found = gradients(rows, index, step)
        return found if noise is None else found + arithmetic.rows(noise(index, step))

    zeros = arithmetic.zeros((*batch, problem.num_clients, problem.dimension))
    skip = problem.affine and algorithm.worker.direction is plain
    exact, oldest = arithmetic.name == RATIONAL.name, int(trace.delays.max())
    return Run(algorithm, oracle, arithmetic, zeros, oldest, local_work, exact, skip)


def start_row(start: Start, dimension: int, arithmetic: Arithmetic) -> Rows:
    """A starting point as one row: one number for all coordinates, a vector, or rows with batch
    axes, which are kept.

    >>> from fltheory import FLOAT
    >>> start_row(1, 3, FLOAT).tolist()
    [[1.0, 1.0, 1.0]]
    """
    axes = getattr(start, "ndim", int(hasattr(start, "__len__") and not isinstance(start, str)))
    if axes >= 2:
        return arithmetic.rows(start)
    values = list(cast(Sequence[Nested], start)) if axes else [start] * dimension
    if len(values) != dimension:
        raise InvalidInput(
            "start", f"have the problem's {dimension} coordinates", f"{len(values)} coordinates"
        )
    return arithmetic.rows([values])
