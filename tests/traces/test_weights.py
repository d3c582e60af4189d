"""Balance periods, delays and weights: the papers' numbers, and formulas against simulation on
random clocks."""

from fractions import Fraction as F

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fltheory import InvalidInput
from fltheory.traces.balance import balance
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Synchronous, simulate_clock
from fltheory.traces.trace_statistics import max_delay, mean_weights, participation
from fltheory.traces.weights import (
    asynchronous_weights,
    counted_weights,
    exponential_window_weights,
    identical_weights,
    policy_weights,
    weight_report,
    window_weights,
)

JOINT = Asynchronous(joint_ties=True)


whole_times = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)


units = st.builds(F, st.integers(1, 5), st.integers(1, 5))


scaled_times = st.builds(
    lambda times, unit: tuple(unit * time for time in times), whole_times, units
)


windows = st.builds(FixedWindow, st.builds(F, st.integers(1, 30), st.integers(1, 4)))


@st.composite
def cases(draw, *, policies=("sync", "async", "window", "buffer")):
    times = draw(scaled_times)
    parts = draw(st.lists(st.integers(0, 5), min_size=len(times), max_size=len(times)).filter(any))
    choices = {
        "sync": st.just(Synchronous()),
        "async": st.just(Asynchronous()),
        "window": windows,
        "buffer": st.integers(1, len(times)).map(Buffer),
    }
    policy = draw(st.one_of(*(choices[name] for name in policies)))
    assume(balance(times, policy).period <= 3000)
    return times, policy, tuple(F(part, sum(parts)) for part in parts)


@pytest.mark.parametrize(
    ("times", "period", "delay", "weights"),
    [
        ((1, 2), 3, 2, "3/4 3/2"),
        ((2, 3), 5, 2, "5/6 5/4"),
        ((2, 3, 5), 31, 5, "31/45 31/30 31/18"),
        ((1, 5), 6, 5, "3/5 3"),
        ((1, 1, 1, 5), 16, 15, "4/5 4/5 4/5 4"),
        ((1, 1, 1, 1), 4, 3, "1 1 1 1"),
    ],
)
def test_asynchronous_clients_one_by_one(times, period, delay, weights):
    report = weight_report(times, Asynchronous())
    assert report.weights == tuple(F(x) for x in weights.split())
    assert (report.balance_period, report.max_staleness, report.warm_up) == (period, delay, 0)
    assert report.expected_weights == (F(1, len(times)),) * len(times)
    assert (report.covariance_factor, report.variance_excess) == (0, max(report.weights))
    assert report.largest_total_weight == max(1, *report.weights)


@pytest.mark.parametrize(
    ("times", "period"), [((1, 2), 2), ((2, 3), 4), ((1, 5), 5), ((2, 3, 5), 22), ((1, 1, 1, 1), 1)]
)
def test_joint_ties_shorten_the_period_and_inflate_the_mean_weights(times, period):
    report = weight_report(times, JOINT)
    assert report.balance_period == period
    one_by_one = balance(times, Asynchronous()).period
    assert set(report.expected_weights) == {F(one_by_one, period * len(times))}
    assert (report.covariance_factor, report.variance_excess) == (1, 0)
    assert weight_report(
        times, JOINT, weights=counted_weights(balance(times, JOINT))
    ).expected_weights == (F(1, len(times)),) * len(times)


def test_joint_mean_weights_of_the_examples():
    assert weight_report([1, 2], JOINT).expected_weights == (F(3, 4), F(3, 4))
    assert weight_report([2, 3, 5], JOINT).expected_weights == (F(31, 66),) * 3
    assert weight_report([1, 1, 1, 1], JOINT).max_staleness == 0


@pytest.mark.parametrize(
    ("window", "cycles", "period", "delay", "total"),
    [
        (1, (2, 3, 5), 30, 4, "10/3"),
        (2, (1, 2, 3), 6, 2, "2"),
        (5, (1, 1, 1), 1, 0, "1"),
        (7, (1, 1, 1), 1, 0, "1"),
    ],
)
def test_fixed_windows(window, cycles, period, delay, total):
    report = weight_report([2, 3, 5], FixedWindow(window))
    assert report.weights == tuple(F(cycle, 3) for cycle in cycles)
    assert (report.balance_period, report.max_staleness) == (period, delay)
    assert (report.largest_total_weight, report.covariance_factor, report.variance_excess) == (
        F(total),
        1,
        0,
    )
    assert report.expected_weights == (F(1, 3),) * 3


def test_equal_clients_in_half_windows():
    report = weight_report([1, 1], FixedWindow("1/2"))
    assert (report.weights, report.balance_period) == ((1, 1), 2)
    assert weight_report([1, 1], FixedWindow("1/10")).max_staleness == 9
    assert window_weights([1] * 10, ".5") == (F(2, 10),) * 10


