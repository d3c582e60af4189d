"""Confidence sequences: invariance to batching, rounding to the safe side, refusals."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

from fltheory import InvalidInput
from fltheory.analysis.confidence.anytime import NormalMixture
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
from tests.analysis.observed_streams import ERROR, UNIT, data

SEQUENCES = (
    NormalMixture(SubGaussian("1/2"), ERROR),
    Betting(Bounded(-1, 1), ERROR),
    Catoni(BoundedVariance("1/4"), (-0.5, -0.2, 0.0, 0.2, 0.5), ERROR),
)


@pytest.mark.slow
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
def test_bad_observations_are_refused(batch):
    sequence = Betting(UNIT)
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
