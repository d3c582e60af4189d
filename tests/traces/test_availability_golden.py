"""Availability: golden numbers of the papers, and the adversary that reacts to gradient noise."""

from fractions import Fraction as F
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.core.errors import InvalidInput
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.availability.base import Declared, violations
from fltheory.traces.availability.bernoulli import Bernoulli, biased_weights
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.doubling import Doubling
from fltheory.traces.availability.label_correlated import (
    label_probabilities,
    label_probabilities_as_printed,
)
from fltheory.traces.availability.linear_gaps import LinearGaps
from fltheory.traces.availability.noise_adaptive import NoiseAdaptive
from fltheory.traces.availability.round_robin import RoundRobin
from fltheory.traces.availability.time_of_day import TimeOfDay
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import availability_window, initial_gap, max_staleness


@pytest.mark.parametrize("durations", list(product(range(1, 7), repeat=2)))
def test_window_of_example_1_is_the_longer_block_plus_one(durations: tuple[int, int]) -> None:
    model = Alternating(2, durations)
    assert (
        availability_window(model.matrix(3 * sum(durations)))
        == max(durations) + 1
        == model.declares.availability_window
    )


@pytest.mark.parametrize("half_period", [50, 100, 200])
def test_diurnal_window_is_not_the_half_period_but_one_more(half_period: int) -> None:
    model = Diurnal(20, half_period)
    assert availability_window(model.matrix(4 * half_period)) == half_period + 1
    assert violations(Declared(availability_window=half_period), model.matrix(4 * half_period))


def test_diurnal_groups_are_digits() -> None:
    day = Diurnal(1000, 100, day_groups=3).matrix(101)
    assert day[0].nonzero()[0].tolist() == list(range(300))
    assert day[100].nonzero()[0].tolist() == list(range(300, 1000))


def test_eight_hours_a_day_are_a_third_of_the_rounds() -> None:
    model = TimeOfDay(1000)
    assert (model.matrix(120).sum(axis=0) == 40).all()
    assert model.declares.availability_window == 81
    assert TimeOfDay(1, 24, 8, ["22"]).matrix(24)[:, 0].nonzero()[0].tolist() == [
        0,
        1,
        2,
        3,
        4,
        5,
        22,
        23,
    ]


def test_round_robin_refreshes_group_t_mod_3() -> None:
    assert RoundRobin(3, everyone_first=True).matrix(4).astype(int).tolist() == [
        [1, 1, 1],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
    ]
    assert RoundRobin(5, group_size=2).matrix(3).sum(axis=1).tolist() == [2, 2, 1]


def test_doubling_breaks_every_slope_below_one_half() -> None:
    gaps = [initial_gap(Trace.fresh(Doubling(1).matrix(2**k)), "1/40") for k in (6, 8, 10, 12)]
    assert all(later > 3 * earlier for earlier, later in pairwise(gaps))
    assert initial_gap(Trace.fresh(Doubling(1).matrix(2**12)), "1/2") == 0


def test_linear_gaps_of_the_paper_s_least_slope() -> None:
    trace = Trace.fresh(LinearGaps(1, "5/2", "1/40").matrix(4000))
    assert F(2) < initial_gap(trace, "1/40") <= F(5, 2)


def test_coin_flips_have_their_frequencies() -> None:
    chances = (F(1, 10), F(1, 2), F(9, 10), F(1))
    rounds = 40_000
    flips = Bernoulli(chances, everyone_first=False).matrix(rounds, seed=1)
    for p, share in zip(chances, flips.mean(axis=0), strict=True):
        assert abs(share - p) <= 5 * float(p * (1 - p) / rounds) ** 0.5
    together = (flips[:, 0] & flips[:, 1]).mean()
    assert abs(together - 1 / 20) <= 5 * (19 / 400 / rounds) ** 0.5


def test_everyone_first_changes_the_first_round_only() -> None:
    cold, warm = (
        Bernoulli(("1/3",) * 30, everyone_first=first).matrix(20, seed=2) for first in (False, True)
    )
    assert not cold[0].all()
    assert warm[0].all()
    assert np.array_equal(cold[1:], warm[1:])


def test_biased_fedavg_s_weights() -> None:
    assert biased_weights([1, "1/2"]) == (F(3, 4), F(1, 4))
    assert biased_weights(["1/10", "1/2", "9/10"]) == (F(9, 200), F(53, 200), F(129, 200))
    weights = biased_weights([".1", ".4", ".7", 1])
    assert [round(float(w), 3) for w in weights] == [0.034, 0.149, 0.294, 0.523]
    limit = sum(w * c for w, c in zip(weights, (3, 1, -1, -3), strict=True))
    assert round(float(limit), 3) == -1.612
    assert round(float(limit**2 / 2), 6) == 1.299272


@given(st.lists(st.fractions(F(1, 9), 1, max_denominator=9), min_size=1, max_size=4))
def test_biased_weights_are_the_enumerated_ones(chances: list[F]) -> None:
    weights = [F(0)] * len(chances)
    for here in product([0, 1], repeat=len(chances)):
        chance = F(1)
        for p, present in zip(chances, here, strict=True):
            chance *= p if present else 1 - p
        for i, present in enumerate(here):
            weights[i] += chance * F(present, max(1, sum(here)))
    assert biased_weights(chances) == tuple(weights)


