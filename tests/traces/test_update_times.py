"""Update times: random draws, the papers' hardware, and their laws."""

from fractions import Fraction as F
from itertools import islice
from math import exp

import numpy as np
import pytest

from fltheory.traces.clocks import (
    Asynchronous,
    FixedWindow,
    simulate_clock,
)
from fltheory.traces.trace_statistics import max_delay, participation
from fltheory.traces.update_times import ExponentialTimes, FixedTimes, standard_exponential


def test_seeds_clients_and_receptions_draw_different_times_that_scale_with_the_mean():
    def draws(means, seed):
        return [list(islice(stream, 200)) for stream in ExponentialTimes(means).streams(seed)]

    first, second = draws([1, 2], seed=5)
    assert len({*first, *second, *draws([1, 2], seed=6)[0]}) == 600
    assert all(isinstance(time, F) and time > 0 for time in first + second)
    assert second == [2 * time for time in draws([3, 1], seed=5)[1]]


def test_extreme_draws_are_positive_and_finite():
    assert float(standard_exponential(0)) == pytest.approx(54 * np.log(2))
    assert float(standard_exponential(2**53 - 1)) == pytest.approx(2.0**-54, rel=1e-3)


@pytest.mark.parametrize(("clients", "delay"), [(10, 24), (20, 44), (50, 106)])
def test_delays_of_the_papers_hardware_over_6000_aggregations(clients, delay):
    run = simulate_clock(FixedTimes.spread(clients, 80), Asynchronous(), num_rounds=6000)
    assert max_delay(run.trace) == delay


def test_the_papers_hardware_settings():
    assert FixedTimes.spread(5, 80).times == (F(1, 5), F(2, 5), F(3, 5), F(4, 5), F(1))
    assert FixedTimes.spread(3, 0).times == (1, 1, 1)


@pytest.mark.slow
def test_exponential_asynchronous_gives_each_round_its_importance_but_no_bound_on_delays():
    """P(client i is next) = (1/tau_i) / sum 1/tau_j in every round; deterministic times have delay
    8 here."""
    rounds = 20_000
    run = simulate_clock(ExponentialTimes([1, 2, 5]), Asynchronous(), num_rounds=rounds, seed=1)
    assert (run.trace.delivers.sum(axis=1) == 1).all()
    for share, chance in zip(
        participation(run.trace), (F(10, 17), F(5, 17), F(2, 17)), strict=True
    ):
        assert abs(float(share - chance)) < 4 * float(chance * (1 - chance) / rounds) ** 0.5
    delays = [max_delay(run.trace.first(n)) for n in (100, 1000, rounds)]
    assert delays[0] < delays[1] < delays[2]
    assert delays[2] > 50


@pytest.mark.slow
def test_exponential_windows_are_met_with_the_chance_of_one_arrival():
    rounds = 5000
    run = simulate_clock(ExponentialTimes([1, 2, 5]), FixedWindow(1), num_rounds=rounds, seed=2)
    for share, mean in zip(participation(run.trace), (1, 2, 5), strict=True):
        chance = 1 - exp(-1 / mean)
        assert abs(float(share) - chance) < 4 * (chance * (1 - chance) / rounds) ** 0.5
