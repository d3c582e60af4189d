"""Clocks and coin flips satisfy what FraboniClocks.v and MifaBernoulli.v assume, so that their
theorems are about the code that runs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from fltheory.claims.checks.probability import coin_flips
from fltheory.core.types import Array
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous, simulate_clock
from fltheory.traces.trace_statistics import rounds_since

F = Fraction
TIMES: tuple[tuple[int | str, ...], ...] = (
    (1, 1),
    (2, 3),
    (1, 5, 2),
    ("3/2", "5/2", 1),
    (2, 2, 3, 1),
)


def on_clock(times: tuple[int | str, ...], policy: Policy, num_rounds: int) -> Array:
    """Who delivers in which round."""
    return simulate_clock(list(times), policy, num_rounds=num_rounds).trace.delivers


@pytest.mark.parametrize("times", TIMES, ids=str)
def test_asynchronous_rounds_are_those_of_the_next_to_finish(
    times: tuple[int | str, ...],
) -> None:
    exact = [F(t) for t in times]
    delivers = on_clock(times, Asynchronous(), num_rounds=30)
    assert (delivers.sum(axis=1) == 1).all()
    done = [0] * len(times)
    for row in delivers:
        owner = int(np.flatnonzero(row)[0])
        ready = [(count + 1) * t for count, t in zip(done, exact, strict=True)]
        assert ready[owner] == min(ready)
        done[owner] += 1


@pytest.mark.parametrize("times", TIMES, ids=str)
@pytest.mark.parametrize("window", ["1", "3/2", "7"])
def test_fedfix_delivers_when_finished_and_starts_anew(
    times: tuple[int | str, ...], window: str
) -> None:
    delta, started = F(window), [0] * len(times)
    for n, row in enumerate(on_clock(times, FixedWindow(window), num_rounds=24)):
        for i, time in enumerate(times):
            assert bool(row[i]) == (started[i] * delta + F(time) <= (n + 1) * delta)
            if row[i]:
                started[i] = n + 1


@pytest.mark.parametrize("times", TIMES, ids=str)
def test_synchronous_rounds_hear_everybody(times: tuple[int | str, ...]) -> None:
    assert on_clock(times, Synchronous(), num_rounds=5).all()


def test_flips_are_independent_of_their_past_and_ages_are_those_of_the_record() -> None:
    chance, rounds = F(1, 3), 5
    patterns = [(matrix[:, 0], mass) for matrix, mass in coin_flips([chance], rounds)]
    assert sum(mass for _, mass in patterns) == 1
    assert all(flips[0] for flips, _ in patterns)
    for t in range(1, rounds):
        for past in product((False, True), repeat=t - 1):
            masses = [(f[t], m) for f, m in patterns if tuple(f[1:t]) == past]
            assert sum(m for here, m in masses if here) == chance * sum(m for _, m in masses)
    for flips, _ in patterns:
        age = [0]
        for here in flips[1:]:
            age.append(0 if here else age[-1] + 1)
        assert list(rounds_since(flips[:, None])[:, 0]) == age


def test_another_order_is_not_that_of_the_next_to_finish() -> None:
    delivers = on_clock((2, 3), Asynchronous(), num_rounds=30)[:, ::-1]
    done, wrong = [0, 0], False
    for row in delivers:
        owner = int(np.flatnonzero(row)[0])
        ready = [(done[0] + 1) * 2, (done[1] + 1) * 3]
        wrong |= ready[owner] != min(ready)
        done[owner] += 1
    assert wrong
