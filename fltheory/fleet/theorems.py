"""Which theorems apply to a log, where their assumptions fail, and the step sizes they prescribe.

A theorem that is false as printed is used in its corrected form. A log cannot show all assumptions
(smooth losses, noise that does not depend on availability): `fltheory explain CLAIM` lists them.
"""

import math

import numpy as np

from fltheory.fleet.conditions import (
    LogCondition,
    Reading,
    everybody_came,
    everybody_first,
    initial_gap,
    longest_absence,
    never_empty,
    newest_model,
)
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary

WEIGHTED = ("FedAvg-IS", "asynchronous", "FedFix", "FedBuff", "FedAvg that waits for all")
"""Methods that are weighted aggregation with fair weights; so is FedAvg if all are always there."""
UNEVEN = 0.001
"""Level of the chi-square test that rejects equal participation."""


def read_theorems(summary: Summary, task: LearningTask) -> tuple[Reading, ...]:
    """MIFA Theorem 5.1, FedLaAvg Corollary 1, Fraboni et al. Theorem 3 with fair weights, and AFL
    Theorems 3 and 4."""
    return tuple(
        reader(summary, task)
        for reader in (_mifa, _fedlaavg, _weighted, _anarchic_device, _anarchic_silo)
    )


def _mifa(summary: Summary, task: LearningTask) -> Reading:
    condition = float(task.condition_number)
    gap = max(initial_gap(summary, 1 / (40 * condition)), 1.0)
    offset = max(100.0, 40 * gap) * condition
    horizon = summary.log.num_rounds
    long_enough = LogCondition(
        f"the run is longer than the offset a = {offset:.0f} of its step sizes (the bound says"
        " nothing before)",
        horizon > offset,
        f"the log has {horizon} rounds",
    )
    absent = f"longest absence: {longest_absence(summary)}"
    grown = LogCondition(
        f"staleness <= t0 + t/b with b = {40 * condition:.0f}",
        True,
        f"holds with t0 = {gap:.4g}; {absent}",
    )
    return Reading(
        "mifa.thm5.1.best",
        "MIFA",
        (
            everybody_came(summary),
            everybody_first(summary),
            newest_model(summary),
            grown,
            long_enough,
        ),
        f"4/({task.strong_convexity * task.local_steps} (t + {offset:.0f})) in round t = 1, 2, ...,"
        " first "
        + task.told_step(4 / (float(task.strong_convexity) * task.local_steps * (1 + offset))),
        ("MIFA",),
    )


def _fedlaavg(summary: Summary, task: LearningTask) -> Reading:
    """K clients are chosen in every round, so K is at most the smallest number available;
    beta = K/N."""
    window, clients, rounds = (
        summary.availability_window,
        summary.log.num_clients,
        summary.log.num_rounds,
    )
    chosen = max(int(summary.present.min()), 1)
    share = chosen / clients
    relative = math.sqrt(share) * clients**0.25 / (2 * math.sqrt(window * rounds))
    needed = window * clients**1.5 / share
    seen = LogCondition(
        f"every client is available once in every E = {window} rounds",
        window <= rounds,
        f"longest absence: {longest_absence(summary)}; the log has {rounds} rounds",
    )
    horizon = LogCondition(
        f"T >= E N^(3/2)/beta = {needed:.0f}, with K = beta N = {chosen} clients chosen in each"
        " round",
        rounds >= needed,
        f"the log has {rounds} rounds",
    )
    single = LogCondition(
        "one gradient per client and round",
        task.local_steps == 1,
        f"planned local steps: {task.local_steps}",
    )
    small = LogCondition(
        "the step size is at most 1/(4L)", relative <= 1 / 4, f"it is {relative:.3g}/L"
    )
    return Reading(
        "fedlaavg.cor1",
        "FedLaAvg",
        (
            everybody_came(summary),
            never_empty(summary),
            seen,
            newest_model(summary),
            single,
            small,
            horizon,
        ),
        task.told_step(relative / float(task.smoothness)),
        ("FedLaAvg",),
    )


