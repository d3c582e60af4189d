"""Rates: one rule for all claims, judged on laws whose exponents are known; every check of a rate
meets a planted falsehood."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from fltheory import InvalidInput
from fltheory.analysis.moments import mean_squares
from fltheory.analysis.periodic import is_quick, mean_square
from fltheory.analysis.rate_fits import fit_rate
from fltheory.analysis.rates import BUDGET, Rate, measure_rate
from fltheory.analysis.regimes import MEANS
from fltheory.analysis.sizes import RunSize
from fltheory.analysis.trends import TOLERANCE, trend
from fltheory.analysis.variables import FIELDS
from fltheory.claims.checks.rates import judge, rate_checks
from fltheory.claims.evidence import Verdict
from fltheory.cli import make_app
from fltheory.ledger.lines import read
from fltheory.ledger.runner import ledger_file
from fltheory.papers import find_claim, find_regime, regimes
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous, simulate_clock
from fltheory.traces.selection import longest_absent

REGIMES = regimes()
CHECKS = rate_checks(REGIMES)
MIFA = find_regime("mifa.thm5.1")
VARIABLES = [(regime, variable) for regime in REGIMES for variable in regime.claimed]


@cache
def measured(variable: str) -> Rate:
    """The rate of MIFA's Theorem 5.1, measured once."""
    return measure_rate(MIFA, variable)


def law(variable, exponent, correction=lambda size: 1.0):
    """A quantity that is a power of one variable, and 1/T, times a correction."""

    def quantity(size: RunSize) -> float:
        value = (
            size.num_rounds**exponent
            if variable == "T"
            else getattr(size, FIELDS[variable]) ** exponent / size.num_rounds
        )
        return 3 * value * correction(size)

    return quantity


@pytest.mark.parametrize("variable", ["N", "K", "T"])
@pytest.mark.parametrize("exponent", [-2, -1, -0.5, 0, 0.5])
def test_power_laws_are_found(variable, exponent):
    found = measure_rate(MIFA, variable, quantity=law(variable, exponent))
    assert found.exponent == pytest.approx(exponent, abs=1e-9)
    assert len(found.rounds) == (4 if variable == "T" else 3), "no more doublings than it takes"


def test_corrections_that_die_out_are_seen_through():
    """Both terms are of the theorem's kind: of higher order in T, and a shift of the variable."""
    late = measure_rate(
        MIFA,
        "K",
        quantity=law("K", -1, lambda size: 1 + 40 * size.local_steps**2 / size.num_rounds),
    )
    assert late.exponent == pytest.approx(-1, abs=TOLERANCE)
    assert late.rounds[-1] > 1000 * late.rounds[0], "it took long runs"
    shifted = measure_rate(
        MIFA, "K", quantity=law("K", -1, lambda size: size.local_steps / (size.local_steps + 1))
    )
    assert shifted.exponent == pytest.approx(-1, abs=TOLERANCE)
    assert shifted.values[-1] > 16
    versus_t = measure_rate(
        MIFA, "T", quantity=law("T", -1, lambda size: 1 + 10 / math.sqrt(size.num_rounds))
    )
    assert versus_t.exponent == pytest.approx(-1, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("variable", "correction"),
    [
        ("T", lambda size: math.exp(-size.num_rounds / 10_000)),
        ("T", lambda size: 2 + math.sin(math.log(size.num_rounds))),
        ("K", lambda size: 1 + size.local_steps**3 / math.log(size.num_rounds)),
        ("K", lambda size: math.exp(-size.local_steps / 8)),
    ],
)
def test_what_is_no_power_law_within_the_budget_has_no_exponent(variable, correction):
    found = measure_rate(MIFA, variable, quantity=law(variable, -1, correction), budget=1 << 16)
    assert found.exponent is None
    assert found.says == "not yet asymptotic"
    claim = find_claim(f"mifa.thm5.1.rate.{variable}")
    for easy in (
        claim,
        claim.planted(right=claim.statement.right + 9),
        claim.planted(right=claim.statement.right - 9),
    ):
        assert judge(easy, found, "").verdict is Verdict.UNDECIDED


