"""Clocks: the event loop against the paper's Algorithm 1 spelled out, conservation of work, golden
trajectories."""

from fractions import Fraction as F
from itertools import accumulate, islice, pairwise, repeat
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import InvalidInput, Quadratic, Trace, WeightedAggregation
from fltheory.engine.simulate import simulate
from fltheory.traces.clocks import (
    Asynchronous,
    Buffer,
    FixedWindow,
    Synchronous,
    TimedTrace,
    events,
    simulate_clock,
    trace_of,
)
from fltheory.traces.trace_statistics import max_delay
from fltheory.traces.update_times import ExponentialTimes, FixedTimes
from fltheory.traces.weights import asynchronous_weights, identical_weights, window_weights

numbers = st.builds(F, st.integers(1, 12), st.integers(1, 4))


many_times = st.lists(numbers, min_size=1, max_size=5).map(tuple)


@st.composite
def clocks(draw):
    times = draw(many_times)
    sizes = st.integers(1, len(times))
    policies = (
        st.just(Synchronous()),
        st.builds(Asynchronous, st.booleans()),
        st.builds(FixedWindow, numbers),
        st.builds(Buffer, sizes),
    )
    return times, draw(st.one_of(*policies))


def algorithm_1(times, policy, num_rounds):
    """Section 3 word for word: remaining times T_i^n = T_i - (t^n - t^{rho_i(n)}), then the
    policy's duration and set."""
    clients = range(len(times))
    now, start, received = F(0), [F(0)] * len(times), [0] * len(times)
    ends, delivers, started = [now], [], []
    for n in range(num_rounds):
        left = [times[i] - (now - start[i]) for i in clients]
        by_time = sorted(clients, key=lambda i: (left[i], i))
        match policy:
            case Synchronous():
                duration, who = max(left), set(clients)
            case Asynchronous(joint_ties=True):
                duration, who = min(left), {i for i in clients if left[i] == min(left)}
            case Asynchronous():
                duration, who = min(left), {by_time[0]}
            case FixedWindow(duration=duration):
                who = {i for i in clients if left[i] <= duration}
            case Buffer(size=size):
                duration, who = left[by_time[size - 1]], set(by_time[:size])
        delivers.append([i in who for i in clients])
        started.append([received[i] if i in who else n for i in clients])
        now += duration
        ends.append(now)
        for i in who:
            start[i], received[i] = now, n + 1
    return delivers, started, ends


@given(clocks(), st.integers(1, 40))
def test_events_are_algorithm_1_word_for_word(clock, num_rounds):
    times, policy = clock
    run = simulate_clock(times, policy, num_rounds=num_rounds)
    delivers, started, ends = algorithm_1(times, policy, num_rounds)
    assert run.trace.delivers.tolist() == delivers
    assert run.trace.started_from.tolist() == started
    assert list(run.times) == ends
    assert sum(run.durations) == run.times[-1]


@given(clocks(), st.integers(1, 60))
def test_work_is_conserved(clock, num_rounds):
    """A delivery has had its update time, not less; how much more is the policy's waiting,
    exactly."""
    times, policy = clock
    run = simulate_clock(times, policy, num_rounds=num_rounds)
    for n, i in np.argwhere(run.trace.delivers):
        elapsed = run.times[n + 1] - run.times[run.trace.started_from[n, i]]
        assert elapsed >= times[i]
        match policy:
            case Synchronous():
                assert elapsed == max(times)
            case Asynchronous():
                assert elapsed == times[i]
            case FixedWindow(duration=duration):
                assert elapsed == ceil(times[i] / duration) * duration
    for i in range(len(times)):
        rounds = np.flatnonzero(run.trace.delivers[:, i])
        assert [run.trace.started_from[n, i] for n in rounds] == [0, *(n + 1 for n in rounds)][
            : len(rounds)
        ]


