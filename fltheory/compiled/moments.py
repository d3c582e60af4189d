"""Exact moments of the common methods in compiled code, where a run is of the kind that the loops know."""

from typing import Any

import numpy as np

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.arithmetic.float_ import doubles
from fltheory.compiled import NUMBA
from fltheory.compiled.simulate import SERVERS, sizes_of_rounds
from fltheory.problems.quadratic import Quadratic
from fltheory.trace import Trace
from fltheory.workers import LOCAL_SGD

WEIGHTED = (False, True, False)
"""What weighted aggregation does with deliveries, in the terms of SERVERS."""


def knows(algorithm: Any, problem: Any) -> bool:
    """A server that the loops know, plain local steps, and a quadratic with one coordinate.

    >>> from fltheory import Mifa, MifaDifference
    >>> line = Quadratic(curvatures=(1, 2), optima=(0, 1))
    >>> knows(Mifa(), line) == NUMBA, knows(MifaDifference(), line)
    (True, False)
    """
    known = NUMBA and (type(algorithm) in SERVERS or _fixed_weights(algorithm)) and algorithm.worker is LOCAL_SGD
    return known and isinstance(problem, Quadratic) and problem.dimension == 1


def can_compile(algorithm: Any, problem: Any, trace: Trace) -> bool:
    """Besides, one trace whose deliveries are on time and take equally many local steps."""
    if not knows(algorithm, problem) or trace.batch_shape:
        return False
    from fltheory.compiled.quadratics import is_even

    return bool(is_even(*(table[None] for table in (trace.delivers, trace.started_from, trace.local_steps))))


def compiled_adjoint(algorithm: Any, problem: Quadratic, delivers: Any, local_steps: int, *, start: Any, local_step_size: Any,
                     server_step_size: Any, weights: Any) -> tuple[float, float]:
    """Mean and variance of sum_t weights[t] x_t."""
    from fltheory.compiled.second_moments import adjoint_pass

    run = _run(algorithm, problem, delivers, local_steps, local_step_size, server_step_size)
    mean, variance = adjoint_pass(*run, doubles(weights), float(start))
    return float(mean), float(variance)


def compiled_mean_squares(algorithm: Any, problem: Quadratic, delivers: Any, local_steps: int, *, start: Any, local_step_size: Any,
                          server_step_size: Any) -> Any:
    """E x_t^2 of all models, one more than there are rounds."""
    from fltheory.compiled.second_moments import mean_squares

    found = np.empty(len(delivers) + 1)
    mean_squares(*_run(algorithm, problem, delivers, local_steps, local_step_size, server_step_size), float(start), found)
    return found


def _run(algorithm: Any, problem: Quadratic, delivers: Any, local_steps: int, local_step_size: Any,
         server_step_size: Any) -> tuple[Any, ...]:
    rounds, weighted = len(delivers), _fixed_weights(algorithm)
    return (delivers, doubles(problem.curvatures)[:, 0], doubles(problem.optima)[:, 0], local_steps,
            *(sizes_of_rounds(size, rounds if callable(size) else 1) for size in (local_step_size, server_step_size)),
            float(problem.noise_squared), (*SERVERS.get(type(algorithm), WEIGHTED), weighted),
            doubles(algorithm.weights) if weighted else np.ones(problem.num_clients))


def _fixed_weights(algorithm: Any) -> bool:
    """Are arrivals added with one weight per client, the same in all rounds?"""
    return type(algorithm) is WeightedAggregation and not any(isinstance(row, tuple) for row in algorithm.weights)
