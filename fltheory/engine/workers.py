"""The client side: K local steps from a received model, and what a method changes in the plain
gradient.

A delivery is the sum of the directions of the local steps, which the server subtracts: MIFA's G^i.
AFL's G_i is this sum divided by K; Fraboni's Delta_i is minus the local step size times it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fltheory.core.exact import shares
from fltheory.core.types import Vector
from fltheory.engine.arithmetic.base import Rows, total
from fltheory.engine.rounds import Round

Oracle = Callable[[Rows, int, int], Rows]
"""(rows, round, local step) -> rows; row i is a gradient of client i's loss at row i."""

LocalWork = Callable[[Rows, Round], Rows]
"""(pulled models, round) -> deliveries of plain local SGD, zero for clients that do not deliver."""

Memory = tuple[Rows, ...]
"""Rows that the clients keep between rounds; most workers keep none."""


class Pulled(NamedTuple):
    """What the clients start from: a model for each, and what the server sends with it."""

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


@dataclass(frozen=True)
class Pooled:
    """The global gradient sum_j p_j grad f_j: all clients take the same steps of sequential SGD on
    the global loss."""

    importance: Vector | None = None

    def __call__(self, step: Step) -> Rows:
        weights = step.round.per_client(shares(self.importance, step.gradients.shape[-2]))
        return total(weights * step.gradients) + 0 * step.gradients


def as_traced(round: Round) -> Round:
    """The round unchanged."""
    return round


def one_step(round: Round) -> Round:
    """The round with at most one local step for each client (FedSGD)."""
    return round.with_local_steps((round.local_steps > 0) * 1, min(round.most_steps, 1))


def together(round: Round) -> Round:
    """The round as if all data were in one place: no client is late or absent, and all take as many
    steps as the client with most."""
    steps = round.local_steps
    most = steps.max(-2, keepdims=True) if isinstance(steps, np.ndarray) else steps.amax(-2, True)
    return round.on_time().with_local_steps(most + 0 * steps, round.most_steps)


def unchanged(memory: Memory, deliveries: Rows, pulled: Pulled, round: Round) -> Memory:
    """The memory of clients that note nothing."""
    return memory


@dataclass(frozen=True)
class Worker:
    """How clients turn gradients into local steps.

    - `direction`: the vector that is subtracted in one local step
    - `start`: one zero row per client -> the memory of the clients before round 0
    - `sends`: memory -> rows that the server sends with the model
    - `finish`: (memory, deliveries, what was pulled, round) -> memory after the round
    - `reads`: the trace's round -> the round that the clients carry out
    """

    direction: Callable[[Step], Rows] = plain
    start: Callable[[Rows], Memory] = lambda zeros: ()
    sends: Callable[[Memory], tuple[Rows, ...]] = lambda memory: ()
    finish: Callable[[Memory, Rows, Pulled, Round], Memory] = unchanged
    reads: Callable[[Round], Round] = as_traced


LOCAL_SGD = Worker()
ONE_GRADIENT = Worker(reads=one_step)


def sequential(importance: Vector | None = None) -> Worker:
    """Sequential SGD on the global loss (FedLaAvg Sec. 6.1.2): every client takes the same steps
    along the pooled gradient."""
    return Worker(direction=Pooled(importance), reads=together)


def work(
    worker: Worker,
    memory: Memory,
    pulled: Pulled,
    oracle: Oracle,
    round: Round,
    zeros: Rows,
    *,
    skip: bool = False,
) -> list[Rows]:
    """The local steps of one round: partial deliveries after 0, 1, ..., K steps; the last one is
    the delivery.

    x_0 is the pulled model; x_{k+1} = x_k - (step size of the round in which the work began) *
    direction at x_k. `skip`: the oracle need not compute with clients that do not work.
    """
    arithmetic = round.arithmetic
    local, delivered, partial = pulled.model + zeros, zeros, [zeros]
    direction = zeros
    for k in range(round.most_steps):
        busy = round.busy(k)
        if k:
            moved = local - round.started_step_size * direction
            local = arithmetic.where(busy, moved, local)
        if skip:
            local = arithmetic.only(busy, local)
        gradients = oracle(local, round.index, k)
        direction = worker.direction(Step(gradients, local, pulled, memory, round))
        delivered = arithmetic.tidy(arithmetic.where(busy, delivered + direction, delivered))
        partial.append(delivered)
    return partial
