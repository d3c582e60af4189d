"""Rates of Fraboni et al.: their step sizes, their thresholds, and the leading terms on
quadratics."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.regimes import Leading, LeadingVariables, RateMetric, Regime, RunPlan
from fltheory.analysis.sizes import RunSize
from fltheory.claims.rates import constant_steps, rate_claims
from fltheory.papers.fraboni.paper import PAPER
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy
from fltheory.traces.weights import policy_weights


def _synchronous(size: RunSize) -> RunPlan:
    """eta_l = 1/sqrt(K N) with N rounds (Fraboni et al., eq. 11)."""
    return RunPlan(FedAvg(), size.tables(), 1 / math.sqrt(size.local_steps * size.num_rounds))


def _synchronous_threshold(size: RunSize) -> int:
    """eta_l <= 1/(48 K L) min{1, 1/(3 rho^2 eta_g (tau + 1))} with rho = eta_g = 1 and tau = 0
    (Fraboni et al., Theorem 1)."""
    return 144**2 * size.local_steps


def _clocked(policy: Policy) -> tuple[Callable[[RunSize], RunPlan], Callable[[RunSize], int]]:
    """The same step size where every second client is twice as slow, weights by eq. (12) or (14),
    and the least rounds that it asks for."""

    def update_times(size: RunSize) -> list[int]:
        return [1 + i % 2 for i in range(size.num_clients)]

    def method(size: RunSize) -> WeightedAggregation:
        return WeightedAggregation(policy_weights(update_times(size), policy))

    def plan(size: RunSize) -> RunPlan:
        return RunPlan(
            method(size),
            size.clocked(update_times(size), policy),
            1 / math.sqrt(size.local_steps * size.num_rounds),
        )

    def least_rounds(size: RunSize) -> int:
        tables, weights = plan(size).tables, method(size).weights
        heaviest = max(1.0, (tables.delivers @ np.array(weights, float)).max())
        return math.ceil((144 * heaviest**2 * (tables.delays.max() + 1)) ** 2) * size.local_steps

    return plan, least_rounds


def _leading_synchronous(at: LeadingVariables) -> sympy.Expr:
    """Fraboni et al., eq. (11), eta_l = 1/sqrt(K T), half of the mean square: sigma = sqrt K, nu =
    1/N."""
    return _weighted(at, 1 / at.clients)


def _asynchronous(at: LeadingVariables) -> sympy.Expr:
    """Eq. (13), every second of N clients twice as slow, one arrival per round: d = 3/4 twice for
    each 3/2, so E d^2 = 9/8."""
    return _weighted(at, sympy.Rational(9, 8))


def _fixed_window(at: LeadingVariables) -> sympy.Expr:
    """Eq. (15), window 1: N/2 arrivals with d = 1/N in every round, N/2 with d = 2/N in every
    second one: sum of d^2 = 3/(2 N)."""
    return _weighted(at, sympy.Rational(3, 2) / at.clients)


def _weighted(at: LeadingVariables, squares: sympy.Expr) -> sympy.Expr:
    """Half of the mean square for sigma = sqrt K and nu = the mean sum of squared weights of a
    round."""
    return constant_steps(sympy.sqrt(at.steps), squares) / 2


HALF = Fraction(1, 2)
ROOT = sympy.Rational(1, 2)
REGIMES = (
    Regime(
        "fraboni.eq11",
        "fedavg",
        RateMetric.MEAN_GAP,
        {"T": -HALF, "K": -HALF},
        _synchronous,
        _synchronous_threshold,
        leading=Leading(ROOT, _leading_synchronous),
    ),
    Regime(
        "fraboni.eq13",
        "async",
        RateMetric.MEAN_GAP,
        {"T": -HALF, "K": -HALF},
        *_clocked(Asynchronous()),
        leading=Leading(ROOT, _asynchronous, in_pairs=True),
    ),
    Regime(
        "fraboni.eq15",
        "fedfix",
        RateMetric.MEAN_GAP,
        {"T": -HALF, "K": -HALF},
        *_clocked(FixedWindow(1)),
        leading=Leading(ROOT, _fixed_window, in_pairs=True),
    ),
)
CLAIMS = rate_claims(PAPER, REGIMES)
