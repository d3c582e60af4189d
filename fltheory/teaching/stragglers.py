"""Numbers of scene 3: coin-flip availability; wait for stragglers, remember them, or forget
them."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TypedDict

import numpy as np

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.core.types import Array, BoolArray, ExactLike, FloatArray, IntArray, Vector
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.roles import Algorithm
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.bernoulli import Bernoulli, biased_weights
from fltheory.traces.selection import expected_wait, wait_for_sample
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import known_staleness

STRATEGIES = {"memory": "MIFA remembers", "waiting": "FedAvg waits", "biased": "FedAvg forgets"}
"""Keys of the strategies against absence, with their names."""

OPTIMA = (3, 1, -1, -3)
"""Optima of the four clients; the fair model is 0."""


class StragglerNumbers(TypedDict):
    """All numbers of the scene."""

    available: BoolArray
    models: dict[str, Array]
    mean_staleness: FloatArray
    max_staleness: IntArray
    expected_mean_staleness: float
    mean_inverse: Fraction
    expected_wait: Fraction
    least_wait: Fraction
    updates: int
    biased_limit: Fraction


def expected_mean_staleness(probabilities: tuple[Fraction, ...], rounds: int) -> float:
    """E taubar over R rounds: the mean over clients of q/p - q (1 - q^R) / (p^2 R), with q = 1 - p
    (MIFA, Def. 5.2).

    >>> expected_mean_staleness((Fraction(1, 2),), 2)
    0.25
    """

    def one(chance: float, absent: float) -> float:
        return absent / chance - absent * (1 - absent**rounds) / (chance**2 * rounds)

    return sum(one(float(p), float(1 - p)) for p in probabilities) / len(probabilities)


def stragglers(
    *,
    probabilities: Vector = ("1/10", "2/5", "7/10", 1),
    optima: Sequence[int | Fraction] = OPTIMA,
    sample_size: int = 4,
    start: ExactLike = 4,
    step_size: ExactLike = "1/5",
    rounds: int = 100,
    seed: int = 1,
    strategies: tuple[str, ...] = tuple(STRATEGIES),
) -> StragglerNumbers:
    """Models of the strategies on the same coin flips, staleness so far, and exact means.

    >>> numbers = stragglers(rounds=30)
    >>> numbers["expected_wait"], numbers["biased_limit"], len(numbers["models"]["memory"])
    (Fraction(4182902095, 403809574), Fraction(-403, 250), 31)
    """
    model = Bernoulli(tuple(probabilities))
    available = model.matrix(rounds, seed=seed)
    problem = Quadratic(curvatures=(1,) * len(optima), optima=tuple(optima))
    waiting = wait_for_sample(available, sample_size, seed=seed)

    def run(algorithm: Algorithm, delivers: BoolArray) -> Array:
        return simulate(
            algorithm,
            problem,
            Trace.fresh(delivers),
            start=start,
            local_step_size=step_size,
            arithmetic=FLOAT,
        ).models[:, 0]

    ways: dict[str, tuple[Algorithm, BoolArray]] = {
        "memory": (Mifa(), available),
        "waiting": (FedAvg(), waiting),
        "biased": (FedAvg(), available),
    }
    models = {key: run(*ways[key]) for key in strategies}
    ages = known_staleness(Trace.fresh(available))
    weights = biased_weights(model.probabilities)
    return {
        "available": available,
        "models": models,
        "mean_staleness": ages.sum(axis=1).cumsum() / (len(optima) * np.arange(1, rounds + 1)),
        "max_staleness": np.maximum.accumulate(ages.max(axis=1)),
        "expected_mean_staleness": expected_mean_staleness(model.probabilities, rounds),
        "mean_inverse": sum((1 / p for p in model.probabilities), Fraction(0)) / len(optima),
        "expected_wait": expected_wait(model.probabilities, sample_size=sample_size),
        "least_wait": 1 / min(model.probabilities),
        "updates": int(waiting.any(axis=1).sum()),
        "biased_limit": (
            sum((w * c for w, c in zip(weights, optima, strict=True)), Fraction(0)) / sum(weights)
        ),
    }
