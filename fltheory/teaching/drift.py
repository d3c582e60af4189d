"""Numbers of scene 1: two clients take turns (FedLaAvg, Example 1), with and without memory."""

from fractions import Fraction
from typing import NotRequired, TypedDict

import numpy as np

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import importance_sampling
from fltheory.analysis.limits import limit_cycle
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Array, BoolArray, ExactLike
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.roles import Algorithm
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

METHODS = {
    "fedavg": "FedAvg",
    "fedprox": "FedProx",
    "sampling": "Importance sampling",
    "mifa": "MIFA",
    "fedlaavg": "FedLaAvg",
}
"""Keys of the methods of the scene, with their names."""

DEFAULT = ("fedavg", "mifa", "fedlaavg")


class DriftCurve(TypedDict):
    """One method; its limits are None if there is no stable cycle."""

    models: Array
    small_step: Fraction
    limit: NotRequired[Fraction | None]
    mean: NotRequired[Fraction | None]
    radius: NotRequired[float | None]


class DriftNumbers(TypedDict):
    """All numbers of the scene."""

    optimum: Fraction
    small_step: Fraction
    period: int
    available: BoolArray
    methods: dict[str, DriftCurve]


def method(
    key: str, counts: tuple[int, int], period: int, proximal_strength: ExactLike
) -> Algorithm:
    """The algorithm behind a key; importance sampling divides by each client's share of the rounds.

    >>> method("sampling", (1, 3), 4, 0).weights
    (Fraction(2, 1), Fraction(2, 3))
    """
    made: dict[str, Algorithm] = {
        "fedavg": FedAvg(),
        "fedprox": FedAvg(worker=proximal(proximal_strength)),
        "mifa": Mifa(),
        "fedlaavg": FedLaAvg(),
        "sampling": importance_sampling([Fraction(max(1, count), period) for count in counts]),
    }
    return made[key]


PRESENT = ([0, 0], [1, 0], [0, 1], [1, 1])
"""Who is there, by the digits of a pattern: nobody, client 1, client 2, both."""


def present(blocks: tuple[int, int], pattern: str) -> list[list[int]]:
    """Who is there in each round of a period: by turns, or as the digits of the pattern say, which
    is cut to its shortest period.

    >>> present((1, 2), ""), present((1, 2), "203203")
    ([[1, 0], [0, 1], [0, 1]], [[0, 1], [0, 0], [1, 1]])
    """
    if not pattern:
        return [[1, 0]] * blocks[0] + [[0, 1]] * blocks[1]
    if not set(pattern) <= set("0123") or set(pattern) == {"0"}:
        raise InvalidInput(
            "pattern", "consist of the digits 0 to 3, not all of them 0", repr(pattern)[:60]
        )
    size = next(
        k for k in range(1, len(pattern) + 1) if pattern[:k] * (len(pattern) // k) == pattern
    )
    return [PRESENT[int(digit)] for digit in pattern[:size]]


def drift(
    *,
    blocks: tuple[int, int] = (1, 3),
    pattern: str = "",
    optima: tuple[ExactLike, ExactLike] = (0, 1),
    start: ExactLike = 0,
    step_size: ExactLike = "1/4",
    local_steps: int = 1,
    proximal_strength: ExactLike = 1,
    rounds: int = 28,
    methods: tuple[str, ...] = DEFAULT,
    limits: bool = True,
) -> DriftNumbers:
    """Models of each method round by round, and the end, mean and small-step limit of its cycle.

    The small-step limit of methods without memory is (t1 e1 + t2 e2)/(t1 + t2) (FedLaAvg, Theorem
    1), that of the others the optimum. FedAvg's and FedProx's mean over a period is the same number
    at every step size: a round with client i moves the model by c (e_i - x) with one c for both
    clients, and over a period of the cycle these moves sum to 0. With a `pattern` of the digits
    0 (nobody), 1, 2 and 3 (both) it is the mean of the optima of whoever is there.

    >>> numbers = drift(rounds=8)
    >>> {key: (str(one["limit"]), str(one["mean"])) for key, one in numbers["methods"].items()}
    {'fedavg': ('14/15', '3/4'), 'mifa': ('1/2', '1/2'), 'fedlaavg': ('1/2', '1/2')}
    >>> numbers["small_step"], str(drift(pattern="1232")["methods"]["fedavg"]["limit"])
    (Fraction(3, 4), '4/5')
    """
    first, second = (exact(point, "optimum") for point in optima)
    problem = Quadratic(curvatures=(2, 2), optima=(first, second))
    rows = present(blocks, pattern)
    available = np.array((rows * (1 + rounds // len(rows)))[:rounds], dtype=np.bool_)
    counts = (sum(row[0] for row in rows), sum(row[1] for row in rows))
    optimum = (first + second) / 2
    middles = [(first * here[0] + second * here[1]) / sum(here) for here in rows if sum(here)]
    biased = sum(middles, Fraction(0)) / len(middles)
    found: dict[str, DriftCurve] = {}
    for key in methods:
        algorithm = method(key, counts, len(rows), proximal_strength)
        trace = Trace.fresh(available, local_steps=local_steps)
        models = simulate(
            algorithm, problem, trace, start=start, local_step_size=step_size, arithmetic=FLOAT
        ).models[:, 0]
        found[key] = {
            "models": models,
            "small_step": biased if key in ("fedavg", "fedprox") else optimum,
        }
        if limits:
            periods = Trace.fresh(rows * 3, local_steps=local_steps)
            cycle = limit_cycle(algorithm, problem, periods, local_step_size=step_size)
            limit, mean = (
                Fraction(point[0]) if cycle.stable and point else None
                for point in (cycle.at_period_end, cycle.mean)
            )
            found[key] |= {"limit": limit, "mean": mean, "radius": cycle.spectral_radius}
    return {
        "optimum": optimum,
        "small_step": biased,
        "period": len(rows),
        "available": available,
        "methods": found,
    }
