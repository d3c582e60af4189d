"""Exact moments of every algorithm against its responses to single draws of noise, against samples,
and where runs diverge."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fltheory.algorithms
from fltheory import FLOAT, RATIONAL, FedAvg, Mifa, Quadratic, Trace, named_arithmetic
from fltheory.algorithms.anarchic import AfaCrossSilo
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.confidence.betting import confidence_sequence
from fltheory.analysis.confidence.observations import BoundedVariance
from fltheory.analysis.moments import expected_gap, state_moments
from fltheory.core.errors import Diverged
from fltheory.core.registry import Settings, members
from fltheory.engine.noise import Gaussian
from fltheory.engine.simulate import simulate
from fltheory.problems.objective import loss_gap
from fltheory.testing import traces


def all_algorithms(num_clients: int):
    chances = Settings(
        {
            "weights": tuple(F(k + 1, 2) for k in range(num_clients)),
            "probabilities": (F(1, 2),) * num_clients,
            "proximal_strength": F(1, 3),
            "full_local_steps": 3,
        }
    )
    return {name: member.build(chances) for name, member in members(fltheory.algorithms).items()}


def responses(algorithm, problem, trace, start, step_size):
    """Noise-free last model, and how it moves per unit of every single draw, by running the loop
    once for each."""

    def run(place):
        def noise(t, k):
            return [[F((t, i, k) == place)] for i in range(problem.num_clients)]

        return simulate(
            algorithm, problem, trace, start=start, local_step_size=step_size, noise=noise
        ).models[-1, 0]

    steps = int(trace.local_steps.max(initial=1))
    places = [
        (t, i, k)
        for t in range(trace.num_rounds)
        for i in range(problem.num_clients)
        for k in range(steps)
    ]
    quiet = run(None)
    return quiet, [run(place) - quiet for place in places]


@settings(max_examples=6)
@given(trace=traces(num_clients=2, max_rounds=3, max_delay=2), start=st.integers(-2, 2))
@pytest.mark.parametrize("name", all_algorithms(2))
def test_every_algorithm_agrees_with_its_responses_to_single_draws(name, trace, start):
    problem = Quadratic((1, 2), (0, 1), noise_squared="3/2")
    algorithm = all_algorithms(2)[name]
    gap = expected_gap(
        algorithm, problem, trace, start=start, local_step_size="1/4", arithmetic=RATIONAL
    )
    quiet, moved = responses(algorithm, problem, trace, start, "1/4")
    curvature, optimum = F(3, 2), problem.constants.optimum[0]
    assert gap.bias == curvature / 2 * (quiet - optimum) ** 2
    assert gap.noise == curvature / 2 * problem.noise_squared * sum(m * m for m in moved)
    *_, (mean, covariance) = state_moments(
        algorithm, problem, trace, start=start, local_step_size="1/4", arithmetic=RATIONAL
    )
    assert mean[0] == quiet
    assert gap.noise == curvature / 2 * covariance[0, 0]


RUNS = 8000
"""Enough to tell a quarter: 2 log(2/error) variance/(mean/4)^2 is about 930 for a squared normal
number; sequences need some times that."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "algorithm", [Mifa(), FedAvg(), FedLaAvg(), AfaCrossSilo()], ids=lambda one: type(one).__name__
)
def test_moments_agree_with_samples_that_know_nothing_of_them(algorithm):
    """Samples: the tensor engine's own draws, K noisy steps one by one. Their variance: from exact
    runs with single draws of noise.

    With error probability 1/10^6 the expected gap is not excluded, and one that is off by a quarter
    is.
    """
    pytest.importorskip("torch")
    problem = Quadratic((1, 2, 3), (1, -2, "1/2"), noise_squared=1)
    trace = Trace.fresh([[1, 1, 1], [1, 0, 1], [0, 1, 0], [0, 1, 1]], local_steps=2)
    run = {"start": 2, "local_step_size": "1/16"}
    models = simulate(
        algorithm,
        problem,
        trace,
        **run,
        noise=Gaussian(problem, 1, tuple(range(RUNS)), "cpu"),
        arithmetic=named_arithmetic("tensor"),
    ).last
    gaps = loss_gap(problem, models[:, None, :], FLOAT)[:, 0, 0]
    quiet, moved = responses(algorithm, problem, trace, 2, "1/16")
    bias, noise = (quiet - problem.constants.optimum[0]) ** 2, sum(m * m for m in moved)
    law = BoundedVariance(2 * noise**2 + 4 * noise * bias)  # curvature 2: the gap is (x - x*)^2

    def excluded(value):
        sequence = confidence_sequence(law, error=F(1, 10**6), near=F(value))
        found = sequence.update(sequence.start(), gaps)
        return not found.lower < value < found.upper

    expected = float(expected_gap(algorithm, problem, trace, **run).total)
    assert not excluded(expected)
    assert excluded(0.75 * expected)
    assert excluded(1.25 * expected)


@pytest.mark.parametrize("name", all_algorithms(2))
def test_divergence_names_the_round_and_is_no_gap(name):
    """x -> -4 x with every round, so E x^2 grows like 16^t: finite in round 254, not in 300;
    fractions have no end."""
    problem, trace = (
        Quadratic((1, 1), (0, 0), noise_squared=1),
        Trace.fresh(np.ones((300, 2), bool)),
    )
    algorithm = all_algorithms(2)[name]
    with pytest.raises(Diverged, match="in round") as told:
        expected_gap(algorithm, problem, trace, start=1, local_step_size=5)
    assert 100 < told.value.round < 300
    assert np.isfinite(
        expected_gap(
            algorithm, problem, trace.first(told.value.round), start=1, local_step_size=5
        ).total
    )
