"""Other logs and other constants: what would change, side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.randomness import Purpose, uniforms
from fltheory.core.results import Table
from fltheory.fleet.answer import Advised
from fltheory.fleet.log import FleetLog, from_runs
from fltheory.fleet.recommend import after
from fltheory.fleet.setting import MEANINGS, LearningTask
from fltheory.fleet.timed_rows import TimedRows, log_of_deliveries

MOST_PICKED = 50_000_000
"""Largest number of participations of a log with fewer clients per round."""
Situation = tuple[FleetLog, LearningTask, frozenset[str]]
"""A log, the task, and the constants that are given."""


def changed(situation: Situation, question: str) -> Situation:
    """The situation after a change: drop=CLIENT[+CLIENT], window=ROUNDS, clients-per-round=NUMBER,
    or a constant, such as noise=1/2.

    >>> from fltheory.fleet.log import from_matrix
    >>> log = from_matrix([[1, 1], [0, 1]], ["a", "b"])
    >>> changed((log, LearningTask(), frozenset()), "drop=b")[0].names
    ('a',)
    """
    log, task, given = situation
    name, equals, value = (part.strip() for part in question.partition("="))
    constant = name.replace("-", "_")
    makers: dict[str, Callable[[FleetLog, str], FleetLog]] = {
        "drop": lambda log, text: without(log, text.split("+")),
        "window": lambda log, text: log.windowed(_whole(text, "window")),
        "clients_per_round": lambda log, text: thinned(log, _whole(text, "clients per round")),
    }
    if not equals or not (constant in makers or (hasattr(task, constant) and constant in MEANINGS)):
        known = ", ".join([*makers, *(x for x in MEANINGS if hasattr(task, x))]).replace("_", "-")
        raise InvalidInput(
            "--what-if", f"be NAME=VALUE with a name of {known}", repr(question[:60])
        )
    if constant in makers:
        if log.deliveries is not None and constant != "drop":
            raise InvalidInput(f"--what-if {name}", "be for a log of rounds", "deliveries")
        return makers[constant](log, value), task, given
    number = _whole(value, name) if constant == "local_steps" else exact(value, name)
    return log, replace(task, **{constant: number}), given | {constant}  # type: ignore[arg-type]


def without(log: FleetLog, clients: Sequence[str]) -> FleetLog:
    """The log without some clients, whose importance the others share. Of deliveries, the others
    keep their times, and fewer come in between."""
    for name in clients:
        if name not in log.names:
            raise InvalidInput("client to drop", "be a client of the log", repr(name[:60]))
    kept = np.array([i for i, name in enumerate(log.names) if name not in clients], np.int64)
    if not len(kept):
        raise InvalidInput("clients to drop", "leave a client", "all of them")
    place = np.full(log.num_clients, -1)
    place[kept] = np.arange(len(kept))
    owner = place[log.client_of_run]
    stays = owner >= 0
    importance = None if log.importance is None else log.importance[kept]
    if log.deliveries is not None:
        times, dropouts = log.deliveries, log.dropouts
        whose = place[times.clients]
        read = TimedRows(
            tuple(log.names[i] for i in kept),
            whose[whose >= 0],
            times.received[whose >= 0],
            times.returned[whose >= 0],
            importance,
            None if dropouts is None else dropouts[kept],
        )
        return log_of_deliveries(read, "the log", None)
    return from_runs(
        [log.names[i] for i in kept],
        log.num_rounds,
        owner[stays],
        log.begins[stays],
        log.ends[stays],
        round_seconds=log.round_seconds,
        importance=None if importance is None else importance / importance.sum(),
    )


def thinned(log: FleetLog, most: int) -> FleetLog:
    """The log with at most `most` random clients in each round, of those that are available; the
    draw is keyed by round.

    >>> from fltheory.fleet.log import from_matrix
    >>> thinned(from_matrix([[1, 1, 1], [0, 1, 0]]), 2).matrix().sum(axis=1).tolist()
    [2, 1]
    """
    if most * log.num_rounds > MOST_PICKED:
        raise InvalidInput("clients per round", f"be at most {MOST_PICKED // log.num_rounds}", most)
    begins, ends = np.argsort(log.begins, kind="stable"), np.argsort(log.ends, kind="stable")
    owner = log.client_of_run
    there: list[int] = []
    at: dict[int, int] = {}
    picked_clients, picked_rounds, first, last = [], [], 0, 0
    for t in range(log.num_rounds):
        while last < len(ends) and log.ends[ends[last]] <= t:
            gone = at.pop(int(owner[ends[last]]))
            moved = there.pop()
            if gone < len(there):
                there[gone], at[moved] = moved, gone
            last += 1
        while first < len(begins) and log.begins[begins[first]] <= t:
            client = int(owner[begins[first]])
            at[client] = len(there)
            there.append(client)
            first += 1
        chosen = there
        if len(there) > most:
            keys = uniforms(0, Purpose.SELECTION, rounds=[t], clients=list(range(most))).ravel()
            for k in range(most):  # a partial shuffle
                other = k + int(keys[k] * (len(there) - k))
                there[k], there[other] = there[other], there[k]
                at[there[k]], at[there[other]] = k, other
            chosen = there[:most]
        picked_clients.extend(chosen)
        picked_rounds.extend([t] * len(chosen))
    rounds = np.array(picked_rounds, np.int64)
    return from_runs(
        log.names,
        log.num_rounds,
        np.array(picked_clients, np.int64),
        rounds,
        rounds + 1,
        round_seconds=log.round_seconds,
        importance=log.importance,
    )


def numbers_of(advice: Advised) -> dict[str, object]:
    """What two situations are compared by."""
    best, summary = advice.choice.best, advice.summary
    proof = advice.proof
    return {
        "clients": advice.log.num_clients,
        "rounds": advice.log.num_rounds,
        "mean_share": float(summary.shares.mean()),
        "mean_staleness": float(summary.mean_staleness),
        "largest_staleness": summary.max_staleness,
        "influence_misplaced_by_FedAvg": advice.bias,
        "method": best.method,
        "step_size": float(best.steps[best.column]),
        "time_to_target": after(best, best.column),
        "proved_step_size": None if proof is None else float(proof.step_size),
    }


def side_by_side(columns: Mapping[str, Mapping[str, object]]) -> Table:
    """One row per number, one column per situation."""
    names = list(dict.fromkeys(name for numbers in columns.values() for name in numbers))
    rows = [
        (name.replace("_", " "), *(_shown(numbers.get(name)) for numbers in columns.values()))
        for name in names
    ]
    return Table("side by side", ("", *columns), rows)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _whole(text: str, owner: str) -> int:
    value: Fraction = exact(text, owner)
    if value.denominator != 1 or value < 1:
        raise InvalidInput(owner, "be a whole number above 0", text[:60])
    return int(value)
