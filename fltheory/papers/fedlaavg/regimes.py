"""Rates of FedLaAvg: its step sizes, its thresholds, and the leading terms on quadratics."""

import math
from fractions import Fraction

import sympy

from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.analysis.regimes import Leading, LeadingVariables, RateMetric, Regime, RunPlan
from fltheory.analysis.sizes import RunSize
from fltheory.claims.rates import constant_steps, rate_claims
from fltheory.papers.fedlaavg.paper import PAPER


def _fedlaavg(size: RunSize) -> RunPlan:
    """gamma = beta^(1/2) N^(1/4)/(2 L C E^(1/2) T^(1/2)) (FedLaAvg Corollary 1, where C = 1, and
    Theorem 4)."""
    share = size.used / size.num_clients
    step = (
        math.sqrt(share)
        * size.num_clients**0.25
        / (2 * size.local_steps * math.sqrt(size.period * size.num_rounds))
    )
    return RunPlan(FedLaAvg(), size.tables(everyone_first=False), step)


def _fedlaavg_threshold(size: RunSize) -> int:
    """T >= E N^(3/2)/beta, and gamma <= 1/(4L) (FedLaAvg Corollary 1, Theorem 4)."""
    share = size.used / size.num_clients
    least = 4 * share * math.sqrt(size.num_clients) / (size.local_steps**2 * size.period)
    return math.ceil(max(size.period * size.num_clients**1.5 / share, least))


def _everybody(size: RunSize) -> RunPlan:
    """gamma = N^(1/2)/(2 L T^(1/2)) with everybody in every round (FedLaAvg Theorem 3, full
    participation); below 1/(2L) for T > N."""
    return RunPlan(FedLaAvg(), size.tables(), math.sqrt(size.num_clients / size.num_rounds) / 2)


def _latest_averaging(at: LeadingVariables) -> sympy.Expr:
    """FedLaAvg Corollary 1 and Theorem 4, gamma C = beta^(1/2) N^(1/4)/(2 (E T)^(1/2)).

    Each gradient acts for E N/m rounds, so nu = sigma^2 E/(m C).
    """
    pull = (
        sympy.sqrt(at.used / at.clients)
        * at.clients ** sympy.Rational(1, 4)
        / (2 * sympy.sqrt(at.period))
    )
    return constant_steps(pull, pull**2 * at.period / (at.used * at.steps))


def _leading_everybody(at: LeadingVariables) -> sympy.Expr:
    """FedLaAvg Theorem 3 with full participation, gamma = N^(1/2)/(2 T^(1/2)): nu = sigma^2/N."""
    pull = sympy.sqrt(at.clients) / 2
    return constant_steps(pull, pull**2 / at.clients)


ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)
BY_SHARE = {"N": -QUARTER, "T": -HALF, "staleness": HALF, "m": -HALF}
ROOT = sympy.Rational(1, 2)
REGIMES = (
    Regime(
        "fedlaavg.cor1",
        "fedlaavg",
        RateMetric.MEAN_SQUARE,
        BY_SHARE,
        _fedlaavg,
        _fedlaavg_threshold,
        leading=Leading(ROOT, _latest_averaging, one_step=True, in_turn=True, waits=True),
    ),
    Regime(
        "fedlaavg.thm4",
        "fedlaavg",
        RateMetric.MEAN_SQUARE,
        {**BY_SHARE, "K": 0 * ONE},
        _fedlaavg,
        _fedlaavg_threshold,
        local_steps=2,
        leading=Leading(ROOT, _latest_averaging, in_turn=True, waits=True),
    ),
    Regime(
        "fedlaavg.thm3.fullpart",
        "fedlaavg",
        RateMetric.MEAN_SQUARE,
        {"N": -HALF, "T": -HALF},
        _everybody,
        lambda size: size.num_clients + 1,
        leading=Leading(ROOT, _leading_everybody, one_step=True),
    ),
)
CLAIMS = rate_claims(PAPER, REGIMES)
