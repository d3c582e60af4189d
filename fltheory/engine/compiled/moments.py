"""Exact moments of the common methods in compiled code, for the kinds of run that the loops
support."""

from typing import NamedTuple, Protocol, TypeAlias, cast

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import (
    BoolArray,
    FloatArray,
    IntArray,
    Nested,
    Scalar,
    Start,
    StepSize,
)
from fltheory.engine.arithmetic.float_ import doubles
from fltheory.engine.compiled import NUMBA
from fltheory.engine.compiled.simulate import Quadratics, sizes_of_rounds
from fltheory.engine.roles import Algorithm, Problem
from fltheory.engine.traits import ServerRule, rule_of
from fltheory.engine.workers import LOCAL_SGD
from fltheory.traces.trace import Trace

NOBODY_LATE = np.zeros((0, 0), np.int64)
"""The table of delays if no client is late."""


_Described: TypeAlias = tuple[
    FloatArray, FloatArray, FloatArray, FloatArray, float, tuple[bool, bool, bool, bool], FloatArray
]
"""A method on a problem in the form of the compiled loops: curvatures, optima, local and server
step sizes, noise variance, flags, weights."""


class Tables(NamedTuple):
    """A trace in the form of the compiled loops: the last `cycle` rows repeat until there are
    `rounds` rows.

    One entry in `local_steps` holds for all deliveries; without delays their table is empty.
    """

    rounds: int
    cycle: int
    delivers: BoolArray
    delays: IntArray
    local_steps: IntArray

    @property
    def even(self) -> bool:
        """Whether all work is on time with equal numbers of local steps."""
        return self.delays.size == 0 and self.local_steps.size == 1

    def trace(self) -> Trace:
        """The trace with all its rounds."""
        rows, at = len(self.delivers), np.arange(self.rounds)
        at = np.where(at < rows, at, rows - self.cycle + (at - rows) % self.cycle)
        delays = self.delays[at] if self.delays.size else 0
        steps = self.local_steps if self.local_steps.size == 1 else self.local_steps[at]
        return Trace.with_delays(self.delivers[at], delays, local_steps=steps)


def tables_of(trace: Trace) -> Tables:
    """The tables of a single trace, row by row."""
    from fltheory.engine.compiled.evenness import is_even

    even = is_even(trace.delivers[None], trace.started_from[None], trace.local_steps[None])
    steps = np.array([[trace.local_steps.max()]]) if even else trace.local_steps
    return Tables(
        trace.num_rounds,
        trace.num_rounds,
        trace.delivers,
        NOBODY_LATE if even else trace.delays,
        steps,
    )


def knows(algorithm: Algorithm, problem: Problem) -> bool:
    """Whether the loops support a method and a problem: a server rule, plain local steps, and a
    quadratic with one coordinate.

    >>> from fltheory import Mifa, MifaDifference, Quadratic
    >>> line = Quadratic(curvatures=(1, 2), optima=(0, 1))
    >>> knows(Mifa(), line) == NUMBA, knows(MifaDifference(), line)
    (True, False)
    """
    known = NUMBA and rule_of(algorithm) is not None and algorithm.worker is LOCAL_SGD
    return known and hasattr(problem, "curvatures") and problem.affine and problem.dimension == 1


def can_compile(algorithm: Algorithm, problem: Problem, trace: Trace) -> bool:
    """Whether the loops support a run: in addition, a single trace of the problem's clients, and
    weights for all its rounds and clients."""
    if (
        not knows(algorithm, problem)
        or trace.batch_shape
        or trace.num_clients != problem.num_clients
    ):
        return False
    rows = _weights(algorithm, problem.num_clients)
    return all(len(row) == problem.num_clients for row in rows) and len(rows) >= (
        trace.num_rounds if _by_round(algorithm) else 1
    )


def compiled_adjoint(
    algorithm: Algorithm,
    problem: Quadratics,
    tables: Tables,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize,
    weights: Nested,
) -> tuple[float, float]:
    """Mean and variance of sum_t weights[t] x_t."""
    from fltheory.engine.compiled.second_moments import adjoint_pass

    described = _run(algorithm, problem, tables.rounds, local_step_size, server_step_size)
    arguments = (*tables, *described, doubles(weights), doubles(start).item())
    mean, variance = adjoint_pass(*arguments)
    return float(mean), float(variance)


def compiled_mean_squares(
    algorithm: Algorithm,
    problem: Quadratics,
    tables: Tables,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize,
) -> FloatArray:
    """E x_t^2 of all models, which are one more than the rounds."""
    from fltheory.engine.compiled.second_moments import late_mean_squares, mean_squares

    found = np.empty(tables.rounds + 1)
    loop = mean_squares if tables.even else late_mean_squares
    described = _run(algorithm, problem, tables.rounds, local_step_size, server_step_size)
    arguments = (*tables, *described, doubles(start).item(), found)
    loop(*arguments)
    return found


def _run(
    algorithm: Algorithm,
    problem: Quadratics,
    rounds: int,
    local_step_size: StepSize,
    server_step_size: StepSize,
) -> _Described:
    return (
        doubles(problem.curvatures)[:, 0],
        doubles(problem.optima)[:, 0],
        sizes_of_rounds(local_step_size, rounds if callable(local_step_size) else 1),
        sizes_of_rounds(server_step_size, rounds if callable(server_step_size) else 1),
        float(problem.noise_squared),
        (*_rule(algorithm).flags, _rule(algorithm).weighted),
        doubles(_weights(algorithm, problem.num_clients)),
    )


def _rule(algorithm: Algorithm) -> ServerRule:
    found = rule_of(algorithm)
    if found is None:
        raise InvalidInput(
            "algorithm", "declare a server_rule for compiled loops", type(algorithm).__name__
        )
    return found


class _Weighted(Protocol):
    """A method with a weight per client, or with one row of weights per round."""

    weights: tuple[Scalar, ...] | tuple[tuple[Scalar, ...], ...]


def _by_round(algorithm: Algorithm) -> bool:
    """Whether every round has its own row of weights."""
    weighted = cast(_Weighted, algorithm)
    return _rule(algorithm).weighted and isinstance(weighted.weights[0], tuple)


def _weights(algorithm: Algorithm, num_clients: int) -> tuple[tuple[Scalar, ...], ...]:
    """Rows of the weights of arrivals: one for each round, or one for all rounds."""
    if not _rule(algorithm).weighted:
        return ((1,) * num_clients,)
    weights = cast(_Weighted, algorithm).weights
    rows = weights if _by_round(algorithm) else (weights,)
    return cast("tuple[tuple[Scalar, ...], ...]", rows)
