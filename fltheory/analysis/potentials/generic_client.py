"""One generic client of a method: the method's own code, run over unknown vectors.

The common model is replaced by a new unknown vector before each round, because other clients move
it. What the client adds to the model in a round is the increment of a run with this client alone.
That the server moves by the mean of these increments, over all clients or over those that deliver,
is checked by running the method with three clients.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from fltheory.analysis.potentials.polynomials import Row, constant
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, IntArray
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.arithmetic.gram import Gram, Tape
from fltheory.engine.roles import Algorithm, with_rows
from fltheory.engine.rounds import Round, rounds, schedule
from fltheory.engine.run import Run, make_run
from fltheory.engine.workers import LocalWork, Oracle
from fltheory.traces.trace import Trace

CLIENTS, ARRIVALS = "clients", "arrivals"
"""Whose increments the server averages: those of all clients, or of the clients that deliver."""


class DoesNotFit(InvalidInput):
    """The method has no generic client in this language; the message says why."""

    def __init__(self, why: str) -> None:
        super().__init__("method", "fit the question", why)
        self.args = (f"this method does not fit: {why}",)


@dataclass(frozen=True)
class TiltedLosses:
    """Unknown losses whose gradients are the recorded ones plus a slope."""

    tape: Tape
    local_steps: tuple[IntArray, ...]
    answers: Callable[[Rows, np.ndarray], Rows]
    affine: bool = False
    batch_shape: tuple[int, ...] = ()

    @property
    def num_clients(self) -> int:
        return int(self.local_steps[0].shape[0])

    @property
    def dimension(self) -> int:
        return self.tape.capacity

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        return lambda rows: self.answers(rows, np.ones(self.num_clients, bool))

    def oracle(self, arithmetic: Arithmetic) -> Oracle:
        return lambda rows, index, step: self.answers(rows, self.local_steps[index][:, 0] > step)

    def local_work(self, arithmetic: Arithmetic, batch: tuple[int, ...]) -> LocalWork | None:
        return None


@dataclass(frozen=True)
class Walked:
    """What a client alone did: points and gradients in the order of its requests, and what it added
    to the model in each round; vectors are rows over names."""

    points: tuple[Row, ...]
    gradients: tuple[Row, ...]
    increments: tuple[Row, ...]
    asked: tuple[str, ...]
    """Names of the gradients, tilted so that they vanish at the optimum."""


def walk(
    algorithm: Algorithm,
    trace: Trace,
    models: Sequence[str],
    step_size: Fraction | Callable[[int], Fraction],
    *,
    slope: str | None = None,
) -> Walked:
    """Run a single client along a trace, with a new unknown model before each round.

    >>> from fltheory import Mifa
    >>> once = walk(Mifa(), Trace.fresh([[1], [0]]), ("s", "x"), Fraction(1, 4))
    >>> once.points[0], once.increments[1]
    ({'s': {(): Fraction(1, 1)}}, {'q0': {(): Fraction(-1, 4)}})
    """
    names = list(dict.fromkeys([*models, *([slope] if slope else [])]))
    steps = int(trace.local_steps.sum())
    asked = tuple(f"q{k}" for k in range(steps))
    tape = Tape(((0,),), len(names) + steps, Gram())
    vectors = {name: tape.mint() for name in names}
    tilt = vectors[slope] if slope else tape.zero()

    def answers(rows: Rows, busy: np.ndarray) -> Rows:
        found = tape.gradients(rows, busy)
        return found + tilt if busy[0] else found

    increments = _increments(
        algorithm, trace, step_size, tape, answers, [vectors[name] for name in models]
    )
    listed = [*names, *asked]

    def named(vector: Array) -> Row:
        return {listed[k]: constant(x) for k, x in enumerate(vector) if x}

    records = tape.records[0]
    return Walked(
        tuple(named(r.point) for r in records),
        tuple(named(r.gradient) for r in records),
        tuple(named(row) for row in increments),
        asked[: len(records)],
    )


def _increments(
    algorithm: Algorithm,
    trace: Trace,
    step_size: Fraction | Callable[[int], Fraction],
    tape: Tape,
    answers: Callable[[Rows, np.ndarray], Rows],
    models: Sequence[Rows],
) -> list[Rows]:
    """What each round adds to the model, when the model before it is the given one."""
    run = _run(algorithm, trace, step_size, tape, answers)
    state = run.start(models[0][None, :])
    found = []
    for round, model in zip(_rounds(trace, tape, step_size), models, strict=True):
        state = state._replace(
            server=with_rows(state.server, (model[None, :], *list(state.server)[1:]))
        )
        state = run.advance(state, round)
        found.append(state.server.model[0] - model)
    return found


def _run(
    algorithm: Algorithm,
    trace: Trace,
    step_size: Fraction | Callable[[int], Fraction],
    tape: Tape,
    answers: Callable[[Rows, np.ndarray], Rows],
) -> Run:
    steps = tuple(
        algorithm.worker.reads(row).local_steps for row in _rounds(trace, tape, step_size)
    )
    return make_run(
        algorithm, TiltedLosses(tape, steps, answers), trace, arithmetic=tape.arithmetic
    )


def _rounds(
    trace: Trace, tape: Tape, step_size: Fraction | Callable[[int], Fraction]
) -> Iterator[Round]:
    return rounds(trace, tape.arithmetic, schedule(step_size), schedule(1))


def averages_over(
    algorithm: Algorithm, trace: Trace, alone_as: Algorithm | None = None
) -> str | None:
    """Whose increments the server averages in a run with several clients: the method's own code,
    run with all of them and with each alone, on the same models and gradients.

    `alone_as` is the method for one client, where weights depend on the number of clients. None:
    neither all clients nor those that deliver.
    """
    step_size, clients = Fraction(1, 3), trace.num_clients
    asked = int(trace.local_steps.sum()) + 1
    tape = Tape(tuple((i,) for i in range(clients)), 1 + 2 * asked, Gram())
    first = tape.mint()
    run = _run(algorithm, trace, step_size, tape, tape.gradients)
    state = run.start(first[None, :])
    models = [state.server.model[0]]
    for round in _rounds(trace, tape, step_size):
        state = run.advance(state, round)
        models.append(state.server.model[0])
    alone, single = [], alone_as or algorithm
    for i in range(clients):
        own = Trace(
            trace.delivers[:, i : i + 1],
            trace.started_from[:, i : i + 1],
            trace.local_steps[:, i : i + 1],
        )

        def answers(rows: Rows, busy: np.ndarray, i: int = i) -> Rows:
            return tape.gradient(i, rows[0])[None, :] if busy[0] else 0 * rows

        alone.append(_increments(single, own, step_size, tape, answers, models[:-1]))
    moved = [after - before for before, after in pairwise(models)]
    for name in (CLIENTS, ARRIVALS):
        if all(_is_mean(moved[t], alone, trace, t, name) for t in range(trace.num_rounds)):
            return name
    return None


def _is_mean(moved: Rows, alone: list[list[Rows]], trace: Trace, t: int, name: str) -> bool:
    counted = [
        alone[i][t] for i in range(trace.num_clients) if name == CLIENTS or trace.delivers[t, i]
    ]
    if name == ARRIVALS and not counted:
        return not any(moved)
    return not any(sum(counted[1:], counted[0]) / len(counted) - moved)
