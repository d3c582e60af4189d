"""Exact moments of the common methods in compiled code, where a run is of the kind that the loops
know."""

from typing import Any, NamedTuple

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.engine.arithmetic.float_ import doubles
from fltheory.engine.compiled import NUMBA
from fltheory.engine.compiled.simulate import Quadratics, sizes_of_rounds
from fltheory.engine.traits import ServerRule, rule_of
from fltheory.engine.workers import LOCAL_SGD
from fltheory.traces.trace import BoolArray, IntArray, Trace

NOBODY_LATE = np.zeros((0, 0), np.int64)


class Tables(NamedTuple):
    """A trace as the loops read it: the last `cycle` rows repeat until there are `rounds` of them.

    One entry in `local_steps` holds for all deliveries; without delays their table is empty.
    """

    rounds: int
    cycle: int
    delivers: BoolArray
    delays: IntArray
    local_steps: IntArray

    @property
    def even(self) -> bool:
        """Is all work on time, with equally many local steps?"""
        return self.delays.size == 0 and self.local_steps.size == 1

    def trace(self) -> Trace:
        """All rounds, row by row."""
        rows, at = len(self.delivers), np.arange(self.rounds)
        at = np.where(at < rows, at, rows - self.cycle + (at - rows) % self.cycle)
        delays = self.delays[at] if self.delays.size else 0
        steps = self.local_steps if self.local_steps.size == 1 else self.local_steps[at]
        return Trace.with_delays(self.delivers[at], delays, local_steps=steps)


def tables_of(trace: Trace) -> Tables:
    """The tables of a single trace, row by row."""
    from fltheory.engine.compiled.quadratics import is_even

    even = is_even(
        *(table[None] for table in (trace.delivers, trace.started_from, trace.local_steps))
    )
    steps = np.array([[trace.local_steps.max()]]) if even else trace.local_steps
    return Tables(
        trace.num_rounds,
        trace.num_rounds,
        trace.delivers,
        NOBODY_LATE if even else trace.delays,
        steps,
    )


def knows(algorithm: Any, problem: Any) -> bool:
    """A server that the loops know, plain local steps, and a quadratic with one coordinate.

    >>> from fltheory import Mifa, MifaDifference, Quadratic
    >>> line = Quadratic(curvatures=(1, 2), optima=(0, 1))
    >>> knows(Mifa(), line) == NUMBA, knows(MifaDifference(), line)
    (True, False)
    """
    known = NUMBA and rule_of(algorithm) is not None and algorithm.worker is LOCAL_SGD
    return known and hasattr(problem, "curvatures") and problem.affine and problem.dimension == 1


def can_compile(algorithm: Any, problem: Any, trace: Trace) -> bool:
    """Besides, one trace of the problem's clients, and weights for all of its rounds and
    clients."""
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


def covariance_is_known(algorithm: Any, tables: Tables) -> bool:
    """Do the loops move the whole covariance of such a run forwards?"""
    return tables.even or not _server(algorithm)[0]


def compiled_adjoint(
    algorithm: Any,
    problem: Quadratics,
    tables: Tables,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any,
    weights: Any,
) -> tuple[float, float]:
    """Mean and variance of sum_t weights[t] x_t."""
    from fltheory.engine.compiled.second_moments import adjoint_pass

    mean, variance = adjoint_pass(
        *tables,
        *_run(algorithm, problem, tables.rounds, local_step_size, server_step_size),
        doubles(weights),
        float(start),
    )
    return float(mean), float(variance)


def compiled_mean_squares(
    algorithm: Any,
    problem: Quadratics,
    tables: Tables,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any,
) -> Any:
    """E x_t^2 of all models, one more than there are rounds."""
    from fltheory.engine.compiled.second_moments import late_mean_squares, mean_squares

    found = np.empty(tables.rounds + 1)
    loop = mean_squares if tables.even else late_mean_squares
    loop(
        *tables,
        *_run(algorithm, problem, tables.rounds, local_step_size, server_step_size),
        float(start),
        found,
    )
    return found


def _run(
    algorithm: Any, problem: Quadratics, rounds: int, local_step_size: Any, server_step_size: Any
) -> tuple[Any, ...]:
    return (
        doubles(problem.curvatures)[:, 0],
        doubles(problem.optima)[:, 0],
        *(
            sizes_of_rounds(size, rounds if callable(size) else 1)
            for size in (local_step_size, server_step_size)
        ),
        float(problem.noise_squared),
        (*_server(algorithm), _weighted(algorithm)),
        doubles(_weights(algorithm, problem.num_clients)),
    )


def _server(algorithm: Any) -> tuple[bool, bool, bool]:
    return _rule(algorithm).flags


def _rule(algorithm: Any) -> ServerRule:
    found = rule_of(algorithm)
    if found is None:
        raise InvalidInput(
            "algorithm", "declare a server_rule for compiled loops", type(algorithm).__name__
        )
    return found


def _weighted(algorithm: Any) -> bool:
    return _rule(algorithm).weighted


def _by_round(algorithm: Any) -> bool:
    """Has every round a row of weights of its own?"""
    return _weighted(algorithm) and isinstance(algorithm.weights[0], tuple)


def _weights(algorithm: Any, num_clients: int) -> Any:
    """Rows of the weights of arrivals: one for each round, or one for all."""
    if not _weighted(algorithm):
        return ((1,) * num_clients,)
    return algorithm.weights if _by_round(algorithm) else (algorithm.weights,)
