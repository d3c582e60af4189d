"""Every method against its paper's box, read literally: one client after the other, one number
after the other."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import (
    FedAvg,
    Mifa,
    MifaDifference,
    Quadratic,
    Trace,
    WeightedAggregation,
    importance_sampling,
)
from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.algorithms.scaffold import CONTROLLED
from fltheory.engine.noise import Rademacher
from fltheory.engine.simulate import simulate
from fltheory.engine.workers import ONE_GRADIENT, sequential

CLIENTS, ROUNDS, FULL_STEPS = 3, 5, 3
STRENGTH, WEIGHTS = Fraction(1, 3), (Fraction(1, 2), Fraction(2), Fraction(1, 3))
CHANCES, IMPORTANCE = (
    (Fraction(1, 2), Fraction(1, 4), Fraction(1)),
    (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),
)
PROBLEM = Quadratic(curvatures=(1, 2, "1/2"), optima=(0, 3, -1))
NOISE = Rademacher(PROBLEM, "1/5", seed=3)


def local_size(index: int) -> Fraction:
    return Fraction(1, index + 3)


def server_size(index: int) -> Fraction:
    return Fraction(index + 1, 2)


class Clients:
    """The clients' side: `gradients(t, i)` walks from a received model and lists the stochastic
    gradients on the way."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.models = trace, [Fraction(2)]

    def active(self, t: int) -> list[int]:
        return [i for i in range(CLIENTS) if self.trace.delivers[t, i]]

    def received(self, t: int, i: int) -> int:
        return int(self.trace.started_from[t, i])

    def gradient(self, t: int, i: int, k: int, y: Fraction) -> Fraction:
        return PROBLEM.curvatures[i][0] * (y - PROBLEM.optima[i][0]) + NOISE(t, k)[i, 0]

    def directions(
        self, t: int, i: int, change: Callable[[Fraction, Fraction], Fraction] | None = None
    ) -> list[Fraction]:
        start = y = self.models[self.received(t, i)]
        walked = []
        for k in range(int(self.trace.local_steps[t, i])):
            walked.append(self.gradient(t, i, k, y) + (change(y, start) if change else 0))
            y -= local_size(self.received(t, i)) * walked[-1]
        return walked

    def update(
        self, t: int, i: int, change: Callable[[Fraction, Fraction], Fraction] | None = None
    ) -> Fraction:
        """Local model minus received model."""
        return -local_size(self.received(t, i)) * sum(self.directions(t, i, change))


Box = Callable[[Clients], Any]


