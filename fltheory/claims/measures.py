"""Quantities of the vocabulary, measured exactly on a scenario: constants, trace statistics,
outcomes of the run.

Expectations over gradient noise are exact and need no sampling: with affine gradients a run is
affine in the noise, so x = x(0) + sum_j n_j (x(e_j) - x(0)) over all single draws n_j, and E |x|^2
= |x(0)|^2 + (variance) sum_j |x(e_j) - x(0)|^2. The noise is additive, independent over clients,
rounds, steps and coordinates, with variance noise_squared / dimension each.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from fltheory.analysis.limits import limit_cycle
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.core.exact import exact
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.simulate import simulate
from fltheory.traces import trace_statistics

MAX_NOISE_DRAWS = 400
"""Largest number of single noise draws that an exact expectation is taken over."""


@dataclass(frozen=True)
class ExactRun:
    """The exact run of a scenario, with its response to every single draw of noise."""

    scenario: Scenario

    @cached_property
    def models(self) -> Any:
        """Models without noise, (rounds + 1, coordinates)."""
        return self._simulate(None, self.scenario.start)

    @cached_property
    def responses(self) -> Any:
        """How each model moves per unit of each noise draw, (draws, rounds + 1, coordinates)."""
        draws = self._draws()
        if not draws:
            return np.empty((0, *self.models.shape), dtype=object)
        problem = self.scenario.problem
        if not problem.affine:
            raise NotExact(
                f"no exact expectation is known for noisy runs on a {type(problem).__name__}"
            )
        if len(draws) > MAX_NOISE_DRAWS:
            raise InvalidInput(
                "noise draws of an exact expectation", f"be at most {MAX_NOISE_DRAWS}", len(draws)
            )
        shape = (len(draws), problem.num_clients, problem.dimension)

        def unit_noise(index: int, step: int) -> Any:
            table = RATIONAL.zeros(shape)
            for j, (t, i, k, coordinate) in enumerate(draws):
                if (t, k) == (index, step):
                    table[j, i, coordinate] = Fraction(1)
            return table

        start = np.broadcast_to(
            RATIONAL.rows([self.scenario.start]), (len(draws), 1, problem.dimension)
        )
        return self._simulate(unit_noise, start) - self.models

    @property
    def draw_variance(self) -> Fraction:
        return Fraction(self.scenario.problem.noise_squared) / self.scenario.problem.dimension

    def _draws(self) -> list[tuple[int, int, int, int]]:
        """(round, client, local step, coordinate) of each draw, none where there is no noise."""
        if not self.scenario.problem.noise_squared:
            return []
        steps, dimension = self.scenario.trace.local_steps, self.scenario.problem.dimension
        return [
            (int(t), int(i), k, c)
            for t, i in np.argwhere(steps > 0)
            for k in range(int(steps[t, i]))
            for c in range(dimension)
        ]

    def _simulate(self, noise: Any, start: Any) -> Any:
        s = self.scenario
        return simulate(
            s.method,
            s.problem,
            s.trace,
            start=start,
            local_step_size=s.local_schedule,
            server_step_size=s.server_step_size,
            noise=noise,
        ).models

    @cached_property
    def squared_gradients(self) -> list[Fraction]:
        """E |grad f|^2 at each model."""
        at_models = self._global_gradients(self.models)
        result = [sum(g * g for g in row) for row in at_models]
        if len(self.responses):
            moved = self._global_gradients(self.models + self.responses) - at_models
            spread = (moved**2).sum(axis=(0, -1)) * self.draw_variance
            result = [a + b for a, b in zip(result, spread, strict=True)]
        return result

    def _global_gradients(self, points: Any) -> Any:
        problem = self.scenario.problem
        rows = np.repeat(points[..., None, :], problem.num_clients, axis=-2)
        weights = RATIONAL.rows([[p] for p in problem.importance])
        return (weights * problem.gradients(RATIONAL)(rows)).sum(axis=-2)

    def loss_gap(self, point: Any) -> Fraction:
        """f - f* at one point."""
        problem = self.scenario.problem
        if problem.constants.infimum is None:
            raise NotExact(f"the infimum of this {type(problem).__name__} is not known")
        losses = problem.losses(RATIONAL)(np.repeat(point[None, :], problem.num_clients, axis=0))
        return (
            sum(p * x[0] for p, x in zip(problem.importance, losses, strict=True))
            - problem.constants.infimum
        )


def _constant(name: str) -> Callable[[ExactRun], Any]:
    def read(outcome: ExactRun) -> Any:
        value = getattr(outcome.scenario.problem.constants, name)
        if value is None:
            raise InvalidInput(
                f"{name.replace('_', ' ')} of the problem", "be known for this claim", "unknown"
            )
        return value

    return read


def _root(name: str) -> Callable[[ExactRun], Any]:
    def read(outcome: ExactRun) -> Any:
        value = _constant(name)(outcome)
        return sympy.sqrt(sympy.Rational(value.numerator, value.denominator))

    return read


def _statistic(function: Callable[[Any], Any]) -> Callable[[ExactRun], Any]:
    return lambda outcome: function(outcome.scenario.trace)


def _initial_distance(outcome: ExactRun) -> Any:
    optimum = _constant("optimum")(outcome)
    squared = sum((a - b) ** 2 for a, b in zip(outcome.scenario.start, optimum, strict=True))
    return sympy.sqrt(sympy.Rational(squared.numerator, squared.denominator))


def _constant_step(outcome: ExactRun) -> Any:
    size = outcome.scenario.local_step_size
    if isinstance(size, tuple):
        raise InvalidInput("local step size", "be constant for this claim", "a schedule")
    return size


def _local_steps(outcome: ExactRun) -> int:
    """The most of them; 1 where nobody ever delivers, so that bounds stay defined."""
    return max(int(outcome.scenario.trace.local_steps.max()), 1)


def _mean_squared_gradient(outcome: ExactRun) -> Fraction:
    before_rounds = outcome.squared_gradients[:-1]
    return Fraction(sum(before_rounds)) / len(before_rounds)


def _cycle(outcome: ExactRun) -> Any:
    """The models of the limit cycle, when the trace is repeated for ever."""
    s = outcome.scenario
    limit = limit_cycle(
        s.method,
        s.problem,
        s.trace,
        local_step_size=_constant_step(outcome),
        server_step_size=s.server_step_size,
    )
    if limit.cycle is None or not limit.stable:
        raise InvalidInput("run of a limit", "tend to one cycle", "no stable cycle")
    return limit.cycle


def _limit(outcome: ExactRun) -> Fraction:
    """First coordinate at the period's end of the limit cycle."""
    return Fraction(_cycle(outcome)[0][0])


