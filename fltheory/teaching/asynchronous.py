"""Scene 2 by the core: asynchronous weights, limit cycles and the two examples of Fraboni et al."""

from fractions import Fraction
from typing import Any

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.core.exact import exact, exacts
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.balance import balance, rounds_within
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, simulate_clock
from fltheory.traces.trace import Trace
from fltheory.traces.weights import Weights, asynchronous_weights, identical_weights, window_weights

CURVES = {"identical": "IDENTICAL", "timed": "TIME-BASED", "fedfix": "FedFix"}
"""Keys of the weights that the scene compares, with their names."""

PAIRS, TURNS = [[0, 1, 0, 1], [1, 0, 1, 0]], [[1, 0], [0, 1]]
"""Who delivers in even and odd rounds: Example 1 (two pairs) and Example 2 (two clients)."""


def spaced(first: Any, last: Any, count: int) -> tuple[Fraction, ...]:
    """Points at equal distances from one end to the other.

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
    start: Any,
    step_size: Any,
    pattern: Trace | None,
) -> dict[str, Any]:
    """Models along a trace, mean weights over a period, and the limit cycle along the pattern if
    there is one.

    >>> turns = Trace.continuous(TURNS * 6)
    >>> found = curve(turns, (1, 1), spaced(0, 1, 2), period=2, start=0, step_size="1/2", pattern=turns)
    >>> [str(x) for x in found["cycle"]], found["stable"]
    (['3/5', '2/5'], True)
    """
    problem = Quadratic(curvatures=(1,) * len(optima), optima=optima)
    algorithm = WeightedAggregation(weights)
    models = simulate(
        algorithm, problem, trace, start=start, local_step_size=step_size, arithmetic=FLOAT
    ).models[:, 0]
    found: dict[str, Any] = {"models": models}
    if pattern is not None:
        limit = limit_cycle(algorithm, problem, pattern, local_step_size=step_size, start=start)
        found |= {
            "cycle": None if limit.cycle is None else [point[0] for point in limit.cycle],
            "stable": limit.stable,
            "radius": limit.spectral_radius,
            "orbit": None if limit.orbit is None else [point[0] for point in limit.orbit],
        }
    return {"weights": weights, "period": period} | found


def clock_curves(
    update_times: Any,
    *,
    window: Any = 1,
    optima: Any = None,
    start: Any = 0,
    step_size: Any = "1/10",
    local_steps: int = 1,
    horizon: int = 50,
    curves: tuple[str, ...] = tuple(CURVES),
    limits: bool = True,
) -> dict[str, Any]:
    """IDENTICAL, TIME-BASED and FedFix side by side until the same clock time.

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
    found = {}
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


def example_curve(
    rows: list[list[int]],
    weights: Any,
    optima: Any,
    *,
    start: Any = 0,
    step_size: Any = "1/2",
    local_steps: int = 1,
    rounds: int = 20,
) -> dict[str, Any]:
    """Example 1 (rows PAIRS) or Example 2 (rows TURNS): everybody works on the model it last
    received.

    >>> found = example_curve(PAIRS, ["1/2"] * 4, (-1, -1, 0, 0), start=3, step_size=1)
    >>> found["stable"], [str(x) for x in found["orbit"]]
    (False, ['-4', '-4', '-1/2', '3', '3', '-1/2'])
    """
    long = Trace.continuous((rows * (rounds // 2 + 1))[:rounds], local_steps=local_steps)
    pattern = Trace.continuous(rows * 30, local_steps=local_steps)
    return curve(
        long,
        exacts(weights, "weight"),
        exacts(optima, "optimum"),
        period=2,
        start=start,
        step_size=step_size,
        pattern=pattern,
    )
