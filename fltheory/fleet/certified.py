"""Bounds for all losses: the largest gap after a few rounds of the log, over every function with
the task's curvatures.

There are three clients (the rarest, the median and the most frequent), without noise, in the rounds
of the rarest client's longest absence. The functions are all those with curvatures in [mu, L], an
initial gap of at most 1 and the task's heterogeneity at the optimum. A certificate in exact
arithmetic proves the bound; `fltheory check-certificate` checks it again.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from fltheory import algorithms
from fltheory.analysis.worst_case.case import Case
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.question import Conditions, Question
from fltheory.core.extras import available
from fltheory.core.registry import members
from fltheory.core.types import Json
from fltheory.engine.traits import EVERYONE_FIRST
from fltheory.fleet.predict import Prediction
from fltheory.fleet.setting import LearningTask
from fltheory.fleet.summary import Summary
from fltheory.traces.trace import Trace

CLIENTS = 3
KNOWN_SETTINGS = frozenset(("probabilities",))
"""What a log tells of the settings that a method needs; with others there is no bound."""
MOST_STEPS = 8
"""Total number of local steps; the size of the certificate grows with it."""


@dataclass(frozen=True)
class Guarantee:
    """After `rounds` rounds with this step size the gap is at most `bound`, for every function of
    the class."""

    method: str
    clients: tuple[str, ...]
    first_round: int
    rounds: int
    step_size: Fraction
    bound: Fraction
    certificate: Json


def guarantees(
    summary: Summary,
    task: LearningTask,
    predictions: Sequence[Prediction],
    *,
    watch: Callable[[str], None] = lambda says: None,
) -> tuple[Guarantee, ...]:
    """A certified bound for each method for which a proof is found.

    The step size is that of the method's prediction, or of the best prediction if it has none. Logs
    of deliveries have no bounds: their rounds are single arrivals, and a few of them show little.
    Without the extra `worst-case` there are none.
    """
    rounds = min(MOST_STEPS // task.local_steps, summary.log.num_rounds)
    if rounds < 1 or summary.log.deliveries is not None or not available("worst-case"):
        return ()
    from fltheory.analysis.worst_case.answer import worst_case

    order = np.argsort(summary.shares, kind="stable")
    order = order[summary.rounds_there[order] > 0]
    chosen = [
        int(i)
        for i in order[np.linspace(0, len(order) - 1, min(CLIENTS, len(order))).round().astype(int)]
    ]
    first = worst_stretch(summary, chosen[0], rounds)
    table = summary.log.matrix(chosen, num_rounds=first + rounds)[first:]
    shares = tuple(Fraction(int(summary.rounds_there[i]), summary.log.num_rounds) for i in chosen)
    question = Question(
        FunctionClass(task.smoothness, task.strong_convexity),
        Conditions(loss_gap=1, heterogeneity=task.heterogeneity),
    )
    usual = next((p.step_size for p in predictions if p.rounds is not None), math.nan)
    found, known = [], members(algorithms)
    for prediction in predictions:
        size = exact_step(prediction.step_size if prediction.rounds is not None else usual, task)
        member = known.get(prediction.member)
        if member is None or set(member.needs) - KNOWN_SETTINGS or size is None:
            continue
        watch(f"certifying {prediction.method}")
        there = table.copy()
        there[0] |= EVERYONE_FIRST in member.facts
        settings = {"probabilities": shares} if "probabilities" in member.needs else {}
        case = Case(
            member.name,
            Trace.fresh(there, local_steps=task.local_steps),
            question,
            size,
            settings=settings,
        )
        answer = worst_case(case, certified=True)
        if answer.bound is not None and answer.certificate is not None:
            names = tuple(summary.log.names[i] for i in chosen)
            found.append(
                Guarantee(
                    prediction.method,
                    names,
                    first + 1,
                    rounds,
                    size,
                    answer.bound,
                    answer.certificate,
                )
            )
    return tuple(found)


def worst_stretch(summary: Summary, client: int, rounds: int) -> int:
    """The first of `rounds` rounds that cover as much as possible of a client's longest absence,
    and its last round before it.

    >>> from fltheory.fleet.log import from_matrix
    >>> worst_stretch(Summary(from_matrix([[1], [0], [1], [0], [0], [0], [1]])), 0, 4)
    2
    """
    log = summary.log
    runs = slice(log.first[client], log.first[client + 1])
    last = int(log.ends[runs][np.argmax(summary.absences[runs])]) - 1
    return min(last, log.num_rounds - rounds)


def exact_step(size: float, task: LearningTask) -> Fraction | None:
    """The step size 1/(2^k L K) nearest to a float.

    >>> exact_step(1 / 12, LearningTask(smoothness=3))
    Fraction(1, 12)
    """
    if not math.isfinite(size):
        return None
    largest = 1 / (task.smoothness * task.local_steps)
    return Fraction(largest / 2 ** round(math.log2(float(largest) / size)))
