"""From a method and a trace to the encoding of its worst case."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from fltheory.analysis.worst_case.client_symmetry import Members, alike
from fltheory.analysis.worst_case.function_classes import FunctionClass
from fltheory.analysis.worst_case.memory import refuse_if_too_large
from fltheory.analysis.worst_case.problem import Conditions, Encoding, Metric
from fltheory.analysis.worst_case.recording import record
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.engine.arithmetic import RATIONAL, Arithmetic
from fltheory.engine.simulate import Algorithm
from fltheory.traces.trace import Trace


@dataclass(frozen=True)
class Question:
    """Which worst case is asked for: `weights` are over the models 0..num_rounds, and sum to 1 once
    normalised.

    Without weights, a loss is that of the last model, and gradients are those at all models but the
    last, equally weighted. With `virtual`, the models are the virtual ones (Fraboni's theta^{n,k},
    FedLaAvg's Algorithm 3): the model of round t after k of K local steps has the number t K + k,
    so there are num_rounds K + 1 of them.
    """

    functions: FunctionClass
    conditions: Conditions
    metric: Metric = Metric.LOSS
    weights: Any = None
    virtual: bool = False

    def __post_init__(self) -> None:
        if not self.functions.convex:
            if self.metric in (Metric.LOSS, Metric.MEAN_LOSS):
                raise InvalidInput(
                    "metric",
                    "be a squared gradient where functions need not be convex",
                    self.metric.name,
                )
            if self.conditions.loss_gap is None:
                raise InvalidInput(
                    "conditions",
                    "bound the loss gap at the start where functions need not be convex",
                    "none",
                )
            for name in ("distance_squared", "heterogeneity"):
                value = getattr(self.conditions, name)
                if value is not None:
                    raise InvalidInput(
                        name.replace("_", " "),
                        "be left out where there need not be an optimum",
                        value,
                    )

        if self.virtual and self.conditions.gradient_noise_squared:
            raise InvalidInput(
                "gradient noise",
                "be left out with virtual models",
                self.conditions.gradient_noise_squared,
            )

    def model_weights(self, num_moves: int) -> tuple[Fraction, ...]:
        """Weights of the models 0..num_moves, with sum 1."""
        if self.weights is None:
            if self.metric in (Metric.LOSS, Metric.MEAN_LOSS):
                return (Fraction(0),) * num_moves + (Fraction(1),)
            return (Fraction(1, num_moves),) * num_moves + (Fraction(0),)
        given = tuple(exact(w, f"weight of model {t}") for t, w in enumerate(self.weights))
        if len(given) != num_moves + 1:
            raise InvalidInput(
                "weights of the models", f"be one for each of {num_moves + 1} models", len(given)
            )
        if min(given) < 0 or sum(given) == 0:
            raise InvalidInput(
                "weights of the models", "be at least 0 and not all 0", [str(w) for w in given][:6]
            )
        return tuple(w / sum(given) for w in given)


def encode(
    algorithm: Algorithm,
    trace: Trace,
    question: Question,
    *,
    local_step_size: Any,
    server_step_size: Any = 1,
    importance: Sequence[Any] | None = None,
    members: Members | None = None,
    numbers: Arithmetic = RATIONAL,
) -> Encoding:
    """Run the method over coefficients and state its worst case; clients that act alike form
    classes unless `members` says otherwise."""
    busiest = int((trace.local_steps * trace.delivers).sum(axis=0).max())
    refuse_if_too_large(
        trace.num_clients, busiest + 1, [busiest], exact=numbers is RATIONAL
    )  # at least so much, and it is known at once
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
