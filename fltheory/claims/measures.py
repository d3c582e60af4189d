"""Quantities of the vocabulary, measured exactly on a scenario: constants of the problem,
statistics of the trace, outcomes of the run."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import sympy

from fltheory.analysis.limits import limit_cycle
from fltheory.claims.expectations import ExactRun
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Scalar
from fltheory.engine.arithmetic import RATIONAL
from fltheory.traces import trace_statistics
from fltheory.traces.trace import Trace

Measure = Callable[[ExactRun], Scalar]
"""A quantity of a run."""


def _constant(name: str) -> Callable[[ExactRun], Fraction]:
    """A constant of the problem, which must be known."""

    def read(run: ExactRun) -> Fraction:
        value: Fraction | None = getattr(run.scenario.problem.constants, name)
        if value is None:
            raise InvalidInput(
                f"{name.replace('_', ' ')} of the problem", "be known for this claim", "unknown"
            )
        return value

    return read


def _root(name: str) -> Measure:
    """The root of a constant that is kept as a square."""
    return lambda run: _square_root(_constant(name)(run))


def _square_root(square: Fraction) -> sympy.Expr:
    return sympy.sqrt(sympy.Rational(square.numerator, square.denominator))


def _statistic(function: Callable[[Trace], Scalar]) -> Measure:
    return lambda run: function(run.scenario.trace)


def _optimum(run: ExactRun) -> tuple[Fraction, ...]:
    found = run.scenario.problem.constants.optimum
    if found is None:
        raise InvalidInput("optimum of the problem", "be known for this claim", "unknown")
    return tuple(found)


def _initial_distance(run: ExactRun) -> sympy.Expr:
    """|x_0 - x*|."""
    pairs = zip(run.scenario.start, _optimum(run), strict=True)
    return _square_root(sum(((a - b) ** 2 for a, b in pairs), Fraction(0)))


def _constant_step(run: ExactRun) -> Fraction:
    size = run.scenario.local_step_size
    if isinstance(size, tuple):
        raise InvalidInput("local step size", "be constant for this claim", "a schedule")
    return size


def _local_steps(run: ExactRun) -> int:
    """The largest number; 1 if nobody ever delivers, so that bounds stay defined."""
    return max(int(run.scenario.trace.local_steps.max()), 1)


def _mean_squared_gradient(run: ExactRun) -> Fraction:
    before_rounds = run.squared_gradients[:-1]
    return Fraction(sum(before_rounds)) / len(before_rounds)


def _cycle(run: ExactRun) -> Sequence[Sequence[Scalar]]:
    """The models of the limit cycle if the trace is repeated forever."""
    s = run.scenario
    limit = limit_cycle(
        s.method,
        s.problem,
        s.trace,
        local_step_size=_constant_step(run),
        server_step_size=s.server_step_size,
    )
    if limit.cycle is None or not limit.stable:
        raise InvalidInput("run of a limit", "tend to one cycle", "no stable cycle")
    return limit.cycle


def _limit(run: ExactRun) -> Fraction:
    """First coordinate of the limit cycle at the end of a period."""
    return Fraction(_cycle(run)[0][0])


def _limit_error(run: ExactRun) -> Fraction:
    """|grad f|^2, averaged over the limit cycle."""
    slopes = run.global_gradients(RATIONAL.rows([list(point) for point in _cycle(run)]))
    return Fraction((slopes**2).sum()) / len(slopes)


def _undivided(run: ExactRun) -> ExactRun:
    """The run in which the server adds up the clients' updates instead of averaging them."""
    s = run.scenario
    return ExactRun(replace(s, server_step_size=s.server_step_size * s.trace.num_clients))


def _weighted_loss_gap(run: ExactRun) -> Fraction:
    """E f - f* at MIFA's average of the models w_t with weights (t+a-1)(t+a-2), t = 1, 2, ...; a is
    the parameter step_offset."""
    offset = run.scenario.parameters.get("step_offset")
    if offset is None:
        raise InvalidInput(
            "step offset",
            "be a parameter of the scenario for the weighted average of its models",
            "none",
        )
    weights = [(t + offset) * (t + offset - 1) for t in range(len(run.models))]
    shares = np.array([weight / sum(weights) for weight in weights], dtype=object)
    average, moves = shares @ run.models, np.einsum("t,jtc->jc", shares, run.responses)
    bends = run.global_gradients(average + moves) - run.global_gradients(average)
    return run.loss_gap(average) + run.draw_variance * (moves * bends).sum() / 2


