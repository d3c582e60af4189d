"""Who moves the model by how much in each round, by the core: its models, its traces, and local
steps one by one."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.teaching import anarchic, asynchronous, stragglers
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, simulate_clock
from fltheory.traces.selection import wait_for_sample
from fltheory.traces.trace import Trace
from tests.teaching.page_truth import PAIRS, TURNS, Settings

REMEMBER = ("mifa", "fedlaavg", "memory", "cs-minus", "cs-plus")
"""Keys of the methods that average everybody's latest update."""

Pull = tuple[int, float, int]
"""A client, how far it moves the model, and how many rounds ago it delivered."""


def update(
    slope: float, optimum: float, model: float, size: float, steps: int, pull: float
) -> float:
    """The sum of the gradients of so many local steps, one after the other, with a proximal pull
    towards the model."""
    total, local = 0.0, model
    for _ in range(steps):
        gradient = slope * (local - optimum) + pull * (local - model)
        total += gradient
        local -= size * gradient
    return total


def pulls_of(
    key: str, trace: Trace, models: Any, deliver: Callable[[int, float], float], weights: Any = None
) -> Iterator[list[Pull]]:
    """Of every round the pulls, in the order of clients; `deliver` gives what a client moves the
    model by if it works on a model and has all the weight."""
    heard: dict[int, tuple[int, float]] = {}
    for t in range(trace.num_rounds):
        here = [i for i in range(trace.num_clients) if trace.delivers[t, i]]
        for i in here:
            heard[i] = (t, deliver(i, float(models[t - int(trace.delays[t, i])])))
        if key in REMEMBER:
            yield [
                (i, moved / trace.num_clients, t - when)
                for i, (when, moved) in sorted(heard.items())
            ]
        else:
            yield [
                (i, heard[i][1] * (1 / len(here) if weights is None else float(weights[i])), 0)
                for i in here
            ]


def numbers(given: Settings, *keys: str) -> list[float]:
    return [float(Fraction(given[key])) for key in keys]


def drift_pulls(given: Settings, answer: dict[str, Any]) -> dict[str, list[list[Pull]]]:
    first, second, rounds, local = (int(given[key]) for key in ("t1", "t2", "rounds", "local"))
    size, strength, *optima = numbers(given, "step", "prox", "e1", "e2")
    turns = [[1, 0]] * first + [[0, 1]] * second
    if given["pattern"]:
        turns = [[int(digit) & 1, int(digit) >> 1] for digit in given["pattern"]]
    trace = Trace.fresh((turns * rounds)[:rounds])
    shares = [Fraction(len(turns), 2 * max(1, sum(row[i] for row in turns))) for i in (0, 1)]
    found = {}
    for key, one in answer["methods"].items():
        pull = strength if key == "fedprox" else 0.0

        def deliver(i: int, model: float, pull: float = pull) -> float:
            return -size * update(2, optima[i], model, size, local, pull)

        weights = shares if key == "sampling" else None
        found[key] = list(pulls_of(key, trace, one["models"], deliver, weights))
    return found


def async_pulls(given: Settings, answer: dict[str, Any]) -> dict[str, list[list[Pull]]]:
    local = int(given["local"])
    size, *ends = numbers(given, "step", "e1", "e2")
    clients = int(given["clients"])
    optima = {
        "clocks": [float(x) for x in asynchronous.spaced(given["e1"], given["e2"], clients)],
        "pairs": [ends[0]] * 2 + [ends[1]] * 2,
        "turns": ends,
    }[given["mode"]]

    def deliver(i: int, model: float) -> float:
        return -size * update(1, optima[i], model, size, local, 0)

    found = {}
    for key, one in answer["curves"].items():
        rounds = len(one["models"]) - 1
        if given["mode"] == "clocks":
            times = [int(given[f"tau{i + 1}"]) for i in range(clients)]
            policy: Policy = (
                FixedWindow(Fraction(given["window"])) if key == "fedfix" else Asynchronous()
            )
            trace = simulate_clock(times, policy, num_rounds=max(1, rounds)).trace
        else:
            rows = PAIRS if given["mode"] == "pairs" else TURNS
            trace = Trace.continuous((rows * rounds)[:rounds])
        found[key] = list(pulls_of(key, trace, one["models"], deliver, one["weights"]))[:rounds]
    return found


def stragglers_pulls(given: Settings, answer: dict[str, Any]) -> dict[str, list[list[Pull]]]:
    (size,) = numbers(given, "step")
    chances = tuple(given[f"p{i + 1}"] for i in range(4))
    seed, rounds = int(given["seed"]), int(given["rounds"])
    available = Bernoulli(chances).matrix(rounds, seed=seed)
    waiting = wait_for_sample(available, int(given["sample"]), seed=seed)

    def deliver(i: int, model: float) -> float:
        return -size * (model - float(stragglers.OPTIMA[i]))

    return {
        key: list(
            pulls_of(key, Trace.fresh(waiting if key == "waiting" else available), models, deliver)
        )
        for key, models in answer["curves"].items()
    }


def anarchic_pulls(given: Settings, answer: dict[str, Any]) -> dict[str, list[list[Pull]]]:
    rounds, rare, delay, local = (int(given[key]) for key in ("rounds", "rare", "delay", "local"))
    size, server, gap = numbers(given, "step", "server", "gap")
    trace = anarchic.arrivals(rounds, rare, delay, local)
    found = {}
    for key, one in answer["curves"].items():
        optima = (-gap, gap if key.endswith("minus") else -3 * gap)

        def deliver(i: int, model: float, optima: tuple[float, float] = optima) -> float:
            return -server * size / local * update(2, optima[i], model, size, local, 0)

        found[key] = list(pulls_of(key, trace, one["models"], deliver))
    return found


def waiting_room(given: Settings) -> tuple[list[int], list[int]]:
    """Of every round the clients of the sample that is waited for, and those of it who have not
    come since it was drawn, as sums of 2^i; from the rounds in which a sample delivers."""
    chances = tuple(given[f"p{i + 1}"] for i in range(4))
    seed, rounds, size = (int(given[key]) for key in ("seed", "rounds", "sample"))
    available = Bernoulli(chances).matrix(rounds + 400, seed=seed)
    delivers = wait_for_sample(available, size, seed=seed)
    ends = np.flatnonzero(delivers.any(axis=1))
    samples, missing = [], []
    for t in range(rounds):
        end = int(ends[np.searchsorted(ends, t)])
        begin = int(ends[ends < t].max()) + 1 if (ends < t).any() else 0
        sample = {int(i) for i in np.flatnonzero(delivers[end])}
        come = {int(i) for i in np.flatnonzero(available[begin : t + 1].any(axis=0))}
        samples.append(sum(1 << i for i in sample))
        missing.append(sum(1 << i for i in sample - come))
    return samples, missing