def _limit_error(outcome: ExactRun) -> Fraction:
    """|grad f|^2, averaged over the limit cycle."""
    slopes = outcome._global_gradients(RATIONAL.rows([list(point) for point in _cycle(outcome)]))
    return Fraction((slopes**2).sum()) / len(slopes)


def _undivided(outcome: ExactRun) -> ExactRun:
    """The run in which the server adds up the clients' updates where it should average them."""
    s = outcome.scenario
    return ExactRun(replace(s, server_step_size=s.server_step_size * s.trace.num_clients))


def _weighted_loss_gap(outcome: ExactRun) -> Fraction:
    """E f - f* at MIFA's average of the models w_t with weights (t+a-1)(t+a-2), t = 1, 2, ...; a is
    the parameter step_offset."""
    offset = outcome.scenario.parameters.get("step_offset")
    if offset is None:
        raise InvalidInput(
            "step offset",
            "be a parameter of the scenario for the weighted average of its models",
            "none",
        )
    weights = [(t + offset) * (t + offset - 1) for t in range(len(outcome.models))]
    shares = np.array([weight / sum(weights) for weight in weights], dtype=object)
    average, moves = shares @ outcome.models, np.einsum("t,jtc->jc", shares, outcome.responses)
    bends = outcome._global_gradients(average + moves) - outcome._global_gradients(average)
    return outcome.loss_gap(average) + outcome.draw_variance * (moves * bends).sum() / 2


