"""Which theorem's assumptions hold on a log, where they fail, and the step sizes that the theorem then prescribes."""

import math
from dataclasses import dataclass

import numpy as np

from fltheory.fleet.setting import Task
from fltheory.fleet.summary import Summary

UNEVEN = 0.001
"""Level of the chi-square test that rejects equal participation."""


@dataclass(frozen=True)
class Condition:
    """One assumption: does the log meet it, and where not."""

    says: str
    holds: bool | None
    where: str = ""


@dataclass(frozen=True)
class Reading:
    """A theorem (its claim in the ledger) read against a log."""

    claim: str
    method: str
    conditions: tuple[Condition, ...]
    step_size: str

    @property
    def applies(self) -> bool:
        return all(condition.holds is not False for condition in self.conditions)


def read_theorems(summary: Summary, task: Task) -> tuple[Reading, ...]:
    """MIFA Theorem 5.1, FedLaAvg Corollary 1, Fraboni Theorem 1 with fair weights, AFL Theorems 3 and 4."""
    return tuple(reader(summary, task) for reader in (_mifa, _fedlaavg, _weighted, _anarchic_device, _anarchic_silo))


def initial_gap(summary: Summary, slope: float) -> float:
    """The least t0 with staleness <= t0 + slope t: attained in the last round of some absence (MIFA Assumption 4).

    >>> from fltheory.fleet.log import from_matrix
    >>> initial_gap(Summary(from_matrix([[1], [0], [0], [1]])), 1 / 4)
    1.25
    """
    last_round = summary.log.ends + summary.absences  # rounds are numbered from 1
    return float(np.max(np.where(summary.absences > 0, summary.absences - slope * last_round, 0.0), initial=0.0))


def _never(summary: Summary) -> Condition:
    missing = np.flatnonzero(summary.rounds_there == 0)
    return Condition("every client is available at some time", not len(missing), _named(summary, missing, "never came"))


def _everyone_first(summary: Summary) -> Condition:
    late = np.flatnonzero(summary.first_seen > 0)
    worst = int(summary.first_seen.max())
    return Condition("everybody is available in the first round (or training begins when all have been seen)", not len(late),
                     _named(summary, late, f"not there at first; all have been seen after round {worst}"))


def _mifa(summary: Summary, task: Task) -> Reading:
    root = float(task.condition_number) ** 1.5
    gap = max(initial_gap(summary, 1 / (40 * root)), 1.0)
    offset = max(100.0, 40 * gap) * root
    horizon = summary.log.num_rounds
    long_enough = Condition(f"the run is longer than the offset a = {offset:.0f} of its step sizes, before which nothing is gained",
                            horizon > offset, f"the log has {horizon} rounds")
    worst = int(np.argmax(summary.longest_absence))
    absent = f"longest absence: {summary.log.names[worst]}, {int(summary.longest_absence[worst])} rounds"
    grown = Condition(f"staleness <= t0 + t/b with b = {40 * root:.0f}", True, f"holds with t0 = {gap:.4g}; {absent}")
    return Reading("mifa.thm5.1", "MIFA", (_never(summary), _everyone_first(summary), grown, long_enough),
                   f"4/({task.strong_convexity * task.local_steps} (t + {offset:.0f})) in round t = 1, 2, ...")


def _fedlaavg(summary: Summary, task: Task) -> Reading:
    window, clients, rounds = summary.availability_window, summary.log.num_clients, summary.log.num_rounds
    share = max(float(summary.present.mean()) / clients, 1 / clients)
    step = math.sqrt(share) * clients**0.25 / (2 * float(task.smoothness) * math.sqrt(window * rounds))
    needed = window * clients**1.5 / share
    seen = Condition(f"every client is available once in every E = {window} rounds", window <= rounds, f"the log has {rounds} rounds")
    horizon = Condition(f"T >= E N^(3/2)/beta = {needed:.0f}", rounds >= needed, f"the log has {rounds} rounds")
    single = Condition("one gradient per client and round", task.local_steps == 1, f"{task.local_steps} local steps are planned")
    return Reading("fedlaavg.cor1", "FedLaAvg", (_never(summary), seen, single, horizon), f"{step:.4g}")


def _weighted(summary: Summary, task: Task) -> Reading:
    largest = float((1 / (summary.log.num_clients * np.maximum(summary.shares, 1 / summary.log.num_rounds))).sum())
    delay = summary.log.max_delay
    step = min(1.0, 1 / (3 * largest**2 * (delay + 1))) / (48 * task.local_steps * float(task.smoothness))
    fair = Condition("mean weights of all clients are equal over the log (true for the recommended weights)", True,
                     "weights 1/(N share); they hold for this log, not for the next one if habits change")
    return Reading("fraboni.thm1", "weighted aggregation (async, FedFix, FedAvg-IS)", (_never(summary), fair),
                   f"{step:.3g} with server step size 1")


def _anarchic_device(summary: Summary, task: Task) -> Reading:
    uneven = _uneven(summary)
    even = Condition("arrivals are a uniform sample of the clients", not uneven,
                     "shares differ by more than chance: the method keeps a floor that no step size removes" if uneven else "")
    step = 1 / math.sqrt(summary.log.num_rounds)
    return Reading("afl.thm3", "AFA-CD", (_never(summary), even), f"{step:.3g} with server step size sqrt(m)")


def _anarchic_silo(summary: Summary, task: Task) -> Reading:
    bounded = Condition(f"delays are at most tau = {summary.max_staleness}", True)
    needed = 180 * task.local_steps**2 * max(summary.max_staleness, 1)
    rounds = summary.log.num_rounds
    horizon = Condition(f"T >= 180 K^2 L^2 tau = {needed}", rounds >= needed * float(task.smoothness) ** 2, f"the log has {rounds} rounds")
    return Reading("afl.thm4", "AFA-CS", (_never(summary), _everyone_first(summary), bounded, horizon),
                   f"{1 / math.sqrt(rounds):.3g} with server step size sqrt(N)")


def _uneven(summary: Summary) -> bool:
    """Do the clients' counts of rounds differ by more than equal chances explain (chi-square)?"""
    from scipy.stats import chi2

    counts = summary.rounds_there
    expected = counts.mean()
    spread = expected * (1 - min(float(summary.shares.mean()), 1 - 1e-9))
    statistic = float(((counts - expected) ** 2).sum() / max(spread, 1e-9))
    return bool(chi2.sf(statistic, max(len(counts) - 1, 1)) < UNEVEN)


def _named(summary: Summary, clients: np.ndarray, what: str) -> str:
    if not len(clients):
        return ""
    shown = ", ".join(summary.log.names[i] for i in clients[:3])
    return f"{shown}{f' and {len(clients) - 3} more' if len(clients) > 3 else ''}: {what}"

