"""Rates of MIFA: its step sizes, its thresholds, and the leading terms on quadratics."""

import math
from fractions import Fraction

import sympy

from fltheory.algorithms.mifa import Mifa
from fltheory.analysis.regimes import Leading, LeadingVariables, RateMetric, Regime, RunPlan
from fltheory.analysis.sizes import RunSize
from fltheory.claims.rates import rate_claims
from fltheory.papers.mifa.paper import PAPER

MIFA_OFFSET = 100
"""a = max{100, 40 t0} at condition number 1 (MIFA Theorem 5.1)."""


def _mifa_offset(size: RunSize) -> int:
    """a = max{100, 40 t0} with t0 = period - 1 (MIFA Theorem 5.1, condition number 1); the run
    should outlast it."""
    return max(MIFA_OFFSET, 40 * (size.period - 1))


def _mifa_strongly_convex(size: RunSize) -> RunPlan:
    """eta_t = 4/(mu K (t + a)) and weights (t+a-1)(t+a-2) (MIFA Theorem 5.1)."""
    offset = _mifa_offset(size)
    return RunPlan(
        Mifa(),
        size.tables(),
        lambda index: 4 / (size.local_steps * (index + 1 + offset)),
        average=lambda index: (index + offset) * (index + offset - 1),
    )


def _mifa_nonconvex(size: RunSize) -> RunPlan:
    """eta = sqrt(N/(K T L (1 + nubar))) (MIFA Theorem 6.1)."""
    return RunPlan(
        Mifa(),
        size.tables(),
        math.sqrt(size.num_clients / (size.local_steps * size.num_rounds * size.period)),
    )


def _mifa_threshold(size: RunSize) -> int:
    """T >= max{32 alpha L N K, 16 L N K, 8 K N nu_max^2 (L^2 + rho delta)/L}; alpha = 1 and rho = 0
    here (MIFA Theorem 6.1)."""
    return size.num_clients * size.local_steps * max(32, 8 * (size.period - 1) ** 2)


def _leading_strongly_convex(at: LeadingVariables) -> sympy.Expr:
    """MIFA Theorem 5.1, T times the gap: 24/35 (2 taubar + 1)/(N K), with 2 taubar + 1 = period."""
    return sympy.Rational(24, 35) * at.period / (at.clients * at.steps)


def _leading_nonconvex(at: LeadingVariables) -> sympy.Expr:
    """MIFA Theorem 6.1, eta = sqrt(N/(K T (1 + nubar))): sigma = K eta sqrt T and nu = eta^2 T K (1
    + nubar)/N = 1."""
    return 1 / (2 * sympy.sqrt(at.clients * at.steps / at.period))


ONE, HALF = Fraction(1), Fraction(1, 2)
REGIMES = (
    Regime(
        "mifa.thm5.1",
        "mifa",
        RateMetric.WEIGHTED_GAP,
        {"N": -ONE, "K": -ONE, "T": -ONE, "staleness": ONE},
        _mifa_strongly_convex,
        _mifa_offset,
        _mifa_offset,
        staleness=lambda period: (period + 1) / 2,
        leading=Leading(
            sympy.S.One, _leading_strongly_convex, waits=True, period_of=lambda value: 2 * value - 1
        ),
    ),
    Regime(
        "mifa.thm6.1",
        "mifa",
        RateMetric.LEAST_SQUARE,
        {"N": -HALF, "K": -HALF, "T": -HALF, "staleness": HALF},
        _mifa_nonconvex,
        _mifa_threshold,
        leading=Leading(sympy.Rational(1, 2), _leading_nonconvex, waits=True),
    ),
)
CLAIMS = rate_claims(PAPER, REGIMES)
