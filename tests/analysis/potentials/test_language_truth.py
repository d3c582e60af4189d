"""Runs along random walks of each language's automaton obey the theorem: losses that are not
quadratic, clients that differ, methods run by their own code."""

import numpy as np
import pytest

from fltheory import FLOAT, Trace, forever, simulate
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.potentials.language import Periodic, Staleness, Windows
from tests.analysis.potentials.test_potential_truth import Kinked, kinked

MU, ROUNDS, BATCH, CLIENTS = 0.1, 30, 400, 3


def walks(language: Periodic | Staleness | Windows, rng: np.random.Generator) -> np.ndarray:
    """Who delivers: every client walks in the automaton, by chance."""
    moves: dict[str, list[str]] = {}
    fresh: dict[str, bool] = {}
    for move in language.moves():
        moves.setdefault(move.before, []).extend(name for _, name, _ in move.after)
        fresh[move.before] = move.fresh
    found = np.zeros((BATCH, ROUNDS, CLIENTS), bool)
    first = language.moves()[0].before
    for run in range(BATCH):
        for client in range(CLIENTS):
            state = first
            for t in range(ROUNDS):
                found[run, t, client] = fresh[state]
                state = moves[state][rng.integers(len(moves[state]))]
    return found


def dissimilarity(problem: Kinked) -> np.ndarray:
    """Mean |grad f_i(0)|^2 of each problem of the batch."""
    raw = problem.raw(np.zeros(problem.shift.shape))
    return ((raw - raw.mean(axis=1, keepdims=True)) ** 2).sum(axis=-1).mean(axis=-1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "language", "step"),
    [
        ({"window": 3}, Windows(3), "2/5"),
        ({"pattern": "1001"}, Periodic("1001"), "1/2"),
        ({"staleness": 2}, Staleness(2), "3/5"),
        ({"staleness": 2, "local_steps": 3}, Staleness(2), "1/12"),
    ],
)
def test_methods_with_memory(given: dict, language: Windows, step: str) -> None:
    found = forever("mifa", strong_convexity="1/10", step_size=step, **given)
    assert found.status == "CERTIFIED"
    rng = np.random.default_rng(5)
    problem, delivers = kinked(rng, BATCH, CLIENTS, MU), walks(language, rng)
    here = np.broadcast_to(np.arange(ROUNDS)[:, None], delivers.shape)
    trace = Trace(delivers, here, delivers * given.get("local_steps", 1))
    check(Mifa(), problem, trace, step, found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "given", "language"),
    [
        ("importance-sampling", {"window": 2}, Windows(2)),
        ("async", {"window": 2}, Windows(2)),
        ("async", {"pattern": "100"}, Periodic("100")),
    ],
)
def test_methods_with_fixed_weights(method: str, given: dict, language: Windows) -> None:
    found = forever(method, strong_convexity="1/10", step_size="1/5", **given)
    rng = np.random.default_rng(6)
    problem, delivers = kinked(rng, BATCH, CLIENTS, MU), walks(language, rng)
    started = np.broadcast_to(np.arange(ROUNDS)[:, None], delivers.shape).copy()
    if method == "async":
        for run, t, client in np.argwhere(delivers):
            before = np.flatnonzero(delivers[run, :t, client])
            started[run, t, client] = before[-1] + 1 if len(before) else 0
    length = language.length if isinstance(language, Windows) else len(language.pattern)
    trace = Trace(delivers, started, delivers.astype(int))
    weights = WeightedAggregation((f"{length}/{CLIENTS}",) * CLIENTS)
    check(weights, problem, trace, "1/5", found)


def check(method, problem, trace, step, found) -> None:
    rng = np.random.default_rng(7)
    scale = rng.choice([0.01, 1.0, 30.0], size=(BATCH, 1, 1))
    run = simulate(
        method,
        problem,
        trace,
        start=scale * rng.normal(size=(BATCH, 1, 2)),
        local_step_size=step,
        arithmetic=FLOAT,
    )
    distance = (np.asarray(run.models, float) ** 2).sum(axis=-1)
    factor = float(found.rate) ** np.arange(ROUNDS + 1)
    spread = dissimilarity(problem)[:, None]
    allowed = factor * (float(found.constant) * distance[:, :1] + float(found.spread) * spread)
    allowed = allowed + float(found.floor) * spread
    assert (distance <= allowed * (1 + 1e-9) + 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("word", ["AB", "ABBB"])
def test_turns_of_two_groups(word: str) -> None:
    found = forever("fedavg", pattern=word, strong_convexity="1/10", step_size="1/4")
    rng = np.random.default_rng(8)
    problem = kinked(rng, BATCH, 2, MU)
    rows = [[c == "A", c == "B"] for c in word] * 40
    trace = Trace.fresh(np.array(rows))
    start = 3 * rng.normal(size=(BATCH, 1, 2))
    run = simulate(FedAvg(), problem, trace, start=start, local_step_size="1/4", arithmetic=FLOAT)
    distance = (np.asarray(run.models, float) ** 2).sum(axis=-1)[:, :: len(word)]
    spread = dissimilarity(problem)[:, None]
    times = len(word) * np.arange(distance.shape[1])
    assert found.rate is not None
    assert found.constant is not None
    assert found.spread is not None
    assert found.floor is not None
    start_term = float(found.constant) * distance[:, :1] + float(found.spread) * spread
    allowed = float(found.rate) ** times * start_term + float(found.floor) * spread
    assert (distance <= allowed * (1 + 1e-9)).all()
