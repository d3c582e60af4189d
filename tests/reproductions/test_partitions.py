"""Partitions: no sample is lost or held twice, sizes and classes are as promised, the same seed
deals the same way."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.core.errors import InvalidInput
from paper_reproductions.partitions import (
    Partition,
    by_classes,
    by_group,
    dirichlet,
    held_classes,
    iid,
    one_class_each,
)

SEEDS = st.integers(0, 2**32)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[Any, int]:
    """Labels with every class present at least 12 times, and a number of clients that all
    partitions can serve."""
    classes = draw(st.integers(2, 5))
    counts = draw(st.lists(st.integers(12, 40), min_size=classes, max_size=classes))
    labels = np.random.default_rng(draw(st.integers(0, 99))).permutation(
        np.repeat(np.arange(classes), counts)
    )
    return labels, draw(st.integers(classes, 10))


WAYS: dict[str, Callable[[Any, int, int], Partition]] = {
    "iid": lambda labels, clients, seed: iid(labels, clients, seed=seed),
    "classes": lambda labels, clients, seed: by_classes(labels, clients, 2, seed=seed),
    "one class": lambda labels, clients, seed: one_class_each(labels, clients, seed=seed),
    "dirichlet": lambda labels, clients, seed: dirichlet(
        labels, clients, concentration="1/10", seed=seed
    ),
    "owner": lambda labels, clients, seed: by_group(
        labels, min(clients, len(set(labels.tolist()))), seed=seed
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@given(data=labelled(), seed=SEEDS)
def test_every_sample_once_and_the_same_seed_the_same_way(
    way: str, data: tuple[Any, int], seed: int
) -> None:
    labels, clients = data
    one, same = (WAYS[way](labels, clients, seed) for _ in range(2))
    every = np.sort(np.concatenate([*one.clients, one.unused]))
    assert np.array_equal(every, np.arange(len(labels)))
    assert all(np.array_equal(a, b) for a, b in zip(one.clients, same.clients, strict=True))
    assert min(one.samples) >= 1


@given(data=labelled(), seed=SEEDS)
def test_equal_sizes_and_nobody_left_out(data: tuple[Any, int], seed: int) -> None:
    labels, clients = data
    for way in ("iid", "dirichlet"):
        dealt = WAYS[way](labels, clients, seed)
        assert len(dealt.unused) == 0
        assert max(dealt.samples) - min(dealt.samples) <= 1
        assert dealt.num_clients == clients
    assert len(one_class_each(labels, clients, seed=seed).unused) == 0


@given(data=labelled(), per_client=st.integers(1, 2), seed=SEEDS)
def test_so_many_classes_per_client_equally_large(
    data: tuple[Any, int], per_client: int, seed: int
) -> None:
    labels, clients = data
    dealt = by_classes(labels, clients, per_client, seed=seed)
    assert len(set(dealt.samples)) == 1
    for held in dealt.clients:
        counts = Counter(labels[held].tolist())
        assert len(counts) == per_client
        assert len(set(counts.values())) == 1
    used = Counter(c for classes in held_classes(dealt, labels) for c in classes)
    assert max(used.values()) - min(used.get(c, 0) for c in set(labels.tolist())) <= 1


@given(data=labelled(), seed=SEEDS)
def test_one_class_each_in_order(data: tuple[Any, int], seed: int) -> None:
    labels, clients = data
    classes = int(labels.max()) + 1
    assert held_classes(one_class_each(labels, clients, seed=seed), labels) == tuple(
        (i * classes // clients,) for i in range(clients)
    )


def test_sizes_of_one_class_each_follow_the_normal_law() -> None:
    sizes = np.array(one_class_each(np.repeat(np.arange(10), 6000), 1000, seed=1).samples)
    assert sizes.mean() == 60
    assert 8.5 < sizes.std() < 11.5


MNIST_COUNTS = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]


def test_the_papers_own_sizes_on_the_class_counts_of_mnist() -> None:
    labels = np.repeat(np.arange(10), MNIST_COUNTS)
    two = by_classes(labels, 100, 2, seed=16)
    assert set(two.samples) == {542}
    assert set(Counter(c for classes in held_classes(two, labels) for c in classes).values()) == {
        20
    }, "each class at 20 of 100 devices"
    one = one_class_each(labels, 1000, seed=0)
    assert Counter(classes for classes in held_classes(one, labels)) == {
        (c,): 100 for c in range(10)
    }
    assert sum(one.samples) == 60000
    for c, count in enumerate(MNIST_COUNTS):
        sizes = np.array(one.samples[100 * c : 100 * c + 100])
        assert sizes.mean() == count / 100
        assert 0.11 < sizes.std() / sizes.mean() < 0.22, "a sixth, up to chance"
    for p in (1, 2, 5, 10):
        dealt = by_classes(labels, 10, p, seed=3)
        assert {len(classes) for classes in held_classes(dealt, labels)} == {p}
        assert set(dealt.samples) == {5421 // p * p}
    shards = dirichlet(labels, 10, concentration="1/10", seed=0)
    assert set(shards.samples) == {6000}


def test_dirichlet_is_uneven_for_small_concentration_and_even_for_large() -> None:
    labels = np.tile(np.arange(10), 600)

    def top(concentration: str) -> float:
        dealt = dirichlet(labels, 10, concentration=concentration, seed=0)
        return float(
            np.mean(
                [max(Counter(labels[held].tolist()).values()) / len(held) for held in dealt.clients]
            )
        )

    assert top("1/10") > 0.4
    assert top("1000") < 0.13


def test_owners_keep_their_samples() -> None:
    dealt = by_group([3, 3, 1, 2, 1], 2, seed=5)
    assert {tuple(held.tolist()) for held in dealt.clients} < {(0, 1), (2, 4), (3,)}
    assert sum(dealt.samples) + len(dealt.unused) == 5


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no clients": (lambda: iid([0, 1], 0, seed=0), "number of clients must be a whole number in"),
    "too many": (lambda: iid([0, 1], 3, seed=0), "number of clients must be a whole number in"),
    "classes": (lambda: by_classes([0, 1], 1, 3, seed=0), "classes per client must lie in"),
    "no sample left": (lambda: by_classes([0, 1, 1], 2, 2, seed=0), "leave each of them a sample"),
    "empty class": (
        lambda: by_classes([0, 2], 1, 1, seed=0),
        "class 1 must have at least one sample, got 0",
    ),
    "labels": (lambda: dirichlet([0.5, 1], 1, concentration=1, seed=0), "labels must be one class"),
    "concentration": (
        lambda: dirichlet([0, 1], 1, concentration=0, seed=0),
        "concentration must be above 0",
    ),
    "clients per class": (
        lambda: one_class_each([0, 1], 1, seed=0),
        "number of clients must give class 1",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused(case: str) -> None:
    call, told = REFUSED[case]
    with pytest.raises(InvalidInput, match=told):
        call()


@pytest.mark.parametrize("planted", [([0, 1], [1]), ([0], [2]), ([0, 1], [0])])
def test_a_planted_loss_or_double_is_caught(planted: tuple[list[int], list[int]]) -> None:
    with pytest.raises(InvalidInput, match="partition must hold every sample exactly once"):
        Partition((np.array(planted[0]),), np.array(planted[1]))
