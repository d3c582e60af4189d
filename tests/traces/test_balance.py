"""Balance periods and delays: formulas against simulation on random clocks, and the bounds that the
paper prints."""

from fractions import Fraction as F
from math import ceil, gcd, lcm

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fltheory import InvalidInput
from fltheory.traces.balance import balance, common_multiple, rounds_within, simulated_balance
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Synchronous, simulate_clock
from fltheory.traces.trace_statistics import balance_period, max_delay
from fltheory.traces.update_times import ExponentialTimes

whole_times = st.lists(st.integers(1, 7), min_size=1, max_size=4).map(tuple)
units = st.builds(F, st.integers(1, 5), st.integers(1, 5))
scaled_times = st.builds(
    lambda times, unit: tuple(unit * time for time in times), whole_times, units
)
windows = st.builds(FixedWindow, st.builds(F, st.integers(1, 30), st.integers(1, 4)))
policies = st.one_of(st.just(Synchronous()), st.just(Asynchronous()), windows)


@pytest.mark.slow
def test_a_finite_run_can_be_balanced_by_a_shorter_period():
    run = simulate_clock([9, 13, 17, 21], Asynchronous(), num_rounds=11 * 1447)
    assert balance([9, 13, 17, 21], Asynchronous()).period == 4100
    assert balance_period(run.trace) == 1447


@given(scaled_times, policies)
def test_formulas_equal_simulation(times, policy):
    formula = balance(times, policy)
    assume(formula.period <= 3000)
    counted = simulated_balance(times, policy)
    assert (formula.period, formula.deliveries, formula.max_staleness) == (
        counted.period,
        counted.deliveries,
        counted.max_staleness,
    )
    assert formula.warm_up == counted.warm_up == 0
    largest = {
        group
        for group in counted.groups
        if not any(set(group) < set(other) for other in counted.groups)
    }
    assert largest == set(formula.groups)


@given(whole_times)
def test_printed_bounds_of_sorted_clients(times):
    """Table 2, with its W <= M tau_M^(M-1), and delays between sum floor and sum ceil of
    tau_M/tau_j (the upper end attained)."""
    times = tuple(sorted(times))
    counts = balance(times, Asynchronous())
    slowest, others = times[-1], times[:-1]
    assert len(times) <= counts.period <= len(times) * slowest ** (len(times) - 1)
    assert counts.period == sum(lcm(*times) // time for time in times)
    assert (
        max(len(times) - 1, sum(slowest // t for t in others))
        <= counts.max_staleness
        == sum(ceil(F(slowest, t)) for t in others)
    )
    run = simulate_clock(times, Asynchronous(), num_rounds=2 * counts.period)
    delays = run.trace.delays[:, -1][run.trace.delivers[:, -1]]
    assert all(
        sum(slowest // t for t in others) <= delay <= counts.max_staleness for delay in delays
    )
    assert rounds_within(slowest, times, Asynchronous()) >= len(times) * rounds_within(
        slowest, times, Synchronous()
    )


@given(scaled_times, windows)
def test_printed_bounds_of_windows(times, policy):
    counts, cycle = balance(times, policy), ceil(max(times) / policy.duration)
    assert counts.max_staleness == cycle - 1
    assert counts.period <= cycle ** len(times)
    if policy.duration >= min(times):
        assert counts.max_staleness <= max(times) // min(times)


@given(
    scaled_times,
    st.one_of(policies, st.just(Buffer(1)), st.just(Asynchronous(joint_ties=True))),
    st.builds(F, st.integers(1, 90)),
)
def test_rounds_within_a_time(times, policy, duration):
    most = rounds_within(duration, times, policy)
    assume(most <= 300)
    run = simulate_clock(times, policy, num_rounds=most + 1)
    assert run.times[most] <= duration < run.times[most + 1]


@given(st.permutations([2, 3, 5, 5]), st.booleans())
def test_order_of_clients_only_breaks_ties(times, joint):
    policy = Asynchronous(joint_ties=joint)
    counts = balance(times, policy)
    assert counts.period == balance([2, 3, 5, 5], policy).period
    run = simulate_clock(times, policy, num_rounds=3 * counts.period)
    assert max_delay(run.trace) == counts.max_staleness


def test_a_slowest_client_between_others_may_be_less_late():
    assert balance([2, 2, 3], Asynchronous()).max_staleness == 4
    assert balance([2, 3, 2], Asynchronous()).max_staleness == 3


def test_a_pattern_can_be_balanced_twice_before_it_repeats():
    counts = balance([2, 12, 3, 3, 3], Buffer(2))
    assert (counts.period, counts.deliveries) == (9, (5, 1, 4, 4, 4))
    rounds = simulate_clock(
        [2, 12, 3, 3, 3], Buffer(2), num_rounds=counts.warm_up + 36
    ).trace.delivers[counts.warm_up :]
    assert (rounds[:18] == rounds[18:]).all()
    assert (rounds[:9] != rounds[9:18]).any()
    assert {tuple(window.sum(axis=0)) for window in rounds.reshape(4, 9, 5)} == {counts.deliveries}


@given(
    st.lists(st.builds(F, st.integers(1, 30), st.integers(1, 12)), min_size=1, max_size=5).map(
        tuple
    )
)
def test_common_multiple_is_the_least(values):
    result = common_multiple(values)
    counts = [result / value for value in values]
    assert all(count.denominator == 1 for count in counts)
    assert gcd(*(int(count) for count in counts)) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "policy", "message"),
    [
        (
            ExponentialTimes([1, 2]),
            Synchronous(),
            "update times must be fixed here, got ExponentialTimes",
        ),
        (
            [1, "1.01", "1.0001"],
            Asynchronous(joint_ties=True),
            "update times must give a pattern that repeats within 20000 rounds",
        ),
        ([1, 2], Buffer(3), "buffer must be at most the 2 clients, got 3"),
    ],
)
def test_what_has_no_balance_is_refused(times, policy, message):
    with pytest.raises(InvalidInput, match=message):
        balance(times, policy)
