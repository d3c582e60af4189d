"""How long a server waits on a log: counted by another program, and where coin flips mislead."""

from itertools import combinations
from statistics import fmean

import numpy as np
import pytest

from fltheory.fleet import waiting as module
from fltheory.fleet.log import from_matrix, from_runs
from fltheory.fleet.summary import Summary
from fltheory.fleet.waiting import mean_waits, waiting


def counted(table: list[list[int]], size: int) -> float:
    """Walk through the log from every round, for every sample, until all of it have been there."""
    waits = []
    for sample in combinations(range(len(table[0])), size):
        for begin in range(len(table)):
            missing, rounds = set(sample), 0
            while missing:
                missing -= {i for i in sample if table[(begin + rounds) % len(table)][i]}
                rounds += 1
            waits.append(rounds)
    return fmean(waits)


@pytest.mark.parametrize("seed", range(8))
def test_mean_waits_are_those_of_a_walk_through_the_log(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ROUNDS_AT_ONCE", 7)
    table = np.random.default_rng(seed).random((23, 5)) < [0.1, 0.3, 0.5, 0.7, 0.95]
    table[seed] = True
    found = mean_waits(from_matrix(table), range(5), range(1, 6))
    assert [float(mean) for mean in found] == pytest.approx(
        [counted(table.astype(int).tolist(), size) for size in range(1, 6)]
    )


def test_coin_flips_use_the_shares_of_the_log_as_they_are() -> None:
    told = waiting(Summary(from_runs("a", 1000, [0], [0], [1])))
    assert told["coin_flips"]["sample_of_1"] == 1000
    assert told["measured"]["sample_of_1"] == pytest.approx(500.5)


def test_nights_make_a_server_wait_longer_than_coin_flips_would() -> None:
    """Two clients, each there for the half of the day in which the other one is not."""
    told = waiting(Summary(from_matrix([[1, 0]] * 50 + [[0, 1]] * 50)))
    assert float(told["coin_flips"]["sample_of_2"]) < 3
    assert told["measured"]["sample_of_2"] == pytest.approx(1 + 51 / 2)


def test_clients_that_never_came_are_not_waited_for() -> None:
    told = waiting(Summary(from_matrix([[1, 0, 1]] * 4)))
    assert told["clients"] == 2
    assert told["measured"]["sample_of_2"] == 1
