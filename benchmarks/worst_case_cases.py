"""Worst cases that PEPit and fltheory both compute, as plain data; needs nothing but the standard
library.

Every client i starts round t, where `delivers[t][i]`, from model t - `delays[t][i]`, takes
`local_steps` steps, and delivers the sum of its gradients. `method` says what the server does with
it: the mean over those who deliver (average), the mean of everybody's latest (memory), or a sum
with `weights` (weighted). Late work has the step size of the round in which it began; a server with
a memory moves with that of its own round. The metric is over models 0..T with weights `at`,
normalised.
"""

from typing import Any


def case(
    name: str,
    method: str,
    delivers: Any,
    *,
    size: Any = 0.5,
    smoothness: float = 1.0,
    convexity: float = 0.0,
    convex: bool = True,
    delays: Any = None,
    local_steps: int = 1,
    weights: Any = None,
    metric: str = "loss",
    at: Any = None,
    **conditions: float,
) -> dict[str, Any]:
    rounds, clients = len(delivers), len(delivers[0])
    sizes = list(size) if isinstance(size, list | tuple) else [size] * rounds
    last = [0.0] * rounds + [1.0] if metric == "loss" else [1.0] * rounds + [0.0]
    on_time = [[0] * clients for _ in range(rounds)]
    return {
        "name": name,
        "method": method,
        "delivers": delivers,
        "delays": delays or on_time,
        "sizes": sizes,
        "smoothness": smoothness,
        "convexity": convexity,
        "convex": convex,
        "local_steps": local_steps,
        "weights": weights,
        "metric": metric,
        "at": at or last,
        "conditions": conditions or {"distance": 1.0},
    }


def everyone(rounds: int, clients: int = 1) -> list[list[int]]:
    return [[1] * clients for _ in range(rounds)]


def in_turn(rounds: int, clients: int) -> list[list[int]]:
    """Everybody in the first round, then one after the other."""
    return [
        [1] * clients if t == 0 else [int(i == (t - 1) % clients) for i in range(clients)]
        for t in range(rounds)
    ]


STRONG: dict[str, Any] = {"convexity": 0.1, "distance": 1.0, "heterogeneity": 1.0}
MIFA: dict[str, Any] = {
    "smoothness": 2.0,
    "convexity": 1.0,
    "distance": 1.0,
    "size": [4 / (t + 283) for t in range(3)],
    "at": [(t + 282) * (t + 281) for t in range(4)],
}
FREE: dict[str, Any] = {"convex": False, "gap": 1.0}
ONE_LATE = [[min(t, 1)] for t in range(5)]
TWO_LATE = [[min(t, 2), 0] for t in range(4)]

CASES = [
    *(
        case(f"gradient descent, n = {n}", "average", everyone(n), size=1.0, distance=1.0)
        for n in (5, 10, 15, 20, 25, 30, 35, 40)
    ),
    case("FedAvg, 4 clients, T = 4", "average", everyone(4, 4), size=1.0, **STRONG),
    case("FedAvg, 6 clients, T = 6", "average", everyone(6, 6), size=1.0, **STRONG),
    case(
        "FedAvg, 3 clients, T = 2, 3 local steps",
        "average",
        everyone(2, 3),
        local_steps=3,
        size=0.25,
        **STRONG,
    ),
    case(
        "FedAvg, partial participation, 2 local steps",
        "average",
        [[1, 1, 1], [1, 0, 0], [0, 1, 1]],
        local_steps=2,
        size=0.25,
        **STRONG,
    ),
    case("MIFA in turn, 4 clients, T = 8", "memory", in_turn(8, 4), **STRONG),
    case("MIFA in turn, 6 clients, T = 8", "memory", in_turn(8, 6), **STRONG),
    case("MIFA, weighted average, everyone", "memory", everyone(3, 2), **MIFA),
    case(
        "MIFA, weighted average, one stale",
        "memory",
        [[1, 1], [1, 0], [1, 0]],
        heterogeneity=1.0,
        **MIFA,
    ),
    case(
        "asynchronous, one worker one round late",
        "average",
        everyone(5),
        delays=ONE_LATE,
        size=1 / 3,
        metric="mean_gradient",
        **FREE,
    ),
    case(
        "asynchronous, two workers, one two rounds late",
        "average",
        everyone(4, 2),
        delays=TWO_LATE,
        size=0.125,
        metric="mean_gradient",
        gradient=2.0,
        **FREE,
    ),
    case(
        "AFA, one of two workers, dissimilarity",
        "average",
        [[1, 0]] * 4,
        metric="mean_gradient",
        dissimilarity=1.0,
        **FREE,
    ),
    case(
        "FedLaAvg in turn, bounded gradients",
        "memory",
        [[1, 1], [0, 1], [1, 0]],
        size=0.25,
        metric="min_gradient",
        gradient=4.0,
        **FREE,
    ),
    case(
        "weighted asynchronous sum",
        "weighted",
        [[1, 1], [1, 0], [1, 1]],
        delays=[[0, 0], [0, 0], [0, 1]],
        weights=[0.25, 0.75],
        size=0.5,
        **STRONG,
    ),
]
