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
from fltheory.compiled.moments import compiled_adjoint, compiled_mean_squares, knows
from fltheory.compiled.simulate import simulate_quadratic
from fltheory.errors import InvalidInput
from fltheory.moments import expected_gap, mean_squares
from fltheory.noise import Gaussian
from fltheory.problems.quadratic import Quadratic
from fltheory.sampling import RUNS_PER_SEED, NoisyRuns
from fltheory.selection import longest_absent
from fltheory.trace import BoolArray, Trace

MIFA_OFFSET = 100
"""a = max{100, 40 t0} at condition number 1 (MIFA Theorem 5.1)."""

NUMBERS_AT_ONCE = 1 << 23
"""Numbers in the models of the runs that are sampled together."""


@dataclass(frozen=True)
class Size:
    """What a rate may depend on. Everybody is available in one round of every `period`; then `clients_per_round` are used."""

    num_clients: int = 2
    local_steps: int = 1
    num_rounds: int = 1000
    period: int = 1
    clients_per_round: int | None = None

    @property
    def used(self) -> int:
        return self.clients_per_round or self.num_clients

    def delivers(self, *, everyone_first: bool = True) -> BoolArray:
        """The longest absent of those available deliver: where their number divides all clients, the turns repeat.

        >>> Size(num_clients=4, num_rounds=3, clients_per_round=2).delivers().astype(int).tolist()
        [[1, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0]]
        """
        turns = -(-self.num_rounds // self.period)
        cycle = self.num_clients // self.used if self.num_clients % self.used == 0 else turns
        once = longest_absent(np.ones((cycle, self.num_clients), bool), self.used)
        matrix = np.zeros((self.num_rounds, self.num_clients), bool)
        matrix[:: self.period] = np.tile(once, (-(-turns // cycle), 1))[:turns]
        if everyone_first:
            matrix[0] = True
        return matrix

    def trace(self, *, everyone_first: bool = True) -> Trace:
        """The same, each delivery from the newest model."""
        return Trace.fresh(self.delivers(everyone_first=everyone_first), local_steps=self.local_steps)

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
    average: Callable[[Any], Any] | None = None

    @property
    def start(self) -> int:
        return 1 if self.average is None else 0

    def shares(self, num_rounds: int) -> Any:
        """Weights of all models in the average, which sum to 1."""
        weights = np.asarray(self.average(np.arange(num_rounds + 1.0))) if self.average else np.zeros(0)
        return weights / weights.sum()


@dataclass(frozen=True)
class Regime:
    """A paper's rate: `plan(size)` runs it, `metric` is its quantity, `claimed` the exponent in each variable.

    `least_rounds(size)` is the least number of rounds that the theorem itself asks for, `offset(size)` the a of step sizes that decay
    like 1/(t + a), `staleness(period)` the claim's own variable. `arrivals` has, for some variables, patterns for all of which a
    rate must hold: so many clients arrive in a round, in turn (None: everybody).
    """

    claim: str
    algorithm: str
    metric: Metric
    claimed: Mapping[str, Fraction]
    plan: Callable[[Size], Plan]
    least_rounds: Callable[[Size], int]
    offset: Callable[[Size], int] = lambda size: 0
    staleness: Callable[[int], float] = float
    arrivals: Mapping[str, tuple[int | None, ...]] = field(default_factory=dict)

    def arrivals_for(self, variable: str) -> tuple[int | None, ...]:
        """Patterns of arrivals to try while one variable is varied."""
        return self.arrivals.get(variable, (None,))

    def by_moments(self, size: Size) -> float:
        """The quantity at one size, exact up to rounding."""
        plan, problem = self.plan(size), size.problem()
        run = {"start": plan.start, "local_step_size": plan.local_step_size, "server_step_size": plan.server_step_size}
        if not knows(plan.algorithm, problem):
            trace = size.trace(everyone_first=plan.everyone_first)
            if plan.average is not None:
                return float(expected_gap(plan.algorithm, problem, trace, average=plan.average, **run).total)
            return float(self._combined(mean_squares(plan.algorithm, problem, trace, **run)))
        delivers = size.delivers(everyone_first=plan.everyone_first)
        if plan.average is None:
            return float(self._combined(compiled_mean_squares(plan.algorithm, problem, delivers, size.local_steps, **run)))
        mean, variance = compiled_adjoint(plan.algorithm, problem, delivers, size.local_steps, weights=plan.shares(size.num_rounds), **run)
        return (mean**2 + variance) / 2

    def by_samples(self, size: Size, *, runs: int, seed: int = 0) -> tuple[float, float]:
        """The quantity at one size from so many noisy runs, and its standard error."""
        together = max(1, NUMBERS_AT_ONCE // (size.num_rounds + 1))
        parts = [self._sampled(size, tuple(range(first, min(first + together, runs))), seed) for first in range(0, runs, together)]
        found = np.concatenate(parts)
        if self.metric is Metric.LEAST_SQUARE:
            found = found[:, found.mean(axis=0).argmin()]
        return float(found.mean()), float(found.std(ddof=1) / math.sqrt(runs))

    def _sampled(self, size: Size, numbers: tuple[int, ...], seed: int) -> Any:
        """One observation for each run, or one for each of its models where the least expected one is wanted."""
        plan, problem = self.plan(size), size.problem()
        trace = size.trace(everyone_first=plan.everyone_first)
        steps = {"start": plan.start, "local_step_size": plan.local_step_size, "server_step_size": plan.server_step_size}
        if knows(plan.algorithm, problem):
            seeds = tuple(seed * RUNS_PER_SEED + number for number in numbers)
            models = simulate_quadratic(plan.algorithm, problem, trace, seed=seeds, **steps)[:, :, 0]
        else:
            noisy = NoisyRuns(plan.algorithm, problem, trace, Gaussian(problem, 1), **steps)
            models = noisy.models(seed, numbers[0], len(numbers))[:, :, 0]
        if plan.average is not None:
            return (models @ plan.shares(size.num_rounds)) ** 2 / 2
        return models**2 if self.metric is Metric.LEAST_SQUARE else self._combined((models**2).T)

    def _combined(self, squares: Any) -> Any:
        """From E x^2 at each model (first axis), which on unit curvature is E |grad f|^2 and twice the loss gap."""
        if self.metric is Metric.LEAST_SQUARE:
            return squares.min(axis=0)
        return squares[:-1].mean(axis=0) / (2 if self.metric is Metric.MEAN_GAP else 1)


def _mifa_offset(size: Size) -> int:
    """a = max{100, 40 t0} with t0 = period - 1 (MIFA Theorem 5.1, condition number 1); the run should outlast it."""
    return max(MIFA_OFFSET, 40 * (size.period - 1))


def _mifa_strongly_convex(size: Size) -> Plan:
    """eta_t = 4/(mu K (t + a)) and weights (t+a-1)(t+a-2) (MIFA Theorem 5.1)."""
    offset = _mifa_offset(size)
    return Plan(Mifa(), lambda index: 4 / (size.local_steps * (index + 1 + offset)),
                average=lambda index: (index + offset) * (index + offset - 1))


def _mifa_nonconvex(size: Size) -> Plan:
    """eta = sqrt(N/(K T L (1 + nubar))) (MIFA Theorem 6.1)."""
    return Plan(Mifa(), math.sqrt(size.num_clients / (size.local_steps * size.num_rounds * size.period)))


def _mifa_threshold(size: Size) -> int:
    """T >= max{32 alpha L N K, 16 L N K, 8 K N nu_max^2 (L^2 + rho delta)/L}; alpha = 1 and rho = 0 here (MIFA Theorem 6.1)."""
    return size.num_clients * size.local_steps * max(32, 8 * (size.period - 1) ** 2)


def _fedlaavg(size: Size) -> Plan:
    """gamma = beta^(1/2) N^(1/4)/(2 L E^(1/2) T^(1/2)) (FedLaAvg Corollary 1)."""
    share = size.used / size.num_clients
    step = math.sqrt(share) * size.num_clients**0.25 / (2 * math.sqrt(size.period * size.num_rounds))
    return Plan(FedLaAvg(), step, everyone_first=False)


def _fedlaavg_threshold(size: Size) -> int:
    """T >= E N^(3/2)/beta, and gamma <= 1/(4L) (FedLaAvg Corollary 1)."""
    share = size.used / size.num_clients
    return math.ceil(max(size.period * size.num_clients**1.5 / share, 4 * share * math.sqrt(size.num_clients) / size.period))


def _anarchic_device(size: Size) -> Plan:
    """eta_L = 1/sqrt T, eta = sqrt m (AFL Corollary 2)."""
    return Plan(AfaCrossDevice(), 1 / math.sqrt(size.num_rounds), math.sqrt(size.used), everyone_first=False)


def _anarchic_silo(size: Size) -> Plan:
    """eta_L = 1/sqrt T, eta = sqrt M (AFL Corollary 3)."""
    return Plan(AfaCrossSilo(), 1 / math.sqrt(size.num_rounds), math.sqrt(size.num_clients))


def _anarchic_threshold(size: Size, workers: int, oldest: int) -> int:
    """T >= max{180 K^2 L^2 max(tau, 1), m L^2 (1 + sqrt(1 + 3 tau^2))^2}: eq. (4) at the corollaries' step sizes, M for m with memory."""
    return math.ceil(max(180 * size.local_steps**2 * max(oldest, 1), workers * (1 + math.sqrt(1 + 3 * oldest**2)) ** 2))


def _synchronous(size: Size) -> Plan:
    """eta_l = 1/sqrt(K N) with N rounds (Fraboni et al., eq. 11)."""
    return Plan(FedAvg(), 1 / math.sqrt(size.local_steps * size.num_rounds))


def _synchronous_threshold(size: Size) -> int:
    """eta_l <= 1/(48 K L) min{1, 1/(3 rho^2 eta_g (tau + 1))} with rho = eta_g = 1 and tau = 0 (Fraboni et al., Theorem 1)."""
    return 144**2 * size.local_steps


ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)
REGIMES = (
    Regime("mifa.thm5.1", "mifa", Metric.WEIGHTED_GAP, {"N": -ONE, "K": -ONE, "T": -ONE, "staleness": ONE}, _mifa_strongly_convex,
           _mifa_offset, _mifa_offset, staleness=lambda period: (period + 1) / 2),
    Regime("mifa.thm6.1", "mifa", Metric.LEAST_SQUARE, {"N": -HALF, "K": -HALF, "T": -HALF, "staleness": HALF}, _mifa_nonconvex,
           _mifa_threshold),
    Regime("fedlaavg.cor1", "fedlaavg", Metric.MEAN_SQUARE, {"N": -QUARTER, "T": -HALF, "staleness": HALF, "m": -HALF}, _fedlaavg,
           _fedlaavg_threshold),
    Regime("afl.cor2", "afa-cd", Metric.MEAN_SQUARE, {"m": -HALF, "T": -HALF, "K": 0 * ONE}, _anarchic_device,
           lambda size: _anarchic_threshold(size, size.used, 0)),
    Regime("afl.cor3", "afa-cs", Metric.MEAN_SQUARE, {"M": -HALF, "T": -HALF, "K": 0 * ONE}, _anarchic_silo,
           lambda size: _anarchic_threshold(size, size.num_clients, size.num_clients // size.used - 1), arrivals={"M": (None, 1)}),
    Regime("fraboni.eq11", "fedavg", Metric.MEAN_GAP, {"T": -HALF, "K": -HALF}, _synchronous, _synchronous_threshold),
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
