"""What the answer says about step sizes and samples."""

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from fltheory.fleet.advice import ABOUT_STEPS, Advice
from fltheory.fleet.answer import Advised, _spread
from fltheory.fleet.log import FleetLog, from_matrix
from fltheory.fleet.plans import plans
from fltheory.fleet.predict import Prediction
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary

STEPS = (Fraction(1), Fraction(1, 2), Fraction(1, 4))


def spread(*rows: tuple[float, float, float]) -> str:
    """The settings' times for the three step sizes, in words."""
    times = np.array(rows)
    best = Prediction("MIFA", "mifa", STEPS, times, np.zeros(times.shape), 0.0, "", num_rounds=400)
    told: Any = SimpleNamespace(
        choice=SimpleNamespace(best=best), tasks=(LearningTask(),) * len(rows), task=LearningTask()
    )
    return _spread(cast(Advised, told))


def test_a_surer_step_size_is_told_where_the_recommended_one_misses_settings() -> None:
    assert spread((2, 40, 80), (2, 40, 80), (math.inf, 41, 82)) == (
        " Over 3 settings of the assumed constants: 2 to 2 rounds, not within 400 rounds in 1 of"
        " them. Step size 0.5/L = 0.5 gets there in 3 of them (40 to 41 rounds)."
    )
    assert spread((2, 3, 4), (5, 6, 7)) == (
        " Over 2 settings of the assumed constants: 2 to 5 rounds."
    )


def test_a_sample_is_of_clients_and_not_of_parts_of_the_importance() -> None:
    table = np.random.default_rng(0).random((60, 6)) < 0.6
    log = from_matrix(table)
    weighed = FleetLog(**{**vars(log), "importance": np.array([1, 2, 3, 4, 5, 6]) / 21})
    for one in (log, weighed):
        names = [plan.method for plan in plans(Summary(one), LearningTask())]
        assert "FedAvg that waits for a sample of 3" in names


@pytest.mark.slow
def test_the_bar_knows_about_how_many_steps_there_are() -> None:
    table = np.random.default_rng(0).random((60, 4)) < 0.6
    seen: list[str] = []
    Advice(from_matrix(table), LearningTask(), watch=seen.append).to_json()
    assert 0.7 * ABOUT_STEPS < len(seen) < 1.3 * ABOUT_STEPS
