"""Scene 4 by the core: the lower-bound pair of AFL's Theorem 1, averaging of arrivals against
memory."""

from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.analysis.limits import limit_cycle
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.roles import Algorithm
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

CURVES = {
    "cd-minus": "AFA-CD in world A",
    "cs-minus": "AFA-CS in world A",
    "cd-plus": "AFA-CD in world B",
    "cs-plus": "AFA-CS in world B",
}
"""Keys of the method and world, with their names."""

_METHODS: dict[str, Algorithm] = {"cd": AfaCrossDevice(), "cs": AfaCrossSilo()}


def world(name: str, gap: Fraction) -> Quadratic:
    """Worker 1 has (x + G)^2 in both worlds; worker 2 has (x - G)^2 in world A ("minus"), (x +
    3G)^2 - 8 G^2 in world B ("plus").

    >>> world("plus", Fraction(1)).constants.optimum, world("plus", Fraction(1)).constants.dissimilarity_squared
    ((Fraction(-2, 1),), Fraction(4, 1))
    """
    return Quadratic(curvatures=(2, 2), optima=(-gap, gap if name == "minus" else -3 * gap))


def _mean(numbers: list[Fraction]) -> Fraction | None:
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else None


def arrivals(rounds: int, rare: int, delay: int, local_steps: int) -> Trace:
    """One worker per round: worker 2 in every `rare`-th round (never if 0), else worker 1; work is
    up to `delay` rounds old.

    >>> arrivals(4, 2, 1, 1).delays.tolist()
    [[0, 0], [0, 1], [1, 0], [0, 1]]
    """
    if rare < 0 or rare == 1 or delay < 0:
        raise InvalidInput(
            "arrivals of worker 2 and delay", "be 0 or at least 2, and at least 0", (rare, delay)
        )
    index = np.arange(rounds)
    second = (index + 1) % rare == 0 if rare else np.zeros(rounds, np.bool_)
    return Trace.with_delays(
        np.stack([~second, second], axis=1),
        np.minimum(index, delay)[:, None],
        local_steps=local_steps,
    )


def anarchic(
    *,
    gap: Any = 1,
    rare: int = 8,
    step_size: Any = "1/10",
    server_step_size: Any = 1,
    local_steps: int = 1,
    delay: int = 0,
    start: Any = 2,
    rounds: int = 80,
    curves: tuple[str, ...] = tuple(CURVES),
    limits: bool = True,
) -> dict[str, Any]:
    """Models of AFA-CD and AFA-CS in both worlds, the exact cycles that they tend to (its model at
    a period's end, its mean), and the mean squared gradient on it.

    >>> found = anarchic(rare=0, rounds=8)["curves"]
    >>> {key: (str(one["limit"]), str(one["floor"])) for key, one in found.items()}["cs-plus"]
    ('-1', '4')
    """
    distance = exact(gap, "gap")
    found: dict[str, Any] = {}
    for key in curves:
        name, which = key.split("-")
        problem = world(which, distance)
        sizes = {"local_step_size": step_size, "server_step_size": server_step_size}
        trace = arrivals(rounds, rare, delay, local_steps)
        models = simulate(
            _METHODS[name], problem, trace, start=start, arithmetic=FLOAT, **sizes
        ).models[:, 0]
        centre = problem.constants.optimum[0]  # type: ignore[index]
        found[key] = {
            "models": models,
            "mean_squared": float(np.mean((2 * (models[:-1] - float(centre))) ** 2)),
        }
        if limits:
            period = rare or 1
            long = period * max(6, 2 * (delay + 2))
            cycle = limit_cycle(
                _METHODS[name], problem, arrivals(long, rare, delay, local_steps), **sizes
            )
            points = [model for (model,) in cycle.cycle] if cycle.stable and cycle.cycle else []
            squares = [(2 * (point - centre)) ** 2 for point in points]
            found[key] |= {
                "radius": cycle.spectral_radius,
                "limit": points[0] if points else None,
                "mean": _mean(points),
                "floor": _mean(squares),
            }
    return {"dissimilarity_squared": (2 * distance) ** 2, "curves": found}
