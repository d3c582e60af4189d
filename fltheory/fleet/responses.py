"""How a method answers on a stand-in, once for all constants of the task.

With curvature h and step size eta, the model of a quadratic stand-in depends on eta h alone: its
mean is a start + b spread, where a and b are the answers to the first model 1 and to optima of unit
ranks, and its variance is V noise/h^2. So a few runs with curvature 1 give the expected gap for
every curvature, noise and heterogeneity.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.moments import mean_squares
from fltheory.core.types import FloatArray
from fltheory.engine.arithmetic.float_ import doubles
from fltheory.engine.compiled.moments import can_compile
from fltheory.engine.roles import Algorithm
from fltheory.engine.traits import rule_of
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

if TYPE_CHECKING:
    from fltheory.engine.compiled.answers import Uses


@dataclass(frozen=True, eq=False)
class Response:
    """Squares of the model before each round and after the last: a^2, ab, b^2 and V."""

    start: FloatArray
    cross: FloatArray
    apart: FloatArray
    noise: FloatArray


@dataclass(frozen=True, eq=False)
class Responses:
    """The answers of a method along a trace; `ranks` are the optima of the clients.

    >>> from fltheory import FedAvg
    >>> both = Responses(FedAvg(), Trace.fresh([[1, 1]] * 2), (Fraction(-1), Fraction(1)))
    >>> found = both.at(Fraction(1, 2))
    >>> found.start.tolist(), found.cross.tolist(), found.noise.tolist()
    ([1.0, 0.25, 0.0625], [0.0, 0.0, 0.0], [0.0, 0.125, 0.15625])
    """

    algorithm: Algorithm
    trace: Trace
    ranks: Sequence[Fraction]
    known: dict[Fraction, Response] = field(default_factory=dict)

    def at(self, product: Fraction) -> Response:
        """The answers for one product of step size and curvature."""
        if product not in self.known:
            with np.errstate(invalid="ignore", over="ignore"):
                self.known[product] = (
                    self._from_squares(product) if self._uses is None else self._compiled(product)
                )
        return self.known[product]

    @cached_property
    def _uses(self) -> "Uses | None":
        """Who uses which model, if compiled code supports the run: a server rule, weights of
        methods without memory only, equal numbers of local steps."""
        rule, steps = rule_of(self.algorithm), self.trace.local_steps[self.trace.delivers]
        if (
            rule is None
            or not can_compile(self.algorithm, self._apart, self.trace)
            or (steps != steps[:1]).any()
        ):
            return None
        weights = doubles(getattr(self.algorithm, "weights", 1) if rule.weighted else 1)
        if weights.ndim > 1 or (rule.weighted and rule.keeps_latest):
            return None
        from fltheory.engine.compiled.answers import uses_of

        return uses_of(
            self.trace.delivers,
            self.trace.started_from,
            np.broadcast_to(weights, len(self.ranks)).copy(),
            doubles(self.ranks),
            rule.keeps_latest,
        )

    def _compiled(self, product: Fraction) -> Response:
        """One run for a, b and V."""
        from fltheory.engine.compiled.answers import answer, answer_with_memory

        rule, uses, size = rule_of(self.algorithm), self._uses, float(product)
        assert rule is not None
        assert uses is not None
        steps = max(int(self.trace.local_steps.max()), 1)
        weight = (size if rule.own_step_size else 1.0) / (steps if rule.per_step else 1)
        gain = spread = 0.0
        for _ in range(steps):
            gain, spread = 1 + (1 - size) * gain, 1 + (1 - size) ** 2 * spread
        factor, found = (
            1.0 if rule.own_step_size else size,
            np.empty((3, self.trace.num_rounds + 1)),
        )
        gain, spread = weight * gain, weight**2 * spread
        if rule.keeps_latest:
            answer_with_memory(uses, gain, spread, factor / len(self.ranks), found)
        else:
            answer(uses, gain, spread, factor, rule.weighted, found)
        start, apart, noise = found
        return Response(start * start, start * apart, apart * apart, noise)

    def _from_squares(self, product: Fraction) -> Response:
        """The same from the squares of four runs."""
        start = self._squares(1, self._together, product)
        apart = self._squares(0, self._apart, product)
        both = self._squares(1, self._apart, product)
        noise = self._squares(0, self._noisy, product)
        return Response(start, (both - start - apart) / 2, apart, noise)

    def _squares(self, start: int, problem: Quadratic, product: Fraction) -> FloatArray:
        return mean_squares(
            self.algorithm, problem, self.trace, start=start, local_step_size=product
        )

    @cached_property
    def _together(self) -> Quadratic:
        return Quadratic((1,) * len(self.ranks), (0,) * len(self.ranks))

    @cached_property
    def _noisy(self) -> Quadratic:
        return replace(self._together, noise_squared=1)

    @cached_property
    def _apart(self) -> Quadratic:
        return Quadratic((1,) * len(self.ranks), tuple(self.ranks))


def same_answers(one: Responses, other: Responses, local_steps: int) -> bool:
    """Whether two methods move the model alike as long as the step size is constant.

    >>> from fltheory import FedAvg, Mifa, FedLaAvg
    >>> trace = Trace.fresh([[1, 0], [1, 1]])
    >>> some = [Responses(one, trace, (Fraction(1),)) for one in (FedAvg(), Mifa(), FedLaAvg())]
    >>> same_answers(some[1], some[2], 5), same_answers(some[0], some[1], 5)
    (True, False)
    """
    rules = rule_of(one.algorithm), rule_of(other.algorithm)
    traces = one.trace, other.trace
    if (
        None in rules
        or one.ranks != other.ranks
        or not all(
            np.array_equal(getattr(traces[0], name), getattr(traces[1], name))
            for name in ("delivers", "started_from", "local_steps")
        )
    ):
        return False
    if isinstance(one.algorithm, WeightedAggregation) or isinstance(
        other.algorithm, WeightedAggregation
    ):
        return one.algorithm == other.algorithm
    kept = [
        (rule.keeps_latest, local_steps > 1 and rule.per_step) for rule in rules if rule is not None
    ]
    return kept[0] == kept[1]