@given(many_times, st.booleans(), st.integers(1, 60))
def test_asynchronous_clients_deliver_at_the_multiples_of_their_update_times(
    times, joint, num_rounds
):
    run = simulate_clock(times, Asynchronous(joint_ties=joint), num_rounds=num_rounds)
    for i, time in enumerate(times):
        arrivals = [run.times[n + 1] for n in np.flatnonzero(run.trace.delivers[:, i])]
        assert arrivals == list(accumulate(repeat(time, len(arrivals))))
    if joint:
        assert all(start < end for start, end in pairwise(run.times))
    else:
        assert (run.trace.delivers.sum(axis=1) == 1).all()


@given(many_times, numbers, st.integers(1, 20))
def test_policies_meet_at_their_ends(times, more, num_rounds):
    everybody = simulate_clock(times, Synchronous(), num_rounds=num_rounds)
    assert simulate_clock(times, Buffer(len(times)), num_rounds=num_rounds) == everybody
    assert simulate_clock(times, Buffer(1), num_rounds=num_rounds) == simulate_clock(
        times, Asynchronous(), num_rounds=num_rounds
    )
    assert simulate_clock(times, FixedWindow(max(times)), num_rounds=num_rounds) == everybody
    assert (
        simulate_clock(times, FixedWindow(max(times) + more), num_rounds=num_rounds).trace
        == everybody.trace
    )
    assert everybody.trace == Trace.fresh(np.ones((num_rounds, len(times)), bool))


@given(clocks(), st.integers(1, 30), st.integers(1, 30), st.integers(0, 2**64 - 1), st.booleans())
def test_a_longer_horizon_extends_a_shorter_one_and_a_seed_repeats(
    clock, short, more, seed, random
):
    times, policy = clock
    law = ExponentialTimes(times) if random else FixedTimes(times)
    long = simulate_clock(law, policy, num_rounds=short + more, seed=seed)
    brief = simulate_clock(law, policy, num_rounds=short, seed=seed)
    assert (long.trace.first(short), long.times[: short + 1]) == (brief.trace, brief.times)
    assert simulate_clock(law, policy, num_rounds=short, seed=seed) == brief


def test_a_clock_ticks_by_its_seed_which_is_0_unless_given():
    law = ExponentialTimes([1, 2])
    by_seed = [
        simulate_clock(law, Asynchronous(), num_rounds=3, seed=seed).times for seed in range(3)
    ]
    assert len(set(by_seed)) == 3
    assert simulate_clock(law, Asynchronous(), num_rounds=3).times == by_seed[0]
    assert tuple(event.time for event in islice(events(law, Asynchronous()), 4)) == by_seed[0]


def test_the_first_event_is_the_start_with_everybody_at_work():
    start, end = islice(events(FixedTimes([2, 1]), Asynchronous()), 2)
    assert start == (0, (), [(1, 1), (2, 0)])
    assert end == (1, (1,), [(2, 0), (2, 1)])


CANONICAL = Quadratic(curvatures=(1, 1), optima=(0, 1))


@pytest.mark.parametrize(
    ("policy", "weights", "expected"),
    [
        (Asynchronous(), asynchronous_weights([1, 2]), "0 0 3/20 3/20 111/800 213/800"),
        (Asynchronous(joint_ties=True), asynchronous_weights([1, 2]), "0 3/20 111/800 8187/32000"),
        (
            FixedWindow(1),
            window_weights([1, 2], 1),
            "0 1/10 19/200 721/4000 13699/80000 391441/1600000",
        ),
        (Asynchronous(), identical_weights(2), "0 0 1/10 1/10 9/100 9/50"),
    ],
)
def test_trajectories_of_two_clients_with_times_1_and_2(policy, weights, expected):
    models = [F(x) for x in expected.split()]
    run = simulate_clock([1, 2], policy, num_rounds=len(models))
    result = simulate(
        WeightedAggregation(weights), CANONICAL, run.trace, start=0, local_step_size="1/10"
    )
    assert list(result.models[1:, 0]) == models


