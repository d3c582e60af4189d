"""Confidence sequences: false alarms under constant peeking, power, invariance to batching,
rounding to the safe side, refusals."""

from fractions import Fraction as F
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy.signal import fftconvolve
from scipy.stats import binomtest

from fltheory import InvalidInput
from fltheory.analysis.confidence.anytime import EmpiricalBernstein, NormalMixture
from fltheory.analysis.confidence.betting import (
    ROUNDING,
    RUIN,
    Betting,
    Catoni,
    confidence_sequence,
)
from fltheory.analysis.confidence.observations import (
    Bounded,
    BoundedVariance,
    NonNegative,
    SubGaussian,
    plug_in_bets,
    predictable,
    rounded_down,
    rounded_up,
)
from fltheory.core.randomness import Purpose, normals, uniforms

REPLICATIONS, TIMES = 2000, 500
ERROR = F(1, 20)
UNIT = Bounded(0, 1)


def numbers(draw, index: int, *, replications: int = REPLICATIONS, times: int = TIMES):
    return draw(11, Purpose.SEARCH, np.arange(times), np.arange(replications)[:, None], index)


def coin(chance: float, **size):
    return (numbers(uniforms, 0, **size) < chance).astype(float)


def adaptive(**size):
    """Mean 1/2 given the past, but spread wide after gains and narrow after losses."""
    signs = 2 * coin(0.5, **size) - 1
    path, total = np.empty_like(signs), np.zeros(len(signs))
    for t in range(signs.shape[1]):
        path[:, t] = 0.5 + signs[:, t] * np.where(total >= 0, 0.5, 0.1)
        total += path[:, t] - 0.5
    return path


IN_UNIT = {
    "fair coin": (lambda **size: coin(0.5, **size), 0.5),
    "rare coin": (lambda **size: coin(1 / 20, **size), 1 / 20),
    "frequent coin": (lambda **size: coin(19 / 20, **size), 19 / 20),
    "uniform": (lambda **size: numbers(uniforms, 1, **size), 0.5),
    "skewed": (lambda **size: numbers(uniforms, 2, **size) ** 4, 1 / 5),
    "constant": (lambda **size: 0 * coin(0.5, **size) + 0.3, 0.3),
    "adaptive": (adaptive, 0.5),
}
WITHOUT_ENDS = {
    "normal": (lambda **size: 3 + numbers(normals, 3, **size), 3.0, SubGaussian(1)),
    "signs": (lambda **size: 2 * coin(0.5, **size) - 1, 0.0, SubGaussian(1)),
    "normal, variance known": (
        lambda **size: 3 + numbers(normals, 3, **size),
        3.0,
        BoundedVariance(1),
    ),
    "exponential": (
        lambda **size: -np.log1p(-numbers(uniforms, 4, **size)),
        1.0,
        BoundedVariance(1),
    ),
    "heavy tail": (
        lambda **size: (1 - numbers(uniforms, 5, **size)) ** -0.4,
        5 / 3,
        BoundedVariance(F(20, 9)),
    ),  # P(x > y) = y^-2.5
    "two far apart": (
        lambda **size: 10 * coin(1 / 101, **size),
        10 / 101,
        BoundedVariance(F(10000, 10201)),
    ),
}


@cache
def data(name: str):
    return (IN_UNIT | WITHOUT_ENDS)[name][0]()


def alarms(sequence, observations, mean: float) -> float:
    """Share of replications whose interval excludes the mean at any time; the ends of betting
    sequences are excluded themselves."""
    found = sequence.update(sequence.start(observations.shape[:-1]), observations)
    if isinstance(sequence, Betting | Catoni):
        return float(((found.lower >= mean) | (found.upper <= mean)).mean())
    return float(((found.lower > mean) | (found.upper < mean)).mean())


@pytest.mark.parametrize("name", IN_UNIT)
def test_false_alarms_of_bounded_observations_stay_below_the_error(name):
    mean = IN_UNIT[name][1]
    for sequence in (
        Betting(UNIT, ERROR, (mean,)),
        EmpiricalBernstein(UNIT, ERROR),
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
        assert time_to_tell(EmpiricalBernstein(UNIT), observations, wrong) <= 4 * least


@pytest.mark.parametrize("name", ["normal", "normal, variance known", "exponential"])
def test_power_without_known_ends(name):
    make, mean, law = WITHOUT_ENDS[name]
    observations = make(replications=100, times=4000)
    for wrong in (mean - 0.2, mean + 0.2):
        sequence = NormalMixture(law) if isinstance(law, SubGaussian) else Catoni(law, (wrong,))
        assert time_to_tell(sequence, observations, wrong) <= 3 * 2 * np.log(2e6) / 0.04


def test_variance_adaptive_sequences_profit_from_small_variance():
    wide, narrow = data("fair coin")[:50], 0.45 + data("fair coin")[:50] / 10
    for sequence in (Betting(UNIT, ERROR), EmpiricalBernstein(UNIT, ERROR)):
        widths = [
            float(np.median(s.upper - s.lower))
            for s in (sequence.update(sequence.start((50,)), x) for x in (wide, narrow))
        ]
        assert widths[1] < 0.4 * widths[0]


SEQUENCES = (
    NormalMixture(SubGaussian("1/2"), ERROR),
    EmpiricalBernstein(Bounded(-1, 1), ERROR),
    Betting(Bounded(-1, 1), ERROR),
    Catoni(BoundedVariance("1/4"), (-0.5, -0.2, 0.0, 0.2, 0.5), ERROR),
)


@settings(max_examples=15)
@given(cuts=st.lists(st.integers(0, 120), max_size=6))
@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda s: type(s).__name__)
def test_any_batching_gives_the_same_bits_and_the_interval_only_shrinks(sequence, cuts):
    observations = 1.9 * data("skewed")[:3, :120] - 0.9
    whole = sequence.update(sequence.start((3,)), observations)
    state = sequence.start((3,))
    for part in np.split(observations, sorted(cuts), axis=-1):
        after = sequence.update(state, part)
        assert (after.lower >= state.lower).all()
        assert (after.upper <= state.upper).all()
        state = after
    for one, other in zip(whole, state, strict=True):
        assert np.array_equal(one, other)
    alone = sequence.update(sequence.start(), observations[1])
    assert (alone.lower, alone.upper) == (whole.lower[1], whole.upper[1])