MEASURES: dict[str, Measure] = {
    "num_clients": lambda run: run.scenario.trace.num_clients,
    "num_rounds": lambda run: run.scenario.trace.num_rounds,
    "local_steps": _local_steps,
    "clients_per_round": lambda run: int(run.scenario.trace.delivers.sum(axis=-1).min()),
    "max_staleness": _statistic(trace_statistics.max_staleness),
    "mean_staleness": _statistic(trace_statistics.mean_staleness),
    "mean_client_max_staleness": _statistic(trace_statistics.mean_client_max_staleness),
    "max_delay": lambda run: int(run.scenario.trace.delays.max()),
    "fresh_entries": lambda run: int(
        (trace_statistics.known_staleness(run.scenario.trace) == 0).sum(axis=-1).min()
    ),
    "availability_window": lambda run: trace_statistics.availability_window(
        run.scenario.trace.delivers
    ),
    "staleness_bound": lambda run: (
        trace_statistics.availability_window(run.scenario.trace.delivers) - 1
    ),
    "local_step_size": _constant_step,
    "server_step_size": lambda run: run.scenario.server_step_size,
    "smoothness": _constant("smoothness"),
    "strong_convexity": _constant("strong_convexity"),
    "gradient_noise": _root("gradient_noise_squared"),
    "gradient_bound": _root("gradient_bound_squared"),
    "dissimilarity": _root("dissimilarity_squared"),
    "dissimilarity_at_optimum": _constant("dissimilarity_at_optimum"),
    "initial_distance": _initial_distance,
    "initial_loss_gap": lambda run: run.loss_gap(run.models[0]),
    "mean_squared_gradient": _mean_squared_gradient,
    "weighted_loss_gap": _weighted_loss_gap,
    "min_squared_gradient": lambda run: min(run.squared_gradients),
    "optimum": lambda run: _optimum(run)[0],
    "limit": _limit,
    "limit_error": _limit_error,
}

INDEXED: dict[str, Callable[[ExactRun, int], Scalar]] = {
    "model": lambda run, index: run.models[index, 0],
    "undivided": lambda run, index: _undivided(run).models[index, 0],
    "optimum": lambda run, index: run.scenario.problem.optima[index][0],
    "weight": lambda run, index: exact(run.scenario.settings["weights"][index], "weight"),
}
"""Numbered quantities, as in "model:3": the first coordinate of the model before round 3, that
model if updates are added up instead of averaged, the optimum of client 3, its weight."""


def measure(scenario: Scenario, names: Iterable[str]) -> dict[str, Scalar]:
    """Exact values of the named quantities; a scenario's own parameters take precedence.

    Besides the vocabulary: "limit" and "limit_error" (see above), and the numbered quantities of
    INDEXED.

    >>> from fltheory import Quadratic, Trace
    >>> problem, trace = Quadratic((1,), (0,)), Trace.fresh([[1], [1]])
    >>> scenario = Scenario("fedavg", problem, trace, start=1, local_step_size="1/2")
    >>> measure(scenario, ["mean_squared_gradient", "initial_loss_gap"])
    {'initial_loss_gap': Fraction(1, 2), 'mean_squared_gradient': Fraction(5, 8)}
    """
    run = ExactRun(scenario)
    values: dict[str, Scalar] = {}
    for name in sorted(names):
        if name in scenario.parameters:
            values[name] = scenario.parameters[name]
        elif name in MEASURES:
            values[name] = MEASURES[name](run)
        else:
            values[name] = _indexed(run, name)
    return values


def _indexed(run: ExactRun, name: str) -> Scalar:
    kind, _, number = name.partition(":")
    try:
        return INDEXED[kind](run, int(number) if number.isdecimal() else 1 << 62)
    except (KeyError, IndexError, AttributeError, TypeError):
        raise InvalidInput(
            f"symbol {name}",
            "be a parameter of the scenario or a quantity that can be measured",
            "neither",
        ) from None
