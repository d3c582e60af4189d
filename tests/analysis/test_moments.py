"""Exact moments: golden values, sums over coordinates, refusals."""

from fractions import Fraction as F

import numpy as np
import pytest

from fltheory import FLOAT, RATIONAL, InvalidInput, Mifa, Quadratic, Trace
from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.analysis.moments import expected_gap, state_moments
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature

OFFSET = 100


def mifa_step(local_steps: int = 1, *, strong_convexity: int = 1):
    """4/(mu K (t + a)) with t = round + 1."""
    return lambda index: F(4, strong_convexity * local_steps * (index + 1 + OFFSET))


def mifa_weight(index: int) -> int:
    """(t + a - 1)(t + a - 2) with t = index + 1."""
    return (index + OFFSET) * (index + OFFSET - 1)


@pytest.mark.slow
def test_heterogeneous_instance_of_theorem_5_1():
    delivers = [[True] * 3] + [[(t + i) % (i + 1) == 0 for i in range(3)] for t in range(2, 40)]
    problem = Quadratic((1, 2, 3), (1, -2, "1/2"), noise_squared=4)
    trace = Trace.fresh(delivers, local_steps=2)
    given_as = {"start": 2, "local_step_size": mifa_step(2), "average": mifa_weight}
    exact = expected_gap(Mifa(), problem, trace, arithmetic=RATIONAL, **given_as)
    assert round(float(exact.total), 6) == 0.380863
    assert expected_gap(Mifa(), problem, trace, **given_as).total == pytest.approx(
        float(exact.total), rel=1e-13
    )


@pytest.mark.parametrize(
    ("iterates", "ratio"),
    [(2, "49/50"), (10, "3675/4387"), (100, "14700/68753"), (1000, "700/349943")],
)
def test_closed_form_without_noise(iterates, ratio):
    trace = Trace.fresh(np.ones((iterates - 1, 1), bool))
    gap = expected_gap(
        Mifa(),
        Quadratic((1,), (0,)),
        trace,
        start=1,
        local_step_size=mifa_step(),
        average=mifa_weight,
        arithmetic=RATIONAL,
    )
    assert (gap.bias, gap.noise) == (F(ratio) ** 2 / 2, 0)


@pytest.mark.parametrize(("iterates", "gap"), [(2, "1/5000"), (10, 0.00180003), (100, 0.00348438)])
def test_closed_form_of_the_noise(iterates, gap):
    trace = Trace.fresh(np.ones((iterates - 1, 1), bool))
    problem = Quadratic((1,), (0,), noise_squared=1)
    found = expected_gap(
        Mifa(),
        problem,
        trace,
        start=0,
        local_step_size=mifa_step(),
        average=mifa_weight,
        arithmetic=RATIONAL,
    )
    assert found.bias == 0
    assert (
        found.noise == F(gap)
        if isinstance(gap, str)
        else float(found.noise) == pytest.approx(gap, abs=5e-9)
    )


@pytest.mark.parametrize("period", [1, 2, 5, 11, 21])
def test_asymptote_of_the_noise(period):
    """gap T -> 24/35 (2 taubar + 1) sigma^2/(mu N K), within 1 % at T = 1e5."""
    rounds = 100_000 // period * period
    delivers = np.zeros((rounds, 2), bool)
    delivers[::period] = True
    problem = Quadratic((1, 1), (0, 0), noise_squared=1)
    gap = expected_gap(
        Mifa(),
        problem,
        Trace.fresh(delivers),
        start=0,
        local_step_size=lambda t: 4 / (t + 1 + OFFSET),
        average=mifa_weight,
    )
    mean_staleness = (period - 1) / 2
    assert gap.noise * 2 * rounds == pytest.approx(24 / 35 * (2 * mean_staleness + 1), rel=0.01)
    assert gap.noise * 2 * rounds != pytest.approx(24 / 35 * (2 * mean_staleness + 2), rel=0.01)


def test_variances_of_cross_silo_round_robin():
    delivers = [[True] * 3] + [[t % 3 == i for i in range(3)] for t in range(1, 5)]
    problem = CommonCurvature(1, (0, 0, 0), noise_squared=1)
    found = state_moments(
        AfaCrossSilo(),
        problem,
        Trace.fresh(delivers),
        start=0,
        local_step_size="1/10",
        arithmetic=RATIONAL,
    )
    variances = [covariance[0, 0] for _, covariance in found]
    expected = [
        "1/300",
        "967/90000",
        "1565327/81000000",
        "1927790687/72900000000",
        "2109657352847/65610000000000",
    ]
    assert variances == [0, *map(F, expected)]


def test_coordinates_add_up_and_blocks_do_not_matter(monkeypatch):
    wide = Quadratic([(1, 2), (3, "1/2")], [(0, 1), (2, -1)], noise_squared=2)
    trace = Trace.with_delays(np.random.default_rng(1).random((40, 2)) < 0.6, 0, local_steps=2)
    whole = expected_gap(
        Mifa(), wide, trace, start=(1, 2), local_step_size="1/8", arithmetic=RATIONAL
    )
    parts = [
        expected_gap(
            Mifa(),
            Quadratic(
                [r[j] for r in wide.curvatures], [r[j] for r in wide.optima], noise_squared=1
            ),
            trace,
            start=(1, 2)[j],
            local_step_size="1/8",
            arithmetic=RATIONAL,
        )
        for j in range(2)
    ]
    assert whole.total == parts[0].total + parts[1].total
    monkeypatch.setattr("fltheory.analysis.round_maps.BLOCK_NUMBERS", 1)
    assert (
        expected_gap(Mifa(), wide, trace, start=(1, 2), local_step_size="1/8", arithmetic=RATIONAL)
        == whole
    )
    rounded = expected_gap(
        Mifa(), wide, trace, start=(1, 2), local_step_size="1/8", arithmetic=FLOAT
    )
    assert rounded.total == pytest.approx(float(whole.total))


def test_what_has_no_exact_moments_is_refused():
    with pytest.raises(InvalidInput, match="quadratic"):
        expected_gap(Mifa(), Clipped((0,), 1), Trace.fresh([[1]]), start=0, local_step_size=1)
    with pytest.raises(InvalidInput, match="one optimum"):
        expected_gap(
            Mifa(), CommonCurvature(0, (0,)), Trace.fresh([[1]]), start=0, local_step_size=1
        )
    with pytest.raises(InvalidInput, match="coordinates"):
        expected_gap(
            Mifa(), Quadratic((1,), (0,)), Trace.fresh([[1]]), start=(0, 1), local_step_size=1
        )
