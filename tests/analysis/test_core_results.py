"""Results of the core as data and as tables: every field, under its name."""

from fractions import Fraction

import pytest

from fltheory import (
    Asynchronous,
    Buffer,
    FedAvg,
    FixedWindow,
    InvalidInput,
    Quadratic,
    Synchronous,
    Trace,
    limit_cycle,
    simulate,
)
from fltheory.traces.update_times import ExponentialTimes
from fltheory.traces.weights import fair_weights, weight_report

PROBLEM = Quadratic(curvatures=(2, 2), optima=(0, 1))
PATTERN = Trace.fresh([[1, 0], [0, 1], [0, 1], [0, 1]] * 3)


def test_a_limit_cycle_as_data_and_as_a_table() -> None:
    found = limit_cycle(FedAvg(), PROBLEM, PATTERN, local_step_size="1/4")
    told = {
        "period": 4,
        "cycle": ["14/15", "7/15", "11/15", "13/15"],
        "at_period_end": "14/15",
        "mean": "3/4",
        "spectral_radius": 0.0625,
        "spectral_radius_exact": "1/16",
        "stable": True,
    }
    assert found.to_dict() == {**told, "orbit": None}
    (table,) = found.tables()
    assert table.title == "limit cycle"
    assert [name for name, _ in table.rows] == [name.replace("_", " ") for name in told]
    assert table.rows[2] == ("at period end", "14/15")


def test_an_orbit_is_part_of_the_data() -> None:
    turning = limit_cycle(
        FedAvg(), Quadratic((2,), (0,)), Trace.fresh([[1]] * 6), local_step_size=1, start=1
    )
    assert turning.to_dict()["orbit"] == ["1", "-1"]


def test_a_trajectory_as_data_and_as_a_table() -> None:
    run = simulate(FedAvg(), PROBLEM, Trace.fresh([[1, 0], [0, 1]]), start=0, local_step_size="1/4")
    assert run.to_dict() == {"models": ["0", "0", "1/2"], "last": "1/2"}
    assert "1/2" in str(run.tables()[0].rows)


def test_a_weight_report_as_data_and_as_a_table() -> None:
    report = weight_report([1, 2], Asynchronous())
    told = report.to_dict()
    assert told["weights"] == ["3/4", "3/2"]
    assert told["balance_period"] == 3
    (table,) = report.tables()
    assert (table.title, table.rows[0]) == ("weights", ("weights", "3/4, 3/2"))


MEANS = (Fraction(1), Fraction(2))
RANDOM = ExponentialTimes(MEANS)


def test_fair_weights_of_fixed_times_are_those_of_the_policy() -> None:
    assert fair_weights([1, 2], Asynchronous()) == (Fraction(3, 4), Fraction(3, 2))
    unequal = fair_weights([1, 2], Synchronous(), importance=["1/4", "3/4"])
    assert unequal == (Fraction(1, 4), Fraction(3, 4))


def test_fair_weights_of_exponential_times() -> None:
    assert fair_weights(RANDOM, Asynchronous()) == (Fraction(3, 4), Fraction(3, 2))
    assert fair_weights(RANDOM, Synchronous(), importance=["1/4", "3/4"]) == (
        Fraction(1, 4),
        Fraction(3, 4),
    )
    found = fair_weights(RANDOM, FixedWindow(1), importance=["1/4", "3/4"])
    assert found == pytest.approx(
        (0.25 / (1 - 2.718281828459045**-1), 0.75 / (1 - 2.718281828459045**-0.5))
    )


def test_fair_weights_that_nobody_knows_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"^--exponential must be left out for fedbuff.*got --exponential$"
    ):
        fair_weights(RANDOM, Buffer(2))
    with pytest.raises(
        InvalidInput, match=r"^--window must be large enough .* as floats, got a tiny share$"
    ):
        fair_weights(RANDOM, FixedWindow(Fraction(1, 10**20)))
