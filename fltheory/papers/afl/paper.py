"""The paper, the letters that all its claims share, and its hypotheses as questions to a
scenario."""

from dataclasses import replace
from fractions import Fraction

import sympy

from fltheory.claims.claim import Assumption, Authorship, Paper, Source, letter
from fltheory.claims.scenario import Scenario
from fltheory.core.vocabulary import symbol

PAPER = Paper(
    key="afl",
    title="Anarchic Federated Learning",
    authors="Haibo Yang and Xin Zhang and Prashant Khanduri and Jia Liu",
    year=2021,
    venue="submission to the International Conference on Learning Representations 2022",
    version="anonymous submission under review for ICLR 2022, with its appendix",
    name="AFL",
    entry="unpublished",
    citation={
        "note": "published in another version in the Proceedings of the 39th International"
        " Conference on Machine Learning, 2022; claims are judged as the submission prints them",
    },
    letters={
        "num_clients": "M",
        "num_rounds": "T",
        "local_steps": "K or K_{t,i}",
        "clients_per_round": "m",
        "started_from": "t - tau_{t,i}",
        "staleness": "tau_{t,i}",
        "max_staleness": "tau",
        "importance": "1/M",
        "aggregation_weight": "1/m (CD), 1/M (CS)",
        "local_step_size": "eta_L",
        "server_step_size": "eta",
        "smoothness": "L",
        "gradient_noise": "sigma_L",
        "dissimilarity": "sigma_G",
        "initial_loss_gap": "f_0 - f*",
        "mean_squared_gradient": "(1/T) sum E|grad f(x_t)|^2",
    },
)

M, T, K = symbol("num_clients"), symbol("num_rounds"), symbol("local_steps")
PER_ROUND = symbol("clients_per_round")
LOCAL, SERVER = symbol("local_step_size"), symbol("server_step_size")
STEP = SERVER * LOCAL
L, NOISE, APART = symbol("smoothness"), symbol("gradient_noise"), symbol("dissimilarity")
GAP, ERROR = symbol("initial_loss_gap"), symbol("mean_squared_gradient")
DELAY = letter("max_delay", integer=True, nonnegative=True)
AGE = symbol("max_staleness")
FRESH = letter("fresh_entries", integer=True, nonnegative=True)
FEWEST = letter("least_local_steps", integer=True, positive=True)
SPREAD = (M - PER_ROUND) / (PER_ROUND * sympy.Max(M - 1, 1))
"""rho, the finite-population factor: 0 when everybody is sampled, also when there is only one
client."""

WHERE = {
    "max_delay": "tau of Theorems 2 and 3: the largest delay among the updates that are used",
    "fresh_entries": (
        "m': the least number of entries of the server's memory that have no delay, over the rounds"
    ),
    "least_local_steps": "K_min, the least number of local steps of an update that is used",
}


def printed(place: str, formula: str = "") -> Source:
    """A place in the paper whose text the claim repeats; `formula` is what is printed there, in the
    paper's letters."""
    return Source(PAPER, place, formula=formula)


def read(place: str, reading: str, *alternatives: str) -> Source:
    """A place in the paper whose informal sentence the claim makes precise."""
    return Source(PAPER, place, Authorship.READ, reading=reading, alternatives=alternatives)


def repaired(place: str) -> Source:
    """A place in the paper whose text the claim corrects, or that it adds to."""
    return Source(PAPER, place, kind=Authorship.OURS)


def step_sizes(scenario: Scenario) -> tuple[Fraction, Fraction, Fraction, int, int]:
    """L, local step size, effective server step, local steps and largest delay of a scenario; of
    step sizes that change, the largest."""
    given = scenario.local_step_size
    local = max(given) if isinstance(given, tuple) else given
    steps, delay = int(scenario.trace.local_steps.max()), int(scenario.trace.delays.max())
    return (
        scenario.problem.constants.smoothness,
        local,
        local * scenario.server_step_size,
        steps,
        delay,
    )


def _equal_importance(scenario: Scenario) -> bool:
    return len(set(scenario.problem.importance)) == 1


ASM1 = Assumption(
    "afl.asm1",
    "every client's gradient is L-Lipschitz",
    lambda s: s.problem.constants.smoothness is not None,
)
ASM2 = Assumption("afl.asm2", "stochastic gradients are unbiased", lambda s: True)
ASM3 = Assumption(
    "afl.asm3",
    "gradient noise and the clients' distance from the global gradient are bounded everywhere",
    lambda s: (
        None
        not in (
            s.problem.constants.dissimilarity_squared,
            s.problem.constants.gradient_noise_squared,
        )
    ),
)
AVERAGE = Assumption(
    "afl.def.problem",
    "the global loss is the plain average of the clients' losses",
    _equal_importance,
)
BELOW = Assumption(
    "afl.bounded-below",
    "the global loss has a finite infimum",
    lambda s: s.problem.constants.infimum is not None,
    stated=False,
)
CONSTANT = Assumption(
    "afl.constant-steps",
    "both step sizes are constant",
    lambda s: not isinstance(s.local_step_size, tuple),
)
ARRIVALS = Assumption(
    "afl.arrivals",
    "at least one update arrives in every round",
    lambda s: bool(s.trace.delivers.any(axis=-1).all()),
)
INDEPENDENT = Assumption(
    "afl.asm4-implicit",
    "arrivals, delays and numbers of local steps do not depend on the gradient noise",
    lambda s: True,
    stated=False,
)
SAMPLES = Assumption(
    "afl.fresh-samples",
    "every local step draws a new sample: given all earlier samples its noise has mean zero, and"
    " samples of different workers are independent",
    lambda s: True,
    stated=False,
)
SETTING = (ASM1, ASM2, ASM3, AVERAGE, BELOW, CONSTANT, ARRIVALS, INDEPENDENT, SAMPLES)


def in_full(*assumptions: Assumption) -> tuple[Assumption, ...]:
    """The same hypotheses, all of them stated: a claim of ours lists whatever it needs."""
    return tuple(replace(assumption, stated=True) for assumption in assumptions)
