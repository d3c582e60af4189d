"""Exact mean and variance of a method on quadratics with additive gradient noise, without sampling.

On quadratics a round is an affine map of the whole state (see `fltheory.analysis.round_maps`). For
one scalar output <c, z> an adjoint pass backwards costs one state per round; the full covariance
forwards costs its square.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import numpy as np

from fltheory.analysis.coordinates import coordinates
from fltheory.analysis.round_maps import CoordinateRun, first_vector, number
from fltheory.core.errors import Diverged
from fltheory.core.results import Table, as_dict, as_html, as_text, named_values
from fltheory.core.types import Array, FloatArray, Json, Scalar, Start, StepSize
from fltheory.engine.arithmetic import FLOAT, Arithmetic
from fltheory.engine.compiled.moments import (
    can_compile,
    compiled_adjoint,
    compiled_mean_squares,
    tables_of,
)
from fltheory.engine.roles import Algorithm, Problem, check_roles
from fltheory.engine.rounds import schedule
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

ModelWeights = Callable[[int], Scalar]
"""Weight of model t in an average of the models 0..rounds; the weights need not sum to 1."""


@dataclass(frozen=True, repr=False)
class Gap:
    """E f(x) - f* and its two parts: the gap of the mean model, and the part due to variance."""

    bias: Scalar
    noise: Scalar

    @property
    def total(self) -> Scalar:
        """E f(x) - f*."""
        return self.bias + self.noise

    def to_dict(self) -> Json:
        return as_dict({"gap": self.total, "bias": self.bias, "noise": self.noise})

    def tables(self) -> list[Table]:
        return [
            named_values(
                "expected gap", {"gap": self.total, "bias": self.bias, "noise": self.noise}
            )
        ]

    __repr__ = as_text
    _repr_html_ = as_html


def expected_gap(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    average: ModelWeights | None = None,
    arithmetic: Arithmetic = FLOAT,
) -> Gap:
    """E f(x) - f* of the last model, or of the average of all models t = 0..rounds with weights
    average(t), in one adjoint pass.

    >>> from fltheory import RATIONAL, Mifa, Quadratic, Trace
    >>> noisy = Quadratic(curvatures=(1, 1), optima=(-1, 1), noise_squared=1)
    >>> sizes = {"start": 1, "local_step_size": "1/2", "arithmetic": RATIONAL}
    >>> gap = expected_gap(Mifa(), noisy, Trace.fresh([[1, 1], [1, 0]]), **sizes)
    >>> gap.bias, gap.noise
    (Fraction(1, 128), Fraction(37, 256))
    """
    check_roles(algorithm, problem, trace)
    for size in (local_step_size, server_step_size):
        schedule(size)  # refuses what is not a step size
    bias = noise = number(0, arithmetic)
    weights = _weights(average, trace.num_rounds, arithmetic)
    for line in coordinates(problem, start):
        run = CoordinateRun(
            algorithm, line.problem, trace, local_step_size, server_step_size, arithmetic
        )
        with np.errstate(over="ignore", invalid="ignore"):
            mean, variance = _mean_and_variance(run, line.start, weights)
            half = number(line.curvature / 2, arithmetic)
            bias = bias + half * (mean - number(line.optimum, arithmetic)) ** 2
            noise = noise + half * variance
        if arithmetic is FLOAT and not isfinite(bias + noise):
            raise Diverged(_round_of_divergence(run, line.start), None)
    return Gap(bias, noise)


def _round_of_divergence(run: CoordinateRun, start: Fraction) -> int:
    """The first round that leaves no finite E x^2, or the last round if there is none."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares = _squares(
            run.algorithm,
            run.problem,
            run.trace,
            start=start,
            local_step_size=run.local_step_size,
            server_step_size=run.server_step_size,
        )
        broken = (t - 1 for t, square in enumerate(squares) if not isfinite(square))
        return next(broken, run.trace.num_rounds - 1)


