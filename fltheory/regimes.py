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
from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.clocks import Asynchronous, FixedWindow, Policy
from fltheory.compiled.moments import Tables, compiled_adjoint, compiled_mean_squares, covariance_is_known, knows
from fltheory.compiled.simulate import SERVERS, simulate_quadratic
from fltheory.errors import InvalidInput
from fltheory.moments import expected_gap, mean_squares
from fltheory.noise import Gaussian
from fltheory.periodic import is_quick, mean_square
from fltheory.sampling import RUNS_PER_SEED, NoisyRuns
from fltheory.sizes import Size
from fltheory.weights import policy_weights

MIFA_OFFSET = 100
"""a = max{100, 40 t0} at condition number 1 (MIFA Theorem 5.1)."""

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
    """What a regime runs at one size; weighted averages start at the optimum, where only noise moves them, the others at 1."""

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
        weights = np.asarray(self.average(np.arange(self.tables.rounds + 1.0))) if self.average else np.zeros(0)
        return weights / weights.sum()


@dataclass(frozen=True)
class Regime:
    """A paper's rate: `plan(size)` runs it, `metric` is its quantity, `claimed` the exponent in each variable.

    `least_rounds(size)` is the least number of rounds that the theorem itself asks for, `offset(size)` the a of step sizes that decay
    like 1/(t + a), `staleness(value)` the claim's own variable for a value of `stale_by`, the part of a size that makes work stale,
    `local_steps` those taken while another variable varies. `arrivals` has, for some variables, patterns for all of which a rate must
    hold: so many clients arrive in a round, in turn (None: everybody).
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

    def arrivals_for(self, variable: str) -> tuple[int | None, ...]:
        """Patterns of arrivals to try while one variable is varied."""
        return self.arrivals.get(variable, (None,))

    def numbers(self, size: Size, *, runs: int | None) -> int:
        """How many numbers change at one size: those of the covariance, or of one adjoint pass, or of so many sampled runs."""
        if runs is None and self.metric is not Metric.WEIGHTED_GAP:
            return size.work
        return size.num_rounds * size.num_clients * (runs or 1)

    def by_moments(self, size: Size) -> float:
        """The quantity at one size, exact up to rounding."""
        plan, problem = self.plan(size), size.problem()
        known = knows(plan.algorithm, problem)
        if self.metric in MEANS and is_quick(plan.algorithm, problem, plan.tables, **plan.sizes):
            return MEANS[self.metric] * mean_square(plan.algorithm, problem, plan.tables, **plan.run)
        if plan.average is None:
            if known and covariance_is_known(plan.algorithm, plan.tables):
                return float(self._combined(compiled_mean_squares(plan.algorithm, problem, plan.tables, **plan.run)))
            return float(self._combined(mean_squares(plan.algorithm, problem, plan.tables.trace(), **plan.run)))
        if known:
            mean, variance = compiled_adjoint(plan.algorithm, problem, plan.tables, weights=plan.shares(), **plan.run)
            return (mean**2 + variance) / 2
        return float(expected_gap(plan.algorithm, problem, plan.tables.trace(), average=plan.average, **plan.run).total)

    def by_samples(self, size: Size, *, runs: int, seed: int = 0) -> tuple[float, float]:
        """The quantity at one size from so many noisy runs, and its standard error.

        The model with the least expected square is picked by one half of the runs and measured by the other: the least of many
        noisy means lies below the least mean.
        """
        together = max(1, NUMBERS_AT_ONCE // (size.num_rounds + 1))
        parts = [self._sampled(size, tuple(range(first, min(first + together, runs))), seed) for first in range(0, runs, together)]
        found = np.concatenate(parts)
        if self.metric is Metric.LEAST_SQUARE:
            half = runs // 2
            found = found[half:, found[:half].mean(axis=0).argmin()]
        return float(found.mean()), float(found.std(ddof=1) / math.sqrt(len(found)))

    def _sampled(self, size: Size, numbers: tuple[int, ...], seed: int) -> Any:
        """One observation for each run, or one for each of its models where the least expected one is wanted."""
        plan, problem = self.plan(size), size.problem()
        trace = plan.tables.trace()
        if type(plan.algorithm) in SERVERS and knows(plan.algorithm, problem):
            seeds = tuple(seed * RUNS_PER_SEED + number for number in numbers)
            models = simulate_quadratic(plan.algorithm, problem, trace, seed=seeds, **plan.run)[:, :, 0]
        else:
            noisy = NoisyRuns(plan.algorithm, problem, trace, Gaussian(problem, 1), **plan.run)
            models = noisy.models(seed, numbers[0], len(numbers))[:, :, 0]
        if plan.average is not None:
            return (models @ plan.shares()) ** 2 / 2
        return models**2 if self.metric is Metric.LEAST_SQUARE else self._combined((models**2).T)

    def _combined(self, squares: Any) -> Any:
        """From E x^2 at each model (first axis), which on unit curvature is E |grad f|^2 and twice the loss gap."""
        if self.metric is Metric.LEAST_SQUARE:
            return squares.min(axis=0)
        return MEANS[self.metric] * squares[:-1].mean(axis=0)


def _mifa_offset(size: Size) -> int:
    """a = max{100, 40 t0} with t0 = period - 1 (MIFA Theorem 5.1, condition number 1); the run should outlast it."""
    return max(MIFA_OFFSET, 40 * (size.period - 1))


def _mifa_strongly_convex(size: Size) -> Plan:
    """eta_t = 4/(mu K (t + a)) and weights (t+a-1)(t+a-2) (MIFA Theorem 5.1)."""
    offset = _mifa_offset(size)
    return Plan(Mifa(), size.tables(), lambda index: 4 / (size.local_steps * (index + 1 + offset)),
                average=lambda index: (index + offset) * (index + offset - 1))


def _mifa_nonconvex(size: Size) -> Plan:
    """eta = sqrt(N/(K T L (1 + nubar))) (MIFA Theorem 6.1)."""
    return Plan(Mifa(), size.tables(), math.sqrt(size.num_clients / (size.local_steps * size.num_rounds * size.period)))


def _mifa_threshold(size: Size) -> int:
    """T >= max{32 alpha L N K, 16 L N K, 8 K N nu_max^2 (L^2 + rho delta)/L}; alpha = 1 and rho = 0 here (MIFA Theorem 6.1)."""
    return size.num_clients * size.local_steps * max(32, 8 * (size.period - 1) ** 2)


def _fedlaavg(size: Size) -> Plan:
    """gamma = beta^(1/2) N^(1/4)/(2 L C E^(1/2) T^(1/2)) (FedLaAvg Corollary 1, where C = 1, and Theorem 4)."""
    share = size.used / size.num_clients
    step = math.sqrt(share) * size.num_clients**0.25 / (2 * size.local_steps * math.sqrt(size.period * size.num_rounds))
    return Plan(FedLaAvg(), size.tables(everyone_first=False), step)


def _fedlaavg_threshold(size: Size) -> int:
    """T >= E N^(3/2)/beta, and gamma <= 1/(4L) (FedLaAvg Corollary 1, Theorem 4)."""
    share = size.used / size.num_clients
    least = 4 * share * math.sqrt(size.num_clients) / (size.local_steps**2 * size.period)
    return math.ceil(max(size.period * size.num_clients**1.5 / share, least))


def _everybody(size: Size) -> Plan:
    """gamma = N^(1/2)/(2 L T^(1/2)) with everybody in every round (FedLaAvg Theorem 3, full participation); below 1/(2L) for T > N."""
    return Plan(FedLaAvg(), size.tables(), math.sqrt(size.num_clients / size.num_rounds) / 2)


def _anarchic_device(size: Size) -> Plan:
    """eta_L = 1/sqrt T, eta = sqrt m (AFL Corollaries 1 and 2)."""
    return Plan(AfaCrossDevice(), size.tables(everyone_first=False), 1 / math.sqrt(size.num_rounds), math.sqrt(size.used))


def _anarchic_silo(size: Size) -> Plan:
    """eta_L = 1/sqrt T, eta = sqrt M (AFL Corollary 3)."""
    return Plan(AfaCrossSilo(), size.tables(), 1 / math.sqrt(size.num_rounds), math.sqrt(size.num_clients))


def _anarchic_threshold(size: Size, workers: int, oldest: int) -> int:
    """T >= max{180 K^2 L^2 max(tau, 1), m L^2 (1 + sqrt(1 + 3 tau^2))^2}: eq. (4) at the corollaries' step sizes, M for m with memory."""
    return math.ceil(max(180 * size.local_steps**2 * max(oldest, 1), workers * (1 + math.sqrt(1 + 3 * oldest**2)) ** 2))


