"""The runs behind the rates: traces of a given size, moments by matrix powers, samples, compiled
code."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.analysis.moments import mean_squares
from fltheory.analysis.periodic import is_quick, mean_square
from fltheory.analysis.rate_fits import fit_rate
from fltheory.analysis.regimes import MEANS
from fltheory.analysis.sizes import RunSize
from fltheory.papers import find_regime
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous, simulate_clock
from fltheory.traces.selection import longest_absent
from tests.analysis.rate_laws import MIFA, REGIMES


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 3), st.integers(1, 20))
def test_turns_are_those_of_the_longest_absent(clients, used, period, rounds):
    size = RunSize(
        num_clients=clients, clients_per_round=min(used, clients), period=period, num_rounds=rounds
    )
    available = np.zeros((rounds, clients), bool)
    available[::period] = True
    assert (
        size.tables(everyone_first=False).trace().delivers == longest_absent(available, size.used)
    ).all()
    first, *later = size.tables().trace().delivers
    assert first.all()
    assert (
        np.array(later, bool).reshape(-1, clients) == longest_absent(available, size.used)[1:]
    ).all()
    late = replace(size, delay=2).tables().trace()
    assert (
        late.delays == np.where(late.delivers, np.minimum(np.arange(rounds), 2)[:, None], 0)
    ).all()


@pytest.mark.parametrize(
    "policy", [Asynchronous(), FixedWindow(1), FixedWindow("1/2"), Synchronous()]
)
@pytest.mark.parametrize("times", [[1, 2], [1, 2, 1], [2, 3, 5]])
def test_clocks_repeat_as_the_event_simulation_does(policy, times):
    for rounds in (1, 7, 200):
        found = RunSize(num_clients=len(times), num_rounds=rounds).clocked(times, policy).trace()
        simulated = simulate_clock(times, policy, num_rounds=rounds).trace
        assert (found.delivers == simulated.delivers).all()
        assert (found.started_from == simulated.started_from).all()


@pytest.mark.parametrize("rounds", [1, 5, 137])
@pytest.mark.parametrize("claim", [regime.claim for regime in REGIMES if regime.metric in MEANS])
def test_powers_of_the_period_give_the_sum_of_the_rounds(claim, rounds):
    """The same mean by one matrix power and by all rounds, one after the other; with another number
    of rounds it is another one."""
    regime, size = (
        find_regime(claim),
        RunSize(
            num_rounds=rounds, clients_per_round=None if "fraboni" in claim else 1, local_steps=2
        ),
    )
    plan, problem = regime.plan(size), size.problem()
    squares = mean_squares(plan.algorithm, problem, plan.tables.trace(), **plan.run)
    found = mean_square(plan.algorithm, problem, plan.tables, **plan.run)
    assert found == pytest.approx(squares[:-1].mean(), rel=1e-12)
    assert found != pytest.approx(squares.mean(), rel=1e-4)
    assert not is_quick(
        plan.algorithm, problem, plan.tables, local_step_size=lambda t: 1, server_step_size=1
    )


@pytest.mark.slow
def test_samples_agree_with_moments():
    """Five standard errors of 2000 runs; a moment that is off by a half is seen."""
    for claim in ("mifa.thm5.1", "mifa.thm6.1", "afl.cor2", "fraboni.eq11"):
        regime, small = find_regime(claim), RunSize(num_rounds=60)
        mean, error = regime.by_samples(small, runs=2000)
        assert abs(mean - regime.by_moments(small)) < 5 * error
        assert abs(mean - 1.5 * regime.by_moments(small)) > 5 * error
    sampled, exact = (
        fit_rate(MIFA, "K", grid=(1, 2, 4, 8), base=RunSize(num_rounds=100), runs=runs)
        for runs in (500, None)
    )
    low, high = sampled.sampling_interval
    assert low < exact.plain < high
    assert "too noisy" in sampled.says
    assert sampled.exponent is None


@pytest.mark.slow
def test_the_least_of_many_sampled_means_is_not_taken_for_the_least_mean():
    """Runs that pick the model do not measure it: within four standard errors, each of eight
    times."""
    regime, size = find_regime("mifa.thm6.1"), RunSize(num_rounds=1000)
    exact = regime.by_moments(size)
    off = [
        (mean - exact) / error
        for mean, error in (regime.by_samples(size, runs=200, seed=seed) for seed in range(8))
    ]
    assert max(map(abs, off)) < 4
    assert abs(sum(off)) / math.sqrt(8) < 4, "picked and measured by the same runs it is -10"


def test_moments_and_samples_without_compiled_code_agree_with_those_with(monkeypatch):
    small = RunSize(num_rounds=40, num_clients=4, clients_per_round=2)
    found = [
        [r.by_moments(small) for r in REGIMES],
        [r.by_samples(small, runs=300)[0] for r in REGIMES],
    ]
    monkeypatch.setattr("fltheory.analysis.regimes.knows", lambda algorithm, problem: False)
    assert [r.by_moments(small) for r in REGIMES] == pytest.approx(found[0], rel=1e-10)
    assert [r.by_samples(small, runs=300)[0] for r in REGIMES] == pytest.approx(
        found[1], rel=1e-10
    ), "one local step: the same draws"
