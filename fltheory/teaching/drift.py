"""Numbers of scene 1: two clients take turns (FedLaAvg, Example 1), with and without memory."""

from fractions import Fraction
from typing import NotRequired, TypedDict

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import importance_sampling
from fltheory.analysis.limits import limit_cycle
from fltheory.core.exact import exact
from fltheory.core.types import Array, BoolArray, ExactLike
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.roles import Algorithm
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.alternating import Alternating
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


def method(key: str, blocks: tuple[int, int], proximal_strength: ExactLike) -> Algorithm:
    """The algorithm behind a key; importance sampling divides by each client's share of the rounds.

    >>> method("sampling", (1, 3), 0).weights
    (Fraction(2, 1), Fraction(2, 3))
    """
    made: dict[str, Algorithm] = {
        "fedavg": FedAvg(),
        "fedprox": FedAvg(worker=proximal(proximal_strength)),
        "mifa": Mifa(),
        "fedlaavg": FedLaAvg(),
        "sampling": importance_sampling([Fraction(block, sum(blocks)) for block in blocks]),
    }
    return made[key]


def drift(
    *,
    blocks: tuple[int, int] = (1, 3),
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
    clients, and over a period of the cycle these moves sum to 0.

    >>> numbers = drift(rounds=8)
    >>> {key: (str(one["limit"]), str(one["mean"])) for key, one in numbers["methods"].items()}
    {'fedavg': ('14/15', '3/4'), 'mifa': ('1/2', '1/2'), 'fedlaavg': ('1/2', '1/2')}
    >>> numbers["small_step"]
    Fraction(3, 4)
    """
    first, second = (exact(point, "optimum") for point in optima)
    problem = Quadratic(curvatures=(2, 2), optima=(first, second))
    turns = Alternating(2, durations=blocks)
    optimum = (first + second) / 2
    biased = (blocks[0] * first + blocks[1] * second) / turns.period
    found: dict[str, DriftCurve] = {}
    for key in methods:
        algorithm = method(key, blocks, proximal_strength)
        trace = Trace.fresh(turns.matrix(rounds), local_steps=local_steps)
        models = simulate(
            algorithm, problem, trace, start=start, local_step_size=step_size, arithmetic=FLOAT
        ).models[:, 0]
        found[key] = {
            "models": models,
            "small_step": biased if key in ("fedavg", "fedprox") else optimum,
        }
        if limits:
            pattern = Trace.fresh(turns.matrix(3 * turns.period), local_steps=local_steps)
            cycle = limit_cycle(algorithm, problem, pattern, local_step_size=step_size)
            limit, mean = (
                Fraction(point[0]) if cycle.stable and point else None
                for point in (cycle.at_period_end, cycle.mean)
            )
            found[key] |= {"limit": limit, "mean": mean, "radius": cycle.spectral_radius}
    return {
        "optimum": optimum,
        "small_step": biased,
        "period": turns.period,
        "available": turns.matrix(rounds),
        "methods": found,
    }
