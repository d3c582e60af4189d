"""Claims about chance, decided by samples as well: sizes beyond enumeration, each verdict wrong
with probability at most 1/10^6."""

from fractions import Fraction

import numpy as np

from fltheory.analysis.confidence.observations import Bounded, BoundedVariance
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.statistical import Sampling, check_expectation, run_seeds, tighter
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.core.types import FloatArray
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.selection import uniform

CLIENTS, LEAST = 100, Fraction(1, 10)
CHANCES = tuple(LEAST + (1 - LEAST) * Fraction(label % 10, 9) for label in range(CLIENTS))
"""MIFA's experiment: 100 devices whose chances are tied to labels, p_i = p_min + (1 - p_min) j/9,
ten devices for each j."""

LEVEL, ROUNDS = Fraction(1, 2), 100
SAMPLE = 50


def staleness_is_too_long(seed: int, first: int, count: int) -> FloatArray:
    """Whether tau(t, i) > (log(N t/delta) + 1)/p_i in any of the rounds t = 1, ..., 100 for any
    device, for each run."""
    rounds = np.arange(ROUNDS)[:, None]
    limit = (np.log(CLIENTS * (rounds + 1) / float(LEVEL)) + 1) / np.array(CHANCES, float)
    found = []
    for key in run_seeds(seed, first, count):
        seen = np.maximum.accumulate(
            np.where(Bernoulli(CHANCES).matrix(ROUNDS, seed=key), rounds, 0), axis=0
        )
        found.append(float((rounds - seen > limit).any()))
    return np.array(found)


def every_device_at_once(claim: Claim) -> Evidence:
    """The chance that the bound of Theorem 5.2 fails for the experiment's 100 devices, sampled."""
    sampling = Sampling(staleness_is_too_long, Bounded(0, 1), batch=200, budget=4000)
    return check_expectation(
        claim,
        sampling,
        of="failure_probability",
        instance=Instance({"confidence_gap": LEVEL}),
        covers=(
            f"{CLIENTS} devices with the experiment's unequal chances, p_min = 1/10, {ROUNDS}"
            " rounds, delta = 1/2"
        ),
    )


def waits(seed: int, first: int, count: int) -> FloatArray:
    """Rounds until each of a uniform sample of 50 devices has been active, for each run."""
    found = []
    for key in run_seeds(seed, first, count):
        (sample,) = uniform(np.ones((1, CLIENTS), bool), SAMPLE, seed=key)
        horizon = 64
        while True:
            active = Bernoulli(CHANCES, everyone_first=False).matrix(horizon, seed=key)[:, sample]
            if active.any(axis=0).all():
                break
            horizon *= 2
        found.append(float(active.argmax(axis=0).max() + 1))
    return np.array(found)


def mean_wait(claim: Claim) -> Evidence:
    """The variance of a maximum is at most the sum of second moments: (2 - p)/p^2 for a geometric
    time."""
    law = BoundedVariance(sum(((2 - p) / p**2 for p in CHANCES), Fraction(0)))
    values = {"clients_per_round": SAMPLE, "num_clients": CLIENTS, "least_chance": LEAST}
    return check_expectation(
        claim,
        Sampling(waits, law, batch=500, budget=16_000),
        of="expected_wait",
        instance=Instance(values),
        covers=f"{SAMPLE} of {CLIENTS} devices with the experiment's unequal chances, p_min = 1/10",
    )


def reversed_chance(claim: Claim) -> Claim:
    """That the bound holds, not fails, with chance at most delta."""
    return claim.planted(left=1 - claim.statement.left)


CHECKS = (
    Check("mifa.thm5.2", every_device_at_once, plant=reversed_chance),
    Check("mifa.TS.average", mean_wait, plant=tighter(10)),
)
