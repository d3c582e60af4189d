"""The period of a trace, found in linear time, against the definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import _shared_beginnings, repeats

bits = st.lists(st.booleans(), min_size=1, max_size=5)


def by_definition(rows: list[tuple[int, ...]]) -> tuple[int, int] | None:
    """Of all pairs (warm-up, period) with three periods over at least half of the rounds, the one
    with the smallest sum."""
    total = len(rows)
    fitting = [
        (warm_up, period)
        for period in range(1, total)
        for warm_up in range(total)
        if total - warm_up >= max(3 * period, total / 2)
        and all(rows[t] == rows[t + period] for t in range(warm_up, total - period))
    ]
    return min(fitting, key=lambda pair: (sum(pair), pair[1]), default=None)


@given(start=bits, pattern=bits, times=st.integers(1, 6), end=st.lists(st.booleans(), max_size=3))
def test_the_period_is_that_of_the_definition(
    start: list[bool], pattern: list[bool], times: int, end: list[bool]
) -> None:
    column = start + pattern * times + end
    trace = Trace.fresh(np.array(column)[:, None])
    assert repeats(trace) == by_definition([(int(x),) for x in column])


@given(pattern=bits, times=st.integers(3, 6))
def test_a_pattern_that_is_repeated_is_found(pattern: list[bool], times: int) -> None:
    found = repeats(Trace.fresh(np.array(pattern * times)[:, None]))
    assert found is not None
    assert len(pattern) % found[1] == 0
    assert found[0] == 0


def test_a_late_change_of_local_steps_ends_a_period() -> None:
    trace = Trace.fresh(np.ones((9, 1), bool), local_steps=np.array([1] * 7 + [2] * 2)[:, None])
    assert repeats(trace) is None
    assert repeats(trace.first(7)) == (0, 1)


class Counted(int):
    """A number that counts how often it is compared."""

    compared = 0
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return int.__eq__(self, other)


def test_shared_beginnings_are_found_in_linear_time() -> None:
    """Every comparison either moves the farthest end that was reached or ends the look at one
    index: two for each item at most."""
    for items in ([0] * 200, [0, 0, 1] * 67, [0] * 100 + [1] * 100, [0, 1] * 50 + [0, 0] * 50):
        Counted.compared = 0
        found = _shared_beginnings([Counted(item) for item in items])  # type: ignore[misc]
        assert Counted.compared <= 2 * len(items)
        for i in range(len(items)):
            assert items[i : i + found[i]] == items[: found[i]]
            assert i + found[i] == len(items) or items[i + found[i]] != items[found[i]]


def test_a_pattern_over_exactly_half_of_the_rounds_counts() -> None:
    warm_up = [[1, 0], [0, 1], [1, 0]]
    assert repeats(Trace.fresh(warm_up + [[1, 1]] * 3)) == (3, 1)
    assert repeats(Trace.fresh([[0, 1], *warm_up] + [[1, 1]] * 3)) is None
