"""Claims about chance, decided by samples as well: sizes beyond enumeration, each verdict wrong
with probability at most 1/10^6."""

from fractions import Fraction

import numpy as np

from fltheory.algorithms.anarchic import AfaCrossDevice
from fltheory.analysis.confidence.observations import Bounded
from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.statistical import Sampling, check_expectation, run_seeds, tighter
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput
from fltheory.core.types import FloatArray
from fltheory.engine.arithmetic import FLOAT
from fltheory.engine.noise import Rademacher
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.selection import uniform
from fltheory.traces.trace import Trace

WORKERS, ARRIVE, STEPS, LENGTH = 6, 2, 2, 60
OPTIMA = tuple(Fraction(k, 5) for k in (-5, -3, -1, 1, 3, 5))
SIGN, START, STEP_SIZE = Fraction(1, 2), Fraction(2), Fraction(1, 40)
LOSSES = Quadratic((1,) * WORKERS, OPTIMA, noise_squared=SIGN**2)


def squared_gradients(seed: int, first: int, count: int) -> FloatArray:
    """(1/T) sum_t |grad f(x_t)|^2 of AFA-CD over rounds that each hear from a uniform pair of
    workers, with noise +-1/2, for each run."""
    chosen = run_seeds(seed, first, count)
    arrivals = np.stack(
        [uniform(np.ones((LENGTH, WORKERS), bool), ARRIVE, seed=key) for key in chosen]
    )
    models = simulate(
        AfaCrossDevice(),
        LOSSES,
        Trace.fresh(arrivals, local_steps=STEPS),
        start=START,
        local_step_size=STEP_SIZE,
        arithmetic=FLOAT,
        noise=Rademacher(LOSSES, SIGN, tuple(chosen)),
    ).models
    squares: FloatArray = (models[:, :-1, 0] ** 2).mean(axis=-1)
    return squares


def uniform_pairs(claim: Claim) -> Evidence:
    """Each round is an average of the model and of local paths towards c_i +- 1/2: no model leaves
    [-3/2, 2], the optimum is 0."""
    pair = Trace.fresh(uniform(np.ones((LENGTH, WORKERS), bool), ARRIVE, seed=0), local_steps=STEPS)
    failing = unmet(claim, Scenario("afa-cd", LOSSES, pair, start=START, local_step_size=STEP_SIZE))
    if failing != ["afl.uniform-arrivals"]:  # which no single trace can show
        raise InvalidInput("sampled setting", "meet the conditions of Theorem 3", failing)
    values = {
        "clients_per_round": ARRIVE,
        "num_clients": WORKERS,
        "local_steps": STEPS,
        "num_rounds": LENGTH,
        "max_delay": 0,
        "local_step_size": STEP_SIZE,
        "server_step_size": 1,
        "smoothness": 1,
        "gradient_noise": SIGN,
        "dissimilarity": max(OPTIMA),
        "initial_loss_gap": START**2 / 2,
    }
    furthest = max(abs(START), max(OPTIMA) + SIGN)
    sampling = Sampling(squared_gradients, Bounded(0, furthest**2), batch=500, budget=4000)
    return check_expectation(
        claim,
        sampling,
        of="mean_squared_gradient",
        instance=Instance(values),
        covers=(
            "six workers with x^2/2 about -1, ..., 1, a uniform pair in each of 60 rounds, K = 2,"
            " noise +-1/2"
        ),
    )


CHECKS = (Check("afl.thm3c", uniform_pairs, plant=tighter("1/10")),)
