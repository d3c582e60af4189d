"""The paper, the letters that its claims share, and its assumptions, each decidable on a
scenario."""

from fractions import Fraction

import numpy as np
import sympy

from fltheory.claims.claim import Assumption, Paper, letter
from fltheory.claims.scenario import Scenario
from fltheory.core.exact import exact
from fltheory.core.vocabulary import symbol
from fltheory.traces.trace_statistics import client_max_staleness, known_staleness

PAPER = Paper(
    key="mifa",
    title="Fast Federated Learning in the Presence of Arbitrary Device Unavailability",
    authors="Xinran Gu and Kaixuan Huang and Jingzhao Zhang and Longbo Huang",
    year=2021,
    venue="Advances in Neural Information Processing Systems 34",
    name="MIFA",
    entry="inproceedings",
    version=(
        "main text of the NeurIPS 2021 paper, from two transcriptions that are read together; the"
        " appendix is not available, so constants that only the proofs give are not the paper's"
    ),
    letters={
        "num_clients": "N",
        "num_rounds": "T-1",
        "local_steps": "K",
        "clients_per_round": "S",
        "started_from": "t",
        "staleness": "tau(t,i)",
        "rounds_since_available": "tau(t,i)",
        "max_staleness": "tau_max,T, nu_max",
        "mean_staleness": "taubar_T, nubar",
        "initial_gap": "t0",
        "gap_slope": "1/b",
        "availability_probability": "p_i",
        "importance": "1/N",
        "aggregation_weight": "1/N",
        "local_step_size": "eta_t",
        "smoothness": "L",
        "strong_convexity": "mu",
        "gradient_noise": "sigma",
        "dissimilarity": "alpha, beta_i",
        "dissimilarity_at_optimum": "D",
        "mean_client_max_staleness": "nubar",
        "initial_distance": "|w_1 - w*|",
        "initial_loss_gap": "f(w_1) - f*",
        "min_squared_gradient": "min_t E|grad f(w_t)|^2",
        "weighted_loss_gap": "E f(wbar_T) - f*",
    },
)

CLIENTS, STEPS = symbol("num_clients"), symbol("local_steps")
ITERATES = symbol("num_rounds") + 1
"""The paper's T: it counts iterates, one more than rounds."""
ROUNDS = symbol("num_rounds")
SMOOTH, CONVEX, NOISE = symbol("smoothness"), symbol("strong_convexity"), symbol("gradient_noise")
MEAN_STALENESS, MAX_STALENESS = symbol("mean_staleness"), symbol("max_staleness")
MEAN_WORST = symbol("mean_client_max_staleness")
SPREAD, DISTANCE, GAP = (
    symbol("dissimilarity_at_optimum"),
    symbol("initial_distance"),
    symbol("initial_loss_gap"),
)
INITIAL_GAP, CHANCE = symbol("initial_gap"), symbol("availability_probability")

OFFSET = letter("step_offset", positive=True)
FAILURE = letter("failure_probability", nonnegative=True)
LEVEL = letter("confidence_gap", positive=True)

STEP_OFFSET = {"step_offset": "a, the offset of the step sizes 4/(mu K (t + a))"}
CONFIDENCE = {
    "confidence_gap": "delta, the chance of failure that is allowed",
    "failure_probability": "exact chance that the bound on the staleness fails in the given rounds",
}


def round_slope() -> sympy.Expr:
    """b = 40 (L/mu)^1.5 of Assumption 4."""
    return 40 * (SMOOTH / CONVEX) ** sympy.Rational(3, 2)


def _first_round(scenario: Scenario) -> bool:
    return bool(scenario.trace.delivers[0].all())


def _convex(scenario: Scenario) -> bool | None:
    return (
        None
        if scenario.problem.constants.smoothness is None
        else scenario.problem.constants.strong_convexity is not None
    )


def _condition_cubed(scenario: Scenario) -> Fraction | None:
    """(L/mu)^3: its root would be irrational."""
    constants = scenario.problem.constants
    return (
        None if not _convex(scenario) else (constants.smoothness / constants.strong_convexity) ** 3
    )


