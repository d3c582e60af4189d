"""Exhaustive generators: complete, without repetition, and equal to independent counts."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory.claims.checks.enumeration import (
    availability_patterns,
    delay_sequences,
    expectation,
    longest_absent_choices,
    presences,
    selections,
    signs,
    subsets,
    worst_staleness,
)
from fltheory.core.errors import InvalidInput
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace_statistics import availability_window


@given(st.integers(0, 8))
def test_subsets_are_all_there_by_size(clients: int) -> None:
    found = list(subsets(clients))
    assert len(set(found)) == len(found) == 2**clients
    assert [len(s) for s in found] == sorted(len(s) for s in found)
    assert all(
        sum(1 for _ in subsets(clients, size=k)) == comb(clients, k) for k in range(clients + 1)
    )


@given(st.integers(1, 8), st.integers(1, 5))
def test_presences_are_exactly_the_sequences_with_the_window(rounds: int, window: int) -> None:
    every = list(product((0, 1), repeat=rounds))
    wanted = [
        row for row in every if all(any(row[t : t + window]) for t in range(rounds - window + 1))
    ]
    assert sorted(presences(rounds, window)) == sorted(wanted)


def test_availability_patterns_meet_their_window_and_nothing_is_missing() -> None:
    found = [table.tobytes() for table in availability_patterns(2, 4, 2)]
    wanted = [
        table
        for bits in product((False, True), repeat=8)
        if availability_window(table := np.array(bits).reshape(4, 2)) <= 2
    ]
    assert len(set(found)) == len(found) == len(wanted)


def all_subsets_with_the_smallest(
    available: list[int], last: list[int], limit: int
) -> set[tuple[int, ...]]:
    size = min(limit, len(available))
    fits = set()
    for bits in product((0, 1), repeat=len(available)):
        chosen = [i for i, bit in zip(available, bits, strict=True) if bit]
        left = [i for i in available if i not in chosen]
        if len(chosen) == size and all(last[i] <= last[j] for i in chosen for j in left):
            fits.add(tuple(chosen))
    return fits


@given(st.lists(st.integers(0, 3), min_size=1, max_size=5), st.integers(1, 5), st.data())
def test_choices_are_all_ways_to_break_ties(
    last: list[int], limit: int, data: st.DataObject
) -> None:
    available = sorted(data.draw(st.sets(st.integers(0, len(last) - 1))))
    choices = list(longest_absent_choices(available, last, limit))
    assert len(set(choices)) == len(choices)
    assert set(choices) == all_subsets_with_the_smallest(available, last, limit)


@given(
    st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(0, 5),
)
def test_selections_contain_the_rule_with_any_ties(
    table: list[list[bool]], limit: int, seed: int
) -> None:
    found = {chosen.tobytes() for chosen in selections(table, limit)}
    assert longest_absent(table, limit).tobytes() in found
    assert longest_absent(table, limit, tie_seed=seed).tobytes() in found


GOLDEN_STALENESS = [
    ((3, 1, 3), 8),
    ((3, 2, 3), 5),
    ((4, 2, 3), 5),
    ((4, 3, 3), 5),
    ((5, 2, 2), 5),
    ((4, 4, 1), 0),
]


@pytest.mark.parametrize(("setting", "worst"), GOLDEN_STALENESS)
def test_worst_staleness_golden_values(setting: tuple[int, int, int], worst: int) -> None:
    assert worst_staleness(*setting, stop_at=100) == worst


@pytest.mark.parametrize(
    ("clients", "limit", "window"), [(2, 1, 2), (3, 2, 1), (2, 2, 3), (3, 1, 1)]
)
def test_worst_staleness_equals_brute_force_over_tables(
    clients: int, limit: int, window: int
) -> None:
    horizon = -(-clients // limit) * window + 1
    brute = max(
        availability_window(chosen) - 1
        for table in availability_patterns(clients, horizon, window)
        for chosen in selections(table, limit)
    )
    assert worst_staleness(clients, limit, window, stop_at=100) == brute


def test_the_search_for_staleness_stops_where_it_is_told() -> None:
    assert worst_staleness(3, 1, 3, stop_at=4) == 4


def test_signs_are_fair() -> None:
    assert [sum(column) for column in zip(*signs(4), strict=True)] == [0] * 4
    assert expectation([Fraction(a * b) for a, b in signs(2)]) == 0


def test_delay_sequences_are_counted_by_their_freedom() -> None:
    found = [table.tobytes() for table in delay_sequences(4, 2, num_clients=2)]
    assert len(set(found)) == len(found) == (1 * 2 * 3 * 3) ** 2
    assert all((table <= np.arange(3)[:, None]).all() for table in delay_sequences(3, 5))


@pytest.mark.parametrize(
    "call",
    [
        lambda: next(signs(40)),
        lambda: presences(40, 2),
        lambda: next(delay_sequences(40, 5)),
        lambda: next(subsets(40)),
        lambda: next(availability_patterns(9, 9, 9)),
    ],
)
def test_what_is_too_large_is_refused(call: object) -> None:
    with pytest.raises(InvalidInput, match="to be enumerated"):
        call()  # type: ignore[operator]
