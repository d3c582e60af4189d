"""Rounds as affine maps of the whole state, for one coordinate of a quadratic problem.

z_{t+1} = A_t z_t + b_t + B_t n_t with independent noise n_t in the deliveries. K local steps are in
closed form: directions along a local path shrink by the factor r = 1 - eta s, where s is the slope
of the direction. So a delivery is (1 + r + ... + r^{K-1}) times the first direction, with noise
variance sigma^2 (1 + r^2 + ... + r^{2(K-1)}).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from fltheory.analysis.affine import StateSpace
from fltheory.analysis.coordinates import Separable
from fltheory.core.exact import shares
from fltheory.core.types import Array, ExactLike, Scalar, StepSize
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.roles import Algorithm
from fltheory.engine.rounds import Round, round_block, schedule
from fltheory.engine.run import Run, RunState, make_run
from fltheory.engine.workers import Pooled, Step
from fltheory.traces.trace import Trace

BLOCK_NUMBERS = 400_000
"""Numbers in the maps of one block of rounds; blocks of this size fit into the cache."""


class RoundMaps(NamedTuple):
    """z -> matrix z + offset + sum_i response_i n_i for each round of a block, with independent n_i
    of the given variances.

    Shapes (rounds, n, n), (rounds, n), (rounds, n, sources), (rounds, sources).
    """

    matrix: Array
    offset: Array
    response: Array
    variance: Array


@dataclass(frozen=True)
class CoordinateRun:
    """A method on one coordinate of a quadratic problem, along a trace."""

    algorithm: Algorithm
    problem: Separable
    trace: Trace
    local_step_size: StepSize
    server_step_size: StepSize
    arithmetic: Arithmetic

    def space(self) -> StateSpace:
        """The states of this run."""
        return StateSpace(
            make_run(self.algorithm, self.problem, self.trace, arithmetic=self.arithmetic)
        )

    def blocks(self, space: StateSpace, *, backwards: bool) -> Iterator[tuple[int, RoundMaps]]:
        """(first round, maps) of successive blocks of rounds."""
        length = max(1, BLOCK_NUMBERS // (space.size + 1) ** 2)
        starts = range(0, self.trace.num_rounds, length)
        local, server = schedule(self.local_step_size), schedule(self.server_step_size)
        for first in reversed(starts) if backwards else starts:
            last = min(first + length, self.trace.num_rounds)
            block = round_block(self.trace, self.arithmetic, local, server, first, last)
            yield first, _maps(space, block, Fraction(self.problem.noise_squared))


def first_vector(space: StateSpace, model: Fraction) -> Array:
    """The state before the first round, as a vector."""
    state = space.run.start(space.run.arithmetic.rows([[model]]))
    return space.vector(state._replace(past=space.zero.past))


def number(value: ExactLike, arithmetic: Arithmetic) -> Scalar:
    """One number in an arithmetic."""
    found: Scalar = arithmetic.rows([value])[0]
    return found


def _maps(space: StateSpace, block: Round, noise_squared: Fraction) -> RoundMaps:
    """The affine maps of a block of rounds, read off the zero state, all unit states and unit
    deliveries."""
    run, size, count = space.run, space.size, block.block
    worker, arithmetic, clients = run.algorithm.worker, run.arithmetic, run.zeros.shape[-2]
    round = worker.reads(block)
    states = space.state(space.zero_and_units(size))
    deliveries, spread = _deliveries(run, states, round)
    images = space.vector(
        run.finish(states, round.choose(deliveries, run.zeros), round), (count, size + 1)
    )
    units = space.zero_and_units(clients)[..., None]
    moved = space.vector(
        run.finish(space.zero, round.choose(units, run.zeros), round), (count, clients + 1)
    )
    response = np.swapaxes(moved[:, 1:] - moved[:, :1], -1, -2)
    unit_variance = np.broadcast_to(spread, (count, 1, clients, 1))[:, 0, :, 0]
    variance = unit_variance * arithmetic.rows([noise_squared])
    if isinstance(worker.direction, Pooled):
        # all clients carry the same noise: the weighted sum of every client's draw
        importance = shares(worker.direction.importance, clients)
        response = response.sum(axis=-1, keepdims=True)
        variance = variance[:, :1] * arithmetic.rows([sum(p * p for p in importance)])
    return RoundMaps(
        np.swapaxes(images[:, 1:] - images[:, :1], -1, -2), images[:, 0], response, variance
    )


def _deliveries(run: Run, states: RunState, round: Round) -> tuple[Rows, Rows]:
    """Deliveries after K local steps, and their variance under gradient noise of variance 1, in
    closed form."""
    worker, pulled = run.algorithm.worker, run.pulled(states, round)

    def direction(local: Rows) -> Rows:
        return worker.direction(
            Step(run.oracle(local, round.index, 0), local, pulled, states.memory, round)
        )

    begin = pulled.model + run.zeros
    first = direction(begin)
    shrink = 1 - round.started_step_size * (direction(begin + 1) - first)[..., :1, :, :]
    total = spread = shrink - shrink
    for k in range(int(np.max(round.local_steps))):
        taken = run.arithmetic.mask(round.local_steps > k)
        total = run.arithmetic.where(taken, 1 + shrink * total, total)
        spread = run.arithmetic.where(taken, 1 + shrink * shrink * spread, spread)
    return total * first, spread