def largest_total_weight(summary: Summary) -> float:
    """rho = max(1, max over rounds of the sum of the weights 1/(N share) of those who arrive)
    (Fraboni et al., before Theorem 1).

    N counts the clients that came at some time, as in the recommended weights.

    >>> from fltheory.fleet.log import from_matrix
    >>> for never in ([], [0]):
    ...     table = [[1, 0, *never], [1, 1, *never], [1, 0, *never], [1, 0, *never]]
    ...     print(largest_total_weight(Summary(from_matrix(table))))
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


def _weighted(summary: Summary, task: LearningTask) -> Reading:
    """Step sizes decrease with the age of the work; on a table, asynchronous work is as old as the
    client's absence."""
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
    fair = LogCondition(
        f"mean weights of all clients are equal {span}",
        True,
        "true for the recommended weights 1/(N share); they hold for this log, and change if"
        " availability changes",
    )
    return Reading(
        "fraboni.thm3.learning_rate",
        "weighted aggregation (async, FedFix, FedAvg-IS)",
        (everybody_came(summary), fair),
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


def _anarchic_device(summary: Summary, task: LearningTask) -> Reading:
    """Corollary 2's step sizes 1/sqrt T and sqrt m, under the conditions of Theorem 3."""
    clients, rounds, delay, few = (
        summary.log.num_clients,
        summary.log.num_rounds,
        summary.log.max_delay,
        int(summary.present.min()),
    )
    arrivals, smooth, steps = max(few, 1), float(task.smoothness), task.local_steps
    most = int(summary.present.max())
    least, largest = int(np.argmin(summary.present)) + 1, int(np.argmax(summary.present)) + 1
    same = LogCondition(
        "the same number of clients arrives in every round",
        few == most,
        f"{few} in round {least}, {most} in round {largest}",
    )
    uneven = _uneven(summary)
    even = LogCondition(
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
    small = LogCondition(
        "conditions (i), (ii) and (iii) of the corrected Theorem 3: each left side is at most 1",
        max(sides) <= 1,
        "they are " + ", ".join(f"{side:.3g}" for side in sides),
    )
    return Reading(
        "afl.thm3c",
        "AFA-CD",
        (everybody_came(summary), never_empty(summary), same, even, small),
        f"{task.told_step(local)}, with server step size {math.sqrt(arrivals):.3g}",
        ("AFA-CD",),
    )


def _anarchic_silo(summary: Summary, task: LearningTask) -> Reading:
    """Corollary 3's step sizes 1/sqrt T and sqrt N, under the conditions of Theorem 4.

    The age of a memory entry is the time since its arrival plus its delay.
    """
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
    # Twice beta_0 g with beta_u = (tau - u) c.
    series = 27 * stale * (1 + moved) * (delay * moved) ** 2
    small = LogCondition(
        f"conditions (4) to (6) of the corrected Theorem 4 for delays up to {delay}: each left side"
        " is below 1",
        fourth < 1 and series <= 1,
        f"they are {fourth:.3g} and {series:.3g}; the log has {rounds} rounds",
    )
    return Reading(
        "afl.thm4c",
        "AFA-CS",
        (everybody_came(summary), everybody_first(summary), never_empty(summary), small),
        f"{task.told_step(local)}, with server step size {math.sqrt(clients):.3g}",
        ("AFA-CS",),
    )


def _uneven(summary: Summary) -> bool:
    """Whether the clients' counts of rounds differ significantly (chi-square test)."""
    from scipy.special import chdtrc

    counts = summary.rounds_there
    expected = counts.mean()
    spread = expected * (1 - min(float(summary.shares.mean()), 1 - 1e-9))
    statistic = float(((counts - expected) ** 2).sum() / max(spread, 1e-9))
    return bool(chdtrc(max(len(counts) - 1, 1), statistic) < UNEVEN)


def _extremes(summary: Summary) -> str:
    rarest, most = int(np.argmin(summary.shares)), int(np.argmax(summary.shares))
    names = summary.log.names
    return (
        f"from {summary.shares[rarest]:.3g} ({names[rarest]}) to {summary.shares[most]:.3g}"
        f" ({names[most]})"
    )
