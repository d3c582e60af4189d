"""Confidence sequences: how many observations they need to tell a gap."""

import numpy as np
import pytest

from fltheory.analysis.confidence.anytime import NormalMixture
from fltheory.analysis.confidence.betting import Betting, Catoni
from fltheory.analysis.confidence.observations import SubGaussian
from tests.analysis.observed_streams import ERROR, IN_UNIT, UNIT, WITHOUT_ENDS, data


def time_to_tell(sequence, observations, mean: float, *, step: int = 25) -> float:
    """Median number of observations until `mean` is excluded."""
    state, found = sequence.start(observations.shape[:-1]), np.full(observations.shape[:-1], np.inf)
    for first in range(0, observations.shape[-1], step):
        state = sequence.update(state, observations[:, first : first + step])
        told = np.isinf(found) & ((state.lower >= mean) | (state.upper <= mean))
        found[told] = first + step
    return float(np.median(found))


@pytest.mark.parametrize(
    ("name", "gap"), [("fair coin", 0.1), ("rare coin", 0.05), ("uniform", 0.05), ("skewed", 0.05)]
)
def test_power_on_bounded_observations(name, gap):
    """A gap is told from both sides within three times 2 log(2/error) variance/gap^2, the least
    that a known size would need."""
    make, mean = IN_UNIT[name]
    observations = make(replications=100, times=4000)
    least = 2 * np.log(2e6) * observations.var() / gap**2
    for wrong in {mean - gap, mean + gap} - {0.0}:
        assert time_to_tell(Betting(UNIT, candidates=(wrong,)), observations, wrong) <= 3 * least


@pytest.mark.parametrize("name", ["normal", "normal, variance known", "exponential"])
def test_power_without_known_ends(name):
    make, mean, law = WITHOUT_ENDS[name]
    observations = make(replications=100, times=4000)
    for wrong in (mean - 0.2, mean + 0.2):
        sequence = NormalMixture(law) if isinstance(law, SubGaussian) else Catoni(law, (wrong,))
        assert time_to_tell(sequence, observations, wrong) <= 3 * 2 * np.log(2e6) / 0.04


def test_betting_profits_from_small_variance():
    sequence = Betting(UNIT, ERROR)
    wide, narrow = data("fair coin")[:50], 0.45 + data("fair coin")[:50] / 10
    widths = [
        float(np.median(s.upper - s.lower))
        for s in (sequence.update(sequence.start((50,)), x) for x in (wide, narrow))
    ]
    assert widths[1] < 0.4 * widths[0]
