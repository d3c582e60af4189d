"""Waiting for a sample, and random delays and local steps."""

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.algorithms.fedavg import FedAvg
from fltheory.core.errors import InvalidInput
from fltheory.engine.rounds import by_updates
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.availability.label_correlated import label_probabilities
from fltheory.traces.delays import random_delays, random_local_steps
from fltheory.traces.selection import expected_wait, wait_for_sample
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import model_reuses

tables = st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
    ).map(lambda x: np.reshape(x, shape))
)
seeds = st.integers(0, 2**64 - 1)


@given(tables, seeds, st.data())
def test_a_sample_delivers_when_its_last_member_has_been_seen(
    matrix: Any, seed: int, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, matrix.shape[1]))
    chosen = wait_for_sample(matrix, size, seed=seed)
    picked = 0
    for t in np.flatnonzero(chosen.any(axis=1)).tolist():
        sample = chosen[t]
        assert sample.sum() == size
        assert matrix[picked : t + 1, sample].any(axis=0).all(), "each has been seen since the pick"
        assert t == picked or not matrix[picked:t, sample].any(axis=0).all(), (
            "and no round was wasted"
        )
        picked = t + 1


def test_everybody_always_means_no_wait() -> None:
    assert (wait_for_sample(np.ones((50, 6), bool), 2, seed=1).sum(axis=1) == 2).all()


def test_samples_are_uniform_and_fresh() -> None:
    chosen = wait_for_sample(np.ones((20_000, 4), bool), 2, seed=1)
    pairs = [(chosen[:, i] & chosen[:, j]).mean() for i in range(4) for j in range(i)]
    assert max(abs(share - 1 / 6) for share in pairs) <= 5 * (5 / 36 / 20_000) ** 0.5


def test_golden_run_with_waiting() -> None:
    """MIFA's instance: two updates in three rounds, step sizes indexed by updates."""
    trace = Trace.fresh(wait_for_sample([[1, 1], [1, 0], [0, 1]], 2, seed=0), local_steps=2)
    problem = Quadratic(curvatures=(1, 1), optima=(0, 1))
    run = simulate(
        FedAvg(),
        problem,
        trace,
        start=2,
        local_step_size=by_updates(lambda update: F(2, update + 101), trace),
    )
    assert trace.delivers.any(axis=1).sum() == 2
    assert run.last[0] == F(11115589, 5896178)
    by_rounds = simulate(FedAvg(), problem, trace, start=2, local_step_size=lambda t: F(2, t + 101))
    assert by_rounds.last[0] != run.last[0]


@pytest.mark.parametrize(
    ("chances", "sample_size", "wait"),
    [
        (["1/2", "1/2"], None, F(8, 3)),
        (["1/2", "1/2", "1/2"], None, F(22, 7)),
        (["1/10", "1/2"], None, F(112, 11)),
        (["1/10", "1/2", "9/10"], 1, F(118, 27)),
        (["1/10", "1/2", "9/10"], 2, F(3808984, 513513)),
        (["1/10", "1/2", "9/10"], 3, F(333099922, 32693661)),
        ([1, 1], None, F(1)),
    ],
)
def test_golden_waits(chances: list[Any], sample_size: int | None, wait: F) -> None:
    assert expected_wait(chances, sample_size=sample_size) == wait


def test_the_papers_lower_bound_holds_and_is_loose() -> None:
    chances = [F(1, 10), F(1, 2), F(9, 10)]
    for size in (1, 2, 3):
        assert expected_wait(chances, sample_size=size) > F(size, 3) / min(chances)


@pytest.mark.slow
@given(st.lists(st.fractions(F(1, 5), 1, max_denominator=5), min_size=1, max_size=5), st.data())
def test_waits_are_the_series_of_their_tails(chances: list[F], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(chances)))
    assert abs(series(chances, size) - float(expected_wait(chances, sample_size=size))) < 1e-9


def series(chances: Any, size: int) -> float:
    """sum_k [1 - E_S prod_S (1 - q_i^k)] in floats: another road to the mean wait, open to many
    clients."""
    k, s = np.arange(400.0), np.arange(1, size + 1)[:, None]
    means = np.zeros(
        (size + 1, k.size)
    )  # row s: mean of the product over the s-subsets of the clients so far
    means[0] = 1
    for n, p in enumerate(chances, start=1):
        present = 1 - float(1 - p) ** k
        means[1:] = np.where(
            s <= n, (means[1:] * np.maximum(n - s, 0) + means[:-1] * present * s) / n, 0
        )
    return float((1 - means[size]).sum())


