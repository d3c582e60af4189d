"""Rates of anarchic federated learning: its step sizes, its thresholds, and the leading terms on
quadratics."""

import math
from dataclasses import replace
from fractions import Fraction

import sympy

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.analysis.regimes import Leading, LeadingVariables, RateMetric, Regime, RunPlan
from fltheory.analysis.sizes import RunSize
from fltheory.claims.claim import Severity
from fltheory.claims.rates import constant_steps, rate_claims
from fltheory.papers.afl.paper import PAPER


def _anarchic_device(size: RunSize) -> RunPlan:
    """eta_L = 1/sqrt T, eta = sqrt m (AFL Corollaries 1 and 2)."""
    return RunPlan(
        AfaCrossDevice(),
        size.tables(everyone_first=False),
        1 / math.sqrt(size.num_rounds),
        math.sqrt(size.used),
    )


def _anarchic_silo(size: RunSize) -> RunPlan:
    """eta_L = 1/sqrt T, eta = sqrt M (AFL Corollary 3)."""
    return RunPlan(
        AfaCrossSilo(), size.tables(), 1 / math.sqrt(size.num_rounds), math.sqrt(size.num_clients)
    )


def _anarchic_threshold(size: RunSize, workers: int, oldest: int) -> int:
    """T >= max{180 K^2 L^2 max(tau, 1), m L^2 (1 + sqrt(1 + 3 tau^2))^2}: eq. (4) at the
    corollaries' step sizes, M for m with memory."""
    return math.ceil(
        max(
            180 * size.local_steps**2 * max(oldest, 1),
            workers * (1 + math.sqrt(1 + 3 * oldest**2)) ** 2,
        )
    )


def _device_threshold(size: RunSize) -> int:
    return _anarchic_threshold(size, size.used, size.delay)


def _silo_threshold(size: RunSize) -> int:
    """An entry of the memory is as old as its delay and the turns since it came in."""
    return _anarchic_threshold(
        size, size.num_clients, size.num_clients // size.used - 1 + size.delay
    )


def _leading_device(at: LeadingVariables) -> sympy.Expr:
    """AFL Corollaries 1 and 2, eta eta_L = sqrt(m/T), each update the mean of m K gradients: nu =
    sigma^2/(m K), whatever the delay."""
    pull = sympy.sqrt(at.used)
    return constant_steps(pull, pull**2 / (at.used * at.steps))


def _leading_silo(at: LeadingVariables) -> sympy.Expr:
    """AFL Corollary 3, eta eta_L = sqrt(M/T); of m workers in turn each update acts for M/m rounds
    with weight 1/M: nu = sigma^2/(m K)."""
    pull = sympy.sqrt(at.clients)
    return constant_steps(pull, pull**2 / (at.used * at.steps))


ONE, HALF = Fraction(1), Fraction(1, 2)
ROOT = sympy.Rational(1, 2)
REGIMES = (
    Regime(
        "afl.cor1",
        "afa-cd",
        RateMetric.MEAN_SQUARE,
        {"m": -HALF, "T": -HALF},
        _anarchic_device,
        _device_threshold,
        leading=Leading(ROOT, _leading_device, in_turn=True),
    ),
    Regime(
        "afl.cor2",
        "afa-cd",
        RateMetric.MEAN_SQUARE,
        {"m": -HALF, "T": -HALF, "K": 0 * ONE, "staleness": 0 * ONE},
        _anarchic_device,
        _device_threshold,
        stale_by="delay",
        repeats=("m", "T"),  # the runs of afl.cor1
        leading=Leading(ROOT, _leading_device, in_turn=True),
    ),
    Regime(
        "afl.cor3",
        "afa-cs",
        RateMetric.MEAN_SQUARE,
        {"M": -HALF, "T": -HALF, "K": 0 * ONE},
        _anarchic_silo,
        _silo_threshold,
        arrivals={"M": (None, 1)},
        repeats=("T", "K"),  # with everybody in every round, the runs of afl.cor1 and afl.cor2
        leading=Leading(ROOT, _leading_silo, in_turn=True, fixed_arrivals=True),
    ),
)
CLAIMS = tuple(
    replace(
        claim,
        severity=Severity.THEOREM,
        says=claim.says.replace(
            "the quantity", "whether all workers arrive or one per round in turn, the quantity"
        ),
        note="With one arrival per round the noise does not fall with M: afl.cor3.explicit.",
    )
    if claim.id == "afl.cor3.rate.M"
    else claim
    for claim in rate_claims(PAPER, REGIMES)
)