def _slow_growth(scenario: Scenario) -> bool | None:
    """tau(t, i) <= t0 + t/b, compared by squares because b = 40 (L/mu)^1.5 is a root."""
    cubed, gap = _condition_cubed(scenario), scenario.parameters.get("initial_gap")
    if cubed is None or gap is None or not _first_round(scenario):
        return None
    excess = [
        (t, exact(int(age)) - gap)
        for t, row in enumerate(known_staleness(scenario.trace), start=1)
        for age in row
    ]
    return gap > 0 and all(over <= 0 or over**2 * 1600 * cubed <= t**2 for t, over in excess)


def _schedule(scenario: Scenario) -> bool | None:
    """eta_t = 4/(mu K (t + a)) with a^2 = max(100, 40 t0)^2 (L/mu)^3."""
    cubed, gap, offset = (
        _condition_cubed(scenario),
        scenario.parameters.get("initial_gap"),
        scenario.parameters.get("step_offset"),
    )
    if cubed is None or gap is None or offset is None:
        return None
    scale = scenario.problem.constants.strong_convexity * int(scenario.trace.local_steps.max())
    right_offset = offset**2 == max(Fraction(100), 40 * gap) ** 2 * cubed
    right_sizes = all(
        scenario.local_schedule(t) == 4 / (scale * (t + 1 + offset))
        for t in range(scenario.trace.num_rounds)
    )
    return right_offset and right_sizes and scenario.server_step_size == 1


def _same_steps(scenario: Scenario) -> bool:
    steps = scenario.trace.local_steps[scenario.trace.delivers]
    return len(np.unique(steps)) <= 1


def _dissimilar(scenario: Scenario) -> bool | None:
    """|grad f_i|^2 <= alpha |grad f|^2 + beta on quadratics in one coordinate: a quadratic in w
    that must not be negative."""
    problem = scenario.problem
    slope, offset = (
        scenario.parameters.get(name) for name in ("dissimilarity_slope", "dissimilarity_offset")
    )
    if (
        slope is None
        or offset is None
        or not problem.affine
        or problem.dimension != 1
        or not hasattr(problem, "curvatures")
    ):
        return None
    mean_curvature = sum(h for (h,) in problem.curvatures) / problem.num_clients
    (optimum,) = problem.constants.optimum or (None,)
    if optimum is None:
        return None
    spreads = []
    for (curvature,), (centre,) in zip(problem.curvatures, problem.optima, strict=True):
        # alpha (h e)^2 + beta - (h_i (e + w* - c_i))^2 = A e^2 + B e + C in e = w - w*
        apart = optimum - centre
        spreads.append(
            (
                slope * mean_curvature**2 - curvature**2,
                -2 * curvature**2 * apart,
                offset - (curvature * apart) ** 2,
            )
        )
    return (
        slope > 0 and offset > 0 and all(_never_negative(*coefficients) for coefficients in spreads)
    )


def _never_negative(square: Fraction, linear: Fraction, constant: Fraction) -> bool:
    return bool(
        constant >= 0
        and (linear**2 <= 4 * square * constant if square > 0 else square == 0 and linear == 0)
    )


def _constant_step(scenario: Scenario) -> bool | None:
    """eta^2 = N/(K T L (1 + nubar)) with T iterates."""
    constants, trace = scenario.problem.constants, scenario.trace
    if isinstance(scenario.local_step_size, tuple):
        return False
    if constants.smoothness is None or not _first_round(scenario):
        return None
    worst = Fraction(int(client_max_staleness(trace).sum()), trace.num_clients)
    steps = int(trace.local_steps.max())
    squared = trace.num_clients / (
        steps * (trace.num_rounds + 1) * constants.smoothness * (1 + worst)
    )
    return scenario.local_step_size**2 == squared and scenario.server_step_size == 1


