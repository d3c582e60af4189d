"""Exact availability statistics of a log, from its runs; time and memory are linear in runs plus
rounds plus clients."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeVar

import numpy as np

from fltheory.core.types import FloatArray, IntArray
from fltheory.fleet.log import FleetLog

Numbers = TypeVar("Numbers", IntArray, FloatArray)


@dataclass(frozen=True, eq=False)
class Summary:
    """The quantities that theorems use. A client's staleness is defined from its first round on."""

    log: FleetLog

    @cached_property
    def rounds_there(self) -> IntArray:
        """Rounds in which each client was available."""
        return _per_client(self.log, self.log.ends - self.log.begins)

    @cached_property
    def shares(self) -> FloatArray:
        """Share of the rounds in which each client was available."""
        return self.rounds_there / self.log.num_rounds

    @property
    def num_heard(self) -> int:
        """The number of clients that came at some time."""
        return int((self.rounds_there > 0).sum())

    @cached_property
    def first_seen(self) -> IntArray:
        """The first round of each client; num_rounds if it never came."""
        seen = np.full(self.log.num_clients, self.log.num_rounds)
        there = np.diff(self.log.first) > 0
        seen[there] = self.log.begins[self.log.first[:-1][there]]
        return seen

    @cached_property
    def absences(self) -> IntArray:
        """Length of each absence that follows a run, up to the client's next run or the end of the
        log."""
        following = np.append(self.log.begins[1:], self.log.num_rounds)
        last = self.log.first[1:][np.diff(self.log.first) > 0] - 1
        following[last] = self.log.num_rounds
        return following - self.log.ends

    @cached_property
    def longest_absence(self) -> IntArray:
        """Longest absence of each client, including that before its first round."""
        longest = self.first_seen.copy()
        np.maximum.at(longest, self.log.client_of_run, self.absences)
        return longest

    def absent_from(self, client: int) -> int:
        """The round in which a client's longest absence begins."""
        runs = slice(self.log.first[client], self.log.first[client + 1])
        at_first = self.first_seen[client] == self.longest_absence[client]
        return 0 if at_first else int(self.log.ends[runs][np.argmax(self.absences[runs])])

    @property
    def max_staleness(self) -> int:
        """tau_max: the longest absence after a client was seen."""
        return int(self.absences.max(initial=0))

    @property
    def mean_staleness(self) -> Fraction:
        """tau-bar: mean over clients and rounds of the rounds since a client was there, 1 + 2 + ...
        + g for each absence of g rounds."""
        known = int((self.log.num_rounds - self.first_seen).sum())
        total = int((self.absences * (self.absences + 1) // 2).sum())
        return Fraction(total, known) if known else Fraction(0)

    @property
    def availability_window(self) -> int:
        """E: every client is available at least once in any E consecutive rounds; more than
        num_rounds if one never came."""
        return int(self.longest_absence.max()) + 1

    @cached_property
    def present(self) -> IntArray:
        """The number of clients available in each round."""
        change = np.zeros(self.log.num_rounds + 1, np.int64)
        np.add.at(change, self.log.begins, 1)
        np.subtract.at(change, self.log.ends, 1)
        return np.cumsum(change)[:-1]

    @cached_property
    def fedavg_weights(self) -> FloatArray:
        """The long-run weight of each client under FedAvg: the mean over non-empty rounds of its
        importance divided by that of the clients that are available, if it is, else 0."""
        share, wanted = np.zeros(self.log.num_rounds + 1), self.log.wanted
        change = np.zeros(self.log.num_rounds + 1)
        np.add.at(change, self.log.begins, wanted[self.log.client_of_run])
        np.subtract.at(change, self.log.ends, wanted[self.log.client_of_run])
        mass, some = np.cumsum(change)[:-1], self.present > 0
        if self.log.importance is None:
            mass = self.present / self.log.num_clients  # without rounding
        np.cumsum(np.divide(1.0, mass, where=some, out=np.zeros(len(mass))), out=share[1:])
        held = _per_client(self.log, share[self.log.ends] - share[self.log.begins])
        weights: FloatArray = wanted * held / max(int(some.sum()), 1)
        return weights

    def staleness_counts(self) -> IntArray:
        """The number of (client, round) pairs with staleness 0, 1, 2, ...: an absence of g rounds
        adds one to each of 1, ..., g."""
        counts = np.zeros(self.max_staleness + 1, np.int64)
        counts[0] = int(self.rounds_there.sum())
        ends = np.bincount(self.absences, minlength=self.max_staleness + 2)
        counts[1:] = ends[::-1].cumsum()[::-1][1 : self.max_staleness + 1]
        return counts


def _per_client(log: FleetLog, values: Numbers) -> Numbers:
    """Sums over the runs of each client, which are contiguous."""
    total = np.zeros(len(values) + 1, values.dtype)
    np.cumsum(values, out=total[1:])
    return total[log.first[1:]] - total[log.first[:-1]]