@given(st.floats(-2, 2), st.floats(0.1, 0.9), st.floats(-0.5, 0.5))
def test_geometric_sequences_of_slopes_are_extrapolated(limit, ratio, first):
    slopes = [limit + first * ratio**k for k in range(60)]
    count = next(n for n in range(3, 60) if trend(slopes[:n]).settled)
    assert trend(slopes[:count]).limit == pytest.approx(limit, abs=TOLERANCE)


def test_steady_drift_and_growing_changes_are_not_settled():
    assert not trend([0.0, 0.01, 0.02, 0.03]).settled
    assert not trend([0.0, 0.001, 0.004]).settled
    assert not trend([0.0, 0.1]).settled
    assert trend([0.0, 0.001, 0.001]).settled


def test_runs_begin_with_what_the_theorem_asks_for():
    """(K, tau, m, L) = (5, 4, 5, 1): 18000 and (10, 4, 5, 1): 72000 rounds for AFL; E N^(3/2)/beta
    for FedLaAvg; a for MIFA."""
    anarchic = find_regime("afl.cor3").least_rounds
    assert anarchic(RunSize(num_clients=5, local_steps=5, clients_per_round=1)) == 18_000
    assert anarchic(RunSize(num_clients=5, local_steps=10, clients_per_round=1)) == 72_000
    assert (
        find_regime("fedlaavg").least_rounds(RunSize(num_clients=4, period=3, clients_per_round=2))
        == 48
    )
    assert (
        find_regime("mifa.thm6.1").least_rounds(RunSize(num_clients=4, local_steps=2, period=5))
        == 8 * 2 * 4 * 16
    )
    assert find_regime("fedavg").least_rounds(RunSize(local_steps=3)) == 144**2 * 3
    seen = []

    def quantity(size: RunSize) -> float:
        seen.append(size)
        return law("N", -1)(size)

    for regime, variable in VARIABLES:
        seen.clear()
        measure_rate(regime, variable, quantity=quantity)
        assert all(size.num_rounds >= regime.least_rounds(size) for size in seen)


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


@pytest.mark.parametrize(("variable", "exponent"), [("N", -1), ("K", -1), ("T", -1)])
def test_the_slopes_of_mifa(variable, exponent):
    assert measured(variable).exponent == pytest.approx(exponent, abs=0.02)


def test_mifa_is_not_asymptotic_before_its_offset():
    """Local slope -0.41 at T = a, -0.954 at T = 20 a: no slope may be claimed there."""
    early, late = (
        fit_rate(MIFA, "T", grid=grid, base=RunSize())
        for grid in ((90, 100, 110, 120), (1900, 2000, 2100, 2200))
    )
    assert early.exponent is None
    assert early.plain == pytest.approx(-0.41, abs=0.05)
    assert late.trend.slopes[0] == pytest.approx(-0.954, abs=0.003)
    assert measure_rate(MIFA, "T", budget=4 * 800).exponent is None


@pytest.mark.parametrize("check", CHECKS, ids=[check.claim for check in CHECKS])
def test_every_rate_has_its_recorded_verdict_and_a_better_one_is_refuted(check):
    """Measured once for both. Where nothing is decided, the same judgement meets laws that settle,
    with the claimed exponent and others."""
    claim = find_claim(check.claim)
    recorded = {
        line.evidence.verdict for line in read(ledger_file()) if line.evidence.claim == claim.id
    }
    found = check.decide(claim)
    assert found.verdict in recorded
    if found.verdict is Verdict.SUPPORTED:
        assert check.decide(check.plant(claim)).verdict is Verdict.REFUTED
        return
    assert found.verdict is Verdict.UNDECIDED
    regime, variable = next((r, v) for r, v in VARIABLES if f"{r.claim}.rate.{v}" == check.claim)
    exponent = float(regime.claimed[variable])
    for off, verdict in (
        (0, Verdict.SUPPORTED),
        (0.05, Verdict.REFUTED),
        (-0.05, Verdict.SUPPORTED),
    ):
        made = measure_rate(regime, variable, quantity=law(variable, exponent + off))
        assert judge(claim, made, "").verdict is verdict