@pytest.mark.parametrize(
    ("times", "window", "period", "empty"),
    [
        ((2, 3, 5), 1, 30, 8),
        ((2, 3, 5), 2, 6, 0),
        ((1, 1), "1/2", 2, 1),
        ((1,) * 10, ".5", 2, 1),
    ],
)
def test_empty_windows_are_rounds_too(times, window, period, empty):
    run = simulate_clock(times, FixedWindow(window), num_rounds=3 * period)
    assert (~run.trace.delivers.any(axis=1)).reshape(3, period).sum(axis=1).tolist() == [empty] * 3


def test_ties_one_by_one_or_all_at_once():
    one_by_one = simulate_clock([1] * 4, Asynchronous(), num_rounds=8)
    assert one_by_one.times == (0, 1, 1, 1, 1, 2, 2, 2, 2)
    assert one_by_one.trace.delivers.argmax(axis=1).tolist() == [0, 1, 2, 3] * 2
    assert max_delay(one_by_one.trace) == 3
    at_once = simulate_clock([1] * 4, Asynchronous(joint_ties=True), num_rounds=2)
    assert at_once == simulate_clock([1] * 4, Synchronous(), num_rounds=2)


def test_a_client_beyond_the_buffer_is_first_in_the_next_round():
    run = simulate_clock([1, 1, 1, 5], Buffer(2), num_rounds=3)
    assert run.trace.delivers.astype(int).tolist() == [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]]
    assert run.times == (0, 1, 2, 3)
    assert simulate_clock([1, 1, 1, 1], Buffer(2), num_rounds=4).durations == (1, 0, 1, 0)


def test_local_steps_travel_with_the_trace():
    assert trace_of([[0], [0, 1]], 2).local_steps.tolist() == [[1, 0], [1, 1]]
    run = simulate_clock([1, 2], Synchronous(), num_rounds=2, local_steps=[3, 4])
    assert run.trace.local_steps.tolist() == [[3, 4], [3, 4]]


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: FixedTimes([1, 0]), "update time of client 1 must be above 0, got 0"),
        (lambda: FixedTimes([1, "x"]), "update time of client 1 must be a number"),
        (lambda: FixedTimes([]), "update time list must have at least one client"),
        (lambda: FixedTimes.spread(3, 100), r"spread in percent must lie in \[0, 100\), got 100"),
        (lambda: FixedTimes.spread(1, 80), "number of clients must be at least 2"),
        (lambda: ExponentialTimes([-1]), "mean update time of client 0 must be above 0, got -1"),
        (lambda: FixedWindow(0), "window must be above 0, got 0"),
        (lambda: FixedWindow("nan"), "window must be a number"),
        (lambda: Buffer(0), "buffer must be a whole number of at least 1, got 0"),
        (
            lambda: Buffer(1.5),  # type: ignore[arg-type]
            "buffer must be a whole number of at least 1, got 1.5",
        ),
        (
            lambda: simulate_clock([1, 2], Buffer(3), num_rounds=1),
            "buffer must be at most the 2 clients, got 3",
        ),
        (
            lambda: simulate_clock([1, 2], Synchronous(), num_rounds=0),
            "number of rounds must be at least 1, got 0",
        ),
        (
            lambda: TimedTrace(Trace.fresh([[1]]), (F(0),)),
            "times must have 2 entries, one more than the rounds, got 1 entries",
        ),
        (
            lambda: TimedTrace(Trace.fresh([[1], [1]]), (F(0), F(2), F(1))),
            "end of round 1 must not lie before its start at 2, got 1",
        ),
        (
            lambda: TimedTrace(Trace.fresh([[[1]], [[1]]]), (F(0), F(1))),
            r"trace must be a single one to carry times, got a batch of shape \(2,\)",
        ),
    ],
)
def test_bad_clocks_are_refused(act, message):
    with pytest.raises(InvalidInput, match=message):
        act()
