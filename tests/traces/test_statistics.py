"""Statistics of traces: definitions by brute force, identities on random traces, batches as their
members."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import InvalidInput, Trace
from fltheory.traces import trace_statistics as stats
from fltheory.traces.trace_statistics import NEVER


@st.composite
def matrices(draw, *, everyone_first=False, rounds=10, batch=False):
    shape = (draw(st.integers(1, rounds)), draw(st.integers(1, 4)))
    shape = (draw(st.integers(1, 3)), *shape) if batch else shape
    cells = draw(
        st.lists(st.booleans(), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
    )
    matrix = np.array(cells).reshape(shape)
    matrix[..., 0, :] |= everyone_first
    return matrix


@st.composite
def delayed(draw, *, everyone_first=False):
    matrix = draw(matrices(everyone_first=everyone_first))
    delays = [[draw(st.integers(0, t)) for _ in row] for t, row in enumerate(matrix)]
    return Trace.with_delays(matrix, delays)


MIFA = Trace.fresh([[1, t in (0, 3)] for t in range(6)])
"""The instance of MIFA Sec. 5.1: N = 2, T = 7, one client always, the other in rounds 1 and 4."""


def test_staleness_of_the_papers_instance():
    assert stats.staleness(MIFA)[:, 1].tolist() == [0, 1, 2, 0, 1, 2]
    assert (stats.mean_staleness(MIFA), stats.max_staleness(MIFA)) == (F(1, 2), 2)
    assert (stats.client_max_staleness(MIFA).tolist(), stats.mean_client_max_staleness(MIFA)) == (
        [0, 2],
        1,
    )
    assert int((stats.usages(MIFA) ** 2).sum()) == 24


@given(matrices())
def test_rounds_since_by_definition_and_by_recursion(matrix):
    ages = stats.rounds_since(matrix)
    for i in range(matrix.shape[1]):
        age = NEVER
        for t in range(len(matrix)):
            times = [s for s in range(t + 1) if matrix[s, i]]
            assert ages[t, i] == (t - max(times) if times else NEVER)
            age = 0 if matrix[t, i] else age + 1 if age != NEVER else NEVER
            assert ages[t, i] == age
    assert (stats.staleness(Trace.fresh(matrix)) == ages).all()


@given(delayed())
def test_staleness_counts_from_the_model_behind_the_latest_delivery(trace):
    ages = stats.staleness(trace)
    for t, i in np.ndindex(*ages.shape):
        rounds = [s for s in range(t + 1) if trace.delivers[s, i]]
        assert ages[t, i] == (t - trace.started_from[rounds[-1], i] if rounds else NEVER)


@given(delayed(everyone_first=True))
def test_means_and_maxima_of_staleness(trace):
    ages = stats.staleness(trace).tolist()
    every = [age for row in ages for age in row]
    worst = [max(column) for column in zip(*ages, strict=True)]
    assert stats.max_staleness(trace) == max(every)
    assert stats.mean_staleness(trace) == F(sum(every), len(every))
    assert stats.client_max_staleness(trace).tolist() == worst
    assert stats.mean_client_max_staleness(trace) == F(sum(worst), len(worst))


def test_staleness_of_a_client_never_heard_from_is_undefined():
    refusal = r"^client 1 must deliver in round 0 for its staleness to be defined, got no delivery$"
    for delivers in ([[1, 0], [1, 1]], [[[1, 1], [1, 1]], [[1, 0], [1, 1]]]):
        with pytest.raises(InvalidInput, match=refusal):
            stats.mean_staleness(Trace.fresh(delivers))


@pytest.mark.parametrize("statistic", [stats.rounds_since, stats.availability_window])
def test_a_table_of_availability_is_refused_by_name(statistic):
    with pytest.raises(InvalidInput, match=r"^available must have rows of equal length"):
        statistic([[1], [1, 0]])


def test_single_numbers_are_whole_numbers_of_python():
    trace = Trace.continuous([[1, 1], [1, 0], [1, 1]])
    for number in (
        stats.max_staleness(trace),
        stats.max_delay(trace),
        stats.availability_window(trace.delivers),
    ):
        assert type(number) is int


@given(matrices(everyone_first=True))
def test_usage_identity_and_least_number_of_active_rounds(matrix):
    """sum_s g_s = R and sum g^2 = N R (2 taubar + 1), so a client is active at least R/(2 taubar_i
    + 1) times."""
    trace = Trace.fresh(matrix)
    rounds, clients = matrix.shape
    used = stats.usages(trace)
    assert (used.sum(axis=0) == rounds).all()
    assert (used[~matrix] == 0).all()
    assert int((used**2).sum()) == clients * rounds * (2 * stats.mean_staleness(trace) + 1)
    for i in range(clients):
        mean = stats.mean_staleness(Trace.fresh(matrix[:, i : i + 1]))
        gaps = set(used[:, i]) - {0}
        assert matrix[:, i].sum() >= rounds / (2 * mean + 1)
        assert (matrix[:, i].sum() == rounds / (2 * mean + 1)) is (len(gaps) == 1)


@pytest.mark.slow
@given(matrices())
def test_availability_window_by_scanning_all_stretches(matrix):
    rounds = len(matrix)

    def holds(window):
        return all(
            matrix[start : start + window].any(axis=0).all() for start in range(rounds - window + 1)
        )

    assert stats.availability_window(matrix) == next(
        window for window in range(1, rounds + 2) if holds(window)
    )


@given(matrices(everyone_first=True), st.builds(F, st.integers(0, 3), st.integers(1, 40)))
def test_initial_gap_is_the_smallest_that_fits(matrix, slope):
    trace = Trace.fresh(matrix)
    gap = stats.initial_gap(trace, slope)
    ages = stats.staleness(trace)
    needed = [int(ages[t, i]) - slope * (t + 1) for t, i in np.ndindex(*ages.shape)]
    assert gap == max(0, *needed)
    assert all(age <= gap for age in needed)
    assert gap == 0 or gap in needed


def test_initial_gap_reads_the_slope_exactly():
    assert stats.initial_gap(MIFA, "1/40") == 2 - F(3, 40)
    with pytest.raises(InvalidInput, match="slope must be a number"):
        stats.initial_gap(MIFA, "steep")


@given(matrices())
def test_delays_are_ages_of_the_models_that_clients_hold(matrix):
    received = [0] * matrix.shape[1]
    ages = []
    for n, row in enumerate(matrix):
        ages.append([n - model for model in received])
        received = [n + 1 if here else model for here, model in zip(row, received, strict=True)]
    trace = Trace.continuous(matrix)
    assert stats.pull_delays(trace).tolist() == ages
    assert stats.max_delay(trace) == max(map(max, ages))
    assert (trace.delays[matrix] == stats.pull_delays(trace)[matrix]).all()


@pytest.mark.parametrize("limit", range(4))
def test_a_model_is_used_in_at_most_one_round_more_than_the_largest_delay(limit):
    """All delay sequences of one client over seven rounds: the largest number of uses is limit + 1,
    and it occurs."""
    always = np.ones((7, 1), bool)
    sequences = product(*(range(min(t, limit) + 1) for t in range(7)))
    traces = [Trace.with_delays(always, np.array(delays)[:, None]) for delays in sequences]
    assert max(int(stats.model_reuses(trace).max()) for trace in traces) == limit + 1


@given(delayed())
def test_reuses_count_rounds_not_clients(trace):
    reuses = stats.model_reuses(trace)
    for model in range(trace.num_rounds):
        rounds = [
            t
            for t in range(trace.num_rounds)
            if any(trace.delivers[t] & (trace.started_from[t] == model))
        ]
        assert reuses[model] == len(rounds)
    if trace.delivers.any():
        assert reuses.max() <= trace.delays.max() + 1


@pytest.mark.slow
@given(matrices(), st.lists(st.fractions(0, 5, max_denominator=9), min_size=4, max_size=4))
def test_participation_and_mean_weights(matrix, weights):
    trace = Trace.continuous(matrix)
    shares = [F(int(column.sum()), len(matrix)) for column in matrix.T]
    assert list(stats.participation(trace)) == shares
    used = weights[: matrix.shape[1]]
    by_rounds = [
        sum((w for row in matrix if row[i]), F(0)) / len(matrix) for i, w in enumerate(used)
    ]
    assert list(stats.mean_weights(trace, used)) == by_rounds


def test_mean_weights_need_one_weight_per_client():
    with pytest.raises(
        InvalidInput, match="weights must have one entry for each of 2 clients, got 1 entries"
    ):
        stats.mean_weights(MIFA, [1])
    with pytest.raises(InvalidInput, match="weight of client 1 must be a number"):
        stats.mean_weights(MIFA, [1, "x"])


@given(matrices(rounds=6), st.integers(1, 3))
def test_balance_period_by_trying_every_window(pattern, copies):
    matrix = np.concatenate([pattern] * copies)

    def balanced(window):
        counts = {tuple(matrix[s : s + window].sum(axis=0)) for s in range(0, len(matrix), window)}
        return len(matrix) % window == 0 and len(counts) == 1

    period = stats.balance_period(Trace.fresh(matrix))
    assert period == next(window for window in range(1, len(matrix) + 1) if balanced(window))
    assert period <= len(pattern)


@pytest.mark.parametrize("window", range(2, 7))
def test_balanced_windows_allow_delays_up_to_twice_their_length(window):
    """One delivery in each aligned window: the delay can be 2 W - 2 (above W), and W - 1 if the
    pattern repeats with W."""

    def delay(places):
        matrix = np.zeros((len(places) * window, 1), bool)
        matrix[[k * window + place for k, place in enumerate(places)]] = True
        return stats.max_delay(Trace.continuous(matrix))

    assert max(delay(places) for places in product(range(window), repeat=3)) == 2 * window - 2
    assert max(delay((place,) * 3) for place in range(window)) == window - 1
    assert delay((0, window - 1)) == 2 * window - 2


@given(matrices(rounds=4), matrices(rounds=4), st.integers(4, 6))
def test_repeats_finds_the_smallest_pattern(head, pattern, copies):
    width = min(head.shape[1], pattern.shape[1])
    matrix = np.concatenate([head[: len(pattern), :width], *[pattern[:, :width]] * copies])
    warm_up, period = stats.repeats(Trace.fresh(matrix))
    assert warm_up + period <= len(head) + len(pattern)
    assert len(matrix) - warm_up >= 3 * period
    assert (matrix[warm_up + period :] == matrix[warm_up:-period]).all()
    assert warm_up == 0 or (matrix[warm_up - 1] != matrix[warm_up - 1 + period]).any()


def test_a_short_constant_tail_is_no_period():
    assert stats.repeats(Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]] * 2)) is None


def test_doubling_gaps_do_not_repeat():
    assert stats.repeats(Trace.fresh([[t in (0, 1, 3, 7, 15, 31)] for t in range(32)])) is None


BATCHED = [
    stats.staleness,
    stats.max_staleness,
    stats.mean_staleness,
    stats.client_max_staleness,
    stats.mean_client_max_staleness,
    stats.usages,
    stats.pull_delays,
    stats.max_delay,
    lambda trace: stats.initial_gap(trace, "1/7"),
    lambda trace: stats.availability_window(trace.delivers),
    lambda trace: stats.rounds_since(trace.delivers),
]


@given(matrices(everyone_first=True, batch=True))
def test_batches_give_the_numbers_of_their_members(batch):
    together = Trace.continuous(batch)
    for statistic in BATCHED:
        result = statistic(together)
        for b, matrix in enumerate(batch):
            assert np.array_equal(result[b], statistic(Trace.continuous(matrix)))


@pytest.mark.parametrize(
    "statistic",
    [
        stats.model_reuses,
        stats.participation,
        stats.balance_period,
        stats.repeats,
        lambda trace: stats.mean_weights(trace, [1]),
    ],
)
def test_statistics_of_one_trace_refuse_a_batch(statistic):
    with pytest.raises(
        InvalidInput, match=r"trace must be a single one here, got a batch of shape \(2,\)"
    ):
        statistic(Trace.fresh([[[1]], [[1]]]))
