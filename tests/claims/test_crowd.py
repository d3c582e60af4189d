"""Crowds: the exact second moments of many clients agree with the engine's."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import InvalidInput
from fltheory.claims.checks.crowd import Crowd, Work, course, sampled_course
from fltheory.claims.checks.exact_run import mean_measure, sample_sequences
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.traces.trace import Trace

SIZES, TILTS, H = (2, 1, 2), (Fraction(1), Fraction(0), Fraction(-1)), Fraction(1, 2)
MEMBERS = [group for group, size in enumerate(SIZES) for _ in range(size)]
ROUNDS = 4
ROW = st.lists(st.none() | st.integers(0, 2), min_size=3, max_size=3).filter(
    lambda row: any(delay is not None for delay in row)
)


@settings(max_examples=25)
@given(st.lists(ROW, min_size=ROUNDS, max_size=ROUNDS), st.integers(1, 3), st.booleans())
def test_a_crowd_has_the_moments_of_its_clients(rows, steps, memory):
    arrivals = [[None if d is None else min(d, t) for d in row] for t, row in enumerate(rows)]
    if memory:
        arrivals[0] = [0, 0, 0]
    size, step = Fraction(1, 3), Fraction(1, 5)
    crowd = Crowd(SIZES, TILTS, H, Fraction(1))
    run = course(
        crowd, arrivals, Work.of(steps, size, H, Fraction(1)), step, Fraction(2), memory=memory
    )
    delivers = np.array([[row[j] is not None for j in MEMBERS] for row in arrivals])
    delays = [[row[j] or 0 for j in MEMBERS] for row in arrivals]
    scenario = Scenario(
        "afa-cs" if memory else "afa-cd",
        CommonCurvature(H, [TILTS[j] for j in MEMBERS], noise_squared=1),
        Trace.with_delays(delivers, delays, local_steps=steps),
        start=2,
        local_step_size=size,
        server_step_size=step / size,
    )
    found = measure(scenario, ["mean_squared_gradient"])["mean_squared_gradient"]
    assert found == run.mean_squared_gradient


@pytest.mark.parametrize(("steps", "delays"), [(1, [0, 0]), (2, [0, 1])])
def test_sampling_has_the_mean_over_all_samples(steps, delays):
    crowd = Crowd((1, 1, 1), TILTS)
    runs = [
        Scenario(
            "afa-cd",
            CommonCurvature(1, TILTS, noise_squared=1),
            Trace.with_delays(rows, [[d] * 3 for d in delays], local_steps=steps),
            start=1,
            local_step_size="1/4",
            server_step_size=2,
        )
        for rows in sample_sequences(3, 2, 2)
    ]
    work = Work.of(steps, Fraction(1, 4), Fraction(1), Fraction(1))
    run = sampled_course(crowd, 2, delays, work, Fraction(1, 2), Fraction(1))
    assert run.mean_squared_gradient == mean_measure(runs, "mean_squared_gradient")


def test_a_lopsided_crowd_is_refused():
    with pytest.raises(InvalidInput):
        Crowd((1, 2), (Fraction(1), Fraction(-1)))
