"""Rates: exponents of the papers by exact moments, and a bias check that refuses a wrong slope."""

import json
import math

import pytest
from typer.testing import CliRunner

from fltheory import InvalidInput
from fltheory.cli import make_app
from fltheory.rates import fit, measure_rate
from fltheory.regimes import REGIMES, Size, find_regime

GRID = (10, 20, 40, 80, 160)


@pytest.mark.parametrize("exponent", [-2, -1, -0.5, 0, 0.5])
def test_power_laws_are_found(exponent):
    found = fit(GRID, [3 * x**exponent for x in GRID])
    assert found.exponent == pytest.approx(exponent, abs=1e-6)
    assert found.says == "asymptotic"


def test_a_shifted_power_law_is_found_after_the_shift():
    found = fit(GRID, [1 / (x + 7) for x in GRID], offset=7)
    assert found.exponent == pytest.approx(-1, abs=1e-6)
    assert found.plain > -0.95
    assert "plus 7" in found.says
    assert fit(GRID, [1 / (x + 7) for x in GRID]).exponent == pytest.approx(-1, abs=0.02)


@pytest.mark.parametrize("law", [lambda x: math.exp(-x / 30), lambda x: 1 / x + 1 / 40, lambda x: 1 / x**2 + 1 / x / 20])
def test_a_curve_that_is_no_power_law_yet_has_no_slope(law):
    found = fit(GRID, [law(x) for x in GRID])
    assert found.exponent is None
    assert found.says == "not yet asymptotic"


def test_bad_points_are_refused():
    with pytest.raises(InvalidInput, match="quantity at 20"):
        fit((10, 20, 40), (1, float("nan"), 1))
    with pytest.raises(InvalidInput, match="growing"):
        fit((10, 10, 40), (1, 1, 1))
    with pytest.raises(InvalidInput, match="speaks of"):
        measure_rate(find_regime("fraboni.eq11"), "N")


@pytest.mark.parametrize(("variable", "exponent"), [("N", -1), ("K", -1), ("T", -1)])
def test_the_three_slopes_of_mifa(variable, exponent):
    found = measure_rate(find_regime("mifa"), variable)
    assert found.slope.exponent == pytest.approx(exponent, abs=0.02)
    assert found.slope.low <= exponent + 0.02
    assert found.slope.high >= exponent - 0.02


def test_mifa_is_not_asymptotic_before_its_offset():
    """Local slope -0.41 at T = a, -0.954 at T = 20 a: no slope may be claimed there."""
    found = measure_rate(find_regime("mifa"), "T", grid=(90, 100, 110))
    assert found.slope.exponent is None
    assert found.slope.local[0] == pytest.approx(-0.41, abs=0.05)
    late = measure_rate(find_regime("mifa"), "T", grid=(1900, 2000, 2100))
    assert late.slope.local[0] == pytest.approx(-0.954, abs=0.003)


QUICK = {"T": (1000, 2000, 4000), "N": (2, 4, 8), "M": (2, 4, 8), "K": (1, 2, 4), "staleness": (3, 5, 9), "m": (1, 2, 4)}


@pytest.mark.parametrize(("regime", "variable"), [(r, v) for r in REGIMES for v in r.claimed], ids=lambda x: getattr(x, "claim", x))
def test_no_regime_is_slower_than_claimed(regime, variable):
    """The measured quantity falls at least as fast (grows at most as fast) as claimed, within what a short run can tell."""
    found = measure_rate(regime, variable, grid=QUICK[variable], base=Size(num_clients=8, num_rounds=2000, clients_per_round=None
                         if variable in ("N", "M") or regime.algorithm not in ("afa-cd", "fedlaavg") else 4))
    assert max(found.slope.local) <= float(found.claimed) + (0.1 if variable != "staleness" else 0.35)


def test_samples_agree_with_moments():
    regime, small = find_regime("mifa"), Size(num_clients=2, num_rounds=60)
    for which in (regime, find_regime("afl.cor2"), find_regime("mifa.thm6.1")):
        mean, error = which.by_samples(small, runs=2000)
        assert abs(mean - which.by_moments(small)) < 5 * error
        assert abs(mean - 1.5 * which.by_moments(small)) > 5 * error
    rate = measure_rate(regime, "K", grid=(1, 2, 4), base=small, runs=500)
    low, high = rate.sampling_interval
    assert low < rate.slope.plain < high
    assert low < measure_rate(regime, "K", grid=(1, 2, 4), base=small).slope.plain < high


def test_command():
    result = CliRunner().invoke(make_app(), ["rates", "--algorithm", "mifa", "--versus", "K", "--json", "--rounds", "500"])
    assert result.exit_code == 0, result.stderr
    (entry,) = json.loads(result.stdout)
    assert entry["exponent"] == pytest.approx(-1, abs=0.02)
    assert CliRunner().invoke(make_app(), ["rates", "--algorithm", "nothing"]).exit_code == 2


def test_a_rate_that_is_too_good_is_refuted_and_the_speedup_in_all_workers_is_none():
    from fltheory.evidence import Verdict
    from fltheory.papers import find_claim
    from verification.rates import measured, steeper

    claim = find_claim("mifa.thm5.1.rate.K")
    decide = measured(find_regime("mifa.thm5.1"), "K")
    assert decide(claim).verdict is Verdict.SUPPORTED
    assert decide(steeper(claim)).verdict is Verdict.REFUTED
    in_turn = measured(find_regime("afl.cor3"), "M")(find_claim("afl.cor3.rate.M"))
    assert in_turn.verdict is Verdict.REFUTED
    assert "in turn" in in_turn.scenario
