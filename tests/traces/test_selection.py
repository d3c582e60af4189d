"""Selection: who takes part, exactly where the law is known; FedLaAvg's Lemma 1 over all
availability and all ties."""

from collections.abc import Callable, Sequence
from fractions import Fraction as F
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.core.errors import InvalidInput
from fltheory.traces.selection import (
    everyone,
    inclusion_probabilities,
    longest_absent,
    multinomial,
    successive,
    uniform,
    wait_for_sample,
)

ARRIVALS = (*[F(19, 100)] * 2, *[F(1, 10)] * 6, *[F(1, 100)] * 2)


tables = st.tuples(st.integers(1, 12), st.integers(1, 6)).flatmap(
    lambda shape: st.lists(
        st.booleans(), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
    ).map(lambda x: np.reshape(x, shape))
)


seeds = st.integers(0, 2**64 - 1)


def equal_chances(matrix: Any) -> list[F]:
    return [F(1, matrix.shape[1])] * matrix.shape[1]


RULES: dict[str, Callable[[Any, int, int], Any]] = {
    "everyone": lambda matrix, k, seed: everyone(matrix),
    "longest absent": lambda matrix, k, seed: longest_absent(matrix, k),
    "longest absent, random ties": lambda matrix, k, seed: longest_absent(matrix, k, tie_seed=seed),
    "uniform": lambda matrix, k, seed: uniform(matrix, k, seed=seed),
    "successive": lambda matrix, k, seed: successive(matrix, equal_chances(matrix), k, seed=seed),
    "multinomial": lambda matrix, k, seed: multinomial(matrix, equal_chances(matrix), k, seed=seed),
    "wait for sample": lambda matrix, k, seed: wait_for_sample(matrix, k, seed=seed),
}


every_rule = pytest.mark.parametrize("rule", RULES)


@pytest.mark.slow
@every_rule
@given(tables, seeds, st.data())
def test_pure_reproducible_and_prefix_consistent(
    rule: str, matrix: Any, seed: int, data: st.DataObject
) -> None:
    k, cut = data.draw(st.integers(1, matrix.shape[1])), data.draw(st.integers(1, matrix.shape[0]))
    before = matrix.copy()
    chosen = RULES[rule](matrix, k, seed)
    assert chosen.shape == matrix.shape
    assert np.array_equal(matrix, before)
    assert np.array_equal(RULES[rule](matrix, k, seed), chosen)
    assert np.array_equal(RULES[rule](matrix[:cut], k, seed), chosen[:cut])


@pytest.mark.parametrize(
    "rule", ["longest absent", "longest absent, random ties", "uniform", "successive"]
)
@given(tables, seeds, st.data())
def test_k_of_the_available_or_all_of_them(
    rule: str, matrix: Any, seed: int, data: st.DataObject
) -> None:
    k = data.draw(st.integers(1, matrix.shape[1]))
    chosen = RULES[rule](matrix, k, seed)
    assert not (chosen & ~matrix).any()
    assert np.array_equal(chosen.sum(axis=1), np.minimum(matrix.sum(axis=1), k))


@pytest.mark.parametrize(
    ("rule", "k"),
    [
        (rule, k)
        for rule in RULES
        for k in (0, -1, 4, "x", "3/2")
        if rule != "everyone" and (rule, k) != ("multinomial", 4)
    ],
)
def test_bad_sizes_are_refused(rule: str, k: Any) -> None:
    with pytest.raises(InvalidInput, match=r"clients per round|sample size"):
        RULES[rule](np.ones((2, 3), bool), k, 0)


@every_rule
def test_a_batch_is_refused(rule: str) -> None:
    with pytest.raises(InvalidInput, match="single table"):
        RULES[rule](np.ones((2, 2, 2), bool), 1, 0)


@given(tables, st.none() | seeds, st.data())
def test_nobody_skipped_is_longer_absent_than_somebody_taken(
    matrix: Any, tie_seed: int | None, data: st.DataObject
) -> None:
    chosen = longest_absent(matrix, data.draw(st.integers(1, matrix.shape[1])), tie_seed=tie_seed)
    last = np.zeros(matrix.shape[1], int)
    for t, (here, taken) in enumerate(zip(matrix, chosen, strict=True), start=1):
        if taken.any() and (skipped := here & ~taken).any():
            assert last[taken].max() <= last[skipped].min()
        last[taken] = t


