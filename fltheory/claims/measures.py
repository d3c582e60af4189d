"""Quantities of the vocabulary, measured exactly on a scenario: constants of the problem,
statistics of the trace, outcomes of the run."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

import sympy

from fltheory.claims.expectations import ExactRun
from fltheory.claims.fast_evaluation import as_number
from fltheory.claims.forever import about_limits
from fltheory.claims.measures_by_number import by_number
from fltheory.claims.measures_of_clients import (
    first_round,
    least_probability,
    over_clients,
    sizes_of_rounds,
)
from fltheory.claims.measures_of_losses import (
    curvatures,
    dissimilarity,
    global_curvatures,
    mean_dissimilarity,
    minima_gap,
    pl_constant,
    relative_dissimilarity,
    squared_gradient,
    steepest,
    unknown,
)
from fltheory.claims.measures_of_outcomes import OUTCOMES, constant_step, optimum_of
from fltheory.claims.measures_of_traces import (
    least_local_steps,
    local_steps,
    mean_over,
    mean_staleness,
    settled,
)
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Scalar
from fltheory.engine.arithmetic import RATIONAL, Arithmetic
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.roles import Problem
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


@lru_cache(1 << 12)
def _square_root(square: Fraction) -> sympy.Expr:
    return sympy.sqrt(sympy.Rational(square.numerator, square.denominator))


def _statistic(function: Callable[[Trace], Scalar]) -> Measure:
    """A statistic of the trace: of the trace without end, for claims about limits."""
    return lambda run: function(settled(run))


def _initial_distance(run: ExactRun) -> sympy.Expr:
    """|x_0 - x*|."""
    pairs = zip(run.scenario.start, optimum_of(run), strict=True)
    return _square_root(sum(((a - b) ** 2 for a, b in pairs), Fraction(0)))


def _root_over(function: Callable[[Problem], Fraction]) -> Measure:
    return lambda run: _square_root(function(run.scenario.problem))


def _weak_convexity(run: ExactRun) -> Fraction:
    return max(Fraction(0), -min(low for low, _ in curvatures(run.scenario.problem)))


def _strong_convexity_of_all(run: ExactRun) -> Fraction:
    least = global_curvatures(run.scenario.problem)[0]
    if least <= 0:
        raise unknown("strong convexity")
    return least


def _mean_smoothness(run: ExactRun) -> Fraction:
    problem = run.scenario.problem
    return sum(
        (
            p * max(abs(low), abs(high))
            for p, (low, high) in zip(problem.importance, curvatures(problem), strict=True)
        ),
        Fraction(0),
    )


MEASURES: dict[str, Measure] = {
    **OUTCOMES,
    "num_clients": lambda run: run.scenario.trace.num_clients,
    "num_rounds": lambda run: run.scenario.trace.num_rounds,
    "local_steps": local_steps,
    "least_local_steps": least_local_steps,
    "mean_local_steps": lambda run: mean_over(
        run.scenario.trace.local_steps, run.scenario.trace.delivers
    ),
    "clients_per_round": lambda run: min(sizes_of_rounds(run)),
    "most_clients_per_round": lambda run: max(sizes_of_rounds(run)),
    "clients_in_first_round": first_round,
    "availability_probability": least_probability,
    "max_staleness": _statistic(trace_statistics.max_staleness),
    "mean_staleness": mean_staleness,
    "mean_client_max_staleness": _statistic(trace_statistics.mean_client_max_staleness),
    "max_delay": lambda run: int(run.scenario.trace.delays.max()),
    "mean_delay": lambda run: mean_over(run.scenario.trace.delays, run.scenario.trace.delivers),
    "balance_period": _statistic(trace_statistics.balance_period),
    "fresh_entries": _statistic(
        lambda trace: int((trace_statistics.known_staleness(trace) == 0).sum(axis=-1).min())
    ),
    "availability_window": _statistic(
        lambda trace: trace_statistics.availability_window(trace.delivers)
    ),
    "staleness_bound": _statistic(
        lambda trace: trace_statistics.availability_window(trace.delivers) - 1
    ),
    "local_step_size": constant_step,
    "first_step_size": lambda run: run.scenario.local_schedule(0),
    "last_step_size": lambda run: run.scenario.local_schedule(run.scenario.trace.num_rounds - 1),
    "server_step_size": lambda run: run.scenario.server_step_size,
    "smoothness": _constant("smoothness"),
    "strong_convexity": _constant("strong_convexity"),
    "gradient_noise": _root("gradient_noise_squared"),
    "gradient_bound": _root("gradient_bound_squared"),
    "relative_noise": lambda run: run.scenario.relative_noise,
    "lipschitz": _root_over(steepest),
    "dissimilarity": _root_over(dissimilarity),
    "mean_dissimilarity": _root_over(mean_dissimilarity),
    "relative_dissimilarity": _root_over(relative_dissimilarity),
    "client_minima_gap": lambda run: minima_gap(run.scenario.problem),
    "least_importance": lambda run: min(run.scenario.problem.importance),
    "largest_importance": lambda run: max(run.scenario.problem.importance),
    "sum_squared_importance": lambda run: sum(p * p for p in run.scenario.problem.importance),
    "mean_smoothness": _mean_smoothness,
    "global_smoothness": lambda run: max(map(abs, global_curvatures(run.scenario.problem))),
    "global_strong_convexity": _strong_convexity_of_all,
    "pl_constant": lambda run: pl_constant(run.scenario.problem),
    "weak_convexity": _weak_convexity,
    "dissimilarity_at_optimum": _constant("dissimilarity_at_optimum"),
    "initial_distance": _initial_distance,
    "initial_loss_gap": lambda run: run.loss_gap(run.arithmetic.rows([run.scenario.start])[0]),
    "initial_squared_gradient": lambda run: squared_gradient(
        run.scenario.problem, run.scenario.start
    ),
    "optimum": lambda run: optimum_of(run)[0],
}

STEPS = frozenset({"local_step_size", "first_step_size", "last_step_size"})
WITHOUT_STEP = frozenset(MEASURES) - OUTCOMES.keys() - STEPS
"""Quantities that do not depend on the step sizes of the clients."""


def measure(
    scenario: Scenario,
    names: Iterable[str],
    *,
    forever: bool | None = None,
    parameters_first: bool = True,
) -> dict[str, Scalar]:
    """Exact values of the named quantities; a scenario's own parameters take precedence, unless
    `parameters_first` is False: then what can be measured is measured.

    Besides the vocabulary: "limit" and "limit_error" (see above), formulas over clients
    (fltheory.claims.measures_of_clients), and the numbered quantities
    (fltheory.claims.measures_by_number). With `forever`, the trace is repeated without end, and its
    statistics are those of all rounds; this is the default beside a limit.

    >>> from fltheory import Quadratic, Trace
    >>> problem, trace = Quadratic((1,), (0,)), Trace.fresh([[1], [1]])
    >>> scenario = Scenario("fedavg", problem, trace, start=1, local_step_size="1/2")
    >>> measure(scenario, ["mean_squared_gradient", "initial_loss_gap"])
    {'initial_loss_gap': Fraction(1, 2), 'mean_squared_gradient': Fraction(5, 8)}
    """
    listed = set(names)
    run = Measurements(
        scenario,
        forever=about_limits(listed) if forever is None else forever,
        parameters_first=parameters_first,
    )
    return {name: run[name] for name in sorted(listed)}


def has_roots(scenario: Scenario) -> bool:
    """Is a step size irrational, so that the models are?"""
    sizes = scenario.local_step_size
    return any(
        not isinstance(x, Fraction) for x in (sizes if isinstance(sizes, tuple) else (sizes,))
    )


class Measurements(Mapping[str, Scalar]):
    """The quantities of one scenario, each measured once, when it is asked for."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        forever: bool = False,
        arithmetic: Arithmetic | None = None,
        parameters_first: bool = True,
    ) -> None:
        if arithmetic is None:
            arithmetic = SYMBOLIC if has_roots(scenario) else RATIONAL
        self.run = ExactRun(scenario, forever, arithmetic)
        self._parameters = scenario.parameters if parameters_first else {}
        self._known: dict[str, Scalar] = {}
        self._plain: dict[str, Scalar] = {}
        self._unknown: dict[str, InvalidInput] = {}

    def __getitem__(self, name: str) -> Scalar:
        if name in self._unknown:
            raise self._unknown[name]
        if name not in self._known:
            try:
                self._known[name] = self._measured(name)
            except InvalidInput as reason:
                self._unknown[name] = reason
                raise
        return self._known[name]

    def plain(self, name: str) -> Scalar:
        """The quantity as a fraction, if it is rational."""
        if name not in self._plain:
            found = as_number(self[name])
            self._plain[name] = found if isinstance(found, Fraction) else self[name]
        return self._plain[name]

    def at(self, step_size: Fraction) -> "Measurements":
        """The quantities of the scenario with another constant step size; those that do not depend
        on it are not measured again."""
        if step_size == self.run.scenario.local_step_size:
            return self
        scenario = self.run.scenario.varied(local_step_size=step_size)
        found = Measurements(scenario, forever=self.run.forever)
        found._parameters = self._parameters
        found._known = {k: v for k, v in self._known.items() if k in WITHOUT_STEP}
        found._unknown = {k: v for k, v in self._unknown.items() if k in WITHOUT_STEP}
        return found

    def _measured(self, name: str) -> Scalar:
        if name in self._parameters:
            return self._parameters[name]
        if name in MEASURES:
            return MEASURES[name](self.run)
        found = over_clients(self.run, name)
        return by_number(self.run, name) if found is None else found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)
