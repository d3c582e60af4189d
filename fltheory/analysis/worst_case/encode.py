"""From a method, a trace and a question to the encoding of the worst case."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fltheory.analysis.worst_case.client_symmetry import Members, alike
from fltheory.analysis.worst_case.encoding import Encoding
from fltheory.analysis.worst_case.memory import refuse_if_too_large
from fltheory.analysis.worst_case.question import Metric, Question
from fltheory.analysis.worst_case.recording import record
from fltheory.core.types import ExactLike, StepSize
from fltheory.engine.arithmetic import RATIONAL, Arithmetic
from fltheory.engine.roles import Algorithm
from fltheory.traces.trace import Trace


def encode(
    algorithm: Algorithm,
    trace: Trace,
    question: Question,
    *,
    local_step_size: StepSize,
    server_step_size: StepSize = 1,
    importance: Sequence[ExactLike] | None = None,
    members: Members | None = None,
    numbers: Arithmetic = RATIONAL,
) -> Encoding:
    """Run a method over coefficients and state its worst case.

    Clients that act alike form classes, unless `members` gives other classes.
    """
    busiest = int((trace.local_steps * trace.delivers).sum(axis=0).max())
    # a lower bound on the memory that is known before the run
    refuse_if_too_large(trace.num_clients, busiest + 1, [busiest], exact=numbers is RATIONAL)
    steps = max(int(trace.local_steps.max()), 1) if question.virtual else 1
    weights = question.model_weights(trace.num_rounds * steps)
    units = [tuple(Fraction(int(s == t)) for s in range(len(weights))) for t in range(len(weights))]
    known = question.conditions
    wanted = (
        {weights: Fraction(1)}
        if question.metric is Metric.LOSS
        else {units[t]: w for t, w in enumerate(weights) if w}
    )
    if known.loss_gap is not None:
        wanted.setdefault(units[0], Fraction(0))
    if known.bound_dissimilarity:
        for t in range(trace.num_rounds):
            wanted.setdefault(units[t * steps], Fraction(0))
    start = list(wanted).index(units[0]) if known.loss_gap is not None else None
    recording = record(
        algorithm,
        trace,
        members or alike(trace, *([importance] if importance is not None else [])),
        local_step_size=local_step_size,
        server_step_size=server_step_size,
        importance=importance,
        has_optimum=question.functions.convex,
        common_optimum=known.heterogeneity == 0,
        wanted=list(wanted),
        virtual=question.virtual,
        noisy=bool(known.gradient_noise_squared),
        numbers=numbers,
    )
    if known.heterogeneity == 0:
        known = replace(known, heterogeneity=None)
    return Encoding(
        question.functions, recording, known, question.metric, tuple(wanted.values()), start
    )
