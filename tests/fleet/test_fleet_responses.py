"""A method's answers to start, distance and noise: one compiled run against exact moments."""

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import FedAvg, FedLaAvg, Mifa, Trace
from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.moments import state_moments
from fltheory.engine.arithmetic import RATIONAL
from fltheory.engine.compiled import NUMBA
from fltheory.fleet.responses import Response, Responses
from fltheory.problems.quadratic import Quadratic
from fltheory.testing.strategies import traces

RANKS = (F(-1), F(0), F(1))
METHODS = (
    FedAvg(),
    Mifa(),
    FedLaAvg(),
    AfaCrossDevice(),
    AfaCrossSilo(),
    WeightedAggregation((F(1, 2), F(1, 3), F(2, 3))),
)
compiled = pytest.mark.skipif(not NUMBA, reason="numba is not installed")


def exact(algorithm: Any, trace: Trace, size: F) -> dict[str, list[float]]:
    """The same answers in fractions, from means and covariances of the whole state."""
    runs = {}
    for name, start, optima, noise in (
        ("start", 1, (0, 0, 0), 0),
        ("apart", 0, RANKS, 0),
        ("noise", 0, (0, 0, 0), 1),
    ):
        line = Quadratic((1, 1, 1), optima, noise_squared=noise)
        runs[name] = list(
            state_moments(
                algorithm, line, trace, start=start, local_step_size=size, arithmetic=RATIONAL
            )
        )
    a, b = ([mean[0] for mean, _ in runs[name]] for name in ("start", "apart"))
    return {
        "start": [float(x * x) for x in a],
        "cross": [float(x * y) for x, y in zip(a, b, strict=True)],
        "apart": [float(y * y) for y in b],
        "noise": [float(covariance[0, 0]) for _, covariance in runs["noise"]],
    }


def agree(found: Response, wanted: dict[str, list[float]]) -> bool:
    return all(
        np.allclose(getattr(found, name), values, rtol=1e-11, atol=1e-13)
        for name, values in wanted.items()
    )


@compiled
@pytest.mark.slow
@pytest.mark.parametrize("algorithm", METHODS, ids=lambda one: type(one).__name__)
@settings(max_examples=12)
@given(
    trace=traces(num_clients=3, max_rounds=8, max_delay=4, max_local_steps=1),
    steps=st.integers(1, 3),
    size=st.sampled_from([F(1, 2), F(1, 7)]),
)
def test_answers_along_late_traces_are_the_exact_moments(
    algorithm: Any, trace: Trace, steps: int, size: F
) -> None:
    late = Trace.with_delays(
        trace.delivers, trace.round_indices - trace.started_from, local_steps=steps
    )
    made = Responses(algorithm, late, RANKS)
    assert made._uses is not None
    assert agree(made.at(size), exact(algorithm, late, size))


@compiled
@pytest.mark.parametrize("algorithm", [Mifa(), METHODS[-1]], ids=["memory", "weights"])
def test_a_long_run_stays_with_the_squares_of_four_runs(algorithm: Any) -> None:
    draw = np.random.default_rng(3)
    delivers = draw.random((500, 3)) < (0.2, 0.5, 0.9)
    late = Trace.with_delays(
        delivers, delivers * draw.integers(0, 30, (500, 3)).clip(max=np.arange(500)[:, None])
    )
    made = Responses(algorithm, late, RANKS)
    found, wanted = made.at(F(1, 16)), made._from_squares(F(1, 16))
    for name in ("start", "cross", "apart", "noise"):
        assert np.allclose(getattr(found, name), getattr(wanted, name), rtol=1e-9, atol=1e-13)


@compiled
def test_a_delivery_that_began_elsewhere_is_noticed() -> None:
    delivers, delays = np.ones((6, 3), bool), np.zeros((6, 3), int)
    moved = delays.copy()
    moved[3, 1] = 1
    for algorithm in METHODS:
        found = Responses(algorithm, Trace.with_delays(delivers, moved), RANKS).at(F(1, 2))
        assert not agree(found, exact(algorithm, Trace.with_delays(delivers, delays), F(1, 2)))


def test_uneven_steps_and_weights_of_rounds_are_left_to_the_moments() -> None:
    uneven = Trace.fresh([[1, 1, 1], [1, 0, 1]], local_steps=np.array([[1, 2, 1], [1, 1, 1]]))
    rounds = WeightedAggregation(((F(1),) * 3, (F(1, 2),) * 3))
    fresh = Trace.fresh([[1, 1, 1], [1, 0, 1]])
    for algorithm, trace in ((FedAvg(), uneven), (Mifa(), uneven), (rounds, fresh)):
        made = Responses(algorithm, trace, RANKS)
        assert made._uses is None
        assert agree(made.at(F(1, 2)), exact(algorithm, trace, F(1, 2)))


@compiled
def test_a_step_that_is_too_large_gives_no_finite_answer() -> None:
    found = Responses(Mifa(), Trace.fresh([[1, 0, 1]] * 4000), RANKS).at(F(8))
    assert not np.isfinite(found.start[-1])
    assert not np.isfinite(found.noise[-1])