def test_ties_go_by_index_or_by_chance() -> None:
    matrix = np.ones((1, 6), bool)
    assert longest_absent(matrix, 2)[0].tolist() == [True, True, False, False, False, False]
    assert len({longest_absent(matrix, 2, tie_seed=seed)[0].tobytes() for seed in range(200)}) == 15


def successive_law(chances: Sequence[F], draws: int) -> list[F]:
    """Inclusion probabilities by enumerating every order of draws."""
    taken = [F(0)] * len(chances)
    for order in permutations(range(len(chances)), draws):
        chance, left = F(1), sum(chances, F(0))
        for i in order:
            chance, left = chance * chances[i] / left, left - chances[i]
        for i in order:
            taken[i] += chance
    return taken


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.data())
def test_inclusion_probabilities_are_the_enumerated_ones(
    parts: list[int], data: st.DataObject
) -> None:
    chances = [F(part, sum(parts)) for part in parts]
    draws = data.draw(st.integers(1, len(parts)))
    found = inclusion_probabilities(chances, draws)
    assert found == tuple(successive_law(chances, draws))
    assert sum(found) == draws


def test_inclusion_probabilities_of_the_biased_arrivals() -> None:
    found = inclusion_probabilities(ARRIVALS, 5)
    assert found[-1] == F(169475612584424351, 2394158046364964880)
    assert [round(float(p), 9) for p in found] == [0.781095595] * 2 + [0.549372420] * 6 + [
        0.070787145
    ] * 2
    assert [round(float(p / 5), 6) for p in sorted(set(found), reverse=True)] == [
        0.156219,
        0.109874,
        0.014157,
    ]
    assert sum(found) == 5


def test_impossible_and_hopeless_laws_are_refused() -> None:
    assert inclusion_probabilities([1, 0], 1) == (1, 0)
    with pytest.raises(InvalidInput, match="at most the 1 clients"):
        inclusion_probabilities([1, 0], 2)
    with pytest.raises(InvalidInput, match="states"):
        inclusion_probabilities([F(i, 465) for i in range(1, 31)], 3)
    with pytest.raises(InvalidInput, match="sum to 1"):
        inclusion_probabilities(["1/2", "1/4"], 1)


def close(shares: Any, chances: Sequence[F], samples: int) -> bool:
    """Within five standard deviations; the seeds are fixed, so this is no game of chance."""
    return all(
        abs(share - p) <= 5 * float(p * (1 - p) / samples) ** 0.5
        for share, p in zip(shares, chances, strict=True)
    )


def test_sampled_frequencies_follow_the_exact_laws() -> None:
    rounds = 20_000
    matrix = np.ones((rounds, 10), bool)
    assert close(
        successive(matrix, ARRIVALS, 5, seed=1).mean(axis=0),
        inclusion_probabilities(ARRIVALS, 5),
        rounds,
    )
    assert close(uniform(matrix, 3, seed=1).mean(axis=0), [F(3, 10)] * 10, rounds)
    assert close(
        multinomial(matrix, ARRIVALS, 4, seed=1).sum(axis=0) / (4 * rounds), ARRIVALS, 4 * rounds
    )
    assert not close(
        uniform(matrix, 5, seed=1).mean(axis=0), inclusion_probabilities(ARRIVALS, 5), rounds
    ), "the check can fail"


def test_pairs_are_drawn_without_replacement() -> None:
    rounds = 20_000
    taken = uniform(np.ones((rounds, 4), bool), 2, seed=3)
    assert close(
        [(taken[:, i] & taken[:, j]).mean() for i in range(4) for j in range(i)],
        [F(1, 6)] * 6,
        rounds,
    )


@given(tables, seeds, st.integers(1, 9))
def test_counts_sum_to_the_draws_where_anybody_is_there(matrix: Any, seed: int, draws: int) -> None:
    counts = multinomial(matrix, equal_chances(matrix), draws, seed=seed)
    assert (counts[~matrix] == 0).all()
    assert np.array_equal(counts.sum(axis=1), draws * matrix.any(axis=1))


def test_a_client_of_probability_zero_is_never_drawn() -> None:
    matrix = np.ones((500, 3), bool)
    assert not successive(matrix, ["1/2", "1/2", 0], 3, seed=1)[:, 2].any()
    assert not multinomial(matrix, ["1/2", "1/2", 0], 3, seed=1)[:, 2].any()
