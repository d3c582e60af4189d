"""Samples of noisy runs on quadratics: ours beside loops by hand in NumPy and numba, on one thread.

    python -m benchmarks.sampler [--repeats 3]

All compute MIFA with half of the clients present and K local steps, and keep the models of all
rounds. The loops draw one normal number for each coordinate and local step, in sequence; ours draws
one for all local steps of a client in a round, which has the same law, keyed by seed, round and
client. With one local step the numbers of draws are equal. The vectorised loop computes all seeds
and clients at once and leaves out who is absent.
Each contender's best CPU time
counts, in turn, compilation not included. Writes results/sampler.json and results/sampler.md.
"""

import argparse
import os
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.worst_case import write

Floats = NDArray[np.float64]
STEP = 0.01


class Size(NamedTuple):
    """Seeds, clients, coordinates, local steps and rounds."""

    seeds: int
    clients: int
    coordinates: int
    local_steps: int
    rounds: int


SIZES = (
    Size(256, 2, 1, 1, 1000),
    Size(64, 16, 1, 1, 500),
    Size(1000, 10, 1, 5, 200),
    Size(64, 100, 10, 10, 20),
    Size(1, 10, 1, 5, 20000),
)


def vectorised(
    size: Size, present: NDArray[np.bool_], curvature: Floats, optimum: Floats
) -> Floats:
    """A plain NumPy loop over rounds and local steps."""
    draw = np.random.default_rng(0)
    model = np.zeros((size.seeds, 1, size.coordinates))
    memory = np.zeros((size.seeds, size.clients, size.coordinates))
    path = np.zeros((size.rounds + 1, size.seeds, size.coordinates))
    for t in range(size.rounds):
        here = np.flatnonzero(present[t])
        local, total = np.repeat(model, len(here), 1), np.zeros(1)
        for _ in range(size.local_steps):
            noise = draw.standard_normal(local.shape)
            gradient = curvature[here] * (local - optimum[here]) + noise
            local, total = local - STEP * gradient, total + gradient
        memory[:, here] = total
        model = model - STEP * memory.mean(1, keepdims=True)
        path[t + 1] = model[:, 0]
    return path


@njit
def compiled(size: Size, present: NDArray[np.bool_], curvature: Floats, optimum: Floats) -> Floats:
    """The same, number by number, compiled by numba."""
    seeds, clients, coordinates, local_steps, rounds = size
    path = np.zeros((rounds + 1, seeds, coordinates))
    memory = np.zeros((clients, coordinates))
    for s in range(seeds):
        memory[:] = 0
        for t in range(rounds):
            for i in range(clients):
                if present[t, i]:
                    for j in range(coordinates):
                        local, total = path[t, s, j], 0.0
                        for _ in range(local_steps):
                            noise = np.random.standard_normal()
                            gradient = curvature[i, j] * (local - optimum[i, j]) + noise
                            total += gradient
                            local -= STEP * gradient
                        memory[i, j] = total
            for j in range(coordinates):
                path[t + 1, s, j] = path[t, s, j] - STEP * memory[:, j].sum() / clients
    return path


def contenders(size: Size) -> dict[str, Callable[[], object]]:
    """The three, ready to run."""
    from fltheory import Mifa, Quadratic, Trace
    from fltheory.engine.compiled.simulate import simulate_quadratic

    present = np.random.default_rng(1).random((size.rounds, size.clients)) < 0.5
    shape = (size.clients, size.coordinates)
    clients = np.arange(size.clients)[:, None]
    curvature = np.broadcast_to((1 + clients % 3) / 3, shape).copy()
    optimum = np.broadcast_to(clients % 7 * 1.0, shape).copy()
    problem = Quadratic(curvature.tolist(), optimum.tolist(), noise_squared=size.coordinates)
    trace = Trace.fresh(present, local_steps=size.local_steps)
    return {
        "fltheory": lambda: simulate_quadratic(
            Mifa(), problem, trace, start=0, local_step_size=STEP, seed=tuple(range(size.seeds))
        ),
        "NumPy": lambda: vectorised(size, present, curvature, optimum),
        "numba": lambda: compiled(size, present, curvature, optimum),
    }


def measure(size: Size, repeats: int) -> dict[str, float]:
    """Best CPU seconds of each, after a run that does not count."""
    found: dict[str, float] = {}
    runs = contenders(size)
    for repeat in range(repeats + 1):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            if repeat:
                found[name] = min(found.get(name, np.inf), time.process_time() - begin)
    return found


def table(rows: list[tuple[Size, dict[str, float]]]) -> str:
    """Seconds and ratios."""
    lines = [
        "# Samples of runs on quadratics, best CPU seconds on one thread",
        "",
        (
            "| seeds x clients x coordinates x local steps x rounds | fltheory, s | NumPy / ours |"
            " numba / ours |"
        ),
        "|---|---|---|---|",
    ]
    lines += [
        f"| {' x '.join(map(str, size))} | {told['fltheory']:.4f} |"
        f" {told['NumPy'] / told['fltheory']:.1f} | {told['numba'] / told['fltheory']:.1f} |"
        for size, told in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    rows = [(size, measure(size, repeats)) for size in SIZES]
    told = [{**size._asdict(), "cpu_seconds": seconds} for size, seconds in rows]
    write("sampler", {"repeats": repeats, "load": os.getloadavg()[0], "results": told}, table(rows))


if __name__ == "__main__":
    main()
