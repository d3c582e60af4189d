"""Confidence sequences: false alarms under constant peeking."""

import numpy as np
import pytest
from scipy.signal import fftconvolve
from scipy.stats import binomtest

from fltheory.analysis.confidence.anytime import NormalMixture
from fltheory.analysis.confidence.betting import Betting, Catoni
from fltheory.analysis.confidence.observations import BoundedVariance, SubGaussian
from tests.analysis.observed_streams import (
    ERROR,
    IN_UNIT,
    REPLICATIONS,
    TIMES,
    UNIT,
    WITHOUT_ENDS,
    data,
)


def alarms(sequence, observations, mean: float) -> float:
    """Share of replications whose interval excludes the mean at any time; the ends of betting
    sequences are excluded themselves."""
    found = sequence.update(sequence.start(observations.shape[:-1]), observations)
    if isinstance(sequence, Betting | Catoni):
        return float(((found.lower >= mean) | (found.upper <= mean)).mean())
    return float(((found.lower > mean) | (found.upper < mean)).mean())


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_UNIT)
def test_false_alarms_of_bounded_observations_stay_below_the_error(name):
    mean = IN_UNIT[name][1]
    for sequence in (
        Betting(UNIT, ERROR, (mean,)),
        NormalMixture(SubGaussian("1/2"), ERROR),
    ):
        assert alarms(sequence, data(name), mean) <= ERROR


@pytest.mark.parametrize("name", WITHOUT_ENDS)
def test_false_alarms_without_known_ends_stay_below_the_error(name):
    _, mean, law = WITHOUT_ENDS[name]
    for tuned in (10, 100, 1000) if isinstance(law, SubGaussian) else (0,):
        sequence = NormalMixture(law, ERROR, tuned) if tuned else Catoni(law, (mean,), ERROR)
        assert alarms(sequence, data(name), mean) <= ERROR


def test_no_part_of_the_guarantee_is_wasted_by_betting():
    """Over all 2^12 equally likely tosses both capitals against the true mean have mean exactly 1:
    a fair game, no less."""
    tosses = (np.arange(1 << 12)[:, None] >> np.arange(12) & 1).astype(float)
    sequence = Betting(UNIT, ERROR, (0.5,))
    for times in (1, 5, 12):
        found = sequence.update(sequence.start((1 << 12,)), tosses[:, :times])
        assert float(np.exp(found.larger).mean()) == pytest.approx(1, abs=1e-12)
        assert float(np.exp(found.smaller).mean()) == pytest.approx(1, abs=1e-12)
    wrong = Betting(UNIT, ERROR, (0.6,))
    found = wrong.update(wrong.start((1 << 12,)), tosses)
    assert float(np.exp(found.larger).mean()) < 0.99, (
        "against a mean that is too large the game is a loss"
    )


def crossing_probability(radius) -> float:
    """P(|S_t| > radius[t - 1] for some t <= len(radius)) for sums of standard normal numbers, by
    passing their density from time to time.

    Densities on a grid, each step the trapezoidal sum with the normal density: its error is far
    below that of any comparison here.
    """
    edge = float(radius.max()) + 0.05
    grid = np.linspace(-edge, edge, 2001)
    step = grid[1] - grid[0]
    near = np.arange(-int(8 / step), int(8 / step) + 1) * step
    kernel = np.exp(-(near**2) / 2) / np.sqrt(2 * np.pi) * step
    density = np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    for t, reach in enumerate(radius):
        density = fftconvolve(density, kernel, mode="same") if t else density
        density = np.where(np.abs(grid) <= reach, density, 0)
    return 1 - float(density.sum() * step)


def test_the_normal_mixture_alarms_as_often_as_its_formula_says():
    """The formula's own probability of an alarm within 500 observations, computed without samples;
    the counted alarms fit it, and do not fit a boundary that is wider by a fifth (exact binomial
    tests, level 1/10^6)."""
    sequence = NormalMixture(SubGaussian(1), ERROR, 50)
    doubt, counts = np.log(20), np.arange(1, TIMES + 1)
    spread = counts + 50 / (2 * doubt + np.log1p(2 * doubt))
    radius = np.sqrt(spread * (2 * doubt + np.log(spread / (spread[0] - 1))))
    found, wider = crossing_probability(radius), crossing_probability(1.2 * radius)
    assert wider < found <= float(ERROR)
    counted = round(alarms(sequence, data("normal"), 3) * REPLICATIONS)
    assert binomtest(counted, REPLICATIONS, found).pvalue > 1e-6
    assert binomtest(counted, REPLICATIONS, wider).pvalue < 1e-6


def test_the_measurement_would_see_an_invalid_method():
    """Methods that miss the mean too often are told from those that do not, at level 1/10^6: the
    textbook interval at 1 - error, looked at after each observation, half of the true scale, and a
    variance that is far too small."""
    off = np.abs(np.cumsum(data("normal") - 3, axis=-1)) / np.sqrt(np.arange(1, TIMES + 1))
    shares = [
        (off.max(axis=-1) > 1.96).mean(),
        alarms(NormalMixture(SubGaussian("1/2"), ERROR), data("normal"), 3),
        alarms(Catoni(BoundedVariance("1/20"), (5 / 3,), ERROR), data("heavy tail"), 5 / 3),
    ]
    for share in shares:
        assert (
            binomtest(
                round(float(share) * REPLICATIONS),
                REPLICATIONS,
                float(ERROR),
                alternative="greater",
            ).pvalue
            < 1e-6
        )
