"""Exhaustive generators: all objects of a small size, each exactly once, the simplest first."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import BoolArray, IntArray

MAX_OBJECTS = 1 << 20
"""Maximum number of objects in one enumeration."""


def subsets(num_clients: int, *, size: int | None = None) -> Iterator[tuple[int, ...]]:
    """All sets of clients, small ones first; only those of one size if it is given.

    >>> list(subsets(2))
    [(), (0,), (1,), (0, 1)]
    """
    _refuse(2**num_clients, "subsets")
    for count in range(num_clients + 1) if size is None else [size]:
        yield from combinations(range(num_clients), count)


def presences(num_rounds: int, window: int) -> list[tuple[int, ...]]:
    """All 0/1 sequences of one client that is available in each stretch of `window` rounds
    (FedLaAvg Assumption 4).

    >>> presences(2, 1), len(presences(3, 2))
    ([(1, 1)], 5)
    """
    _refuse(2**num_rounds, "presences")
    found: list[tuple[int, ...]] = [()]
    for _ in range(num_rounds):
        found = [
            (*row, bit)
            for row in found
            for bit in (0, 1)
            if bit or any(row[len(row) - window + 1 :]) or len(row) < window - 1
        ]
    return found


def availability_patterns(num_clients: int, num_rounds: int, window: int) -> Iterator[BoolArray]:
    """All (rounds, clients) tables in which each client is available in each stretch of `window`
    rounds.

    >>> sum(1 for _ in availability_patterns(2, 3, 2))
    25
    """
    columns = presences(num_rounds, window)
    _refuse(len(columns) ** num_clients, "availability patterns")
    for chosen in product(columns, repeat=num_clients):
        yield np.array(chosen, np.bool_).T


def longest_absent_choices(
    available: Sequence[int], last: Sequence[int], clients_per_round: int
) -> Iterator[tuple[int, ...]]:
    """All choices of the clients with the smallest last participation, one for each way to break
    ties.

    >>> list(longest_absent_choices([0, 1, 2], last=[0, 0, 5], clients_per_round=1))
    [(0,), (1,)]
    """
    if len(available) <= clients_per_round:
        yield tuple(available)
        return
    ordered = sorted(available, key=lambda i: last[i])
    edge = last[ordered[clients_per_round - 1]]
    sure = tuple(i for i in ordered if last[i] < edge)
    tied = [i for i in ordered if last[i] == edge]
    for rest in combinations(tied, clients_per_round - len(sure)):
        yield tuple(sorted(sure + rest))


def selections(
    available: BoolArray | Sequence[Sequence[int]], clients_per_round: int
) -> Iterator[BoolArray]:
    """All participation tables that FedLaAvg's rule allows on one availability table, over all ways
    to break ties.

    >>> sum(1 for _ in selections([[1, 1], [1, 1]], 1))
    2
    """
    table = np.asarray(available, np.bool_)
    rows: list[tuple[int, ...]] = []

    def extend(last: tuple[int, ...]) -> Iterator[BoolArray]:
        if len(rows) == len(table):
            chosen = np.zeros(table.shape, np.bool_)
            for t, row in enumerate(rows):
                chosen[t, list(row)] = True
            yield chosen
            return
        here = np.flatnonzero(table[len(rows)]).tolist()
        for picked in longest_absent_choices(here, last, clients_per_round):
            rows.append(picked)
            yield from extend(tuple(len(rows) if i in picked else t for i, t in enumerate(last)))
            rows.pop()

    yield from extend((0,) * table.shape[1])


def worst_staleness(num_clients: int, clients_per_round: int, window: int, *, stop_at: int) -> int:
    """Largest t - T_i^t under FedLaAvg's selection, over all availability sequences with this
    window and all tie-breaks.

    Explores every state (rounds since participation, rounds since availability; clients are
    interchangeable) that can be reached from the cold start. If staleness is unbounded there are
    infinitely many, so the search stops as soon as staleness reaches `stop_at`.

    >>> worst_staleness(3, 2, 3, stop_at=50)
    5
    """
    start = ((0, 0),) * num_clients
    seen, queue, worst = {start}, [start], 0
    while queue:
        state = queue.pop()
        for after in _successors(state, clients_per_round, window):
            if after not in seen:
                _refuse(len(seen), "reachable states")
                worst = max(worst, after[-1][0])
                if worst >= stop_at:
                    return worst
                seen.add(after)
                queue.append(after)
    return worst


def _successors(
    state: tuple[tuple[int, int], ...], clients_per_round: int, window: int
) -> Iterator[tuple[tuple[int, int], ...]]:
    forced = [i for i, (_, absent) in enumerate(state) if absent == window - 1]
    free = [i for i in range(len(state)) if i not in forced]
    ages = [-age for age, _ in state]
    for bits in product((False, True), repeat=len(free)):
        here = sorted([*forced, *(i for i, bit in zip(free, bits, strict=True) if bit)])
        for picked in longest_absent_choices(here, ages, clients_per_round):
            yield tuple(
                sorted(
                    (0 if i in picked else age + 1, 0 if i in here else absent + 1)
                    for i, (age, absent) in enumerate(state)
                )
            )


def signs(count: int) -> Iterator[tuple[int, ...]]:
    """All sequences of +1 and -1: the equally likely outcomes of so many fair coins.

    >>> list(signs(1))
    [(1,), (-1,)]
    """
    _refuse(2**count, "sign sequences")
    yield from product((1, -1), repeat=count)


def expectation(values: Sequence[Fraction]) -> Fraction:
    """Mean over equally likely outcomes.

    >>> expectation([Fraction(1), Fraction(2)])
    Fraction(3, 2)
    """
    return sum(values, Fraction(0)) / len(values)


def delay_sequences(num_rounds: int, max_delay: int, *, num_clients: int = 1) -> Iterator[IntArray]:
    """All (rounds, clients) tables of delays with delay <= min(round, max_delay): nobody starts
    before the first model.

    >>> [table[:, 0].tolist() for table in delay_sequences(2, 1)]
    [[0, 0], [0, 1]]
    """
    options = [range(min(t, max_delay) + 1) for t in range(num_rounds) for _ in range(num_clients)]
    _refuse(prod(len(choices) for choices in options), "delay sequences")
    for flat in product(*options):
        yield np.array(flat, np.int64).reshape(num_rounds, num_clients)


def _refuse(count: int, what: str) -> None:
    if count > MAX_OBJECTS:
        raise InvalidInput(f"number of {what}", f"be at most {MAX_OBJECTS} to be enumerated", count)
