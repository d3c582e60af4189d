"""Runs of the common methods on quadratics in compiled code: millions of rounds per second."""

from fractions import Fraction
from typing import Protocol

import numpy as np

from fltheory.core.errors import Diverged, InvalidInput
from fltheory.core.randomness import key_words
from fltheory.core.types import (
    BoolArray,
    FloatArray,
    IntArray,
    Scalar,
    Seed,
    Start,
    StepSize,
    WordArray,
)
from fltheory.engine.arithmetic.float_ import doubles
from fltheory.engine.roles import Algorithm
from fltheory.engine.traits import rule_of
from fltheory.engine.workers import LOCAL_SGD
from fltheory.traces.trace import Trace


class Quadratics(Protocol):
    """What the compiled loops need to know about a problem: losses h_i |x - c_i|^2/2, coordinate by
    coordinate, and additive noise."""

    @property
    def curvatures(self) -> tuple[tuple[Scalar, ...], ...]: ...

    @property
    def optima(self) -> tuple[tuple[Scalar, ...], ...]: ...

    @property
    def num_clients(self) -> int: ...

    @property
    def dimension(self) -> int: ...

    @property
    def noise_squared(self) -> Fraction: ...


BLOCK_NUMBERS = 1 << 15
"""Normal numbers that are drawn before the rounds that use them."""

TABLE_NUMBERS = 1 << 12
"""Numbers in the tables of the runs that go together, so that they stay in the cache."""

LINE_NUMBERS = 20_000
"""Numbers in the tables of one block of rounds on a line."""

MOST_TOGETHER = 64
"""Maximum number of runs that go together."""


def simulate_quadratic(
    algorithm: Algorithm,
    problem: Quadratics,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    seed: Seed = 0,
    at_once: bool = True,
) -> FloatArray:
    """The models (..., rounds + 1, coordinates) of `simulate` with Gaussian noise of the problem's
    variance, in double precision.

    Without noise they agree with the float arithmetic up to rounding. With noise, the local steps
    of a delivery are drawn `at_once`, which has the same distribution, or one by one with the
    normals of `fltheory.engine.noise.Gaussian`. Several seeds give a batch.

    >>> from fltheory import FedAvg, Quadratic
    >>> problem = Quadratic(curvatures=(2, 2), optima=(0, 1))
    >>> drift = Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]])
    >>> simulate_quadratic(FedAvg(), problem, drift, start=0, local_step_size="1/4")[:, 0].tolist()
    [0.0, 0.0, 0.5, 0.75, 0.875]
    """
    from fltheory.engine.compiled.evenness import is_even
    from fltheory.engine.compiled.exact_lines import run_exact_lines

    rule = rule_of(algorithm)
    if rule is None or rule.weighted or algorithm.worker is not LOCAL_SGD:
        raise InvalidInput(
            "algorithm",
            "declare a server_rule without weights and use plain local steps for a compiled run",
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
    shape = (-1, rounds, clients)
    delivers, started = trace.delivers.reshape(shape), trace.started_from.reshape(shape)
    steps = trace.local_steps.reshape(shape)
    local = sizes_of_rounds(local_step_size, rounds)
    server = sizes_of_rounds(server_step_size, rounds)
    words = key_words(np.broadcast_to(np.array(seed, dtype=object), (runs,)))
    noise = float(problem.noise_squared / problem.dimension) ** 0.5
    if noise == 0 and problem.dimension == 1 and is_even(delivers, started, steps):
        run_exact_lines(
            models.reshape(runs, rounds + 1),
            curvatures.reshape(-1),
            optima.reshape(-1),
            delivers,
            local,
            server,
            steps.max(),
            rule.flags,
            max(1, min(rounds, LINE_NUMBERS // clients)),
        )
    else:
        flags = (*rule.flags, at_once)
        keys = np.stack(np.broadcast_arrays(*words), axis=-1).astype(np.uint64)
        size = max(1, TABLE_NUMBERS // (clients * problem.dimension))
        together = 1 if len(delivers) > 1 else min(MOST_TOGETHER, size)
        for first in range(0, runs, together):
            some = slice(first, first + together)
            row = first if len(delivers) > 1 else 0
            _run_together(
                models[some],
                (curvatures, optima),
                (delivers[row], started[row], steps[row]),
                (local, server),
                keys[some],
                noise,
                flags,
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


def _run_together(
    models: FloatArray,
    problem: tuple[FloatArray, FloatArray],
    trace: tuple[BoolArray, IntArray, IntArray],
    sizes: tuple[FloatArray, FloatArray],
    keys: WordArray,
    noise: float,
    flags: tuple[bool, bool, bool, bool],
) -> None:
    """Fill the models of some runs along one trace, whose coordinates are computed side by side."""
    from fltheory.engine.compiled.normals import fill_delivery_normals
    from fltheory.engine.compiled.quadratics import list_deliveries, run_block, run_line_block

    runs, rounds, dimension = len(models), models.shape[1] - 1, models.shape[2]
    clients, lanes, at_once = trace[0].shape[1], runs * dimension, flags[3]
    advance = run_line_block if lanes == 1 and (at_once or noise == 0) else run_block
    path = np.empty((rounds + 1, lanes))
    path[0] = models[:, 0].reshape(-1)
    tables = np.zeros((4, clients, lanes))
    tables[:2] = np.tile(np.stack(problem), runs)
    memory, known = np.zeros((clients, lanes)), np.zeros((clients, 2))
    draws = 0 if noise == 0 else dimension if at_once else int(trace[2].max()) * dimension
    block = max(1, min(rounds, BLOCK_NUMBERS // (clients * runs * max(1, draws))))
    table = np.empty((4, block * clients + 1), np.int64)
    space = np.empty(block * clients * runs * draws)
    for begin in range(0, rounds, block):
        firsts = np.zeros(min(block, rounds - begin) + 1, np.int64)
        list_deliveries(*trace, begin, firsts, table)
        count = int(firsts[-1])
        drawn = space[: count * runs * draws].reshape(count, runs, draws)
        if draws:
            fill_delivery_normals(keys, table[0], table[1], drawn)
            if not at_once:
                steps = drawn.reshape(count, runs, -1, dimension).swapaxes(1, 2)
                drawn = noise * steps.reshape(count, runs, draws)
        normals = drawn.reshape(count, runs * draws)
        advance(path, memory, tables, known, begin, firsts, table, *sizes, noise, normals, flags)
    models[:] = path.reshape(rounds + 1, runs, dimension).swapaxes(0, 1)


def sizes_of_rounds(step_size: StepSize, rounds: int) -> FloatArray:
    """The step size of every round.

    >>> sizes_of_rounds("1/4", 2).tolist()
    [0.25, 0.25]
    """
    return (
        doubles([step_size(t) for t in range(rounds)])
        if callable(step_size)
        else np.full(rounds, float(doubles(step_size)))
    )


def _at_fault(
    models: FloatArray,
    curvatures: FloatArray,
    optima: FloatArray,
    started: IntArray,
    steps: IntArray,
    local: FloatArray,
) -> int | None:
    """The first client whose noise-free local steps are not finite."""
    with np.errstate(all="ignore"):
        for i in np.flatnonzero(steps):
            path = models[started[i]]
            for _ in range(steps[i]):
                path = path - local[started[i]] * curvatures[i] * (path - optima[i])
            if not np.isfinite(path).all():
                return int(i)
    return None
