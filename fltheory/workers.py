"""The client side: K local steps from a pulled model, and what a client adds to its plain gradient.

A delivery is the plain sum of the directions of the local steps, to be subtracted: MIFA's G^i; AFL's G_i is that
over K; Fraboni's Delta_i is minus the local step size times it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fltheory.arithmetic.base import Rows, mean
from fltheory.rounds import Round

Oracle = Callable[[Rows, int, int], Rows]
"""(rows, round, local step) -> row i is a gradient of client i's loss at row i."""

Memory = tuple[Rows, ...]
"""Rows that the clients keep between rounds; most workers keep none."""


class Pulled(NamedTuple):
    """What the clients start from: a model each, and what the server sends along with it."""

    model: Rows
    extras: tuple[Rows, ...]


class Step(NamedTuple):
    """One local step as a worker sees it."""

    gradients: Rows
    local: Rows
    pulled: Pulled
    memory: Memory
    round: Round


def plain(step: Step) -> Rows:
    """The stochastic gradient itself (local SGD)."""
    return step.gradients


def pooled(step: Step) -> Rows:
    """The average gradient of all clients: with it, every client follows sequential SGD on the global loss."""
    return step.gradients - step.gradients + mean(step.gradients)


@dataclass(frozen=True)
class Worker:
    """How clients turn gradients into local steps.

    `direction`  the vector subtracted in one local step
    `start`      one zero row per client -> what the clients remember at first
    `sends`      memory -> one-row extras that travel with the model
    `finish`     (memory, deliveries, round) -> memory after the round
    `most_steps` upper limit on local steps, whatever the trace says (FedSGD: 1)
    """

    direction: Callable[[Step], Rows] = plain
    start: Callable[[Rows], Memory] = lambda zeros: ()
    sends: Callable[[Memory], tuple[Rows, ...]] = lambda memory: ()
    finish: Callable[[Memory, Rows, Round], Memory] = lambda memory, deliveries, round: memory
    most_steps: int | None = None


LOCAL_SGD = Worker()
ONE_GRADIENT = Worker(most_steps=1)
SEQUENTIAL = Worker(direction=pooled)


def work(worker: Worker, memory: Memory, pulled: Pulled, oracle: Oracle, round: Round, zeros: Rows) -> list[Rows]:
    """Local steps of one round: the partial deliveries after 0, 1, ..., K steps; the last one is the delivery.

    x_0 = pulled model; x_{k+1} = x_k - (step size of the round in which the work began) * direction at x_k.
    """
    arithmetic = round.arithmetic
    limit = round.local_steps if worker.most_steps is None else np.minimum(round.local_steps, worker.most_steps)
    local, delivered, partial = pulled.model + zeros, zeros, [zeros]
    for k in range(int(np.max(limit))):
        busy = arithmetic.mask(limit > k)
        gradients = oracle(local, round.index, k)
        direction = worker.direction(Step(gradients, local, pulled, memory, round))
        local = arithmetic.where(busy, local - round.started_step_size * direction, local)
        delivered = arithmetic.tidy(arithmetic.where(busy, delivered + direction, delivered))
        partial.append(delivered)
    return partial
