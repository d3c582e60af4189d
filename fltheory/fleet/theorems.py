"""Which theorem's assumptions hold on a log, where they fail, and the step sizes that the theorem
then prescribes.

A theorem that is false as printed is read in its corrected form. What a log cannot show (smooth
losses, noise that does not depend on who is available) is left to the claim itself: `fltheory
explain CLAIM` lists it.
"""

import math
from dataclasses import dataclass

import numpy as np

from fltheory.fleet.setting import Task
from fltheory.fleet.summary import Summary

WEIGHTED = ("FedAvg-IS", "asynchronous", "FedFix", "FedBuff", "FedAvg that waits for all")
"""Methods that are weighted aggregation with fair weights; FedAvg is one where everybody is always
there."""
UNEVEN = 0.001
"""Level of the chi-square test that rejects equal participation."""


@dataclass(frozen=True)
class Condition:
    """One assumption: does the log meet it (None where a log cannot show it), and where not."""

    says: str
    holds: bool | None
    where: str = ""


@dataclass(frozen=True)
class Reading:
    """A theorem (its claim in the ledger) read against a log; it speaks of methods whose names
    begin like one of the `members`."""

    claim: str
    method: str
    conditions: tuple[Condition, ...]
    step_size: str
    members: tuple[str, ...]

    @property
    def applies(self) -> bool:
        return all(condition.holds is not False for condition in self.conditions)


def read_theorems(summary: Summary, task: Task) -> tuple[Reading, ...]:
    """MIFA Theorem 5.1, FedLaAvg Corollary 1, Fraboni Theorem 3 with fair weights, AFL Theorems 3
    and 4."""
    return tuple(
        reader(summary, task)
        for reader in (_mifa, _fedlaavg, _weighted, _anarchic_device, _anarchic_silo)
    )


