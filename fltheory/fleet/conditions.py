"""Assumptions of theorems that a log can show, and where the log breaks them."""

from dataclasses import dataclass

import numpy as np

from fltheory.core.types import IntArray
from fltheory.fleet.summary import Summary
from fltheory.fleet.words import counted


@dataclass(frozen=True)
class LogCondition:
    """One assumption, whether the log meets it (None if no log can show it), and where it fails."""

    says: str
    holds: bool | None
    where: str = ""


@dataclass(frozen=True)
class Reading:
    """A theorem, named by its claim in the ledger, applied to a log.

    It covers the methods whose names start with one of the `members`.
    """

    claim: str
    method: str
    conditions: tuple[LogCondition, ...]
    step_size: str
    members: tuple[str, ...]

    @property
    def applies(self) -> bool:
        return all(condition.holds is not False for condition in self.conditions)


def initial_gap(summary: Summary, slope: float) -> float:
    """The least t0 with staleness <= t0 + slope t (MIFA Assumption 4).

    It is attained in the last round of some absence.

    >>> from fltheory.fleet.log import from_matrix
    >>> initial_gap(Summary(from_matrix([[1], [0], [0], [1]])), 1 / 4)
    1.25
    """
    last_round = summary.log.ends + summary.absences  # rounds are numbered from 1
    return float(
        np.max(
            np.where(summary.absences > 0, summary.absences - slope * last_round, 0.0), initial=0.0
        )
    )


def everybody_came(summary: Summary) -> LogCondition:
    """Every client is available at some time."""
    missing = np.flatnonzero(summary.rounds_there == 0)
    return LogCondition(
        "every client is available at some time",
        not len(missing),
        _named(summary, missing, "never came"),
    )


def everybody_first(summary: Summary) -> LogCondition:
    """All clients are available in the first round."""
    late = np.flatnonzero(summary.first_seen > 0)
    worst = int(summary.first_seen.max()) + 1
    seen = f"; all have been seen by round {worst}" if worst <= summary.log.num_rounds else ""
    return LogCondition(
        "all clients are available in the first round (or training starts when all have been seen)",
        not len(late),
        _named(summary, late, f"not available at first{seen}"),
    )


def newest_model(summary: Summary) -> LogCondition:
    """Local work starts from the newest model."""
    log = summary.log
    late = (
        f"up to {log.max_delay} deliveries come in between, first in round"
        f" {log.latest + 1}, by {_present(summary, log.latest)}"
    )
    return LogCondition(
        "local work starts from the newest model", log.max_delay == 0, late if log.max_delay else ""
    )


def never_empty(summary: Summary) -> LogCondition:
    """Some client is available in every round."""
    empty = np.flatnonzero(summary.present == 0)
    return LogCondition(
        "some client is available in every round",
        not len(empty),
        f"{counted(len(empty), 'empty rounds')}, the first is round {empty[0] + 1}"
        if len(empty)
        else "",
    )


def longest_absence(summary: Summary) -> str:
    """The client with the longest absence, and its rounds.

    >>> from fltheory.fleet.log import from_matrix
    >>> longest_absence(Summary(from_matrix([[1, 1], [0, 1], [0, 1], [1, 0]], ["a", "b"])))
    'a, 2 rounds, from round 2 to 3'
    """
    worst = int(np.argmax(summary.longest_absence))
    rounds, begin = int(summary.longest_absence[worst]), summary.absent_from(worst)
    return (
        f"{summary.log.names[worst]}, {counted(rounds)}, from round {begin + 1} to {begin + rounds}"
        if rounds
        else "none"
    )


def _present(summary: Summary, round: int) -> str:
    """The first client that is available in a round."""
    there = (summary.log.begins <= round) & (round < summary.log.ends)
    return summary.log.names[int(summary.log.client_of_run[np.argmax(there)])]


def _named(summary: Summary, clients: IntArray, what: str) -> str:
    if not len(clients):
        return ""
    shown = ", ".join(summary.log.names[i] for i in clients[:3])
    return f"{shown}{f' and {len(clients) - 3} more' if len(clients) > 3 else ''}: {what}"
