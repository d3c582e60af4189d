"""Regimes: how each paper ties its step sizes to clients, local steps and rounds, and which quantity then falls at which rate.

Each regime measures its quantity exactly on quadratics with unit curvature and unit noise, by moments, so that rates can be read
off without sampling error. The claimed exponents are the papers'; a measured one stands beside each.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice, AfaCrossSilo
from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.mifa import Mifa
from fltheory.errors import InvalidInput
from fltheory.moments import expected_gap, state_moments
from fltheory.problems.quadratic import Quadratic
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


@dataclass(frozen=True)
class Regime:
    """A paper's rate: `measure(size)` is the quantity, `claimed` its exponent in each variable, `offset` a natural shift of T.

    `base` holds the other variables while one is varied, `bases` those that need a longer run for it.
    """

    claim: str
    algorithm: str
    says: str
    claimed: Mapping[str, float]
    measure: Callable[[Size], float]
    base: Size = field(default_factory=Size)
    bases: Mapping[str, Size] = field(default_factory=dict)
    offset: float = 0.0

    def base_for(self, variable: str) -> Size:
        """Where the other variables stand while one is varied."""
        return self.bases.get(variable, self.base)


def _mifa_strongly_convex(size: Size) -> float:
    """Noise part of E f(wbar_T) - f*, eta_t = 4/(mu K (t + a)), weights (t+a-1)(t+a-2)."""
    gap = expected_gap(Mifa(), size.problem(), size.trace(), start=0, local_step_size=_decaying(size), average=_mifa_weight(size))
    return float(gap.noise)


def _offset(size: Size) -> int:
    return max(MIFA_OFFSET, 40 * (size.period - 1))


def _decaying(size: Size) -> Callable[[int], float]:
    return lambda index: 4 / (size.local_steps * (index + 1 + _offset(size)))


def _mifa_weight(size: Size) -> Callable[[int], int]:
    return lambda index: (index + _offset(size)) * (index + _offset(size) - 1)


def _squared_models(algorithm: Any, size: Size, local: float, server: float = 1.0, *, everyone_first: bool = True) -> Any:
    """E x^2 at each model, which on unit curvature is E |grad f|^2 and twice the loss gap."""
    found = state_moments(algorithm, size.problem(), size.trace(everyone_first=everyone_first), start=1, local_step_size=local,
                          server_step_size=server)
    return np.array([mean[0] ** 2 + covariance[0, 0] for mean, covariance in found])


def _mifa_nonconvex(size: Size) -> float:
    """min_t E |grad f(w_t)|^2 with eta = sqrt(N/(K T L (1 + nubar)))."""
    step = math.sqrt(size.num_clients / (size.local_steps * size.num_rounds * size.period))
    return float(_squared_models(Mifa(), size, step).min())


def _fedlaavg(size: Size) -> float:
    """(1/T) sum E |grad f|^2 with gamma = beta^(1/2) N^(1/4)/(2 L E^(1/2) T^(1/2))."""
    share = size.used / size.num_clients
    step = math.sqrt(share) * size.num_clients**0.25 / (2 * math.sqrt(size.period * size.num_rounds))
    return float(_squared_models(FedLaAvg(), size, step, everyone_first=False)[:-1].mean())


def _anarchic_device(size: Size) -> float:
    """(1/T) sum E |grad f|^2 with eta_L = 1/sqrt T, eta = sqrt m."""
    found = _squared_models(AfaCrossDevice(), size, 1 / math.sqrt(size.num_rounds), math.sqrt(size.used), everyone_first=False)
    return float(found[:-1].mean())


def _anarchic_silo(size: Size) -> float:
    """(1/T) sum E |grad f|^2 with eta_L = 1/sqrt T, eta = sqrt M."""
    found = _squared_models(AfaCrossSilo(), size, 1 / math.sqrt(size.num_rounds), math.sqrt(size.num_clients))
    return float(found[:-1].mean())


def _synchronous(size: Size) -> float:
    """(1/N) sum E f(theta^n) - f* with eta_l = 1/sqrt(K N), N rounds."""
    step = 1 / math.sqrt(size.local_steps * size.num_rounds)
    return float(_squared_models(FedAvg(), size, step)[:-1].mean()) / 2


REGIMES = (
    Regime("mifa.thm5.1", "mifa", "noise part of the loss gap of MIFA's weighted average, strongly convex",
           {"N": -1, "K": -1, "T": -1, "staleness": 1}, _mifa_strongly_convex, bases={"staleness": Size(num_clients=2, num_rounds=64_000)},
           offset=MIFA_OFFSET),
    Regime("mifa.thm6.1", "mifa", "least squared gradient of MIFA, constant step size",
           {"N": -0.5, "K": -0.5, "T": -0.5, "staleness": 0.5}, _mifa_nonconvex),
    Regime("fedlaavg.cor1", "fedlaavg", "mean squared gradient of FedLaAvg",
           {"N": -0.25, "T": -0.5, "staleness": 0.5, "m": -0.5}, _fedlaavg, bases={"m": Size(num_clients=8)}),
    Regime("afl.cor2", "afa-cd", "mean squared gradient of AFA-CD, alike clients",
           {"m": -0.5, "T": -0.5, "K": 0}, _anarchic_device, base=Size(num_clients=8, clients_per_round=2)),
    Regime("afl.cor3", "afa-cs", "mean squared gradient of AFA-CS, alike clients", {"M": -0.5, "T": -0.5, "K": 0}, _anarchic_silo),
    Regime("fraboni.eq11", "fedavg", "mean loss gap of synchronous FedAvg", {"T": -0.5, "K": -0.5}, _synchronous),
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