def _long_enough(scenario: Scenario) -> bool | None:
    """T >= max(32 alpha L N K, 16 L N K, 8 K N nu_max^2 (L^2 + rho delta)/L)."""
    names = ("dissimilarity_slope", "hessian_smoothness", "noise_bound")
    slope, bend, bound = (scenario.parameters.get(name) for name in names)
    smoothness = scenario.problem.constants.smoothness
    if (
        slope is None
        or bend is None
        or bound is None
        or smoothness is None
        or not _first_round(scenario)
    ):
        return None
    size = scenario.trace.num_clients * int(scenario.trace.local_steps.max())
    worst = int(client_max_staleness(scenario.trace).max())
    return bool(
        scenario.trace.num_rounds + 1
        >= max(
            32 * slope * smoothness * size,
            16 * smoothness * size,
            8 * size * worst**2 * (smoothness**2 + bend * bound) / smoothness,
        )
    )


def _bounded_noise(scenario: Scenario) -> bool | None:
    bound = scenario.parameters.get("noise_bound")
    return None if bound is None else bool(bound**2 >= scenario.problem.noise_squared)


def _mifa_run(scenario: Scenario) -> bool:
    """Algorithm 1 on the problem of eq. (1), the plain mean of the clients' losses."""
    equal = len(set(scenario.problem.importance)) == 1
    return scenario.algorithm in ("mifa", "mifa-difference") and equal and _same_steps(scenario)


MIFA_RUN = Assumption(
    "mifa.alg1", "the method is MIFA with equal numbers of local steps", _mifa_run
)
SMOOTHNESS = Assumption(
    "mifa.ass1",
    "every client's gradient is L-Lipschitz",
    lambda s: s.problem.constants.smoothness is not None,
)
FRESH_NOISE = Assumption(
    "mifa.ass2",
    "stochastic gradients are unbiased with variance at most sigma^2",
    lambda s: s.problem.constants.gradient_noise_squared is not None,
)
CONVEXITY = Assumption("mifa.ass3", "every client's loss is mu-strongly convex", _convex)
SLOW_GROWTH = Assumption(
    "mifa.ass4", "tau(t, i) <= t0 + t/b with b = 40 (L/mu)^1.5 and t0 > 0", _slow_growth
)
QUADRATIC_CLIENTS = Assumption(
    "mifa.ass5",
    "every client's Hessian is rho-Lipschitz (rho = 0 for quadratics)",
    lambda s: s.problem.affine,
)
BOUNDED_NOISE = Assumption("mifa.ass6", "the noise of a gradient is at most delta", _bounded_noise)
DISSIMILARITY = Assumption("mifa.ass7", "|grad f_i|^2 <= alpha |grad f|^2 + beta_i", _dissimilar)
ABSENCES = Assumption(
    "mifa.ass8",
    "no device is inactive for more than nu_i rounds: tau(t, i) <= nu_i",
    lambda s: True,
)
"""Assumption 8, which every run meets with the longest absence of each device for nu_i."""
FIRST_ROUND = Assumption(
    "mifa.first", "tau(1, i) = 0: everybody responds in the first round", _first_round
)
STEP_SIZES = Assumption(
    "mifa.steps", "eta_t = 4/(mu K (t + a)) with a = max(100, 40 t0)(L/mu)^1.5", _schedule
)
CONSTANT_STEP = Assumption("mifa.step", "eta = sqrt(N/(K T L (1 + nubar)))", _constant_step)
LONG_ENOUGH = Assumption(
    "mifa.horizon",
    "T >= max(32 alpha L N K, 16 L N K, 8 K N nu_max^2 (L^2 + rho delta)/L)",
    _long_enough,
)
COIN_FLIPS = Assumption(
    "mifa.flips",
    "Definition 5.2: all devices are active in the first round, and device i in each later one with"
    " chance p_i, independently of the past and of the other devices",
    lambda s: True,
)
OBLIVIOUS = Assumption(
    "mifa.oblivious",
    "who is available does not depend on the gradient noise",
    lambda s: True,
    stated=False,
)
SAMPLES = Assumption(
    "mifa.fresh-samples",
    "every local step draws a new sample: given all earlier samples its noise has mean zero, and"
    " samples of different devices are independent",
    lambda s: True,
    stated=False,
)
"""Noise that is drawn once and used for ever is unbiased at every point, and no run averages it."""