def initial_gap(summary: Summary, slope: float) -> float:
    """The least t0 with staleness <= t0 + slope t: attained in the last round of some absence (MIFA
    Assumption 4).

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


def _never(summary: Summary) -> Condition:
    missing = np.flatnonzero(summary.rounds_there == 0)
    return Condition(
        "every client is available at some time",
        not len(missing),
        _named(summary, missing, "never came"),
    )


def _everyone_first(summary: Summary) -> Condition:
    late = np.flatnonzero(summary.first_seen > 0)
    worst = int(summary.first_seen.max()) + 1
    seen = f"; all have been seen after round {worst}" if worst <= summary.log.num_rounds else ""
    return Condition(
        "everybody is available in the first round (or training begins when all have been seen)",
        not len(late),
        _named(summary, late, f"not there at first{seen}"),
    )


def _fresh(summary: Summary) -> Condition:
    log = summary.log
    late = (
        f"up to {log.max_delay} deliveries lie between, for the first time in round"
        f" {log.latest + 1}, of {_present(summary, log.latest)}"
    )
    return Condition(
        "work begins with the newest model", log.max_delay == 0, late if log.max_delay else ""
    )


def _somebody(summary: Summary) -> Condition:
    empty = np.flatnonzero(summary.present == 0)
    return Condition(
        "somebody is available in every round",
        not len(empty),
        f"{len(empty)} rounds are empty, the first is round {empty[0] + 1}" if len(empty) else "",
    )


def _mifa(summary: Summary, task: Task) -> Reading:
    root = float(task.condition_number) ** 1.5
    gap = max(initial_gap(summary, 1 / (40 * root)), 1.0)
    offset = max(100.0, 40 * gap) * root
    horizon = summary.log.num_rounds
    long_enough = Condition(
        f"the run is longer than the offset a = {offset:.0f} of its step sizes, before which"
        " nothing is gained",
        horizon > offset,
        f"the log has {horizon} rounds",
    )
    absent = f"longest absence: {longest_absence(summary)}"
    grown = Condition(
        f"staleness <= t0 + t/b with b = {40 * root:.0f} and t0 >= 1",
        True,
        f"holds with t0 = {gap:.4g}; {absent}",
    )
    return Reading(
        "mifa.thm5.1.corrected",
        "MIFA",
        (_never(summary), _everyone_first(summary), _fresh(summary), grown, long_enough),
        f"4/({task.strong_convexity * task.local_steps} (t + {offset:.0f})) in round t = 1, 2, ...,"
        " first "
        + task.told_step(4 / (float(task.strong_convexity) * task.local_steps * (1 + offset))),
        ("MIFA",),
    )


def _fedlaavg(summary: Summary, task: Task) -> Reading:
    """K clients are chosen in every round, so K is at most the fewest that are there; beta =
    K/N."""
    window, clients, rounds = (
        summary.availability_window,
        summary.log.num_clients,
        summary.log.num_rounds,
    )
    chosen = max(int(summary.present.min()), 1)
    share = chosen / clients
    relative = math.sqrt(share) * clients**0.25 / (2 * math.sqrt(window * rounds))
    needed = window * clients**1.5 / share
    seen = Condition(
        f"every client is available once in every E = {window} rounds",
        window <= rounds,
        f"longest absence: {longest_absence(summary)}; the log has {rounds} rounds",
    )
    horizon = Condition(
        f"T >= E N^(3/2)/beta = {needed:.0f}, with K = beta N = {chosen} clients chosen in each"
        " round",
        rounds >= needed,
        f"the log has {rounds} rounds",
    )
    single = Condition(
        "one gradient per client and round",
        task.local_steps == 1,
        f"local steps that are planned: {task.local_steps}",
    )
    small = Condition(
        "the step size is at most 1/(4L)", relative <= 1 / 4, f"it is {relative:.3g}/L"
    )
    return Reading(
        "fedlaavg.cor1",
        "FedLaAvg",
        (_never(summary), _somebody(summary), seen, _fresh(summary), single, small, horizon),
        task.told_step(relative / float(task.smoothness)),
        ("FedLaAvg",),
    )


def largest_total_weight(summary: Summary) -> float:
    """rho = max(1, max over rounds of the sum of the weights 1/(N share) of those who arrive)
    (Fraboni et al., before Theorem 1).

    N counts those who came at some time, as in the recommended weights.

    >>> from fltheory.fleet.log import from_matrix
    >>> for never in ([], [0]):
    ...     print(largest_total_weight(Summary(from_matrix([[1, 0, *never], [1, 1, *never], [1, 0, *never], [1, 0, *never]]))))
    2.5
    2.5
    """
    log = summary.log
    shares = summary.shares if log.deliveries is None else log.deliveries.shares_of_arrivals
    weights = (1 / (summary.num_heard * np.maximum(shares, 1 / log.num_rounds)))[log.client_of_run]
    change = np.zeros(log.num_rounds + 1)
    np.add.at(change, log.begins, weights)
    np.subtract.at(change, log.ends, weights)
    return max(1.0, float(np.cumsum(change).max()))


def _weighted(summary: Summary, task: Task) -> Reading:
    """Step sizes fall with the age of work: on a table, that of asynchronous clients is their
    absence."""
    largest, clocked = largest_total_weight(summary), summary.log.deliveries is not None
    absent = int(summary.longest_absence[summary.rounds_there > 0].max(initial=0))

    def step(delay: int) -> str:
        return task.told_step(
            min(1.0, 1 / (3 * largest**2 * (delay + 1)))
            / (48 * task.local_steps * float(task.smoothness))
        )

    span = (
        "in the long run, at the mean times of this log"
        if clocked
        else f"over W = {summary.log.num_rounds} rounds"
    )
    fair = Condition(
        f"mean weights of all clients are equal {span}",
        True,
        "true for the recommended weights 1/(N share); they hold for this log, not for the next one"
        " if habits change",
    )
    return Reading(
        "fraboni.thm3.corrected",
        "weighted aggregation (async, FedFix, FedAvg-IS)",
        (_never(summary), fair),
        (
            f"{step(summary.log.max_delay)} for single arrivals"
            if clocked
            else (
                f"{step(0)} for FedAvg-IS, {step(absent)} for asynchronous work that is up to"
                f" {absent} rounds old"
            )
        )
        + ", with server step size 1",
        WEIGHTED
        + (("FedAvg over whoever",) if summary.present.min() == summary.log.num_clients else ()),
    )


def _anarchic_device(summary: Summary, task: Task) -> Reading:
    """Corollary 2's step sizes 1/sqrt T and sqrt m, in the conditions of Theorem 3."""
    clients, rounds, delay, few = (
        summary.log.num_clients,
        summary.log.num_rounds,
        summary.log.max_delay,
        int(summary.present.min()),
    )
    arrivals, smooth, steps = max(few, 1), float(task.smoothness), task.local_steps
    most = int(summary.present.max())
    least, largest = int(np.argmin(summary.present)) + 1, int(np.argmax(summary.present)) + 1
    same = Condition(
        "equally many arrive in every round",
        few == most,
        f"{few} in round {least}, {most} in round {largest}",
    )
    uneven = _uneven(summary)
    even = Condition(
        "arrivals are a uniform sample of the clients",
        False if uneven else True if few == clients else None,
        (
            f"shares differ by more than chance, {_extremes(summary)}: the method keeps a floor"
            " that no step size removes"
            if uneven
            else ""
        ),
    )
    local = 1 / math.sqrt(rounds)
    drift, moved = (smooth * steps * local) ** 2, smooth * math.sqrt(arrivals) * local
    left_out = (clients - arrivals) / (arrivals * max(clients - 1, 1))
    jump = moved + (moved * delay) ** 2
    sides = (
        (6 * (2 * steps**2 - 3 * steps + 1) * (smooth * local) ** 2),
        2 * (1 - left_out) * jump,
        (120 * drift + 4 * jump * left_out * (90 * drift + 3)) * (delay + 1),
    )
    small = Condition(
        "conditions (i), (ii) and (iii) of the corrected Theorem 3: each left side is at most 1",
        max(sides) <= 1,
        "they are " + ", ".join(f"{side:.3g}" for side in sides),
    )
    return Reading(
        "afl.thm3c",
        "AFA-CD",
        (_never(summary), _somebody(summary), same, even, small),
        f"{task.told_step(local)}, with server step size {math.sqrt(arrivals):.3g}",
        ("AFA-CD",),
    )