MEASURES: dict[str, Callable[[ExactRun], Any]] = {
    "num_clients": lambda outcome: outcome.scenario.trace.num_clients,
    "num_rounds": lambda outcome: outcome.scenario.trace.num_rounds,
    "local_steps": _local_steps,
    "clients_per_round": lambda outcome: int(outcome.scenario.trace.delivers.sum(axis=-1).min()),
    "max_staleness": _statistic(trace_statistics.max_staleness),
    "mean_staleness": _statistic(trace_statistics.mean_staleness),
    "mean_client_max_staleness": _statistic(trace_statistics.mean_client_max_staleness),
    "max_delay": lambda outcome: int(outcome.scenario.trace.delays.max()),
    "fresh_entries": lambda outcome: int(
        (trace_statistics.known_staleness(outcome.scenario.trace) == 0).sum(axis=-1).min()
    ),
    "availability_window": lambda outcome: trace_statistics.availability_window(
        outcome.scenario.trace.delivers
    ),
    "staleness_bound": lambda outcome: (
        trace_statistics.availability_window(outcome.scenario.trace.delivers) - 1
    ),
    "local_step_size": _constant_step,
    "server_step_size": lambda outcome: outcome.scenario.server_step_size,
    "smoothness": _constant("smoothness"),
    "strong_convexity": _constant("strong_convexity"),
    "gradient_noise": _root("gradient_noise_squared"),
    "gradient_bound": _root("gradient_bound_squared"),
    "dissimilarity": _root("dissimilarity_squared"),
    "dissimilarity_at_optimum": _constant("dissimilarity_at_optimum"),
    "initial_distance": _initial_distance,
    "initial_loss_gap": lambda outcome: outcome.loss_gap(outcome.models[0]),
    "mean_squared_gradient": _mean_squared_gradient,
    "weighted_loss_gap": _weighted_loss_gap,
    "min_squared_gradient": lambda outcome: min(outcome.squared_gradients),
    "optimum": lambda outcome: _constant("optimum")(outcome)[0],
    "limit": _limit,
    "limit_error": _limit_error,
}

INDEXED: dict[str, Callable[[ExactRun, int], Any]] = {
    "model": lambda outcome, index: outcome.models[index, 0],
    "undivided": lambda outcome, index: _undivided(outcome).models[index, 0],
    "optimum": lambda outcome, index: outcome.scenario.problem.optima[index][0],
    "weight": lambda outcome, index: exact(outcome.scenario.settings["weights"][index], "weight"),
}
"""Quantities with a number, as in "model:3": the first coordinate of the model before round 3, that
model when updates are added where they should be averaged, the optimum of client 3, its weight."""


def measure(scenario: Scenario, names: Any) -> dict[str, Any]:
    """Exact values of the named quantities; a scenario's own parameters come first.

    Besides the vocabulary: "limit" and "limit_error" (see above), and the quantities with a number
    in INDEXED.

    >>> from fltheory import Quadratic, Trace
    >>> scenario = Scenario("fedavg", Quadratic((1,), (0,)), Trace.fresh([[1], [1]]), start=1, local_step_size="1/2")
    >>> measure(scenario, ["mean_squared_gradient", "initial_loss_gap"])
    {'initial_loss_gap': Fraction(1, 2), 'mean_squared_gradient': Fraction(5, 8)}
    """
    outcome = ExactRun(scenario)
    values = {}
    for name in sorted(names):
        if name in scenario.parameters:
            values[name] = scenario.parameters[name]
        elif name in MEASURES:
            values[name] = MEASURES[name](outcome)
        else:
            values[name] = _indexed(outcome, name)
    return values


def _indexed(outcome: ExactRun, name: str) -> Any:
    kind, _, number = name.partition(":")
    try:
        return INDEXED[kind](outcome, int(number) if number.isdecimal() else 1 << 62)
    except (KeyError, IndexError, AttributeError, TypeError):
        raise InvalidInput(
            f"symbol {name}",
            "be a parameter of the scenario or a quantity that can be measured",
            "neither",
        ) from None