def average(numbers: list[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / max(len(numbers), 1)


def averaged(clients: Clients, change: Any = None) -> None:
    for t in range(ROUNDS):
        updates = [clients.update(t, i, change) for i in clients.active(t)]
        clients.models.append(clients.models[t] + server_size(t) * average(updates))


def fedprox(clients: Clients) -> None:
    averaged(clients, lambda y, start: STRENGTH * (y - start))


def fedsgd(clients: Clients) -> None:
    for t in range(ROUNDS):
        gradients = [
            clients.directions(t, i)[0] * local_size(clients.received(t, i))
            for i in clients.active(t)
        ]
        clients.models.append(clients.models[t] - server_size(t) * average(gradients))


def sequential_sgd(clients: Clients) -> None:
    for t in range(ROUNDS):
        y = clients.models[t]
        for k in range(int(clients.trace.local_steps[t].max())):
            y -= local_size(t) * sum(
                IMPORTANCE[i] * clients.gradient(t, i, k, y) for i in range(CLIENTS)
            )
        clients.models.append(clients.models[t] + server_size(t) * (y - clients.models[t]))


def mifa(clients: Clients) -> None:
    table = [Fraction(0)] * CLIENTS
    for t in range(ROUNDS):
        for i in clients.active(t):
            table[i] = -clients.update(t, i) / local_size(clients.received(t, i))
        clients.models.append(
            clients.models[t] - server_size(t) * local_size(t) * sum(table) / CLIENTS
        )


def fedlaavg(clients: Clients) -> None:
    latest, mean_update = [Fraction(0)] * CLIENTS, Fraction(0)
    for t in range(ROUNDS):
        for i in clients.active(t):
            new = clients.update(t, i)
            mean_update += (new - latest[i]) / CLIENTS
            latest[i] = new
        clients.models.append(clients.models[t] + server_size(t) * mean_update)


def weighted_with(weights: tuple[Fraction, ...]) -> Box:
    def box(clients: Clients) -> None:
        for t in range(ROUNDS):
            clients.models.append(
                clients.models[t]
                + server_size(t) * sum(weights[i] * clients.update(t, i) for i in clients.active(t))
            )

    return box


def afa_cross_device(clients: Clients) -> None:
    for t in range(ROUNDS):
        averages = [average(clients.directions(t, i)) for i in clients.active(t)]
        clients.models.append(
            clients.models[t] - server_size(t) * local_size(t) * average(averages)
        )


def afa_cross_silo(clients: Clients) -> None:
    memory = [Fraction(0)] * CLIENTS
    for t in range(ROUNDS):
        for i in clients.active(t):
            memory[i] = average(clients.directions(t, i))
        clients.models.append(
            clients.models[t] - server_size(t) * local_size(t) * sum(memory) / CLIENTS
        )


def scaffold(clients: Clients) -> None:
    controls, server_controls = [Fraction(0)] * CLIENTS, [Fraction(0)]
    for t in range(ROUNDS):
        updates, changes = [], {}
        for i in clients.active(t):
            own, server = controls[i], server_controls[clients.received(t, i)]
            change = server - own
            walked = clients.directions(t, i, lambda y, start, change=change: change)  # type: ignore[misc]
            updates.append(-local_size(clients.received(t, i)) * sum(walked))
            changes[i] = -server + average(walked)
        for i, change in changes.items():
            controls[i] += change
        server_controls.append(server_controls[t] + sum(changes.values(), Fraction(0)) / CLIENTS)
        clients.models.append(clients.models[t] + server_size(t) * average(updates))


def partial_work(clients: Clients) -> None:
    for t in range(ROUNDS):
        weights = {
            i: IMPORTANCE[i] * FULL_STEPS / int(clients.trace.local_steps[t, i])
            for i in clients.active(t)
        }
        clients.models.append(
            clients.models[t]
            + server_size(t) * sum(weight * clients.update(t, i) for i, weight in weights.items())
        )


BOXES: list[tuple[Any, Box]] = [
    (FedAvg(), averaged),
    (FedAvg(worker=proximal(STRENGTH)), fedprox),
    (FedAvg(worker=ONE_GRADIENT), fedsgd),
    (FedAvg(worker=sequential(IMPORTANCE)), sequential_sgd),
    (FedAvg(worker=CONTROLLED), scaffold),
    (Mifa(), mifa),
    (MifaDifference(), mifa),
    (FedLaAvg(), fedlaavg),
    (WeightedAggregation(WEIGHTS), weighted_with(WEIGHTS)),
    (
        importance_sampling(CHANCES),
        weighted_with(tuple(1 / (CLIENTS * chance) for chance in CHANCES)),
    ),
    (AfaCrossDevice(), afa_cross_device),
    (AfaCrossSilo(), afa_cross_silo),
    (PartialWork(FULL_STEPS, IMPORTANCE), partial_work),
]


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    def table(low: int, high: int) -> Any:
        return np.reshape(
            draw(
                st.lists(
                    st.integers(low, high), min_size=ROUNDS * CLIENTS, max_size=ROUNDS * CLIENTS
                )
            ),
            (ROUNDS, CLIENTS),
        )

    return Trace.with_delays(
        table(0, 1),
        np.minimum(table(0, 2), np.arange(ROUNDS)[:, None]),
        local_steps=table(1, FULL_STEPS),
    )


def literal(box: Box, trace: Trace) -> list[Fraction]:
    clients = Clients(trace)
    box(clients)
    return clients.models


def computed(algorithm: Any, trace: Trace) -> list[Fraction]:
    run = simulate(
        algorithm,
        PROBLEM,
        trace,
        start=2,
        local_step_size=local_size,
        server_step_size=server_size,
        noise=NOISE,
    )
    return list(run.models[:, 0])


@pytest.mark.parametrize(
    ("algorithm", "box"), BOXES, ids=[f"{k}-{box.__name__}" for k, (_, box) in enumerate(BOXES)]
)
@settings(max_examples=10)
@given(traces())
def test_the_algorithm_is_its_box(algorithm: Any, box: Box, trace: Trace) -> None:
    assert computed(algorithm, trace) == literal(box, trace)


def test_no_algorithm_passes_for_another() -> None:
    """Absence, delay and uneven work at once tell all the boxes apart."""
    trace = Trace.with_delays(
        [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0], [0, 1, 1]],
        [[0], [1], [0], [2], [1]],
        local_steps=[[1, 2, 3], [1, 3, 2], [2, 1, 1], [3, 2, 2], [1, 1, 3]],
    )
    results = {tuple(computed(algorithm, trace)) for algorithm, _ in BOXES}
    assert len(results) == len(BOXES) - 1  # two layouts of MIFA
    assert results == {tuple(literal(box, trace)) for _, box in BOXES}