def _anarchic_silo(summary: Summary, task: Task) -> Reading:
    """Corollary 3's step sizes 1/sqrt T and sqrt N, in the conditions of Theorem 4; memory is as
    old as its arrival plus its delay."""
    clients, rounds, log = summary.log.num_clients, summary.log.num_rounds, summary.log
    delay, smooth, local = (
        summary.max_staleness + log.max_delay,
        float(task.smoothness),
        1 / math.sqrt(rounds),
    )
    fresh = int(summary.present.min()) if not log.max_delay else 0
    stale = ((clients - fresh) / clients) ** 2
    moved, drift = smooth * math.sqrt(clients) * local, (smooth * task.local_steps * local) ** 2
    fourth = (
        12 * moved
        + 540 * stale * (1 + moved) * drift * (1 + delay)
        + 180 * drift
        + 360 * moved * drift
    )
    series = (
        27 * stale * (1 + moved) * (delay * moved) ** 2
    )  # twice beta_0 g with beta_u = (tau - u) c
    small = Condition(
        f"conditions (4) to (6) of the corrected Theorem 4 for delays up to {delay}: each left side"
        " is below 1",
        fourth < 1 and series <= 1,
        f"they are {fourth:.3g} and {series:.3g}; the log has {rounds} rounds",
    )
    return Reading(
        "afl.thm4c",
        "AFA-CS",
        (_never(summary), _everyone_first(summary), _somebody(summary), small),
        f"{task.told_step(local)}, with server step size {math.sqrt(clients):.3g}",
        ("AFA-CS",),
    )


def _uneven(summary: Summary) -> bool:
    """Do the clients' counts of rounds differ by more than equal chances explain (chi-square)?"""
    from scipy.stats import chi2

    counts = summary.rounds_there
    expected = counts.mean()
    spread = expected * (1 - min(float(summary.shares.mean()), 1 - 1e-9))
    statistic = float(((counts - expected) ** 2).sum() / max(spread, 1e-9))
    return bool(chi2.sf(statistic, max(len(counts) - 1, 1)) < UNEVEN)


def longest_absence(summary: Summary) -> str:
    """Who was away for longest, and when.

    >>> from fltheory.fleet.log import from_matrix
    >>> longest_absence(Summary(from_matrix([[1, 1], [0, 1], [0, 1], [1, 0]], ["a", "b"])))
    'a, 2 rounds, from round 2 to 3'
    """
    worst = int(np.argmax(summary.longest_absence))
    rounds, begin = int(summary.longest_absence[worst]), summary.absent_from(worst)
    return (
        f"{summary.log.names[worst]}, {rounds} rounds, from round {begin + 1} to {begin + rounds}"
        if rounds
        else "none"
    )


def _extremes(summary: Summary) -> str:
    rarest, most = int(np.argmin(summary.shares)), int(np.argmax(summary.shares))
    names = summary.log.names
    return (
        f"from {summary.shares[rarest]:.3g} ({names[rarest]}) to {summary.shares[most]:.3g}"
        f" ({names[most]})"
    )


def _present(summary: Summary, round: int) -> str:
    """The first client that is there in a round."""
    there = (summary.log.begins <= round) & (round < summary.log.ends)
    return summary.log.names[int(summary.log.client_of_run[np.argmax(there)])]


def _named(summary: Summary, clients: np.ndarray, what: str) -> str:
    if not len(clients):
        return ""
    shown = ", ".join(summary.log.names[i] for i in clients[:3])
    return f"{shown}{f' and {len(clients) - 3} more' if len(clients) > 3 else ''}: {what}"
