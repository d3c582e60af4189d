"""Predictions against simulation on the same log: a simulator of its own, every method, every
example; samples of a fleet for the whole."""

import csv
import math
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.fleet import clocked, plans, predict
from fltheory.fleet.delivery_times import DeliveryTimes
from fltheory.fleet.log import FleetLog, from_matrix, from_runs
from fltheory.fleet.readers import read_log
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Policy, Synchronous

EXAMPLES = Path(__file__).parents[2] / "docs/fleets"
RUNS, ERRORS = 300, 5.5
"""Runs of a simulation, and how many standard errors its mean may lie away."""


def sampled_gaps(
    fleet: predict.StandIn, algorithm: Any, trace: Any, size: Fraction, task: LearningTask
) -> Any:
    """Gaps of RUNS runs before each round and after the last, one local step per delivery, by plain
    numpy."""
    chance, total = np.random.default_rng(1), np.zeros((trace.num_rounds + 1, RUNS))
    weights = (
        np.array(algorithm.weights, float) if isinstance(algorithm, WeightedAggregation) else None
    )
    remembers = isinstance(algorithm, Mifa | FedLaAvg | AfaCrossSilo)
    ranks = np.array([float(rank) for rank in fleet.ranks])
    for h in (task.strong_convexity, task.smoothness):
        curvature, start = float(h), 1 / math.sqrt(float(h))
        optima = ranks * math.sqrt(float(task.heterogeneity) / 2 / (ranks**2).mean()) / curvature
        deviation = math.sqrt(float(task.noise * fleet.noise_factor) / 2)
        models, memory = np.full((trace.num_rounds + 1, RUNS), start), np.zeros((len(optima), RUNS))
        for t in range(trace.num_rounds):
            fresh = np.zeros((len(optima), RUNS))
            who = np.flatnonzero(trace.delivers[t])
            for i in who:
                noise = deviation * chance.standard_normal(RUNS)
                fresh[i] = curvature * (models[trace.started_from[t, i]] - optima[i]) + noise
            memory[who] = fresh[who]
            step = (
                memory.mean(axis=0)
                if remembers
                else (
                    fresh.sum(axis=0) / max(len(who), 1)
                    if weights is None
                    else np.asarray(weights) @ fresh
                )
            )
            models[t + 1] = models[t] - float(size) * step
        total = total + curvature / 2 * models**2
    return total


def differs(gaps: Any, samples: Any) -> bool:
    """Is the prediction of some round outside of what the samples allow?"""
    error = samples.std(axis=1, ddof=1) / math.sqrt(RUNS)
    return bool((np.abs(samples.mean(axis=1) - gaps)[1:] > ERRORS * error[1:] + 1e-12).any())


def table_plans(name: str) -> Iterator[tuple[predict.StandIn, Any, Any]]:
    """What is predicted for a table of rounds: FedFix with a window of 4 as one of its windows."""
    summary = Summary(
        read_log(EXAMPLES / f"{name}.csv", round_seconds=900 if name == "diurnal_phones" else None)
    )
    for plan in plans.plans(summary, LearningTask(noise=1)):
        yield plan.fleet, plan.algorithm, plan.trace
    fleet = predict.stand_in(summary, 40)
    yield fleet, *plans.windowed(fleet, 4, 1)


@pytest.mark.parametrize("name", ["flaky_silos", "diurnal_phones"])
def test_every_prediction_for_a_table_is_what_simulation_gives(name: str) -> None:
    for fleet, algorithm, trace in table_plans(name):
        short = type(trace)(trace.delivers[:60], trace.started_from[:60], trace.local_steps[:60])
        size, task = Fraction(1, 4), LearningTask(noise=1)
        gaps, samples = (
            fleet.gaps(fleet.responses(algorithm, short), size, task),
            sampled_gaps(fleet, algorithm, short, size, task),
        )
        assert not differs(gaps, samples), algorithm
        assert differs(1.3 * gaps, samples), "a prediction that is 30 % off is seen"


def own_events(
    times: list[list[float]], policy: Policy, rounds: int
) -> tuple[list[set[int]], list[float]]:
    """Who delivers in each round, and when it ends, by a loop of its own in floats."""
    turn, ends, now, groups, clock = [0] * len(times), [own[0] for own in times], 0.0, [], []
    for _ in range(rounds):
        order = sorted(range(len(times)), key=lambda i: (ends[i], i))
        match policy:
            case Synchronous():
                who, now = order, max(ends)
            case Asynchronous():
                who, now = order[:1], ends[order[0]]
            case Buffer(size=size):
                who, now = order[:size], ends[order[size - 1]]
            case FixedWindow(duration=window):
                now += float(window)
                who = [i for i in order if ends[i] <= now]
        for i in who:
            turn[i] += 1
            ends[i] = now + times[i][turn[i] % len(times[i])]
        groups.append(set(who))
        clock.append(now)
    return groups, clock


def test_every_prediction_for_the_straggler_is_what_simulation_gives() -> None:
    made = clocked.clocked(Summary(read_log(EXAMPLES / "one_straggler.csv")), 10)
    size, task = Fraction(1, 16), LearningTask(noise=1)
    assert made.fleet.error == 0, "all ten machines are in it"
    times = [list(own) for own in made.times.seconds]
    for policy, algorithms in (
        (Synchronous(), ()),
        (FixedWindow(Fraction(301, 10)), ()),
        (Buffer(5), ()),
        (Asynchronous(), [algorithm for _, _, algorithm, _ in clocked.ARRIVALS]),
    ):
        timed = made.run(policy, 80)
        groups, clock = own_events(times, policy, 80)
        assert [set(np.flatnonzero(row).tolist()) for row in timed.trace.delivers] == groups
        assert np.allclose([float(time) for time in timed.times[1:]], clock)
        for algorithm in (
            WeightedAggregation(made.times.weights(policy, timed.trace)),
            *algorithms,
        ):
            gaps, samples = (
                made.fleet.gaps(made.fleet.responses(algorithm, timed.trace), size, task),
                sampled_gaps(made.fleet, algorithm, timed.trace, size, task),
            )
            assert not differs(gaps, samples), (policy, algorithm)


