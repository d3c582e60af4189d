"""Numbers of scene 2: asynchronous weights, limit cycles and two examples of Fraboni et al."""

from collections.abc import Sequence
from fractions import Fraction
from typing import NotRequired, TypedDict

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.core.exact import exact, exacts
from fltheory.core.types import Array, ExactLike, Scalar, Vector
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.balance import balance, rounds_within
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, simulate_clock
from fltheory.traces.trace import Trace
from fltheory.traces.weights import Weights, asynchronous_weights, identical_weights, window_weights

CURVES = {"identical": "IDENTICAL", "timed": "TIME-BASED", "fedfix": "FedFix"}
"""Keys of the weights that the scene compares, with their names."""


class AsynchronousCurve(TypedDict):
    """Models with one choice of weights, and their limit cycle if it was asked for."""

    weights: Weights
    period: int
    models: Array
    cycle: NotRequired[list[Fraction] | None]
    stable: NotRequired[bool | None]
    radius: NotRequired[float | None]
    orbit: NotRequired[list[Fraction] | None]
    times: NotRequired[list[float]]
    expected: NotRequired[list[Fraction]]


def spaced(first: ExactLike, last: ExactLike, count: int) -> tuple[Fraction, ...]:
    """Evenly spaced points.

    >>> spaced(0, 1, 3)
    (Fraction(0, 1), Fraction(1, 2), Fraction(1, 1))
    """
    low, high = exact(first, "optimum"), exact(last, "optimum")
    return tuple(low + (high - low) * k / (count - 1) for k in range(count))


def curve(
    trace: Trace,
    weights: Weights,
    optima: tuple[Fraction, ...],
    *,
    period: int,
    start: ExactLike,
    step_size: ExactLike,
    pattern: Trace | None,
) -> AsynchronousCurve:
    """Models along a trace, and the limit cycle along the pattern if one is given.

    >>> turns, optima = Trace.continuous([[1, 0], [0, 1]] * 6), spaced(0, 1, 2)
    >>> found = curve(turns, (1, 1), optima, period=2, start=0, step_size="1/2", pattern=turns)
    >>> [str(x) for x in found["cycle"]], found["stable"]
    (['3/5', '2/5'], True)
    """
    problem = Quadratic(curvatures=(1,) * len(optima), optima=optima)
    algorithm = WeightedAggregation(weights)
    models = simulate(
        algorithm, problem, trace, start=start, local_step_size=step_size, arithmetic=FLOAT
    ).models[:, 0]
    found: AsynchronousCurve = {"weights": weights, "period": period, "models": models}
    if pattern is not None:
        limit = limit_cycle(algorithm, problem, pattern, local_step_size=step_size, start=start)
        found["cycle"] = _coordinates(limit.cycle)
        found["stable"] = limit.stable
        found["radius"] = limit.spectral_radius
        found["orbit"] = _coordinates(limit.orbit)
    return found


def _coordinates(points: Sequence[Sequence[Scalar]] | None) -> list[Fraction] | None:
    return None if points is None else [Fraction(point[0]) for point in points]


def clock_curves(
    update_times: Vector,
    *,
    window: ExactLike = 1,
    optima: Vector | None = None,
    start: ExactLike = 0,
    step_size: ExactLike = "1/10",
    local_steps: int = 1,
    horizon: int = 50,
    curves: tuple[str, ...] = tuple(CURVES),
    limits: bool = True,
) -> dict[str, AsynchronousCurve]:
    """IDENTICAL, TIME-BASED and FedFix up to the same clock time.

    >>> found = clock_curves([1, 2], horizon=6, curves=("timed",))["timed"]
    >>> [str(x) for x in found["cycle"]]
    ['1711/3251', '1600/3251', '1480/3251']
    """
    times = exacts(update_times, "update time")
    points = spaced(0, 1, len(times)) if optima is None else exacts(optima, "optimum")
    policies: dict[str, tuple[Policy, Weights]] = {
        "identical": (Asynchronous(), identical_weights(len(times))),
        "timed": (Asynchronous(), asynchronous_weights(times)),
        "fedfix": (FixedWindow(window), window_weights(times, window)),
    }
    found: dict[str, AsynchronousCurve] = {}
    for key in curves:
        policy, weights = policies[key]
        counts = balance(times, policy)
        run = simulate_clock(
            times,
            policy,
            num_rounds=max(1, rounds_within(horizon, times, policy)),
            local_steps=local_steps,
        )
        long = (3 + -(-counts.max_staleness // counts.period)) * counts.period
        pattern = (
            simulate_clock(times, policy, num_rounds=long, local_steps=local_steps).trace
            if limits
            else None
        )
        found[key] = {
            "times": [float(time) for time in run.times],
            "expected": [
                weight * share for weight, share in zip(weights, counts.participation, strict=True)
            ],
            **curve(
                run.trace,
                weights,
                points,
                period=counts.period,
                start=start,
                step_size=step_size,
                pattern=pattern,
            ),
        }
    return found
