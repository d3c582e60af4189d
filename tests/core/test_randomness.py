"""Counter-based randomness: known answers, independence of batching, and the laws that the draws
should have."""

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, kstest

from fltheory import InvalidInput
from fltheory.core.randomness import (
    Purpose,
    below,
    happens,
    normals,
    philox,
    random_integers,
    random_words,
    uniforms,
)

ONES = 0xFFFFFFFF
seeds = st.integers(0, 2**64 - 1)
purposes = st.sampled_from(Purpose)


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [
        ((0, 0), (0, 0, 0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ((ONES, ONES), (ONES,) * 4, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            (0xA4093822, 0x299F31D0),
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_published_test_vectors(key, counter, words):
    answer = philox(key, [np.array([part]) for part in counter])
    assert [int(word[0]) for word in answer] == [int(word, 16) for word in words.split()]


@given(seeds, st.lists(st.integers(0, ONES), min_size=4, max_size=4))
def test_wrapping_arithmetic_equals_arithmetic_without_a_limit(seed, counter):
    key = (seed & ONES, seed >> 32)
    assert [int(word[0]) for word in philox(key, [np.array([part]) for part in counter])] == philox(
        key, counter
    )


@pytest.mark.slow
def test_the_same_text_serves_tensors():
    torch = pytest.importorskip("torch")
    counter = [np.arange(50) * part for part in (1, 7, 11, 13)]
    arrays = philox((12345, 678), counter)
    tensors = philox((12345, 678), [torch.as_tensor(part) for part in counter])
    for array, tensor in zip(arrays, tensors, strict=True):
        assert array.tolist() == tensor.tolist()


@given(
    seeds,
    purposes,
    st.lists(st.integers(0, ONES), min_size=1, max_size=6),
    st.lists(st.integers(0, ONES), min_size=1, max_size=5),
)
def test_same_bits_whatever_the_batching(seed, purpose, rounds, clients):
    grid = random_integers(seed, purpose, np.array(rounds)[:, None], np.array(clients), index=3)
    assert grid.shape == (len(rounds), len(clients))
    for t, i in np.ndindex(*grid.shape):
        assert random_integers(seed, purpose, rounds[t], clients[i], index=3)[0] == grid[t, i]
    backwards = random_integers(
        seed, purpose, np.array(rounds)[::-1, None], np.array(clients), index=3
    )
    assert (backwards[::-1] == grid).all()


@given(seeds, st.data())
def test_every_part_of_the_key_matters(seed, data):
    base = {"seed": seed, "purpose": Purpose.TIES, "rounds": 5, "clients": 6, "index": 7}
    other = data.draw(
        st.sampled_from(
            [
                {"seed": seed ^ 1},
                {"seed": seed ^ 1 << 40},
                {"purpose": Purpose.SELECTION},
                {"rounds": 6, "clients": 5},
                {"clients": 7, "index": 6},
            ]
        )
    )
    assert random_integers(**base) != random_integers(**base | other)
    assert random_integers(**base) == random_integers(**base)


def chi_square(counts, expected):
    """sum (count - expected)^2 / expected, exactly."""
    return sum(
        (F(int(count)) - chance) ** 2 / chance
        for count, chance in zip(counts, expected, strict=True)
    )


def is_plausible(counts, expected):
    """Neither too far from the expected counts nor too near, at one in ten thousand each."""
    low, high = chi2.ppf([1e-4, 1 - 1e-4], len(counts) - 1)
    return bool(low < chi_square(counts, expected) < high)


DRAWS, BINS = 64_000, 64


@pytest.mark.parametrize("shift", [0, 20, 47])
@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_bits_are_uniform(seed, shift):
    draws = random_integers(
        seed, Purpose.AVAILABILITY, np.arange(DRAWS // 16)[:, None], np.arange(16)
    ).ravel()
    assert draws.min() >= 0
    assert draws.max() < 2**53
    counts = np.bincount((draws >> shift) % BINS, minlength=BINS)
    assert is_plausible(counts, [F(DRAWS, BINS)] * BINS)


def test_neighbouring_draws_are_independent():
    draws = random_integers(3, Purpose.AVAILABILITY, np.arange(DRAWS), 0) % 8
    pairs = np.bincount(8 * draws[:-1] + draws[1:], minlength=64)
    assert is_plausible(pairs, [F(DRAWS - 1, 64)] * 64)


def test_the_uniformity_test_can_fail():
    draws = np.arange(DRAWS) % BINS
    assert not is_plausible(np.bincount(draws), [F(DRAWS, BINS)] * BINS)
    counter = random_integers(0, Purpose.SELECTION, np.arange(DRAWS), 0) % BINS
    counter[:300] = 0
    assert not is_plausible(np.bincount(counter), [F(DRAWS, BINS)] * BINS)


def test_uniforms_are_multiples_of_the_resolution():
    draws = uniforms(1, Purpose.SEARCH, np.arange(1000), 0)
    assert ((draws >= 0) & (draws < 1)).all()
    assert (draws * 2**53 == random_integers(1, Purpose.SEARCH, np.arange(1000), 0)).all()


def test_normals_are_normal_and_the_test_can_fail():
    draws = normals(4, Purpose.GRADIENT_NOISE, np.arange(20_000), 0)
    assert np.isfinite(draws).all()
    assert kstest(draws, "norm").pvalue > 1e-3
    assert kstest(draws + 0.05, "norm").pvalue < 1e-3
    assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 4 / 20_000**0.5


@pytest.mark.slow
@given(seeds, st.lists(st.fractions(0, 1), min_size=1, max_size=4))
def test_chances_are_decided_on_integers(seed, chances):
    rounds, clients = np.arange(20)[:, None], np.arange(len(chances))
    answer = happens(chances, seed, Purpose.AVAILABILITY, rounds, clients)
    draws = random_integers(seed, Purpose.AVAILABILITY, rounds, clients)
    for t, i in np.ndindex(*answer.shape):
        assert answer[t, i] == (F(int(draws[t, i]), 2**53) < chances[i])


@given(seeds, st.integers(0, ONES))
def test_a_chance_just_above_the_draw_happens_and_the_draw_itself_does_not(seed, index):
    draw = int(random_integers(seed, Purpose.AVAILABILITY, index, 0)[0])
    answers = [
        happens([chance], seed, Purpose.AVAILABILITY, index, 0)[0]
        for chance in (F(draw, 2**53), F(draw + 1, 2**53))
    ]
    assert answers == [False, True]


def test_certain_and_impossible_events():
    answer = happens(
        [F(0), F(1), F(1, 2)], 0, Purpose.AVAILABILITY, np.arange(4000)[:, None], np.arange(3)
    )
    assert answer.sum(axis=0)[:2].tolist() == [0, 4000]
    assert is_plausible([answer[:, 2].sum(), 4000 - answer[:, 2].sum()], [F(2000)] * 2)


@given(seeds, st.integers(1, 2**40))
def test_bounded_integers_stay_below_their_bound(seed, bound):
    draws = below(bound, seed, Purpose.LOCAL_STEPS, np.arange(50), 0)
    assert ((draws >= 0) & (draws < bound)).all()


def test_bounded_integers_are_uniform_for_each_bound():
    draws = below([3, 10], 9, Purpose.LOCAL_STEPS, np.arange(30_000)[:, None], np.arange(2))
    assert is_plausible(np.bincount(draws[:, 0], minlength=3), [F(10_000)] * 3)
    assert is_plausible(np.bincount(draws[:, 1], minlength=10), [F(3000)] * 10)


def test_no_purpose_shares_a_stream():
    draws = [tuple(random_integers(0, purpose, np.arange(4), 0)) for purpose in Purpose]
    assert len(set(draws)) == len(Purpose)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, Purpose.TIES, 0, 0), r"seed must be a whole number in \[0, 2\^64\), got -1"),
        ((2**64, Purpose.TIES, 0, 0), r"seed must be a whole number in \[0, 2\^64\)"),
        ((1.5, Purpose.TIES, 0, 0), r"seed must be a whole number in \[0, 2\^64\), got 1.5"),
        ((0, Purpose.TIES, -1, 0), r"round of a draw must lie in \[0, 2\^32\), got -1"),
        ((0, Purpose.TIES, 0, 2**32), r"client of a draw must lie in \[0, 2\^32\)"),
        ((0, Purpose.TIES, 0, 0, np.array([0, -2])), r"index of a draw must lie in \[0, 2\^32\)"),
    ],
)
def test_keys_outside_the_counter_are_refused(arguments, message):
    with pytest.raises(InvalidInput, match=message):
        random_words(*arguments)


def test_no_draws_are_possible():
    assert random_integers(0, Purpose.TIES, np.arange(0), 0).shape == (0,)