def test_rounds_are_doubled_until_the_last_slope_and_its_limit_are_judged_alike():
    """Settled after 400 rounds, with a last slope of -0.975 that is worse than the claimed -1 +
    1/50 and a limit of -0.99 that is not."""

    def quantity(size: RunSize) -> float:
        return size.num_clients ** (-0.99 + 0.3 / math.sqrt(size.num_rounds)) / size.num_rounds

    found = measure_rate(MIFA, "N", quantity=quantity)
    assert all(candidate <= -1 + TOLERANCE for candidate in found.candidates)
    assert found.rounds[-1] == 1600
    stopped = measure_rate(MIFA, "N", quantity=quantity, budget=256 * found.rounds[2])
    assert stopped.asymptotic
    assert max(stopped.candidates) > -1 + TOLERANCE > min(stopped.candidates)


def test_candidates_that_disagree_decide_nothing():
    claim, found = find_claim("mifa.thm5.1.rate.T"), measured("T")
    last, limit, shifted = found.candidates
    between = Fraction(round((last + limit) / 2, 6)).limit_denominator(10**6)
    assert (
        judge(claim.planted(right=claim.statement.right * 0 + between), found, "").verdict
        is Verdict.UNDECIDED
    )
    assert (
        judge(claim, replace(found, candidates=(last, limit, shifted + 1)), "").verdict
        is Verdict.UNDECIDED
    )


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


def test_bad_input_is_refused():
    with pytest.raises(InvalidInput, match="speaks of"):
        measure_rate(find_regime("fraboni.eq11"), "N")
    with pytest.raises(InvalidInput, match="growing"):
        fit_rate(MIFA, "K", grid=(1, 1, 2), base=RunSize())
    with pytest.raises(InvalidInput, match="quantity at 200"):
        measure_rate(
            MIFA, "T", quantity=lambda size: float("nan") if size.num_rounds == 200 else 1.0
        )
    with pytest.raises(InvalidInput, match="budget"):
        measure_rate(MIFA, "N", budget=100)
    with pytest.raises(InvalidInput, match="numbers"):
        fit_rate(find_regime("afl.cor3"), "M", grid=(1, 100, 10_000), base=RunSize(num_rounds=3000))
    assert BUDGET > 10**7


def test_runs_that_are_too_short_for_the_theorem_have_no_exponent():
    """Local slopes 0.500, 0.501, 0.502 look settled, but the theorem asks for 3600 rounds."""
    short = fit_rate(
        find_regime("mifa.thm6.1"), "staleness", grid=(1, 2, 4, 8, 16), base=RunSize(num_rounds=50)
    )
    assert short.trend.settled
    assert short.exponent is None
    assert (
        short.says == "not yet asymptotic: mifa.thm6.1 asks for 64 rounds at staleness = 1, not 50"
    )
    long = fit_rate(
        find_regime("mifa.thm6.1"),
        "staleness",
        grid=(1, 2, 4, 8, 16),
        base=RunSize(num_rounds=14400),
    )
    assert long.exponent == pytest.approx(0.5, abs=0.01)
    assert (
        "too few values" in fit_rate(MIFA, "N", grid=(1, 2, 4), base=RunSize(num_rounds=400)).says
    )


def answer(*arguments):
    result = CliRunner().invoke(make_app(), ["rates", "--json", *arguments])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_command():
    (entry,) = answer("--algorithm", "mifa", "--versus", "K")
    assert entry["exponent"] == pytest.approx(-1, abs=0.02)
    assert entry["rounds"] == [100, 200, 400]
    (fixed,) = answer(
        "--algorithm", "mifa", "--versus", "K", "--rounds", "500", "--grid", "1,2,4,8"
    )
    assert fixed["values"] == [1, 2, 4, 8]
    for wrong in (
        ["--algorithm", "nothing"],
        ["--algorithm", "afa-cd", "--versus", "m", "--clients", "4", "--grid", "2,4,8"],
        ["--algorithm", "mifa", "--versus", "K", "--grid", "2"],
    ):
        assert CliRunner().invoke(make_app(), ["rates", *wrong]).exit_code == 2


def test_command_with_samples():
    entries = answer("--algorithm", "mifa", "--engine", "samples", "--runs", "100")
    assert [entry["versus"] for entry in entries] == ["N", "K", "T", "staleness"]
    for entry in entries:
        low, high = entry["sampling_interval"]
        assert low < entry["plain_fit"] < high
        assert "too noisy" in entry["says"]
    (short,) = answer(
        "--algorithm",
        "fedavg",
        "--versus",
        "K",
        "--engine",
        "samples",
        "--rounds",
        "50",
        "--runs",
        "100",
    )
    assert "asks for 20736 rounds" in short["says"]
