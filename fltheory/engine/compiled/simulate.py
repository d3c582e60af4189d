"""Runs of the common methods on quadratics in compiled code: millions of rounds in a second."""

from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from fltheory.core.errors import Diverged, InvalidInput
from fltheory.core.randomness import key_words
from fltheory.engine.arithmetic.float_ import doubles
from fltheory.engine.rounds import Schedule
from fltheory.engine.traits import rule_of
from fltheory.engine.workers import LOCAL_SGD
from fltheory.traces.trace import Trace


class Quadratics(Protocol):
    """What the loops know of a problem: clients with h_i |x - c_i|^2/2, coordinate by coordinate,
    and additive noise."""

    @property
    def curvatures(self) -> Any: ...

    @property
    def optima(self) -> Any: ...

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def noise_squared(self) -> Fraction: ...


BLOCK_NUMBERS = 20_000
"""Numbers in the tables of one block of rounds, which all runs share: they stay in the cache."""


def simulate_quadratic(
    algorithm: Any,
    problem: Quadratics,
    trace: Trace,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any = 1,
    seed: int | tuple[int, ...] = 0,
    at_once: bool = True,
) -> Any:
    """The models (..., rounds + 1, coordinates) of `simulate` with Gaussian noise of the problem's
    variance, in double precision.

    Without noise they agree with the float arithmetic to rounding. With noise, local steps are
    drawn `at_once`, which is exact in law, or one by one with the normals of
    `fltheory.engine.noise.Gaussian`. Several seeds give a batch.

    >>> from fltheory import FedAvg, Quadratic
    >>> drift = Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]])
    >>> simulate_quadratic(FedAvg(), Quadratic(curvatures=(2, 2), optima=(0, 1)), drift, start=0, local_step_size="1/4")[:, 0].tolist()
    [0.0, 0.0, 0.5, 0.75, 0.875]
    """
    from fltheory.engine.compiled.quadratics import is_even, run_rounds

    rule = rule_of(algorithm)
    if rule is None or rule.weighted or algorithm.worker is not LOCAL_SGD:
        raise InvalidInput(
            "algorithm",
            "declare a server_rule without weights, and plain local steps, for a compiled run",
            type(algorithm).__name__,
        )
    if trace.num_clients != problem.num_clients:
        raise InvalidInput(
            "trace",
            f"have the problem's {problem.num_clients} clients",
            f"{trace.num_clients} clients",
        )
    batch = np.broadcast_shapes(trace.batch_shape, np.shape(seed))
    if len(batch) > 1:
        raise InvalidInput("batch of runs", "have one axis for a compiled run", f"shape {batch}")
    runs, rounds, clients = int(np.prod(batch)), trace.num_rounds, problem.num_clients
    models = np.empty((runs, rounds + 1, problem.dimension))
    models[:, 0] = doubles(start)
    curvatures, optima = doubles(problem.curvatures), doubles(problem.optima)
    delivers, started, steps = (
        x.reshape(-1, rounds, clients)
        for x in (trace.delivers, trace.started_from, trace.local_steps)
    )
    local, server = (
        sizes_of_rounds(local_step_size, rounds),
        sizes_of_rounds(server_step_size, rounds),
    )
    keys = np.stack(
        np.broadcast_arrays(*key_words(np.broadcast_to(np.array(seed, dtype=object), (runs,)))),
        axis=-1,
    ).astype(np.uint64)
    noise = float(problem.noise_squared / problem.dimension) ** 0.5
    flags = (*rule.flags, at_once, is_even(delivers, started, steps))
    block = max(1, min(rounds, BLOCK_NUMBERS // (clients * problem.dimension)))
    run_rounds(
        models,
        curvatures,
        optima,
        delivers,
        started,
        steps,
        local,
        server,
        keys,
        noise,
        flags,
        block,
    )
    if not np.isfinite(models).all():
        broken = np.argwhere(~np.isfinite(models).all(axis=-1))
        run, index = min((tuple(place) for place in broken), key=lambda place: place[1])
        row = run if len(delivers) > 1 else 0
        raise Diverged(
            index - 1,
            _at_fault(
                models[run],
                curvatures,
                optima,
                started[row, index - 1],
                steps[row, index - 1],
                local,
            ),
        )
    return models.reshape(*batch, rounds + 1, problem.dimension)


def sizes_of_rounds(step_size: Any | Schedule, rounds: int) -> Any:
    """A step size for every round."""
    return (
        doubles([step_size(t) for t in range(rounds)])
        if callable(step_size)
        else np.full(rounds, float(doubles(step_size)))
    )


def _at_fault(
    models: Any, curvatures: Any, optima: Any, started: Any, steps: Any, local: Any
) -> int | None:
    """The first client whose noise-free local steps leave the finite numbers."""
    with np.errstate(all="ignore"):
        for i in np.flatnonzero(steps):
            path = models[started[i]]
            for _ in range(steps[i]):
                path = path - local[started[i]] * curvatures[i] * (path - optima[i])
            if not np.isfinite(path).all():
                return int(i)
    return None
