"""Regimes: how a paper chooses step sizes from clients, local steps and rounds, and which quantity
then falls at which rate.

A regime measures its quantity on quadratics with curvature 1 and noise of variance 1, by exact
moments (no sampling error) or by samples. The claimed exponents are the papers'.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

import numpy as np

from fltheory.analysis.moments import expected_gap, mean_squares
from fltheory.analysis.monte_carlo import RUNS_PER_SEED, NoisyRuns
from fltheory.analysis.periodic import is_quick, mean_square
from fltheory.analysis.sizes import RunSize
from fltheory.core.types import Array, FloatArray, Start, StepSize
from fltheory.engine.compiled.moments import (
    Tables,
    compiled_adjoint,
    compiled_mean_squares,
    knows,
)
from fltheory.engine.compiled.simulate import simulate_quadratic
from fltheory.engine.noise import Gaussian
from fltheory.engine.roles import Algorithm
from fltheory.engine.traits import rule_of

if TYPE_CHECKING:
    import sympy

BATCH_NUMBERS = 1 << 23
"""How many numbers the models of one batch of sampled runs have."""


class RateMetric(Enum):
    """The quantity whose rate a theorem states."""

    WEIGHTED_GAP = "loss gap of the weighted average of the models"
    LEAST_SQUARE = "least expected squared gradient over the models"
    MEAN_SQUARE = "expected squared gradient, averaged over the rounds"
    MEAN_GAP = "expected loss gap, averaged over the rounds"


MEANS = {RateMetric.MEAN_SQUARE: 1.0, RateMetric.MEAN_GAP: 0.5}
"""Metrics that are a multiple of the mean of E x_t^2 over the rounds, with the factor."""


class StepSizes(TypedDict):
    """Step sizes as keyword arguments."""

    local_step_size: StepSize
    server_step_size: StepSize


class StartAndSizes(StepSizes):
    """A starting model and step sizes as keyword arguments."""

    start: Start


class RunPlan(NamedTuple):
    """What a regime runs at one size.

    Weighted averages start at the optimum, where only noise moves them; the others start at 1.
    """

    algorithm: Algorithm
    tables: Tables
    local_step_size: StepSize
    server_step_size: float = 1.0
    average: Callable[[Any], Any] | None = None
    """Weight of model t; it is called with one round and with an array of them."""

    @property
    def start(self) -> int:
        """The starting model."""
        return 1 if self.average is None else 0

    @property
    def sizes(self) -> StepSizes:
        """The step sizes as keyword arguments."""
        return {"local_step_size": self.local_step_size, "server_step_size": self.server_step_size}

    @property
    def run(self) -> StartAndSizes:
        """The start and the step sizes as keyword arguments."""
        return {"start": self.start, **self.sizes}

    def shares(self) -> FloatArray:
        """Weights of all models in the average, which sum to 1."""
        weights = (
            np.asarray(self.average(np.arange(self.tables.rounds + 1.0)))
            if self.average
            else np.zeros(0)
        )
        return weights / weights.sum()


@dataclass(frozen=True)
class LeadingVariables:
    """What a leading constant depends on, as numbers or formulas: clients, local steps, period of
    availability, clients used per round."""

    clients: "sympy.Expr"
    steps: "sympy.Expr"
    period: "sympy.Expr"
    used: "sympy.Expr"


@dataclass(frozen=True)
class Leading:
    """rounds^power times the quantity tends to `constant(variables)`; the flags say which sizes the
    theorem leaves free.

    `one_step`: clients take one local step. `in_turn`: some clients are used per round, in turn.
    `in_pairs`: half of the clients are slow. `fixed_arrivals`: the number of arrivals need not grow
    with the number of clients. `waits`: clients have a period of availability, and `period_of(v)`
    is the period with staleness v.
    """

    power: "sympy.Rational"
    constant: "Callable[[LeadingVariables], sympy.Expr]"
    one_step: bool = False
    in_turn: bool = False
    in_pairs: bool = False
    fixed_arrivals: bool = False
    waits: bool = False
    period_of: "Callable[[sympy.Expr], sympy.Expr]" = lambda value: value


@dataclass(frozen=True)
class Regime:
    """A paper's rate: `plan(size)` is the run, `metric` its quantity, `claimed` its exponents by
    variable.

    `least_rounds(size)` is the least number of rounds that the theorem asks for, and `offset(size)`
    the a of step sizes that decay like 1/(t + a). `stale_by` is the field of a size that makes work
    stale, and `staleness(value)` the claim's own variable for its values. `local_steps` are taken
    while another variable varies. `arrivals` holds, for some variables, the numbers of clients that
    arrive per round, in turn (None: all); the rate must hold for each of them. `leading` is the
    exact leading term, if it is known. `repeats` names variables whose runs are those of another
    regime: they are claimed there, so that one measurement counts once.
    """

    claim: str
    algorithm: str
    metric: RateMetric
    claimed: Mapping[str, Fraction]
    plan: Callable[[RunSize], RunPlan]
    least_rounds: Callable[[RunSize], int]
    offset: Callable[[RunSize], int] = lambda size: 0
    staleness: Callable[[int], float] = float
    stale_by: str = "period"
    local_steps: int = 1
    arrivals: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)
    leading: "Leading | None" = None
    repeats: tuple[str, ...] = ()

    @property
    def own(self) -> tuple[str, ...]:
        """The variables in which the rate is a claim of its own."""
        return tuple(variable for variable in self.claimed if variable not in self.repeats)

    def arrivals_for(self, variable: str) -> tuple[int | None, ...]:
        """Numbers of arrivals per round to try while one variable varies."""
        return self.arrivals.get(variable, (None,))

    def numbers(self, size: RunSize, *, runs: int | None) -> int:
        """How many numbers a measurement at one size changes: those of the covariance, of one
        adjoint pass, or of `runs` sampled runs."""
        if runs is None and self.metric is not RateMetric.WEIGHTED_GAP:
            return size.work
        return size.num_rounds * size.num_clients * (runs or 1)

    def by_moments(self, size: RunSize) -> float:
        """The quantity at one size by exact moments, in double precision."""
        plan, problem = self.plan(size), size.problem()
        known = knows(plan.algorithm, problem)
        if self.metric in MEANS and is_quick(plan.algorithm, problem, plan.tables, **plan.sizes):
            return MEANS[self.metric] * mean_square(
                plan.algorithm, problem, plan.tables, **plan.run
            )
        if plan.average is None:
            if known:
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

    def by_samples(self, size: RunSize, *, runs: int, seed: int = 0) -> tuple[float, float]:
        """The quantity at one size from sampled runs, and its standard error.

        One half of the runs selects the model with the least expected square and the other half
        measures it, because the least of many noisy means lies below the least mean.
        """
        together = max(1, BATCH_NUMBERS // (size.num_rounds + 1))
        parts = [
            self._sampled(size, tuple(range(first, min(first + together, runs))), seed)
            for first in range(0, runs, together)
        ]
        found = np.concatenate(parts)
        if self.metric is RateMetric.LEAST_SQUARE:
            half = runs // 2
            found = found[half:, found[:half].mean(axis=0).argmin()]
        return float(found.mean()), float(found.std(ddof=1) / math.sqrt(len(found)))

    def _sampled(self, size: RunSize, numbers: tuple[int, ...], seed: int) -> Array:
        """One observation per run, or one per run and model for the least expected square."""
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
        return (
            models**2 if self.metric is RateMetric.LEAST_SQUARE else self._combined((models**2).T)
        )

    def _combined(self, squares: Array) -> Array:
        """The quantity from E x^2 at each model (first axis), which for curvature 1 is
        E |grad f|^2 and twice the loss gap."""
        if self.metric is RateMetric.LEAST_SQUARE:
            return squares.min(axis=0)
        return MEANS[self.metric] * squares[:-1].mean(axis=0)