def _device_threshold(size: Size) -> int:
    return _anarchic_threshold(size, size.used, size.delay)


def _silo_threshold(size: Size) -> int:
    """An entry of the memory is as old as its delay and the turns since it came in."""
    return _anarchic_threshold(size, size.num_clients, size.num_clients // size.used - 1 + size.delay)


def _synchronous(size: Size) -> Plan:
    """eta_l = 1/sqrt(K N) with N rounds (Fraboni et al., eq. 11)."""
    return Plan(FedAvg(), size.tables(), 1 / math.sqrt(size.local_steps * size.num_rounds))


def _synchronous_threshold(size: Size) -> int:
    """eta_l <= 1/(48 K L) min{1, 1/(3 rho^2 eta_g (tau + 1))} with rho = eta_g = 1 and tau = 0 (Fraboni et al., Theorem 1)."""
    return 144**2 * size.local_steps


def _clocked(policy: Policy) -> tuple[Callable[[Size], Plan], Callable[[Size], int]]:
    """The same step size where every second client is twice as slow, weights by eq. (12) or (14), and the least rounds that it asks for."""
    def plan(size: Size) -> Plan:
        times = [1 + i % 2 for i in range(size.num_clients)]
        return Plan(WeightedAggregation(policy_weights(times, policy)), size.clocked(times, policy),
                    1 / math.sqrt(size.local_steps * size.num_rounds))

    def least_rounds(size: Size) -> int:
        algorithm, tables, *_ = plan(size)
        heaviest = max(1.0, (tables.delivers @ np.array(algorithm.weights, float)).max())
        return math.ceil((144 * heaviest**2 * (tables.delays.max() + 1)) ** 2) * size.local_steps

    return plan, least_rounds


ONE, HALF, QUARTER = Fraction(1), Fraction(1, 2), Fraction(1, 4)
BY_SHARE = {"N": -QUARTER, "T": -HALF, "staleness": HALF, "m": -HALF}
REGIMES = (
    Regime("mifa.thm5.1", "mifa", Metric.WEIGHTED_GAP, {"N": -ONE, "K": -ONE, "T": -ONE, "staleness": ONE}, _mifa_strongly_convex,
           _mifa_offset, _mifa_offset, staleness=lambda period: (period + 1) / 2),
    Regime("mifa.thm6.1", "mifa", Metric.LEAST_SQUARE, {"N": -HALF, "K": -HALF, "T": -HALF, "staleness": HALF}, _mifa_nonconvex,
           _mifa_threshold),
    Regime("fedlaavg.cor1", "fedlaavg", Metric.MEAN_SQUARE, BY_SHARE, _fedlaavg, _fedlaavg_threshold),
    Regime("fedlaavg.thm4", "fedlaavg", Metric.MEAN_SQUARE, {**BY_SHARE, "K": 0 * ONE}, _fedlaavg, _fedlaavg_threshold, local_steps=2),
    Regime("fedlaavg.thm3.fullpart", "fedlaavg", Metric.MEAN_SQUARE, {"N": -HALF, "T": -HALF}, _everybody,
           lambda size: size.num_clients + 1),
    Regime("afl.cor1", "afa-cd", Metric.MEAN_SQUARE, {"m": -HALF, "T": -HALF}, _anarchic_device, _device_threshold),
    Regime("afl.cor2", "afa-cd", Metric.MEAN_SQUARE, {"m": -HALF, "T": -HALF, "K": 0 * ONE, "staleness": 0 * ONE}, _anarchic_device,
           _device_threshold, stale_by="delay"),
    Regime("afl.cor3", "afa-cs", Metric.MEAN_SQUARE, {"M": -HALF, "T": -HALF, "K": 0 * ONE}, _anarchic_silo, _silo_threshold,
           arrivals={"M": (None, 1)}),
    Regime("fraboni.eq11", "fedavg", Metric.MEAN_GAP, {"T": -HALF, "K": -HALF}, _synchronous, _synchronous_threshold),
    Regime("fraboni.eq13", "async", Metric.MEAN_GAP, {"T": -HALF, "K": -HALF}, *_clocked(Asynchronous())),
    Regime("fraboni.eq15", "fedfix", Metric.MEAN_GAP, {"T": -HALF, "K": -HALF}, *_clocked(FixedWindow(1))),
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