LEAST_LABELS = {
    "MNIST": (21, 15, 16, 18, 12, 9, 7, 1, 1, 0),
    "CIFAR-10": (21, 18, 15, 13, 9, 10, 8, 4, 2, 0),
}


def pairs(dataset: str) -> list[tuple[int, int]]:
    return [(label, 9) for label, count in enumerate(LEAST_LABELS[dataset]) for _ in range(count)]


def test_label_probabilities_as_released_start_at_the_least_probability() -> None:
    assert label_probabilities([(label, 9) for label in range(9)], "1/10") == tuple(
        F(k, 10) for k in range(1, 10)
    )
    assert label_probabilities([(9, 8)], "1/5") == (F(41, 45),)


def test_label_probabilities_as_printed_start_at_one_minus_it() -> None:
    assert label_probabilities_as_printed([(0, 3), (8, 9)], "1/10") == (F(9, 10), F(89, 90))


@pytest.mark.parametrize(
    ("dataset", "least", "mean_inverse"),
    [
        ("MNIST", "1/10", 4.3469),
        ("MNIST", "1/5", 2.8527),
        ("CIFAR-10", "1/10", 4.3582),
        ("CIFAR-10", "1/5", 2.8456),
    ],
)
def test_mean_inverse_probability_of_the_released_partition(
    dataset: str, least: str, mean_inverse: float
) -> None:
    chances = label_probabilities(pairs(dataset), least)
    assert round(float(sum(1 / p for p in chances) / len(chances)), 4) == mean_inverse


def test_mean_probabilities_of_the_released_partition() -> None:
    chances = label_probabilities(pairs("MNIST"), "1/10")
    assert sum(chances) / len(chances) == F(351, 1000)
    printed = label_probabilities_as_printed(pairs("MNIST"), "1/10")
    assert round(float(sum(1 / p for p in printed) / len(printed)), 3) == 1.078


@pytest.mark.parametrize("labels", [[()], [(10, 3)], [("a", 1)], [(-1, 2)]])
def test_bad_labels_are_refused(labels: list[Any]) -> None:
    with pytest.raises(InvalidInput, match="client 0"):
        label_probabilities(labels, "1/10")


# The adversary that is no availability model.

noise_tables = st.tuples(st.integers(1, 9), st.integers(1, 3)).flatmap(
    lambda shape: st.lists(
        st.lists(st.sampled_from([-1, 1]), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


@given(noise_tables, st.data())
def test_only_noise_that_is_drawn_matters(table: list[list[int]], data: st.DataObject) -> None:
    noise = np.array(table)
    available = NoiseAdaptive().matrix(noise)
    flips = np.array([[data.draw(st.sampled_from([-1, 1])) for _ in row] for row in table])
    assert np.array_equal(NoiseAdaptive().matrix(np.where(available, noise, flips)), available)


@given(noise_tables)
def test_positive_noise_costs_exactly_one_round(table: list[list[int]]) -> None:
    noise = np.array(table)
    available = NoiseAdaptive().matrix(noise)
    assert available[0].all()
    for t, i in product(range(1, noise.shape[0]), range(noise.shape[1])):
        assert available[t, i] == (not (available[t - 1, i] and noise[t - 1, i] == 1))
    assert max_staleness(Trace.fresh(available)) <= 1


def test_used_noise_is_biased_towards_one_third() -> None:
    rounds = 10
    noise = np.array(list(product([-1, 1], repeat=rounds)))[..., None]
    available = NoiseAdaptive().matrix(noise)
    assert np.array_equal(available[77], NoiseAdaptive().matrix(noise[77]))
    trace = Trace.fresh(available)
    last = np.maximum.accumulate(np.where(trace.delivers, trace.round_indices, 0), axis=-2)
    used = np.take_along_axis(noise, last, axis=-2)[..., 0].mean(axis=0)
    here, expected = F(1), []
    for _ in range(rounds):
        expected.append(float(1 - here))  # an absent client repeats +1; a present one draws mean 0
        here = 1 - here / 2
    assert used.tolist() == expected
    assert abs(expected[-1] - 1 / 3) < 1e-3


def test_variances_of_remembered_noise_do_not_add_up() -> None:
    """FedLaAvg's Lemma 3 under availability that reacts: E|n_1 + n_2|^2 = 3, not 2."""

    def redraw_second_if_opposite(available: Any, drawn: Any) -> Any:
        return np.stack(
            [np.zeros(drawn.shape[:-2], bool), drawn[..., -1, :].prod(axis=-1) < 0], axis=-1
        )

    noise = np.array(list(product([-1, 1], repeat=4))).reshape(-1, 2, 2)
    available = NoiseAdaptive(redraw_second_if_opposite).matrix(noise)
    kept = np.where(available[:, 1], noise[:, 1], noise[:, 0])
    assert (kept.sum(axis=1) ** 2).mean() == 3
    assert (kept**2).sum(axis=1).mean() == 2


@pytest.mark.parametrize("noise", [[1, 2], [[]], [["a"]], [[float("nan")]]])
def test_bad_noise_is_refused(noise: Any) -> None:
    with pytest.raises(InvalidInput, match="noise"):
        NoiseAdaptive().matrix(noise)
