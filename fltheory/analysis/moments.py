"""Expectation without sampling: exact mean and variance of a method on quadratics with additive
gradient noise.

On quadratics a round is an affine map of the whole state, z_{t+1} = A_t z_t + b_t + B_t n_t, with
fresh noise n_t in the deliveries. For one scalar output <c, z> an adjoint pass backwards costs one
state per round; the full covariance forwards costs its square. Coordinates of a quadratic do not
mix, so each is a problem of its own. K local steps are in closed form: directions along a local
path shrink by the factor r = 1 - eta s (s: slope of the direction), so a delivery is (1 + r + ... +
r^{K-1}) times the first direction, with noise variance sigma^2 (1 + r^2 + ... + r^{2(K-1)}).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fltheory.analysis.affine import StateSpace
from fltheory.core.errors import Diverged, InvalidInput
from fltheory.core.exact import exact, shares
from fltheory.engine.arithmetic import FLOAT, Arithmetic, Rows
from fltheory.engine.compiled.moments import (
    can_compile,
    compiled_adjoint,
    compiled_mean_squares,
    covariance_is_known,
    tables_of,
)
from fltheory.engine.rounds import Round, round_block, schedule
from fltheory.engine.simulate import Algorithm, Run, RunState, make_run
from fltheory.engine.workers import Pooled, Step
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

BLOCK_NUMBERS = 400_000
"""Numbers in the maps of one block of rounds; blocks keep the work in the cache."""


class RoundMaps(NamedTuple):
    """z -> matrix z + offset + sum_i response_i n_i with independent n_i of the given variances,
    for each round of a block.

    Shapes (rounds, n, n), (rounds, n), (rounds, n, sources), (rounds, sources).
    """

    matrix: Any
    offset: Any
    response: Any
    variance: Any


@dataclass(frozen=True)
class Gap:
    """E f(x) - f* and its two parts: what the mean alone would give, and what the variance adds."""

    bias: Any
    noise: Any

    @property
    def total(self) -> Any:
        return self.bias + self.noise


def expected_gap(
    algorithm: Algorithm,
    problem: Any,
    trace: Trace,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any = 1,
    average: Callable[[int], Any] | None = None,
    arithmetic: Arithmetic = FLOAT,
) -> Gap:
    """E f(x) - f* for the last model, or for the average of all models t = 0..rounds with weights
    average(t), in one adjoint pass.

    >>> from fltheory import RATIONAL, Mifa, Quadratic, Trace
    >>> noisy = Quadratic(curvatures=(1, 1), optima=(-1, 1), noise_squared=1)
    >>> gap = expected_gap(Mifa(), noisy, Trace.fresh([[1, 1], [1, 0]]), start=1, local_step_size="1/2", arithmetic=RATIONAL)
    >>> gap.bias, gap.noise
    (Fraction(1, 128), Fraction(37, 256))
    """
    bias = noise = _number(0, arithmetic)
    weights = _weights(average, trace.num_rounds, arithmetic)
    for line in coordinates(problem, start):
        setting = Setting(
            algorithm, line.problem, trace, local_step_size, server_step_size, arithmetic
        )
        with np.errstate(over="ignore", invalid="ignore"):
            mean, variance = _mean_and_variance(setting, line.start, weights)
            half = _number(line.curvature / 2, arithmetic)
            bias = bias + half * (mean - _number(line.optimum, arithmetic)) ** 2
            noise = noise + half * variance
        if arithmetic is FLOAT and not np.isfinite(bias + noise):
            raise Diverged(_round_of_divergence(setting, line.start), None)
    return Gap(bias, noise)


def _round_of_divergence(setting: "Setting", start: Fraction) -> int:
    """The first round that leaves no finite E x^2, else the last round of all."""
    run = (setting.algorithm, setting.problem, setting.trace)
    sizes = {
        "start": start,
        "local_step_size": setting.local_step_size,
        "server_step_size": setting.server_step_size,
    }
    with np.errstate(over="ignore", invalid="ignore"):
        broken = (
            t - 1 for t, square in enumerate(_squares(*run, **sizes)) if not np.isfinite(square)
        )
        return next(broken, setting.trace.num_rounds - 1)


def state_moments(
    algorithm: Algorithm,
    problem: Any,
    trace: Trace,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any = 1,
    arithmetic: Arithmetic = FLOAT,
) -> Iterator[tuple[Any, Any]]:
    """Mean and covariance of the whole state before each round and after the last, of a problem
    with one coordinate.

    The model is the state's first entry.
    """
    (line,) = coordinates(problem, start)
    setting = Setting(algorithm, line.problem, trace, local_step_size, server_step_size, arithmetic)
    space = setting.space()
    mean = first_vector(space, line.start)
    covariance = arithmetic.zeros((space.size, space.size))
    yield mean, covariance
    for _, maps in setting.blocks(space, backwards=False):
        for matrix, offset, response, variance in zip(*maps, strict=True):
            mean = matrix @ mean + offset
            covariance = matrix @ covariance @ matrix.T + (response * variance) @ response.T
            yield mean, covariance


def mean_squares(
    algorithm: Algorithm,
    problem: Any,
    trace: Trace,
    *,
    start: Any,
    local_step_size: Any,
    server_step_size: Any = 1,
) -> Any:
    """E x_t^2 of the model before each round and after the last, of a problem with one coordinate,
    in double precision.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> noisy = Quadratic(curvatures=(1,), optima=(0,), noise_squared=1)
    >>> mean_squares(FedAvg(), noisy, Trace.fresh([[1], [1]]), start=1, local_step_size="1/2").tolist()
    [1.0, 0.5, 0.375]
    """
    run = {"start": start, "local_step_size": local_step_size, "server_step_size": server_step_size}
    return np.fromiter(_squares(algorithm, problem, trace, **run), float, trace.num_rounds + 1)


def _squares(algorithm: Algorithm, problem: Any, trace: Trace, **run: Any) -> Iterable[Any]:
    """E x_t^2 of one model after the other."""
    if can_compile(algorithm, problem, trace) and covariance_is_known(algorithm, tables_of(trace)):
        return compiled_mean_squares(algorithm, problem, tables_of(trace), **run)
    return (
        mean[0] ** 2 + covariance[0, 0]
        for mean, covariance in state_moments(algorithm, problem, trace, **run)
    )


class Line(NamedTuple):
    """One coordinate of a quadratic problem: the curvature and optimum of its global loss, and
    where it starts."""

    problem: Any
    curvature: Fraction
    optimum: Fraction
    start: Fraction


def coordinates(problem: Any, start: Any) -> list[Line]:
    """The coordinates of a quadratic problem as problems of their own, each with its share of the
    noise."""
    if not isinstance(problem, Quadratic | CommonCurvature):
        raise InvalidInput("problem", "be quadratic for exact moments", type(problem).__name__)
    dimension = problem.dimension
    starts = start if isinstance(start, tuple | list) else [start] * dimension
    if len(starts) != dimension:
        raise InvalidInput(
            "start", f"have the problem's {dimension} coordinates", f"{len(starts)} coordinates"
        )
    optimum = problem.constants.optimum
    if optimum is None:
        raise InvalidInput("problem", "have one optimum for its gap", "none or many")
    return [
        Line(_alone(problem, j), _curvature(problem, j), optimum[j], exact(x, "start"))
        for j, x in enumerate(starts)
    ]


def _alone(problem: Any, j: int) -> Any:
    """Coordinate j as a problem of its own."""
    tables = ("curvatures", "optima") if isinstance(problem, Quadratic) else ("tilts",)
    column = {name: [[row[j]] for row in getattr(problem, name)] for name in tables}
    return replace(problem, noise_squared=problem.noise_squared / problem.dimension, **column)


def _curvature(problem: Any, j: int) -> Fraction:
    """Curvature of the global loss along coordinate j."""
    if isinstance(problem, CommonCurvature):
        return Fraction(problem.curvature)
    return sum(
        (p * row[j] for p, row in zip(problem.importance, problem.curvatures, strict=True)),
        Fraction(0),
    )


def _number(value: Any, arithmetic: Arithmetic) -> Any:
    return arithmetic.rows([value])[0]


def _weights(average: Callable[[int], Any] | None, num_rounds: int, arithmetic: Arithmetic) -> Any:
    """Weights of the models in the output, which sum to 1."""
    if average is None:
        return arithmetic.rows([0] * num_rounds + [1])
    weights = arithmetic.rows([average(t) for t in range(num_rounds + 1)])
    return weights / weights.sum()


def first_vector(space: StateSpace, model: Fraction) -> Any:
    """The state before the first round."""
    state = space.run.start(space.run.arithmetic.rows([[model]]))
    return space.vector(state._replace(past=space.zero.past))


@dataclass(frozen=True)
class Setting:
    """A method on one coordinate of a quadratic problem, along a trace."""

    algorithm: Algorithm
    problem: Any
    trace: Trace
    local_step_size: Any
    server_step_size: Any
    arithmetic: Arithmetic

    def space(self) -> StateSpace:
        return StateSpace(
            make_run(self.algorithm, self.problem, self.trace, arithmetic=self.arithmetic)
        )

    def blocks(self, space: StateSpace, *, backwards: bool) -> Iterator[tuple[int, RoundMaps]]:
        """(first round, maps) of successive blocks of rounds."""
        length = max(1, BLOCK_NUMBERS // (space.size + 1) ** 2)
        starts = range(0, self.trace.num_rounds, length)
        local, server = schedule(self.local_step_size), schedule(self.server_step_size)
        for first in reversed(starts) if backwards else starts:
            last = min(first + length, self.trace.num_rounds)
            block = round_block(self.trace, self.arithmetic, local, server, first, last)
            yield first, _maps(space, block, Fraction(self.problem.noise_squared))


def _mean_and_variance(setting: Setting, start: Fraction, weights: Any) -> tuple[Any, Any]:
    """Mean and variance of sum_t weights[t] x_t, by compiled code where it knows the run."""
    if setting.arithmetic is FLOAT and can_compile(
        setting.algorithm, setting.problem, setting.trace
    ):
        return compiled_adjoint(
            setting.algorithm,
            setting.problem,
            tables_of(setting.trace),
            start=start,
            weights=weights,
            local_step_size=setting.local_step_size,
            server_step_size=setting.server_step_size,
        )
    return _adjoint_pass(setting, start, weights)


def _adjoint_pass(setting: Setting, start: Fraction, weights: Any) -> tuple[Any, Any]:
    """Mean and variance of sum_t weights[t] x_t: lambda_t = A_t' lambda_{t+1} + weights[t] e, from
    the last round back to the first."""
    space, arithmetic = setting.space(), setting.arithmetic
    adjoint = arithmetic.zeros((space.size,))
    adjoint[0] = weights[-1]
    mean = variance = _number(0, arithmetic)
    for first, maps in setting.blocks(space, backwards=True):
        for k in reversed(range(len(maps.offset))):
            mean = mean + maps.offset[k] @ adjoint
            variance = variance + (maps.variance[k] * (adjoint @ maps.response[k]) ** 2).sum()
            adjoint = adjoint @ maps.matrix[k]
            adjoint[0] += weights[first + k]
    return mean + adjoint @ first_vector(space, start), variance


def _maps(space: StateSpace, block: Round, noise_squared: Fraction) -> RoundMaps:
    """The affine maps of a block of rounds, read off the zero state, all unit states and unit
    deliveries."""
    run, size, count = space.run, space.size, block.block
    worker, arithmetic, clients = run.algorithm.worker, run.arithmetic, run.zeros.shape[-2]
    round = worker.reads(block)
    states = space.state(space.zero_and_units(size))
    deliveries, spread = _deliveries(run, states, round)
    images = space.vector(
        run.finish(states, round.choose(deliveries, run.zeros), round), (count, size + 1)
    )
    units = space.zero_and_units(clients)[..., None]
    moved = space.vector(
        run.finish(space.zero, round.choose(units, run.zeros), round), (count, clients + 1)
    )
    response = np.swapaxes(moved[:, 1:] - moved[:, :1], -1, -2)
    variance = np.broadcast_to(spread, (count, 1, clients, 1))[:, 0, :, 0] * _number(
        noise_squared, arithmetic
    )
    if isinstance(
        worker.direction, Pooled
    ):  # everybody carries the same noise, the weighted sum of all clients'
        importance = shares(worker.direction.importance, clients)
        response = response.sum(axis=-1, keepdims=True)
        variance = variance[:, :1] * _number(sum(p * p for p in importance), arithmetic)
    return RoundMaps(
        np.swapaxes(images[:, 1:] - images[:, :1], -1, -2), images[:, 0], response, variance
    )


def _deliveries(run: Run, states: RunState, round: Round) -> tuple[Rows, Rows]:
    """Deliveries after K local steps, and the variance that unit gradient noise gives them, in
    closed form."""
    worker, pulled = run.algorithm.worker, run.pulled(states, round)

    def direction(local: Rows) -> Rows:
        return worker.direction(
            Step(run.oracle(local, round.index, 0), local, pulled, states.memory, round)
        )

    begin = pulled.model + run.zeros
    first = direction(begin)
    shrink = 1 - round.started_step_size * (direction(begin + 1) - first)[..., :1, :, :]
    total = spread = shrink - shrink
    for k in range(int(np.max(round.local_steps))):
        taken = run.arithmetic.mask(round.local_steps > k)
        total = run.arithmetic.where(taken, 1 + shrink * total, total)
        spread = run.arithmetic.where(taken, 1 + shrink * shrink * spread, spread)
    return total * first, spread
