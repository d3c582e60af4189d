"""Claims about chance, decided by samples as well: sizes beyond enumeration, each verdict wrong with probability at most 1/10^6."""

from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from fltheory import FLOAT, Quadratic, Trace, simulate
from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.availability.bernoulli import Bernoulli
from fltheory.checks.bound_on_run import unmet
from fltheory.checks.check import Check
from fltheory.checks.instances import Instance
from fltheory.checks.statistical import Sampling, check_expectation
from fltheory.claims import Claim
from fltheory.errors import InvalidInput
from fltheory.evidence import Evidence
from fltheory.noise import Rademacher
from fltheory.observations import Bounded, BoundedVariance
from fltheory.sampling import RUNS_PER_SEED
from fltheory.scenario import Scenario
from fltheory.selection import uniform

CLIENTS, LEAST = 100, Fraction(1, 10)
CHANCES = tuple(LEAST + (1 - LEAST) * Fraction(label % 10, 9) for label in range(CLIENTS))
"""MIFA's experiment: 100 devices whose chances are tied to labels, p_i = p_min + (1 - p_min) j/9, ten devices for each j."""

LEVEL, ROUNDS = Fraction(1, 2), 100
SAMPLE = 50


def keys(seed: int, first: int, count: int) -> range:
    """Seeds of the runs number first, ..., first + count - 1."""
    return range(seed * RUNS_PER_SEED + first, seed * RUNS_PER_SEED + first + count)


def staleness_is_too_long(seed: int, first: int, count: int) -> Any:
    """Whether tau(t, i) > (log(N t/delta) + 1)/p_i in any of the rounds t = 1, ..., 100 for any device, for each run."""
    rounds = np.arange(ROUNDS)[:, None]
    limit = (np.log(CLIENTS * (rounds + 1) / float(LEVEL)) + 1) / np.array(CHANCES, float)
    found = []
    for key in keys(seed, first, count):
        seen = np.maximum.accumulate(np.where(Bernoulli(CHANCES).matrix(ROUNDS, seed=key), rounds, 0), axis=0)
        found.append(float((rounds - seen > limit).any()))
    return np.array(found)


def every_device_at_once(claim: Claim) -> Evidence:
    sampling = Sampling(staleness_is_too_long, Bounded(0, 1), batch=200, budget=4000)
    return check_expectation(claim, sampling, of="failure_probability", instance=Instance({"confidence_gap": LEVEL}),
                             covers=f"{CLIENTS} devices with the experiment's unequal chances, p_min = 1/10, {ROUNDS} rounds, delta = 1/2")


def waits(seed: int, first: int, count: int) -> Any:
    """Rounds until each of a uniform sample of 50 devices has been active, for each run."""
    found = []
    for key in keys(seed, first, count):
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
    """The variance of a maximum is at most the sum of second moments: (2 - p)/p^2 for a geometric time."""
    law = BoundedVariance(sum((2 - p) / p**2 for p in CHANCES))
    values = {"clients_per_round": SAMPLE, "num_clients": CLIENTS, "least_chance": LEAST}
    return check_expectation(claim, Sampling(waits, law, batch=500, budget=16_000), of="expected_wait", instance=Instance(values),
                             covers=f"{SAMPLE} of {CLIENTS} devices with the experiment's unequal chances, p_min = 1/10")


WORKERS, ARRIVE, STEPS, LENGTH = 6, 2, 2, 60
OPTIMA = tuple(Fraction(k, 5) for k in (-5, -3, -1, 1, 3, 5))
SIGN, START, STEP_SIZE = Fraction(1, 2), Fraction(2), Fraction(1, 40)
LOSSES = Quadratic((1,) * WORKERS, OPTIMA, noise_squared=SIGN**2)


def squared_gradients(seed: int, first: int, count: int) -> Any:
    """(1/T) sum_t |grad f(x_t)|^2 of AFA-CD over rounds that each hear from a uniform pair of workers, with noise +-1/2, for each run."""
    chosen = keys(seed, first, count)
    arrivals = np.stack([uniform(np.ones((LENGTH, WORKERS), bool), ARRIVE, seed=key) for key in chosen])
    models = simulate(AfaCrossDevice(), LOSSES, Trace.fresh(arrivals, local_steps=STEPS), start=START, local_step_size=STEP_SIZE,
                      arithmetic=FLOAT, noise=Rademacher(LOSSES, SIGN, tuple(chosen))).models
    return (models[:, :-1, 0] ** 2).mean(axis=-1)


def uniform_pairs(claim: Claim) -> Evidence:
    """Each round is an average of the model and of local paths towards c_i +- 1/2: no model leaves [-3/2, 2], the optimum is 0."""
    pair = Trace.fresh(uniform(np.ones((LENGTH, WORKERS), bool), ARRIVE, seed=0), local_steps=STEPS)
    failing = unmet(claim, Scenario("afa-cd", LOSSES, pair, start=START, local_step_size=STEP_SIZE))
    if failing != ["afl.uniform-arrivals"]:  # which no single trace can show
        raise InvalidInput("sampled setting", "meet the conditions of Theorem 3", failing)
    values = {"clients_per_round": ARRIVE, "num_clients": WORKERS, "local_steps": STEPS, "num_rounds": LENGTH, "max_delay": 0,
              "local_step_size": STEP_SIZE, "server_step_size": 1, "smoothness": 1, "gradient_noise": SIGN, "dissimilarity": max(OPTIMA),
              "initial_loss_gap": START**2 / 2}
    furthest = max(abs(START), max(OPTIMA) + SIGN)
    sampling = Sampling(squared_gradients, Bounded(0, furthest**2), batch=500, budget=4000)
    return check_expectation(claim, sampling, of="mean_squared_gradient", instance=Instance(values),
                             covers="six workers with x^2/2 about -1, ..., 1, a uniform pair in each of 60 rounds, K = 2, noise +-1/2")


def tighter(factor: Any) -> Any:
    """The claim with its right side multiplied: by enough to be false."""
    return lambda claim: claim.planted(right=claim.statement.right * sympy.Rational(factor))


def reversed_chance(claim: Claim) -> Claim:
    """That the bound holds, not fails, with chance at most delta."""
    return claim.planted(left=1 - claim.statement.left)


CHECKS = (
    Check("mifa.thm5.2", every_device_at_once, plant=reversed_chance),
    Check("mifa.TS.average", mean_wait, plant=tighter(10)),
    Check("afl.thm3c", uniform_pairs, plant=tighter("1/10")),
)
