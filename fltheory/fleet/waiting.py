"""How long a server waits until a random sample of clients has answered, on the log and for coin
flips with the same shares."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb
from typing import TypedDict

import numpy as np

from fltheory.core.types import IntArray
from fltheory.fleet.log import FleetLog
from fltheory.fleet.setting import Basis
from fltheory.fleet.summary import Summary
from fltheory.traces.selection import expected_wait

MOST_CLIENTS = 10
"""Clients at evenly spaced ranks of their shares, for which waiting is computed."""
ROUNDS_AT_ONCE = 1 << 16


class Waiting(TypedDict):
    """Mean waits by size of the sample: counted on the log, and for coin flips with its shares."""

    clients: int
    measured: dict[str, float | str]
    coin_flips: dict[str, float | str]


def waiting(summary: Summary) -> Waiting:
    """Mean rounds until a sample of one, of half and of all of some clients has answered.

    Clients that never came are left out.
    """
    order = np.argsort(summary.rounds_there, kind="stable")
    order = order[summary.rounds_there[order] > 0]
    chosen = [
        int(i)
        for i in order[
            np.linspace(0, len(order) - 1, min(len(order), MOST_CLIENTS)).round().astype(int)
        ]
    ]
    chances = [Fraction(int(summary.rounds_there[i]), summary.log.num_rounds) for i in chosen]
    sizes = sorted({1, max(len(chosen) // 2, 1), len(chosen)})
    counted = mean_waits(summary.log, chosen, sizes)
    measured: dict[str, float | str] = {
        f"sample_of_{size}": float(mean) for size, mean in zip(sizes, counted, strict=True)
    }
    flips: dict[str, float | str] = {
        f"sample_of_{size}": float(expected_wait(chances, sample_size=size)) for size in sizes
    }
    measured |= {
        "basis": Basis.MEASURED.value,
        "says": "from a random round of the log, which is repeated",
    }
    flips |= {
        "basis": Basis.RULE.value,
        "says": "if rounds were independent coin flips with the log's shares (exact)",
    }
    return {"clients": len(chosen), "measured": measured, "coin_flips": flips}


def mean_waits(log: FleetLog, clients: Sequence[int], sizes: Sequence[int]) -> list[Fraction]:
    """Mean rounds until all of a random sample of each size have been available, the last included.

    The mean is over all samples and all rounds in which the wait may begin; the log is repeated.
    The k-th of n waits is the longest in comb(k - 1, m - 1) of the comb(n, m) samples of m.

    >>> from fltheory.fleet.log import from_matrix
    >>> [str(mean) for mean in mean_waits(from_matrix([[1, 1], [1, 0], [1, 0]]), [0, 1], [1, 2])]
    ['3/2', '2']
    """
    count, totals = len(clients), np.zeros(len(clients), np.int64)
    for begin in range(0, log.num_rounds, ROUNDS_AT_ONCE):
        rounds = np.arange(begin, min(begin + ROUNDS_AT_ONCE, log.num_rounds))
        waits = np.stack([_until_there(log, client, rounds) for client in clients])
        totals += np.sort(waits, axis=0).sum(axis=1)
    return [
        sum(
            (
                Fraction(comb(rank, size - 1) * int(total), comb(count, size) * log.num_rounds)
                for rank, total in enumerate(totals)
            ),
            Fraction(0),
        )
        for size in sizes
    ]


def _until_there(log: FleetLog, client: int, rounds: IntArray) -> IntArray:
    """Rounds until a client is available, that one included; 1 if it is available at once."""
    begins, ends = (x[log.first[client] : log.first[client + 1]] for x in (log.begins, log.ends))
    following = np.append(begins, begins[0] + log.num_rounds)[
        np.searchsorted(ends, rounds, side="right")
    ]
    return np.maximum(following, rounds) - rounds + 1
