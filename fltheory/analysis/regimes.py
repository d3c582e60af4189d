"""Regimes: how a paper ties its step sizes to clients, local steps and rounds, and which quantity
then falls at which rate.

Each regime measures its quantity on quadratics with unit curvature and unit noise: by exact
moments, so that rates can be read off without sampling error, or by samples. The claimed exponents
are the papers'; a measured one stands beside each.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fltheory.analysis.moments import expected_gap, mean_squares
from fltheory.analysis.monte_carlo import RUNS_PER_SEED, NoisyRuns
from fltheory.analysis.periodic import is_quick, mean_square
from fltheory.analysis.sizes import Size
from fltheory.engine.compiled.moments import (
    Tables,
    compiled_adjoint,
    compiled_mean_squares,
    covariance_is_known,
    knows,
)
from fltheory.engine.compiled.simulate import simulate_quadratic
from fltheory.engine.noise import Gaussian
from fltheory.engine.traits import rule_of

if TYPE_CHECKING:
    import sympy

NUMBERS_AT_ONCE = 1 << 23
"""Numbers in the models of the runs that are sampled together."""


class Metric(Enum):
    """Which quantity falls."""

    WEIGHTED_GAP = "loss gap of the weighted average of the models"
    LEAST_SQUARE = "least expected squared gradient over the models"
    MEAN_SQUARE = "expected squared gradient, averaged over the rounds"
    MEAN_GAP = "expected loss gap, averaged over the rounds"


MEANS = {Metric.MEAN_SQUARE: 1.0, Metric.MEAN_GAP: 0.5}
"""What the mean of E x_t^2 over the rounds is multiplied by."""


class Plan(NamedTuple):
    """What a regime runs at one size; weighted averages start at the optimum, where only noise
    moves them, the others at 1."""

    algorithm: Any
    tables: Tables
    local_step_size: Any
    server_step_size: float = 1.0
    average: Callable[[Any], Any] | None = None

    @property
    def start(self) -> int:
        return 1 if self.average is None else 0

    @property
    def sizes(self) -> dict[str, Any]:
        return {"local_step_size": self.local_step_size, "server_step_size": self.server_step_size}

    @property
    def run(self) -> dict[str, Any]:
        return {"start": self.start, **self.sizes}

    def shares(self) -> Any:
        """Weights of all models in the average, which sum to 1."""
        weights = (
            np.asarray(self.average(np.arange(self.tables.rounds + 1.0)))
            if self.average
            else np.zeros(0)
        )
        return weights / weights.sum()


@dataclass(frozen=True)
class Setting:
    """What a leading constant depends on, as numbers or formulas: clients, local steps, the period
    of availability, clients used."""

    clients: "sympy.Expr"
    steps: "sympy.Expr"
    period: "sympy.Expr"
    used: "sympy.Expr"


@dataclass(frozen=True)
class Leading:
    """rounds^power times the quantity tends to `constant(setting)`; the flags say which sizes the
    theorem leaves free.

    `one_step`: it speaks of one local step. `in_turn`: of clients used per round, in turn.
    `in_pairs`: half of the clients are slow. `fixed_arrivals`: as many may arrive however many
    clients there are. `waits`: of a period of availability, with `period_of(v)` the period whose
    staleness is v.
    """

    power: "sympy.Rational"
    constant: "Callable[[Setting], sympy.Expr]"
    one_step: bool = False
    in_turn: bool = False
    in_pairs: bool = False
    fixed_arrivals: bool = False
    waits: bool = False
    period_of: "Callable[[sympy.Expr], sympy.Expr]" = lambda value: value


@dataclass(frozen=True)
class Regime:
    """A paper's rate: `plan(size)` runs it, `metric` is its quantity, `claimed` the exponent in
    each variable.

    `least_rounds(size)` is the least number of rounds that the theorem itself asks for,
    `offset(size)` the a of step sizes that decay like 1/(t + a), `staleness(value)` the claim's own
    variable for a value of `stale_by`, the part of a size that makes work stale, `local_steps`
    those taken while another variable varies. `arrivals` has, for some variables, patterns for all
    of which a rate must hold: so many clients arrive in a round, in turn (None: everybody).
    `leading` is the exact leading term, where it is known.
    """

    claim: str
    algorithm: str
    metric: Metric
    claimed: Mapping[str, Fraction]
    plan: Callable[[Size], Plan]
    least_rounds: Callable[[Size], int]
    offset: Callable[[Size], int] = lambda size: 0
    staleness: Callable[[int], float] = float
    stale_by: str = "period"
    local_steps: int = 1
    arrivals: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    leading: "Leading | None" = None

    def arrivals_for(self, variable: str) -> tuple[int | None, ...]:
        """Patterns of arrivals to try while one variable is varied."""
        return self.arrivals.get(variable, (None,))

    def numbers(self, size: Size, *, runs: int | None) -> int:
        """How many numbers change at one size: those of the covariance, or of one adjoint pass, or
        of so many sampled runs."""
        if runs is None and self.metric is not Metric.WEIGHTED_GAP:
            return size.work
        return size.num_rounds * size.num_clients * (runs or 1)

    def by_moments(self, size: Size) -> float:
        """The quantity at one size, exact up to rounding."""
        plan, problem = self.plan(size), size.problem()
        known = knows(plan.algorithm, problem)
        if self.metric in MEANS and is_quick(plan.algorithm, problem, plan.tables, **plan.sizes):
            return MEANS[self.metric] * mean_square(
                plan.algorithm, problem, plan.tables, **plan.run
            )
        if plan.average is None:
            if known and covariance_is_known(plan.algorithm, plan.tables):
                return float(
                    self._combined(
                        compiled_mean_squares(plan.algorithm, problem, plan.tables, **plan.run)
                    )
                )
            return float(
                self._combined(
                    mean_squares(plan.algorithm, problem, plan.tables.trace(), **plan.run)
                )
            )
        if known:
            mean, variance = compiled_adjoint(
                plan.algorithm, problem, plan.tables, weights=plan.shares(), **plan.run
            )
            return (mean**2 + variance) / 2
        return float(
            expected_gap(
                plan.algorithm, problem, plan.tables.trace(), average=plan.average, **plan.run
            ).total
        )

    def by_samples(self, size: Size, *, runs: int, seed: int = 0) -> tuple[float, float]:
        """The quantity at one size from so many noisy runs, and its standard error.

        The model with the least expected square is picked by one half of the runs and measured by
        the other: the least of many noisy means lies below the least mean.
        """
        together = max(1, NUMBERS_AT_ONCE // (size.num_rounds + 1))
        parts = [
            self._sampled(size, tuple(range(first, min(first + together, runs))), seed)
            for first in range(0, runs, together)
        ]
        found = np.concatenate(parts)
        if self.metric is Metric.LEAST_SQUARE:
            half = runs // 2
            found = found[half:, found[:half].mean(axis=0).argmin()]
        return float(found.mean()), float(found.std(ddof=1) / math.sqrt(len(found)))

    def _sampled(self, size: Size, numbers: tuple[int, ...], seed: int) -> Any:
        """One observation for each run, or one for each of its models where the least expected one
        is wanted."""
        plan, problem = self.plan(size), size.problem()
        trace = plan.tables.trace()
        rule = rule_of(plan.algorithm)
        if rule is not None and not rule.weighted and knows(plan.algorithm, problem):
            seeds = tuple(seed * RUNS_PER_SEED + number for number in numbers)
            models = simulate_quadratic(plan.algorithm, problem, trace, seed=seeds, **plan.run)[
                :, :, 0
            ]
        else:
            noisy = NoisyRuns(plan.algorithm, problem, trace, Gaussian(problem, 1), **plan.run)
            models = noisy.models(seed, numbers[0], len(numbers))[:, :, 0]
        if plan.average is not None:
            return (models @ plan.shares()) ** 2 / 2
        return models**2 if self.metric is Metric.LEAST_SQUARE else self._combined((models**2).T)

    def _combined(self, squares: Any) -> Any:
        """From E x^2 at each model (first axis), which on unit curvature is E |grad f|^2 and twice
        the loss gap."""
        if self.metric is Metric.LEAST_SQUARE:
            return squares.min(axis=0)
        return MEANS[self.metric] * squares[:-1].mean(axis=0)