@pytest.mark.parametrize(
    ("counts", "least", "wait_for_all", "wait_for_half"),
    [
        ((21, 15, 16, 18, 12, 9, 7, 1, 1), "1/10", 35.3011, 28.9967),
        ((21, 15, 16, 18, 12, 9, 7, 1, 1), "1/5", 17.3789, 14.5457),
        ((21, 18, 15, 13, 9, 10, 8, 4, 2), "1/10", 35.3363, 29.0606),
        ((21, 18, 15, 13, 9, 10, 8, 4, 2), "1/5", 17.4484, 14.6265),
    ],
)
def test_waits_of_the_released_partitions(
    counts: tuple[int, ...], least: str, wait_for_all: float, wait_for_half: float
) -> None:
    chances = label_probabilities(
        [(label, 9) for label, count in enumerate(counts) for _ in range(count)], least
    )
    assert round(series(chances, 100), 4) == wait_for_all
    assert round(series(chances, 50), 4) == wait_for_half


def test_simulated_waits_follow_the_exact_mean() -> None:
    chances = (F(1, 10), F(1, 2), F(9, 10))
    rounds = 60_000
    chosen = wait_for_sample(
        Bernoulli(chances, everyone_first=False).matrix(rounds, seed=4), 2, seed=5
    )
    waits = np.diff(np.flatnonzero(chosen.any(axis=1)))
    assert (
        abs(waits.mean() - float(expected_wait(chances, sample_size=2)))
        <= 5 * waits.std() / len(waits) ** 0.5
    )


@pytest.mark.slow
def test_hopeless_and_bad_waits_are_refused() -> None:
    with pytest.raises(InvalidInput, match="states"):
        expected_wait([F(1, i) for i in range(2, 32)])
    with pytest.raises(InvalidInput, match="client 1 must lie in"):
        expected_wait(["1/2", 0])
    with pytest.raises(InvalidInput, match="sample size"):
        expected_wait(["1/2"], sample_size=2)


# Delays and local steps.


@given(tables, seeds, st.integers(0, 5), st.data())
def test_delays_are_pure_and_prefix_consistent(
    matrix: Any, seed: int, most: int, data: st.DataObject
) -> None:
    trace = random_delays(Trace.fresh(matrix, local_steps=3), most, seed=seed)
    cut = data.draw(st.integers(1, matrix.shape[0]))
    assert random_delays(Trace.fresh(matrix[:cut], local_steps=3), most, seed=seed) == trace.first(
        cut
    )
    assert (trace.delays <= np.minimum(trace.round_indices, most)).all()
    assert np.array_equal(trace.delivers, matrix)
    assert (model_reuses(trace) <= most + 1).all()


def test_every_delay_is_equally_likely() -> None:
    rounds = 20_000
    delays = random_delays(Trace.fresh(np.ones((rounds, 1), bool)), 4, seed=1).delays[4:, 0]
    assert max(abs((delays == d).mean() - 1 / 5) for d in range(5)) <= 5 * (4 / 25 / rounds) ** 0.5


@given(tables, seeds, st.integers(1, 6), st.data())
def test_local_steps_are_pure_and_prefix_consistent(
    matrix: Any, seed: int, mean: int, data: st.DataObject
) -> None:
    trace = random_local_steps(random_delays(Trace.fresh(matrix), 2, seed=seed), mean, seed=seed)
    cut = data.draw(st.integers(1, matrix.shape[0]))
    assert random_local_steps(
        random_delays(Trace.fresh(matrix[:cut]), 2, seed=seed), mean, seed=seed
    ) == trace.first(cut)
    assert ((trace.local_steps >= 1) & (trace.local_steps <= 2 * mean))[matrix].all()
    assert np.array_equal(trace.delays, random_delays(Trace.fresh(matrix), 2, seed=seed).delays)


def test_dynamic_steps_have_mean_c_plus_one_half() -> None:
    steps = random_local_steps(Trace.fresh(np.ones((20_000, 1), bool)), 5, seed=1).local_steps
    assert set(steps.ravel().tolist()) == set(range(1, 11))
    assert abs(steps.mean() - 5.5) <= 5 * (99 / 12 / 20_000) ** 0.5


@pytest.mark.parametrize("bad", [-1, "1/2", "x"])
def test_bad_delays_and_steps_are_refused(bad: Any) -> None:
    trace = Trace.fresh([[1]])
    with pytest.raises(InvalidInput, match="maximal delay"):
        random_delays(trace, bad, seed=0)
    with pytest.raises(InvalidInput, match="mean local steps"):
        random_local_steps(trace, bad, seed=0)


def test_batches_are_refused() -> None:
    batch = Trace.fresh(np.ones((2, 3, 1), bool))
    with pytest.raises(InvalidInput, match="single one"):
        random_delays(batch, 1, seed=0)
    with pytest.raises(InvalidInput, match="single one"):
        random_local_steps(batch, 1, seed=0)
