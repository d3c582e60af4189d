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

import numpy as np

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.moments import mean_squares
from fltheory.core.errors import Diverged
from fltheory.core.types import FloatArray
from fltheory.engine.compiled.moments import knows
from fltheory.engine.compiled.simulate import simulate_quadratic
from fltheory.engine.roles import Algorithm
from fltheory.engine.traits import rule_of
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


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
                means = self._means(product)
                noise = self._squares(0, self._noisy, product)
            self.known[product] = Response(*means, noise)
        return self.known[product]

    def _means(self, product: Fraction) -> tuple[FloatArray, FloatArray, FloatArray]:
        """a^2, ab and b^2: from one run with two coordinates where compiled code supports it, else
        from the squares of three runs."""
        rule = rule_of(self.algorithm)
        if rule is not None and not rule.weighted and knows(self.algorithm, self._apart):
            try:
                models = simulate_quadratic(
                    self.algorithm, self._both, self.trace, start=(1, 0), local_step_size=product
                )
            except Diverged:
                endless = np.full(self.trace.num_rounds + 1, np.inf)
                return endless, endless, endless
            return models[:, 0] ** 2, models[:, 0] * models[:, 1], models[:, 1] ** 2
        start = self._squares(1, self._together, product)
        apart = self._squares(0, self._apart, product)
        both_squares = self._squares(1, self._apart, product)
        return start, (both_squares - start - apart) / 2, apart

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

    @cached_property
    def _both(self) -> Quadratic:
        """Two coordinates: without and with distance between the optima."""
        return Quadratic(((1, 1),) * len(self.ranks), tuple((0, rank) for rank in self.ranks))


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
