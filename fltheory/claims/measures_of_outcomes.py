"""Outcomes of a run, exact: losses, distances and gradients at its models, their averages, and its
limit if the trace is repeated for ever."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from fltheory.analysis.limits import limit_cycle
from fltheory.claims.expectations import ExactRun
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, Scalar
from fltheory.engine.arithmetic import RATIONAL


def optimum_of(run: ExactRun) -> tuple[Fraction, ...]:
    """The optimum of the run's global loss."""
    found = run.scenario.problem.constants.optimum
    if found is None:
        raise InvalidInput("optimum of the problem", "be known for this claim", "unknown")
    return tuple(found)


def constant_step(run: ExactRun) -> Fraction:
    """The constant local step size of the run."""
    size = run.scenario.local_step_size
    if isinstance(size, tuple):
        raise InvalidInput("local step size", "be constant for this claim", "a schedule")
    return size


def _average(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _plain_shares(run: ExactRun) -> list[Fraction]:
    """Equal shares of the models before each round, none of the last model."""
    rounds = run.scenario.trace.num_rounds
    return [Fraction(1, rounds)] * rounds + [Fraction(0)]


def _given_shares(run: ExactRun) -> list[Fraction]:
    weights = run.scenario.averaging
    if not weights or not sum(weights):
        raise InvalidInput(
            "averaging", "have a weight for each model before a round (field `averaging`)", "none"
        )
    return [w / sum(weights) for w in weights] + [Fraction(0)]


def _mixed(values: Sequence[Fraction], shares: Sequence[Fraction]) -> Fraction:
    return sum((w * x for w, x in zip(shares, values, strict=True) if w), Fraction(0))


def _squared_distance(run: ExactRun, shares: Sequence[Fraction]) -> Fraction:
    """E |x - x*|^2 at an average of the models."""
    optimum = run.arithmetic.rows([optimum_of(run)])[0]

    def value(point: Array, covariance: Array) -> Fraction:
        found: Fraction = ((point - optimum) ** 2).sum() + covariance.trace()
        return found

    return run.expected(shares, value)


def _cycle(run: ExactRun) -> Sequence[Sequence[Scalar]]:
    """The models of the limit cycle if the trace is repeated forever."""
    s = run.scenario
    limit = limit_cycle(
        s.method,
        s.problem,
        s.trace,
        local_step_size=constant_step(run),
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
    return run.expected([weight / sum(weights) for weight in weights], run.gap_at)


OUTCOMES: dict[str, Callable[[ExactRun], Scalar]] = {
    "mean_squared_gradient": lambda run: _average(run.squared_gradients[:-1]),
    "last_squared_gradient": lambda run: run.squared_gradients[-1],
    "weighted_mean_squared_gradient": lambda run: _mixed(run.squared_gradients, _given_shares(run)),
    "last_loss_gap": lambda run: run.expected(run.only(run.num_models - 1), run.gap_at),
    "last_squared_distance": lambda run: _squared_distance(run, run.only(run.num_models - 1)),
    "average_squared_distance": lambda run: _average(
        [_squared_distance(run, run.only(t)) for t in range(run.num_models - 1)]
    ),
    "min_loss_gap": lambda run: min(run.loss_gaps),
    "average_loss_gap": lambda run: _average(run.loss_gaps[:-1]),
    "loss_gap_of_average": lambda run: run.expected(_plain_shares(run), run.gap_at),
    "weighted_average_loss_gap": lambda run: _mixed(run.loss_gaps, _given_shares(run)),
    "loss_gap_of_weighted_average": lambda run: run.expected(_given_shares(run), run.gap_at),
    "weighted_loss_gap": _weighted_loss_gap,
    "min_squared_gradient": lambda run: min(run.squared_gradients),
    "limit": _limit,
    "limit_error": _limit_error,
}
"""What a run ends in, by name; nothing here can be a condition that a user controls."""
