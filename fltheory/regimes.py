"""Regimes: how each paper ties its step sizes to clients, local steps and rounds, and which quantity then falls at which rate.

Each regime measures its quantity on quadratics with unit curvature and unit noise: by exact moments, so that rates can be read off
without sampling error, or by samples. The claimed exponents are the papers'; a measured one stands beside each.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.errors import InvalidInput
from fltheory.moments import expected_gap, state_moments
from fltheory.noise import Gaussian
from fltheory.problems.quadratic import Quadratic
from fltheory.sampling import NoisyRuns
from fltheory.selection import longest_absent
from fltheory.trace import Trace

MIFA_OFFSET = 100
"""a = max{100, 40 t0} at condition number 1 (MIFA Theorem 5.1)."""


@dataclass(frozen=True)
class Size:
    """What a rate may depend on. Everybody is available in one round of every `period`; then `clients_per_round` are used."""

    num_clients: int = 4
    local_steps: int = 1
    num_rounds: int = 4000
    period: int = 1
    clients_per_round: int | None = None

    @property
    def used(self) -> int:
        return self.clients_per_round or self.num_clients

    def trace(self, *, everyone_first: bool = True) -> Trace:
        """The longest absent of those available deliver, from the newest model."""
        available = np.zeros((self.num_rounds, self.num_clients), bool)
        available[:: self.period] = True
        delivers = longest_absent(available, self.used)
        if everyone_first:
            delivers[0] = True
        return Trace.fresh(delivers, local_steps=self.local_steps)

    def problem(self) -> Quadratic:
        """Unit curvature, optimum 0, unit noise for every client."""
        return Quadratic((1,) * self.num_clients, (0,) * self.num_clients, noise_squared=1)


class Metric(Enum):
    """Which quantity falls."""

    WEIGHTED_GAP = "loss gap of the weighted average of the models"
    LEAST_SQUARE = "least expected squared gradient over the models"
    MEAN_SQUARE = "expected squared gradient, averaged over the rounds"
    MEAN_GAP = "expected loss gap, averaged over the rounds"


class Plan(NamedTuple):
    """What a regime runs at one size; weighted averages start at the optimum, where only noise moves them, the others at 1."""

    algorithm: Any
    local_step_size: Any
    server_step_size: float = 1.0
    everyone_first: bool = True
    average: Callable[[int], Any] | None = None

    @property
    def start(self) -> int:
        return 1 if self.average is None else 0


@dataclass(frozen=True)
class Regime:
    """A paper's rate: `plan(size)` runs it, `metric` is its quantity, `claimed` the exponent in each variable.

    `offset` is a natural shift of T. `base` holds the other variables while one is varied; `bases` has, for some variables, longer
    runs or several patterns of arrivals instead, for a rate must hold for all of them.
    """

    claim: str
    algorithm: str
    metric: Metric
    claimed: Mapping[str, Fraction]
    plan: Callable[[Size], Plan]
    base: Size = field(default_factory=Size)
    bases: Mapping[str, tuple[Size, ...]] = field(default_factory=dict)
    offset: float = 0.0

    def bases_for(self, variable: str) -> tuple[Size, ...]:
        """Where the other variables stand while one is varied."""
        return self.bases.get(variable, (self.base,))

    def by_moments(self, size: Size) -> float:
        """The quantity at one size, exact up to rounding."""
        plan = self.plan(size)
        trace = size.trace(everyone_first=plan.everyone_first)
        run = {"start": plan.start, "local_step_size": plan.local_step_size, "server_step_size": plan.server_step_size}
        if plan.average is not None:
            return float(expected_gap(plan.algorithm, size.problem(), trace, average=plan.average, **run).total)
        found = state_moments(plan.algorithm, size.problem(), trace, **run)
        squares = np.array([mean[0] ** 2 + covariance[0, 0] for mean, covariance in found])
        return float(self._combined(squares))

    def by_samples(self, size: Size, *, runs: int, seed: int = 0) -> tuple[float, float]:
        """The quantity at one size from so many noisy runs, and its standard error."""
        plan = self.plan(size)
        problem = size.problem()
        noisy = NoisyRuns(plan.algorithm, problem, size.trace(everyone_first=plan.everyone_first), Gaussian(problem, 1), start=plan.start,
                          local_step_size=plan.local_step_size, server_step_size=plan.server_step_size)
        if plan.average is not None:
            found = noisy.gaps(average=plan.average)(seed, 0, runs)
        else:
            squares = noisy.models(seed, 0, runs)[:, :, 0] ** 2
            best = int(squares.mean(axis=0).argmin())
            found = squares[:, best] if self.metric is Metric.LEAST_SQUARE else self._combined(squares.T)
        return float(found.mean()), float(found.std(ddof=1) / math.sqrt(runs))

    def _combined(self, squares: Any) -> Any:
        """From E x^2 at each model (first axis), which on unit curvature is E |grad f|^2 and twice the loss gap."""
        if self.metric is Metric.LEAST_SQUARE:
            return squares.min(axis=0)
        return squares[:-1].mean(axis=0) / (2 if self.metric is Metric.MEAN_GAP else 1)


def _mifa_strongly_convex(size: Size) -> Plan:
    """eta_t = 4/(mu K (t + a)) and weights (t+a-1)(t+a-2), a = max{100, 40 t0} with t0 = period - 1 (MIFA Theorem 5.1)."""
    offset = max(MIFA_OFFSET, 40 * (size.period - 1))
    return Plan(Mifa(), lambda index: 4 / (size.local_steps * (index + 1 + offset)),
                average=lambda index: (index + offset) * (index + offset - 1))


def _mifa_nonconvex(size: Size) -> Plan:
    """eta = sqrt(N/(K T L (1 + nubar))) (MIFA Theorem 6.1)."""
    return Plan(Mifa(), math.sqrt(size.num_clients / (size.local_steps * size.num_rounds * size.period)))


def _fedlaavg(size: Size) -> Plan:
    """gamma = beta^(1/2) N^(1/4)/(2 L E^(1/2) T^(1/2)) (FedLaAvg Corollary 1)."""
    share = size.used / size.num_clients
    step = math.sqrt(share) * size.num_clients**0.25 / (2 * math.sqrt(size.period * size.num_rounds))
    return Plan(FedLaAvg(), step, everyone_first=False)


def _anarchic_device(size: Size) -> Plan:
    """eta_L = 1/sqrt T, eta = sqrt m (AFL Corollary 2)."""
    return Plan(AfaCrossDevice(), 1 / math.sqrt(size.num_rounds), math.sqrt(size.used), everyone_first=False)


def _anarchic_silo(size: Size) -> Plan:
    """eta_L = 1/sqrt T, eta = sqrt M (AFL Corollary 3)."""
    return Plan(AfaCrossSilo(), 1 / math.sqrt(size.num_rounds), math.sqrt(size.num_clients))


def _synchronous(size: Size) -> Plan:
    """eta_l = 1/sqrt(K N) with N rounds (Fraboni et al., eq. 11)."""
    return Plan(FedAvg(), 1 / math.sqrt(size.local_steps * size.num_rounds))


ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)
LONG = Size(num_clients=2, num_rounds=64_000)
REGIMES = (
    Regime("mifa.thm5.1", "mifa", Metric.WEIGHTED_GAP, {"N": -ONE, "K": -ONE, "T": -ONE, "staleness": ONE}, _mifa_strongly_convex,
           bases={"staleness": (LONG,)}, offset=MIFA_OFFSET),
    Regime("mifa.thm6.1", "mifa", Metric.LEAST_SQUARE, {"N": -HALF, "K": -HALF, "T": -HALF, "staleness": HALF}, _mifa_nonconvex),
    Regime("fedlaavg.cor1", "fedlaavg", Metric.MEAN_SQUARE, {"N": -QUARTER, "T": -HALF, "staleness": HALF, "m": -HALF}, _fedlaavg,
           bases={"m": (Size(num_clients=8),)}),
    Regime("afl.cor2", "afa-cd", Metric.MEAN_SQUARE, {"m": -HALF, "T": -HALF, "K": 0 * ONE}, _anarchic_device,
           base=Size(num_clients=8, clients_per_round=2)),
    Regime("afl.cor3", "afa-cs", Metric.MEAN_SQUARE, {"M": -HALF, "T": -HALF, "K": 0 * ONE}, _anarchic_silo,
           bases={"M": (Size(), Size(clients_per_round=1))}),
    Regime("fraboni.eq11", "fedavg", Metric.MEAN_GAP, {"T": -HALF, "K": -HALF}, _synchronous, bases={"K": (Size(num_rounds=16_000),)}),
)


def find_regime(name: str) -> Regime:
    """The regime of a claim, or the first one of an algorithm.

    >>> find_regime("mifa").claim, find_regime("afl.cor3").algorithm
    ('mifa.thm5.1', 'afa-cs')
    """
    for regime in REGIMES:
        if name in (regime.claim, regime.algorithm):
            return regime
    known = ", ".join(f"{regime.algorithm} ({regime.claim})" for regime in REGIMES)
    raise InvalidInput("regime", f"be one of {known}", repr(name))
