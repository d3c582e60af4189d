"""Numbers of scene 4: the lower-bound pair of AFL's Theorem 1, averaging of arrivals against
memory."""

from fractions import Fraction
from typing import NotRequired, TypedDict

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.analysis.limits import limit_cycle
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Array, ExactLike
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
"""Keys of method and world, with their names."""


class AnarchicCurve(TypedDict):
    """One method in one world; the limits are None if there is no stable cycle."""

    models: Array
    mean_squared: float
    radius: NotRequired[float | None]
    limit: NotRequired[Fraction | None]
    mean: NotRequired[Fraction | None]
    floor: NotRequired[Fraction | None]


class AnarchicNumbers(TypedDict):
    """All numbers of the scene."""

    dissimilarity_squared: Fraction
    curves: dict[str, AnarchicCurve]


_METHODS: dict[str, Algorithm] = {"cd": AfaCrossDevice(), "cs": AfaCrossSilo()}


def world(name: str, gap: Fraction) -> Quadratic:
    """Worker 1 has (x + G)^2 in both worlds; worker 2 has (x - G)^2 in world A ("minus"), (x +
    3G)^2 - 8 G^2 in world B ("plus").

    >>> constants = world("plus", Fraction(1)).constants
    >>> constants.optimum, constants.dissimilarity_squared
    ((Fraction(-2, 1),), Fraction(4, 1))
    """
    return Quadratic(curvatures=(2, 2), optima=(-gap, gap if name == "minus" else -3 * gap))


def _mean(numbers: list[Fraction]) -> Fraction | None:
    return sum(numbers, Fraction(0)) / len(numbers) if numbers else None


def arrivals(rounds: int, rare: int, delay: int, local_steps: int) -> Trace:
    """One worker per round: worker 2 in every `rare`-th round (never if 0), else worker 1; work
    starts from a model up to `delay` rounds old.

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
    gap: ExactLike = 1,
    rare: int = 8,
    step_size: ExactLike = "1/10",
    server_step_size: ExactLike = 1,
    local_steps: int = 1,
    delay: int = 0,
    start: ExactLike = 2,
    rounds: int = 80,
    curves: tuple[str, ...] = tuple(CURVES),
    limits: bool = True,
) -> AnarchicNumbers:
    """Models of AFA-CD and AFA-CS in both worlds, and their exact limit cycles.

    Of each cycle: its model at the end of a period, its mean, and the mean squared gradient on it.

    >>> found = anarchic(rare=0, rounds=8)["curves"]
    >>> {key: (str(one["limit"]), str(one["floor"])) for key, one in found.items()}["cs-plus"]
    ('-1', '4')
    """
    distance = exact(gap, "gap")
    found: dict[str, AnarchicCurve] = {}
    for key in curves:
        name, which = key.split("-")
        problem = world(which, distance)
        trace = arrivals(rounds, rare, delay, local_steps)
        models = simulate(
            _METHODS[name],
            problem,
            trace,
            start=start,
            arithmetic=FLOAT,
            local_step_size=step_size,
            server_step_size=server_step_size,
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
                _METHODS[name],
                problem,
                arrivals(long, rare, delay, local_steps),
                local_step_size=step_size,
                server_step_size=server_step_size,
            )
            points = (
                [Fraction(model) for (model,) in cycle.cycle]
                if cycle.stable and cycle.cycle
                else []
            )
            squares = [(2 * (point - centre)) ** 2 for point in points]
            found[key]["radius"] = cycle.spectral_radius
            found[key]["limit"] = points[0] if points else None
            found[key]["mean"] = _mean(points)
            found[key]["floor"] = _mean(squares)
    return {"dissimilarity_squared": (2 * distance) ** 2, "curves": found}
