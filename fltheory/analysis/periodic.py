"""Long runs along a periodic trace with constant step sizes: sums over all rounds by squaring the
map of one period.

A round is linear in the second moments S = E (z, 1)(z, 1)' of the state, S -> F S F' + Q, and so in
the vector (S, 1, sum of E x_t^2 so far). T rounds of period W are the power T/W of one matrix,
which takes about log2(T/W) products.
"""

import numpy as np

from fltheory.analysis.affine import StateSpace
from fltheory.analysis.coordinates import coordinates
from fltheory.analysis.round_maps import CoordinateRun, RoundMaps, first_vector
from fltheory.core.types import FloatArray, Start, StepSize
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.compiled.moments import Tables
from fltheory.engine.roles import Algorithm, Problem
from fltheory.engine.run import make_run

LARGEST_STATE = 8
"""Largest state for which the power of its map is faster than the loop; the map of a state of n
numbers has about n^4 entries."""


def mean_square(
    algorithm: Algorithm,
    problem: Problem,
    tables: Tables,
    *,
    start: Start,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
) -> float:
    """(1/T) sum_{t<T} E x_t^2 of a problem with one coordinate, by exact moments in double
    precision.

    >>> from fltheory import FedAvg, Quadratic
    >>> noisy = Quadratic(curvatures=(1,), optima=(0,), noise_squared=1)
    >>> always, on_time = np.ones((1, 1), bool), np.zeros((0, 0), int)
    >>> tables = Tables(3, 1, always, on_time, local_steps=np.array([[1]]))
    >>> mean_square(FedAvg(), noisy, tables, start=1, local_step_size="1/2")
    0.625
    """
    (line,) = coordinates(problem, start)
    shown = min(len(tables.delivers), tables.rounds)
    run = CoordinateRun(
        algorithm,
        line.problem,
        tables._replace(rounds=shown).trace(),
        local_step_size,
        server_step_size,
        FLOAT,
    )
    space = run.space()
    moves = [move for _, maps in run.blocks(space, backwards=False) for move in _moves(maps)]
    begin = np.append(first_vector(space, line.start), 1.0)
    found = np.concatenate([np.outer(begin, begin).ravel(), [1.0, 0.0]])
    for move in moves:
        found = move @ found
    periods, more = divmod(tables.rounds - shown, tables.cycle)
    period = np.eye(len(found))
    for move in moves[len(moves) - tables.cycle :]:
        period = move @ period
    found = np.linalg.matrix_power(period, periods) @ found
    for move in moves[len(moves) - tables.cycle :][:more]:
        found = move @ found
    return float(found[-1]) / tables.rounds


def is_quick(
    algorithm: Algorithm,
    problem: Problem,
    tables: Tables,
    *,
    local_step_size: StepSize,
    server_step_size: StepSize,
) -> bool:
    """Whether step sizes are constant, the tables repeat and the state is small."""
    if (
        callable(local_step_size)
        or callable(server_step_size)
        or tables.rounds <= len(tables.delivers)
    ):
        return False
    shown = tables._replace(rounds=len(tables.delivers)).trace()
    return StateSpace(make_run(algorithm, problem, shown, arithmetic=FLOAT)).size <= LARGEST_STATE


def _moves(maps: RoundMaps) -> list[FloatArray]:
    """The matrix of each round on (S, 1, sum)."""
    found: list[FloatArray] = []
    for matrix, offset, response, variance in zip(*maps, strict=True):
        size = len(offset) + 1
        whole, added = np.zeros((size, size)), np.zeros((size, size))
        whole[:-1, :-1], whole[:-1, -1], whole[-1, -1] = matrix, offset, 1.0
        added[:-1, :-1] = (response * variance) @ response.T
        move = np.eye(size**2 + 2)
        move[:-2, :-2], move[:-2, -2], move[-1, 0] = np.kron(whole, whole), added.ravel(), 1.0
        found.append(move)
    return found