@pytest.mark.parametrize(
    ("times", "size", "frequencies", "delay"),
    [
        ((1, 2, 3, 6), 2, ".8 .6 .4 .2", 4),
        ((2, 3, 5), 2, "1 2/3 1/3", 2),
    ],
)
def test_buffers_by_counts(times, size, frequencies, delay):
    report = weight_report(times, Buffer(size))
    assert report.participation == tuple(F(x) for x in frequencies.split())
    assert report.max_staleness == delay
    assert report.weights == tuple(F(1, len(times)) / F(x) for x in frequencies.split())
    assert report.expected_weights == (F(1, len(times)),) * len(times)


def test_the_largest_total_weight_may_come_before_the_pattern_repeats():
    report = weight_report([3, 1, 2, 2], Buffer(2))
    run = simulate_clock([3, 1, 2, 2], Buffer(2), num_rounds=report.warm_up + report.balance_period)
    totals = [
        sum(w for w, here in zip(report.weights, row, strict=True) if here)
        for row in run.trace.delivers
    ]
    assert (report.warm_up, report.largest_total_weight) == (4, F(3, 2))
    assert max(totals[:4]) == F(3, 2) > max(totals[4:])


def test_synchronous_rounds_and_identical_weights():
    report = weight_report([2, 3, 5], Synchronous(), importance=["1/2", "1/3", "1/6"])
    assert report.weights == report.expected_weights == (F(1, 2), F(1, 3), F(1, 6))
    assert (report.balance_period, report.max_staleness, report.largest_total_weight) == (1, 0, 1)
    assert (report.covariance_factor, report.variance_excess) == (1, 0)
    assert weight_report([1, 2], Asynchronous(), weights=identical_weights(2)).expected_weights == (
        F(2, 3),
        F(1, 3),
    )


@given(cases())
def test_weights_give_each_client_exactly_its_importance(case):
    times, policy, importance = case
    counts = balance(times, policy)
    run = simulate_clock(times, policy, num_rounds=counts.warm_up + 2 * counts.period)
    weights = policy_weights(times, policy, importance=importance)
    for start in (counts.warm_up, counts.warm_up + counts.period):
        stretch = run.trace.delivers[start : start + counts.period]
        assert (
            tuple(
                weight * int(n) / counts.period
                for weight, n in zip(weights, stretch.sum(axis=0), strict=True)
            )
            == importance
        )
    report = weight_report(times, policy, importance=importance)
    assert report.expected_weights == importance
    if not counts.warm_up:
        assert mean_weights(run.trace, weights) == importance
        assert participation(run.trace) == report.participation


@given(cases())
def test_reports_hold_along_a_run(case):
    """Delay, total weight and beta of the report are the largest that four periods show."""
    times, policy, importance = case
    report = weight_report(times, policy, importance=importance)
    run = simulate_clock(times, policy, num_rounds=report.warm_up + 4 * report.balance_period)
    assert max_delay(run.trace) == report.max_staleness
    totals = [
        sum(w for w, here in zip(report.weights, row, strict=True) if here)
        for row in run.trace.delivers
    ]
    assert report.largest_total_weight == max(1, *totals)
    for row in run.trace.delivers:
        arriving = [w for w, here in zip(report.weights, row, strict=True) if here]
        assert all(w - report.covariance_factor * w <= report.variance_excess for w in arriving)
        assert report.covariance_factor == 1 or len(arriving) == 1


@given(cases(policies=("async",)))
def test_the_largest_weight_is_at_most_the_ratio_of_times_and_of_importances(case):
    times, _, importance = case
    assert max(asynchronous_weights(times, importance=importance)) <= len(times) * max(
        importance
    ) * max(times) / min(times)


def test_the_printed_bound_on_the_largest_weight_needs_equal_importance():
    assert asynchronous_weights([1, 1], importance=[".9", ".1"]) == (F(9, 5), F(1, 5))


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: weight_report([1, 2], Synchronous(), importance=[1, 1]),
            "importance must sum to 1, got 2",
        ),
        (
            lambda: weight_report([1, 2], Synchronous(), importance=[2, -1]),
            "importance of client 1 must be at least 0, got -1",
        ),
        (
            lambda: weight_report([1, 2], Synchronous(), importance=[1]),
            "importance must have one entry for each of 2 clients",
        ),
        (
            lambda: weight_report([1, 2], Asynchronous(), weights=[1]),
            "^weights must have one entry for each of 2 clients, got 1 entries$",
        ),
        (
            lambda: weight_report([1, 2], Asynchronous(), weights=[1, "x"]),
            "^weight of client 1 must be a number",
        ),
        (
            lambda: weight_report([1, 2], Asynchronous(), weights=[1, -1]),
            "weight of client 1 must be at least 0, got -1",
        ),
        (lambda: window_weights([1, 2], 0), "window must be above 0, got 0"),
        (
            lambda: exponential_window_weights([0, 1], 1),
            "mean update time of client 0 must be above 0, got 0",
        ),
    ],
)
def test_bad_weights_are_refused(act, message):
    with pytest.raises(InvalidInput, match=message):
        act()
