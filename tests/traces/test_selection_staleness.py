"""Choosing the longest absent bounds staleness (FedLaAvg, Lemma 1)."""

from collections import Counter
from fractions import Fraction as F
from itertools import product
from math import ceil

import numpy as np
import pytest

from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.selection import (
    longest_absent,
)
from fltheory.traces.trace_statistics import availability_window


def worst_staleness(
    num_clients: int, per_round: int, window: int, *, newest_first: bool = False
) -> int:
    """Largest reachable t - T_i^t over ALL availability sequences with this window, from a cold
    start; gives up far above the bound.

    A client is (its staleness, its rounds of absence), clients are interchangeable, and clients
    that tie are alike after the round but for who is taken, so all tie-breaks lead to the same
    state up to names.
    """
    give_up = 2 * num_clients * window
    start = ((0, 0),) * num_clients
    seen, open_states, worst = {start}, [start], 0
    while open_states:
        kinds = sorted(Counter(open_states.pop()).items())
        must_come = [
            range(count if absent == window - 1 else 0, count + 1) for (_, absent), count in kinds
        ]
        for coming in product(*must_come):
            left, following, available = per_round, [], Counter[int]()
            for ((age, absent), count), present in zip(kinds, coming, strict=True):
                following += [(age + 1, absent + 1)] * (count - present)
                available[age] += present
            for age in sorted(available, reverse=not newest_first):
                taken = min(left, available[age])
                left -= taken
                following += [(0, 0)] * taken + [(age + 1, 0)] * (available[age] - taken)
            state = tuple(sorted(following))
            if state not in seen:
                seen.add(state)
                open_states.append(state)
                worst = max(worst, state[-1][0])
                if worst > give_up:
                    return worst
    return worst


CASES = [
    (n, k, e) for n in range(1, 7) for k in range(1, n + 1) for e in range(1, 5) if n * e <= 14
]


@pytest.mark.parametrize("num_clients", range(1, 7))
def test_lemma_1_bounds_staleness_and_is_attained_over_all_availability_and_ties(
    num_clients: int,
) -> None:
    for n, k, e in CASES:
        if n == num_clients:
            assert worst_staleness(n, k, e) == ceil(F(n, k)) * e - 1, (n, k, e)


def test_lemma_1_needs_the_longest_absent() -> None:
    assert worst_staleness(3, 1, 2, newest_first=True) > 12 > ceil(F(3, 1)) * 2 - 1


@pytest.mark.parametrize(
    ("case", "bound"),
    [
        ((3, 1, 3), 8),
        ((3, 2, 3), 5),
        ((4, 2, 3), 5),
        ((4, 3, 3), 5),
        ((5, 2, 2), 5),
        ((6, 6, 1), 0),
    ],
)
def test_lemma_1_golden_instances(case: tuple[int, int, int], bound: int) -> None:
    assert worst_staleness(*case) == bound


def test_everybody_once_in_a_window_attains_lemma_1() -> None:
    for n, k, e in (
        case for case in product(range(1, 13), range(1, 13), range(1, 5)) if case[1] <= case[0]
    ):
        staleness = ceil(F(n, k)) * e - 1
        taken = longest_absent(WithinWindow(n, e).matrix(3 * (staleness + 1)), k)
        assert availability_window(taken) - 1 == staleness
        assert availability_window(taken[staleness + 1 :]) - 1 == staleness, (
            "also after the warm-up"
        )


@pytest.mark.slow
@pytest.mark.parametrize("num_clients", [1, 2, 3])
def test_lemma_1_with_our_selection_over_all_small_matrices(num_clients: int) -> None:
    rounds = {1: 8, 2: 6, 3: 4}[num_clients]
    for bits in product([False, True], repeat=rounds * num_clients):
        matrix = np.array(bits).reshape(rounds, num_clients)
        window = availability_window(matrix)
        for k in range(1, num_clients + 1):
            assert (
                availability_window(longest_absent(matrix, k)) <= ceil(F(num_clients, k)) * window
            )


def test_a_stretch_of_the_bound_itself_may_pass_without_selection() -> None:
    taken = longest_absent([[0], [1], [0], [1]], 1)
    assert availability_window(taken) == 2, "selected once in I + 1 = 2 rounds, not in I = 1"


@pytest.mark.parametrize(
    ("half_period", "day_groups", "per_round", "staleness"),
    [
        (100, 1, 100, 108),
        (50, 1, 100, 58),
        (200, 1, 100, 208),
        (100, 3, 100, 106),
        (100, 5, 100, 104),
        (100, 1, 10, 189),
    ],
)
def test_true_staleness_of_the_mnist_experiments(
    half_period: int, day_groups: int, per_round: int, staleness: int
) -> None:
    available = Diurnal(1000, half_period, day_groups).matrix(
        2000 if per_round == 10 else 6 * half_period
    )
    assert availability_window(longest_absent(available, per_round)) - 1 == staleness


@pytest.mark.parametrize("durations", list(product(range(1, 7), repeat=2)))
def test_staleness_in_example_1_is_the_longer_block(durations: tuple[int, int]) -> None:
    taken = longest_absent(Alternating(2, durations).matrix(4 * sum(durations)), 1)
    assert availability_window(taken) - 1 == max(durations)
