"""A step size that is proved to be stable for all rounds, all losses with the task's curvatures and
all logs of the same language as this one, with a certificate.

The theorems are about clients that count alike. They cover importances as well: without noise, a
client whose importance is k/n acts as k of n equal clients that always deliver together.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.extras import available
from fltheory.fleet.languages import common_chance, common_pattern
from fltheory.fleet.predict import Prediction
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary

REMEMBERS = ("mifa", "fedlaavg", "afa-cs")
"""Methods with memory, which have a potential for a bounded staleness."""
ASKS_FIRST = ("mifa", "afa-cs")
"""Those that ask everybody in the first round."""
WAITS = "sync"
"""Waiting for all, which is MIFA in which nobody is ever silent."""
WEIGHS = "importance-sampling"
"""The method without memory that has a potential for known shares of the rounds."""
MOST_SEARCHED = 100
"""Largest staleness for which a certificate is searched; it takes seconds."""
OLDEST_SEARCHED = 8
"""Largest age of late updates for which a certificate is searched; it takes up to half a minute."""
MOST_TRIED = 3
"""Step sizes that are tried for each language, from the wanted one downwards."""
FOR_EVERY_STALENESS = "mifa.potential.distance"
"""MIFA's distance falls by 1 - eta mu in every round if eta L (tau + 1) <= 1 and mu <= L/10."""


@dataclass(frozen=True)
class StepProof:
    """What is proved for a method at one step size, a column of its prediction's grid.

    `language` says which logs are covered; `measured` whether it was counted on this log or is a
    model that was fitted to it. `certificate` is a file for `fltheory check-certificate`, or None
    if the proof is the claim `claim` of the ledger.
    """

    method: str
    column: int
    step_size: Fraction
    language: str
    says: str
    claim: str = ""
    certificate: Mapping[str, object] | None = None
    measured: bool = True


class _Language(NamedTuple):
    """Logs that a theorem covers: in words, and as options of `forever`."""

    told: str
    options: Mapping[str, object]
    beyond: Fraction
    """No step size from here on is stable for all of them, in units of 1/L."""
    measured: bool = True


def silent_rounds(summary: Summary, member: str) -> int:
    """The most rounds in a row in which a client that came at all was silent. Methods that ask
    everybody in the first round have heard a latecomer then.

    >>> import numpy as np
    >>> from fltheory.fleet.log import from_matrix
    >>> log = from_matrix(np.array([[1, 1, 0, 1, 1], [0, 0, 0, 1, 1]]).T)
    >>> silent_rounds(Summary(log), "mifa"), silent_rounds(Summary(log), "fedlaavg")
    (2, 3)
    """
    heard = summary.rounds_there > 0
    first = int(summary.first_seen[heard].max())
    return max(summary.max_staleness, first - 1 if member in ASKS_FIRST else first)


def prove_step(
    summary: Summary,
    task: LearningTask,
    predictions: Sequence[Prediction],
    wanted: int,
    known: Mapping[str, Verdict],
    *,
    watch: Callable[[str], None] = lambda says: None,
) -> StepProof | None:
    """A proof for the first of the predictions that has one, the recommended method first: at the
    step size of the column `wanted` if it is provably stable, else at a smaller one. For deliveries
    waiting for all comes last, unless it is recommended.
    """
    memory = next((p for p in predictions if p.member in REMEMBERS), None)
    late = summary.log.deliveries is not None
    leads = (WAITS,) if late else (WEIGHS,)
    first = [p for p in predictions[:1] if p.member in leads]
    waits = [(p, p.column) for p in predictions[1:] if p.member == WAITS and late]
    for one, wanted in (*((p, wanted) for p in (*first, *filter(None, [memory]))), *waits):
        for language in _languages(summary, one.member):
            found = _searched(one, language, task, wanted, watch)
            if found is None and "staleness" in language.options:
                found = _closed_form(one, language, task, wanted, known)
            if found is not None:
                return found
    return None


def unproved(summary: Summary) -> str:
    """What is told where no step size is proved."""
    told = "No step size is proved for all rounds"
    if summary.log.deliveries is None:
        return f"{told} for these methods on this log."
    return (
        f"{told}: updates in use become up to {summary.log.deliveries.oldest} server updates old on"
        " this log; proofs are for methods with memory, one local step and up to"
        f" {OLDEST_SEARCHED}."
    )


