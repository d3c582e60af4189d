"""Weights in the papers' hardware settings and with exponential times."""

from fractions import Fraction as F
from math import ceil

import pytest

from fltheory.traces.balance import balance, rounds_within
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous, simulate_clock
from fltheory.traces.update_times import FixedTimes
from fltheory.traces.weights import (
    asynchronous_weights,
    exponential_window_weights,
    policy_weights,
    weight_report,
    window_weights,
)


def residual(delivers, weights, optima):
    """R = (1/N) sum_n [L^n(thetabar) - L^n(thetabar^n)] for L_i = (theta - theta_i*)^2/2, empty
    rounds as zero."""
    rounds = [
        [weight * int(here) for weight, here in zip(weights, row, strict=True)] for row in delivers
    ]

    def best(shares):
        return sum(s * c for s, c in zip(shares, optima, strict=True)) / sum(shares)

    def loss(shares, point):
        return sum(s * (point - c) ** 2 / 2 for s, c in zip(shares, optima, strict=True))

    center = best([sum(column) for column in zip(*rounds, strict=True)])
    return sum(loss(row, center) - loss(row, best(row)) for row in rounds if any(row)) / len(rounds)


@pytest.mark.parametrize(
    ("clients", "rate", "first", "last", "cycles_of_two", "total"),
    [
        (10, 21.28059, 0.425612, 2.128059, 6, "1.6"),
        (20, 41.30798, 0.413080, 2.065399, 12, "1.6"),
        (50, 101.61070, 0.406443, 2.032214, 31, "1.62"),
    ],
)
def test_the_papers_hardware(clients, rate, first, last, cycles_of_two, total):
    hardware = FixedTimes.spread(clients, 80)
    weights = asynchronous_weights(hardware)
    assert float(sum(1 / time for time in hardware.times)) == pytest.approx(rate, abs=5e-6)
    assert (float(weights[0]), float(weights[-1])) == (
        pytest.approx(first, abs=5e-7),
        pytest.approx(last, abs=5e-7),
    )
    report = weight_report(hardware, FixedWindow(".5"))
    assert [round(weight * clients) for weight in report.weights].count(2) == cycles_of_two
    assert (report.balance_period, report.largest_total_weight) == (2, F(total))
    assert (
        weight_report(hardware, Asynchronous()).max_staleness
        == sum(ceil(1 / time) for time in hardware.times) - 1
    )


def test_the_papers_period_cannot_divide_its_rounds():
    """25000 time units hold 532012 aggregations; T sum 1/tau_i without rounding down would be
    532014.8."""
    hardware = FixedTimes.spread(10, 80)
    report = weight_report(hardware, Asynchronous())
    assert report.balance_period == 79_656_329_334
    assert rounds_within(25_000, hardware, Asynchronous()) == 532_012
    assert round(25_000 * sum(1 / time for time in hardware.times)) == 532_015
    assert report.max_staleness == 25


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        (Asynchronous(), "7/9"),
        (FixedWindow(2), "133/432"),
        (FixedWindow(1), "6047/12600"),
        (FixedWindow(5), "0"),
        (Synchronous(), "0"),
    ],
)
def test_residual_of_three_clients(policy, value):
    run = simulate_clock([2, 3, 5], policy, num_rounds=balance([2, 3, 5], policy).period)
    assert residual(run.trace.delivers, policy_weights([2, 3, 5], policy), (0, 1, 3)) == F(value)


def test_exponential_windows_need_weights_of_their_own():
    weights = exponential_window_weights([1, 2, 5], 1)
    assert [3 * weight for weight in weights] == pytest.approx([1.582, 2.541, 5.517], abs=5e-4)
    arrival = [1 / (3 * weight) for weight in weights]
    excess = [weight * (1 - chance) for weight, chance in zip(weights, arrival, strict=True)]
    assert excess == pytest.approx([0.194, 0.514, 1.506], abs=5e-4)
    fixed = [
        float(weight) * chance
        for weight, chance in zip(window_weights([1, 2, 5], 1), arrival, strict=True)
    ]
    assert [mean / sum(fixed) for mean in fixed] == pytest.approx([0.272, 0.338, 0.390], abs=5e-4)
    unequal = exponential_window_weights([1, 2, 5], 1, importance=["1/2", "1/3", "1/6"])
    assert [w / q for w, q in zip(unequal, weights, strict=True)] == pytest.approx(
        [3 / 2, 1, 1 / 2]
    )
