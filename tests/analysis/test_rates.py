"""Rates: one rule for all claims, judged on laws whose exponents are known."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import InvalidInput
from fltheory.analysis.rate_fits import fit_rate
from fltheory.analysis.rates import BUDGET, measure_rate
from fltheory.analysis.sizes import RunSize
from fltheory.analysis.trends import TOLERANCE, trend
from fltheory.claims.checks.rates import judge
from fltheory.claims.evidence import Verdict
from fltheory.papers import find_claim, find_regime
from tests.analysis.rate_laws import MIFA, VARIABLES, law, measured


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
