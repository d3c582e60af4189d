"""Languages of availability that a log may be of: a pattern that all clients repeat, or one chance
for all of them in every round."""

import math
from fractions import Fraction

from fltheory.fleet.summary import Summary

LONGEST_PATTERN, REPEATS = 24, 3
"""Rounds of a pattern at most, and how often a log must repeat it."""
MOST_CELLS = 20_000_000
"""Clients times rounds of a log that is looked at."""
UNLIKELY = 4.0
"""Standard deviations beyond which a log contradicts a chance."""
FINEST = 1000
"""Largest denominator of a fitted chance."""


def common_pattern(summary: Summary) -> str | None:
    """The pattern of 0 and 1 that every client repeats with some shift, None if there is none.

    >>> from fltheory.fleet.log import from_matrix
    >>> common_pattern(Summary(from_matrix([[1, 0], [0, 1], [0, 0]] * 4)))
    '100'
    """
    log = summary.log
    if log.num_rounds * log.num_clients > MOST_CELLS:
        return None
    table = log.matrix()
    for length in range(1, min(LONGEST_PATTERN, log.num_rounds // REPEATS) + 1):
        if not (table[length:] == table[:-length]).all():
            continue
        once = ["".join("01"[int(there)] for there in column) for column in table[:length].T]
        same = all(one in once[0] * 2 for one in once)
        first = max(once[0][k:] + once[0][:k] for k in range(length))
        return first if same and 0 < first.count("1") < length else None
    return None


def common_chance(summary: Summary) -> Fraction | None:
    """The chance with which every client comes, if the log does not contradict that all rounds of
    all clients are independent draws with the same chance: neither do the clients' shares differ by
    more, nor is a client that is there likelier to be there in the next round.

    >>> from fltheory.fleet.log import from_matrix
    >>> import numpy as np
    >>> draws = np.random.default_rng(0).random((300, 5)) < 0.3
    >>> common_chance(Summary(from_matrix(draws)))
    Fraction(265, 918)
    >>> common_chance(Summary(from_matrix(np.sort(draws, axis=0))))
    """
    log, counts = summary.log, summary.rounds_there
    rounds, clients = log.num_rounds, log.num_clients
    share = float(counts.mean()) / rounds
    if not 0 < share < 1 or rounds < 20:
        return None
    varied = float(((counts - rounds * share) ** 2).sum()) / (rounds * share * (1 - share))
    if varied > clients + UNLIKELY * math.sqrt(2 * clients):
        return None
    starts = len(log.begins) - int((summary.first_seen == 0).sum())
    expected = clients * (rounds - 1) * share * (1 - share)
    if abs(starts - expected) > UNLIKELY * math.sqrt(expected):
        return None
    return Fraction(share).limit_denominator(FINEST)