def test_single_arrivals_come_as_the_log_says_and_weights_are_fair() -> None:
    """Machines work without pauses in this log: its own returns are the predicted ones, to the
    second."""
    with (EXAMPLES / "one_straggler.csv").open(newline="") as file:
        rows = sorted((float(row["returned"]), row["client"]) for row in csv.DictReader(file))
    summary = Summary(read_log(EXAMPLES / "one_straggler.csv"))
    made = clocked.clocked(summary, 10)
    timed = made.run(Asynchronous(), 1600)
    names = [
        summary.log.names[made.fleet.clients[int(np.argmax(row))]] for row in timed.trace.delivers
    ]
    assert sum(a == b for a, (_, b) in zip(names, rows, strict=False)) >= 1590, (
        "but for returns at the same tenth of a second"
    )
    assert np.allclose([float(time) for time in timed.times[1:]], [time for time, _ in rows[:1600]])
    for policy in (Synchronous(), Asynchronous(), FixedWindow(20), Buffer(5)):
        trace = made.run(policy, 1500).trace
        mean = np.array(
            [float(w) for w in made.times.weights(policy, trace)]
        ) * trace.delivers.mean(axis=0)
        assert np.allclose(mean, 0.1, rtol=0.05), policy


def random_table(kind: str, clients: int, rounds: int) -> Any:
    chance = np.random.default_rng(1)
    shares = (
        chance.uniform(0.1, 0.95, clients)
        if kind == "often"
        else chance.beta(1, 4, clients).clip(0.05)
    )
    return chance.random((rounds, clients)) < shares


def pairs(some: Any, whole: Any) -> Iterator[tuple[Any, Any]]:
    """Predictions of the same method, but for the length of FedFix's window."""
    names = {prediction.method.split(" window")[0]: prediction for prediction in whole}
    for prediction in some:
        yield prediction, names[prediction.method.split(" window")[0]]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["often", "rarely"])
def test_some_clients_stand_for_a_larger_fleet_within_the_stated_error(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predict, "MOST_ROUNDS", 300)
    summary, task = Summary(from_matrix(random_table(kind, 900, 150))), LearningTask(target="1/10")
    some = plans.predict(summary, [task])
    monkeypatch.setattr(plans, "MOST_CLIENTS", 900)
    monkeypatch.setattr(plans, "MOST_WITH_MEMORY", 200)
    whole = plans.predict(summary, [task])
    assert all(
        p.error == 0 for p in whole if p.method.split()[0] not in ("MIFA", "FedLaAvg", "AFA-CS")
    )
    for of_some, of_all in pairs(some, whole):
        assert of_some.error >= predict.SAMPLED_ERROR
        assert (of_some.rounds is None) == (of_all.rounds is None), of_some.method
        if of_all.rounds is not None and of_some.rounds is not None:
            assert abs(of_some.rounds - of_all.rounds) <= max(of_some.error * of_all.rounds, 2), (
                of_some.method
            )


def random_deliveries(clients: int, seconds: float) -> FleetLog:
    """Machines with mean times from 20 to 60 seconds, each delivery a third more or less."""
    chance, rows = np.random.default_rng(1), []
    for i, mean in enumerate(chance.uniform(20, 60, clients)):
        ends = np.cumsum(mean * chance.uniform(2 / 3, 4 / 3, math.ceil(seconds / mean)))
        rows += [(i, begin, end) for begin, end in zip([0.0, *ends], ends, strict=False)]
    client, received, returned = (
        np.array(column) for column in zip(*sorted(rows, key=lambda row: row[2]), strict=True)
    )
    rounds = np.arange(len(rows))
    return from_runs(
        [f"m{i}" for i in range(clients)],
        len(rows),
        client,
        rounds,
        rounds + 1,
        deliveries=DeliveryTimes(client, received, returned, clients),
    )


@pytest.mark.slow
def test_some_machines_stand_for_more_within_the_stated_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """24 machines, and 12 (8 where they are remembered) that stand for them: fewer than in use."""
    monkeypatch.setattr(clocked, "WINDOWS", (Fraction(1), Fraction(2)))
    monkeypatch.setattr(
        clocked,
        "ARRIVALS",
        [one for one in clocked.ARRIVALS if "CS" not in one[0] and "La" not in one[0]],
    )
    summary, task = Summary(random_deliveries(24, 1500)), LearningTask(target="1/10")
    monkeypatch.setattr(clocked, "MOST_WITH_MEMORY", 24)
    whole = clocked.predict_clocked(summary, [task])
    monkeypatch.setattr(clocked, "MOST_CLIENTS", 12)
    monkeypatch.setattr(clocked, "MOST_WITH_MEMORY", 8)
    for of_some, of_all in pairs(clocked.predict_clocked(summary, [task]), whole):
        assert (of_some.error, of_all.error) == (predict.SAMPLED_ERROR, 0)
        assert of_some.seconds is not None
        assert of_all.seconds is not None
        assert abs(of_some.seconds - of_all.seconds) <= of_some.error * of_all.seconds, (
            of_some.method,
            of_some.seconds,
            of_all.seconds,
        )
