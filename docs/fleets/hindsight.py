"""Is the recommended method nearly the best in hindsight? `python -m docs.fleets.hindsight SEED...`

Fleets are generated from keyed randomness: availability of four kinds, sizes and shares drawn. The
advice reads the first half of each log. On the second half every method that is not biased runs at
its best step size of the grid, for all settings of the constants. A fleet counts if the geometric
mean of the recommended method's time, over those of the best method, is at most 1.1. The
development set has the seeds below 100; the reported set is 100 to 109.
"""

import sys
from collections.abc import Iterator

import numpy as np

from fltheory.fleet.advice import Advice
from fltheory.fleet.gap_curves import over_least
from fltheory.fleet.log import FleetLog, from_matrix
from fltheory.fleet.plans import predict
from fltheory.fleet.recommend import BIASED, LITTLE, NEAR
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary

HALF = 150


def fleet(seed: int) -> tuple[str, FleetLog, FleetLog]:
    """Kind, first half and second half of a generated fleet."""
    draw = np.random.default_rng(seed)
    kind = ("coin flips", "sticky", "by day and night", "rare groups")[seed % 4]
    clients = int(draw.integers(6, 30))
    shares = draw.beta(1.2, 1.2, clients).clip(0.05, 0.97)
    rounds = np.arange(2 * HALF)[:, None]
    match kind:
        case "coin flips":
            table = draw.random((2 * HALF, clients)) < shares
        case "sticky":
            table = np.empty((2 * HALF, clients), bool)
            table[0] = draw.random(clients) < shares
            stay = draw.uniform(0.5, 0.95)
            for t in range(1, 2 * HALF):
                fresh = draw.random(clients) < shares
                table[t] = np.where(draw.random(clients) < stay, table[t - 1], fresh)
        case "by day and night":
            phase, period = draw.random(clients), int(draw.integers(8, 40))
            table = ((rounds / period + phase) % 1 < shares) & (draw.random((1, 1)) < 2)
            table &= draw.random(table.shape) < 0.9
        case _:
            group = draw.integers(0, 3, clients)
            turn = np.searchsorted(np.cumsum(draw.dirichlet((4, 2, 1))), (rounds % 20 + 0.5) / 20)
            table = (turn == group) | (draw.random((2 * HALF, clients)) < 0.05)
    names = [f"client_{i}" for i in range(clients)]
    return kind, from_matrix(table[:HALF], names), from_matrix(table[HALF:], names)


def judged(seed: int) -> tuple[str, str, float, str]:
    """Kind, the recommended method, its factor in hindsight, and the best method."""
    kind, past, future = fleet(seed)
    advice = Advice(past, LearningTask())
    chosen = advice.choice.best
    found = predict(Summary(future), advice.tasks)
    fair = [p for p in found if p.member not in BIASED or advice.bias <= LITTLE]
    regrets = over_least(np.stack([p.costs().min(axis=1) for p in fair], axis=1))
    means = np.exp(np.log(regrets).mean(axis=0))
    mine = next(k for k, p in enumerate(fair) if p.member == chosen.member)
    best = fair[int(means.argmin())].method
    return kind, chosen.method, float(means[mine] / means.min()), best


def main(seeds: Iterator[int]) -> None:
    """A line per fleet, and how many count."""
    good = total = 0
    for seed in seeds:
        kind, method, factor, best = judged(seed)
        good, total = good + (factor <= NEAR), total + 1
        print(f"| {seed} | {kind} | {method} | {factor:.2f} | {best} |", flush=True)
    print(f"{good} of {total} within {NEAR - 1:.0%} of the best in hindsight")


if __name__ == "__main__":
    main(map(int, sys.argv[1:]))