def test_states_are_not_changed_by_updates():
    for sequence in SEQUENCES:
        start = sequence.start((2,))
        sequence.update(start, np.full((2, 30), 0.25))
        assert start.seen == 0
        assert all(np.array_equal(a, b) for a, b in zip(start, sequence.start((2,)), strict=True))


def test_the_normal_mixture_is_rounded_outwards():
    values = 0.1 + data("normal")[0]
    sequence = NormalMixture(SubGaussian(1), ERROR)
    found = sequence.update(sequence.start(), values)
    with mp.workdps(40):
        doubt, total = mp.log(20), mp.mpf(0)
        prior = 1000 / (2 * doubt + mp.log(1 + 2 * doubt))
        lowest, highest = -mp.inf, mp.inf
        for t, x in enumerate(values.tolist(), start=1):
            total += mp.mpf(x)
            radius = mp.sqrt((t + prior) * (2 * doubt + mp.log((t + prior) / prior)))
            lowest, highest = max(lowest, (total - radius) / t), min(highest, (total + radius) / t)
        assert 0 < lowest - mp.mpf(float(found.lower)) < 1e-11
        assert 0 < mp.mpf(float(found.upper)) - highest < 1e-11


def test_rounding_of_a_capital_stays_below_its_allowance():
    values, mean = data("skewed")[0], 0.4
    sequence = Betting(UNIT, ERROR, (mean,))
    found = sequence.update(sequence.start(), values)
    past = predictable(0, np.zeros(()), np.zeros(()), values)
    bets = np.minimum(plug_in_bets(past.variances, past.counts, ERROR), 0.75 / (1 - mean)).tolist()
    with mp.workdps(40):
        capital = mp.fsum(
            mp.log(1 - mp.mpf(b) * (mp.mpf(x) - mp.mpf(mean)))
            for b, x in zip(bets, values.tolist(), strict=True)
        )
        assert abs(capital - mp.mpf(float(found.smaller[0]))) < ROUNDING * len(values)


def test_a_lost_capital_is_given_up_for_good_in_any_batching():
    values = np.concatenate([np.zeros(3000), np.ones(3000)])
    sequence = Betting(UNIT, ERROR, (0.9,))
    state = sequence.start()
    for part in np.split(values, [1700]):
        state = sequence.update(state, part)
    assert state.larger == -np.inf < RUIN
    assert state.larger == sequence.update(sequence.start(), values).larger


def test_a_broken_law_shows_as_an_empty_interval():
    drifting = np.concatenate([np.full(2000, 0.1), np.full(4000, 0.9)])
    found = Betting(UNIT).update(Betting(UNIT).start(), drifting)
    assert found.lower > found.upper


def test_ends_are_candidates_beyond_the_exact_interval():
    sequence = confidence_sequence(UNIT, error=ERROR, near=F(1, 3))
    assert {rounded_down(F(1, 3)), rounded_up(F(1, 3))} <= set(sequence.candidates)
    found = sequence.update(sequence.start(), data("fair coin")[0])
    assert {float(found.lower), float(found.upper)} <= set(sequence.candidates)
    finer = Betting(UNIT, ERROR, tuple(np.arange(1, 4000) / 4000))
    finer = finer.update(finer.start(), data("fair coin")[0])
    assert found.lower <= finer.lower < finer.upper <= found.upper


@pytest.mark.parametrize("batch", [[0.5, np.nan], [0.5, 2.0], [0.5, -np.inf], 0.5, [[0.5]]])
@pytest.mark.parametrize(
    "sequence", [Betting(UNIT), EmpiricalBernstein(UNIT)], ids=["betting", "bernstein"]
)
def test_bad_observations_are_refused(sequence, batch):
    with pytest.raises(InvalidInput, match="observation"):
        sequence.update(sequence.start(), batch)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Bounded(1, 1),
        lambda: Bounded(0, "1e300"),
        lambda: SubGaussian(0),
        lambda: BoundedVariance(-1),
        lambda: Betting(UNIT, 0),
        lambda: Betting(UNIT, 1),
        lambda: Betting(UNIT, candidates=(2.0,)),
        lambda: Catoni(BoundedVariance(1), ()),
        lambda: Catoni(BoundedVariance(1), (np.inf,)),
        lambda: NormalMixture(SubGaussian(1), tuned_for=0),
        lambda: confidence_sequence(NonNegative()),
        lambda: SubGaussian("x"),
    ],
)
def test_bad_settings_are_refused(make):
    with pytest.raises(InvalidInput):
        make()