def _languages(summary: Summary, member: str) -> Iterator[_Language]:
    """Languages of this log, the most certain first."""
    if member == WAITS:
        told = "every update waits for all clients, which is MIFA in which nobody is ever silent"
        yield _Language(told, {"staleness": 0}, Fraction(2))
        return
    if summary.log.deliveries is not None:
        bound = summary.log.deliveries.oldest
        told = (
            f"no client's latest update is more than {bound} server updates old, and the server"
            " waits at first until everybody has delivered"
        )
        # breaks at 2 sin(pi/(4 tau + 2)) for L x^2/2 and a constant age, which is less
        yield _Language(told, {"delay": bound}, min(Fraction(2), Fraction(22, 7 * (2 * bound + 1))))
        return
    if member in REMEMBERS:
        bound = silent_rounds(summary, member)
        cold = member not in ASKS_FIRST and bool((summary.first_seen > 0).any()) and bound > 0
        told = f"no client is silent for more than {bound} rounds in a row"
        told += "" if cold else " and everybody delivers in the first round"
        yield _Language(told, {"staleness": bound, "cold_start": cold}, Fraction(2, bound + 1))
        return
    pattern = common_pattern(summary)
    if pattern is not None:
        told = f"every client repeats the pattern {pattern} of rounds, each with its own shift"
        yield _Language(told, {"pattern": pattern}, Fraction(2))
    chance = common_chance(summary)
    if chance is not None:
        told = (
            f"every client comes with probability {chance} in each round, independently of the past"
            " (a model that this log does not contradict), and weights divide by this probability"
        )
        yield _Language(told, {"probability": chance}, Fraction(2), measured=False)


def _searched(
    one: Prediction,
    language: _Language,
    task: LearningTask,
    wanted: int,
    watch: Callable[[str], None],
) -> StepProof | None:
    """A proof by a potential that is searched for this language."""
    most = {"staleness": MOST_SEARCHED, "delay": OLDEST_SEARCHED}
    beyond = any(int(str(language.options.get(name, 0))) > most[name] for name in most)
    if beyond or not available("worst-case"):
        return None
    from fltheory.analysis.potentials.generic_client import DoesNotFit
    from fltheory.analysis.potentials.public import forever

    for column in _columns(one, language, task, wanted)[:MOST_TRIED]:
        watch(f"proving a step size of {one.method}")
        try:
            found = forever(
                "mifa" if one.member == WAITS else one.member,
                smoothness=task.smoothness,
                strong_convexity=task.strong_convexity,
                local_steps=task.local_steps,
                step_size=one.steps[column],
                **language.options,  # type: ignore[arg-type]
            )
        except (DoesNotFit, InvalidInput):
            return None
        if found.certificate is not None and found.statement is not None:
            return StepProof(
                one.method,
                column,
                one.steps[column],
                language.told,
                found.statement,
                "",
                found.certificate,
                language.measured,
            )
    return None


def _columns(one: Prediction, language: _Language, task: LearningTask, wanted: int) -> list[int]:
    """The step size that is wanted and the smaller ones, without those that break."""
    limit = language.beyond / task.smoothness / task.local_steps
    return [k for k, step in enumerate(one.steps) if k >= wanted and step < limit]


def _closed_form(
    one: Prediction,
    language: _Language,
    task: LearningTask,
    wanted: int,
    known: Mapping[str, Verdict],
) -> StepProof | None:
    """The claim for every staleness, if the task is one of those that it covers."""
    inverse = 2 / language.beyond
    columns = _columns(one, language, task, wanted)
    closed = [k for k in columns if one.steps[k] * task.smoothness * inverse <= 1]
    fits = (
        one.member == "mifa"
        and task.local_steps == 1
        and 10 * task.strong_convexity <= task.smoothness
    )
    if not closed or not fits or known.get(FOR_EVERY_STALENESS) is not Verdict.PROVED:
        return None
    says = "the squared distance to the optimum falls by the factor 1 - eta mu in every round"
    step = one.steps[closed[0]]
    return StepProof(one.method, closed[0], step, language.told, says, FOR_EVERY_STALENESS)