def state_moments(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    arithmetic: Arithmetic = FLOAT,
) -> Iterator[tuple[Array, Array]]:
    """Mean and covariance of the whole state before each round and after the last.

    The problem must have one coordinate. The model is the first entry of the state.
    """
    (line,) = coordinates(problem, start)
    run = CoordinateRun(
        algorithm, line.problem, trace, local_step_size, server_step_size, arithmetic
    )
    space = run.space()
    mean = first_vector(space, line.start)
    covariance = arithmetic.zeros((space.size, space.size))
    yield mean, covariance
    for _, maps in run.blocks(space, backwards=False):
        for matrix, offset, response, variance in zip(*maps, strict=True):
            mean = matrix @ mean + offset
            covariance = matrix @ covariance @ matrix.T + (response * variance) @ response.T
            yield mean, covariance


def mean_squares(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
) -> FloatArray:
    """E x_t^2 of the model before each round and after the last, in double precision.

    The problem must have one coordinate.

    >>> from fltheory import FedAvg, Quadratic, Trace
    >>> noisy = Quadratic(curvatures=(1,), optima=(0,), noise_squared=1)
    >>> trace = Trace.fresh([[1], [1]])
    >>> mean_squares(FedAvg(), noisy, trace, start=1, local_step_size="1/2").tolist()
    [1.0, 0.5, 0.375]
    """
    squares = _squares(
        algorithm,
        problem,
        trace,
        start=start,
        local_step_size=local_step_size,
        server_step_size=server_step_size,
    )
    return np.fromiter(squares, float, trace.num_rounds + 1)


def _squares(
    algorithm: Algorithm,
    problem: Problem,
    trace: Trace,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize,
) -> Iterable[float]:
    """E x_t^2 of one model after the other."""
    if isinstance(problem, Quadratic) and can_compile(algorithm, problem, trace):
        return compiled_mean_squares(
            algorithm,
            problem,
            tables_of(trace),
            start=start,
            local_step_size=local_step_size,
            server_step_size=server_step_size,
        )
    moments = state_moments(
        algorithm,
        problem,
        trace,
        start=start,
        local_step_size=local_step_size,
        server_step_size=server_step_size,
    )
    return (mean[0] ** 2 + covariance[0, 0] for mean, covariance in moments)


def _weights(average: ModelWeights | None, num_rounds: int, arithmetic: Arithmetic) -> Array:
    """Weights of the models in the output, which sum to 1."""
    if average is None:
        return arithmetic.rows([0] * num_rounds + [1])
    weights = arithmetic.rows([average(t) for t in range(num_rounds + 1)])
    return weights / weights.sum()


def _mean_and_variance(
    run: CoordinateRun, start: Fraction, weights: Array
) -> tuple[Scalar, Scalar]:
    """Mean and variance of sum_t weights[t] x_t, by compiled code where it supports the run."""
    if (
        run.arithmetic is FLOAT
        and isinstance(run.problem, Quadratic)
        and can_compile(run.algorithm, run.problem, run.trace)
    ):
        return compiled_adjoint(
            run.algorithm,
            run.problem,
            tables_of(run.trace),
            start=start,
            weights=weights,
            local_step_size=run.local_step_size,
            server_step_size=run.server_step_size,
        )
    return _adjoint_pass(run, start, weights)


def _adjoint_pass(run: CoordinateRun, start: Fraction, weights: Array) -> tuple[Scalar, Scalar]:
    """Mean and variance of sum_t weights[t] x_t: lambda_t = A_t' lambda_{t+1} + weights[t] e, from
    the last round back to the first."""
    space, arithmetic = run.space(), run.arithmetic
    adjoint = arithmetic.zeros((space.size,))
    adjoint[0] = weights[-1]
    mean = variance = number(0, arithmetic)
    for first, maps in run.blocks(space, backwards=True):
        for k in reversed(range(len(maps.offset))):
            mean = mean + maps.offset[k] @ adjoint
            variance = variance + (maps.variance[k] * (adjoint @ maps.response[k]) ** 2).sum()
            adjoint = adjoint @ maps.matrix[k]
            adjoint[0] += weights[first + k]
    return mean + adjoint @ first_vector(space, start), variance
