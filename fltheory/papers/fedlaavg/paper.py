"""The paper, the letters that its claims share, and its hypotheses."""

from collections.abc import Callable
from dataclasses import replace

import sympy

from fltheory.claims.claim import Assumption, Authorship, Paper, Source, letter
from fltheory.claims.scenario import Scenario
from fltheory.core.vocabulary import symbol

PAPER = Paper(
    key="fedlaavg",
    title=(
        "Distributed Non-Convex Optimization with Sublinear Speedup under Intermittent Client"
        " Availability"
    ),
    authors=(
        "Yikai Yan and Chaoyue Niu and Yucheng Ding and Zhenzhe Zheng and Fan Wu and Guihai Chen"
        " and Shaojie Tang and Zhihua Wu"
    ),
    year=2020,
    venue="arXiv:2002.07399",
    name="FedLaAvg",
    citation={"eprint": "2002.07399", "archiveprefix": "arXiv"},
    version=(
        "full text with its appendix, in the version that speaks of sublinear speedup; its arXiv"
        " revision number is not known"
    ),
    letters={
        "num_clients": "N",
        "num_rounds": "T or R",
        "local_steps": "C (1 in Sec. 2-4)",
        "clients_per_round": "K = beta N",
        "started_from": "t-1",
        "staleness": "t - T_i^t",
        "rounds_since_available": "differs if clients_per_round < available",
        "max_staleness": "at most I",
        "availability_window": "E",
        "importance": "w_i",
        "aggregation_weight": "1/N",
        "local_step_size": "gamma",
        "smoothness": "L",
        "gradient_noise": "sigma",
        "gradient_bound": "G",
        "initial_loss_gap": "f(x^0) - f*",
        "mean_squared_gradient": "(1/T) sum E|grad f(x^{t-1})|^2",
    },
)

GAMMA = symbol("local_step_size")
N = symbol("num_clients")
K = symbol("clients_per_round")
E = symbol("availability_window")
T = symbol("num_rounds")
C = symbol("local_steps")
L = symbol("smoothness")
SIGMA = symbol("gradient_noise")
G = symbol("gradient_bound")
B = symbol("initial_loss_gap")
MEAN_SQUARED = symbol("mean_squared_gradient")
I = letter("staleness_bound", integer=True, nonnegative=True)  # noqa: E741 - the paper's letter
BETA = letter("participation_share", positive=True)

Holds = Callable[[Scenario], bool | None]

STALENESS_WORDS = {
    "staleness_bound": "I, the largest t - T_i^t that Lemma 1 allows: ceil(N/K) E - 1"
}
ROUND_WORDS = {"num_rounds": "R, rounds of C local steps each"}
"""The letter of Section 5 and Appendix C, where T does not count rounds."""
SERVER_WORDS = ROUND_WORDS | {
    "mean_squared_gradient": (
        "(1/R) sum E|grad f(x^{(r-1)C})|^2, average over the server's models before each round"
    )
}
SHARE_WORDS = {"participation_share": "beta = K/N, the share of clients used in each round"}


def _known(name: str) -> Holds:
    def holds(scenario: Scenario) -> bool | None:
        return None if getattr(scenario.problem.constants, name) is None else True

    return holds


def _runs(scenario: Scenario) -> bool:
    trace = scenario.trace
    equal = (
        len(set(scenario.problem.importance)) == 1
        and len(set(trace.local_steps[trace.delivers].tolist())) <= 1
    )
    return bool(
        scenario.algorithm == "fedlaavg"
        and scenario.server_step_size == 1
        and equal
        and not trace.delays.any()
    )


def _step_size(times: int, strict: bool) -> Holds:
    def holds(scenario: Scenario) -> bool | None:
        smoothness = scenario.problem.constants.smoothness
        if smoothness is None or isinstance(scenario.local_step_size, tuple):
            return None if smoothness is None else False
        size = times * scenario.local_step_size * smoothness
        return bool(0 < size < 1 or (size == 1 and not strict))

    return holds


METHOD = Assumption(
    "fedlaavg.method",
    "FedLaAvg runs on equally weighted clients, from the newest model, with equally many local"
    " steps.",
    _runs,
)
SMOOTH = Assumption(
    "fedlaavg.smooth",
    "Every client's gradient is L-Lipschitz (Assumption 1).",
    _known("smoothness"),
)
NOISE = Assumption(
    "fedlaavg.noise",
    "Stochastic gradients have variance at most sigma^2 (Assumption 2).",
    _known("gradient_noise_squared"),
)
SAMPLES = Assumption(
    "fedlaavg.samples",
    "Stochastic gradients are unbiased given the past, and training data are independent across"
    " clients (Section 2, Lemma 3).",
    lambda scenario: True,
)
BOUNDED = Assumption(
    "fedlaavg.bounded",
    "Stochastic gradients have second moment at most G^2 everywhere (Assumption 3).",
    _known("gradient_bound_squared"),
)
WINDOW = Assumption(
    "fedlaavg.window",
    "Each client is available once in any E successive rounds (Assumption 4 or 5).",
    lambda scenario: True,
)
ONE_STEP = Assumption(
    "fedlaavg.one_step",
    "Clients do one local step.",
    lambda scenario: bool(scenario.trace.local_steps.max() == 1),
)
STEP_BELOW_HALF = Assumption(
    "fedlaavg.step_below_half", "The step size is below 1/(2L).", _step_size(2, True)
)
STEP_UP_TO_HALF = Assumption(
    "fedlaavg.step_up_to_half", "The step size is at most 1/(2L).", _step_size(2, False)
)
STEP_UP_TO_QUARTER = Assumption(
    "fedlaavg.step_up_to_quarter", "The step size is at most 1/(4L).", _step_size(4, False)
)
WARM = Assumption(
    "fedlaavg.warm",
    "Everybody takes part in the first round.",
    lambda scenario: bool(scenario.trace.delivers[0].all()),
    stated=False,
)
OBLIVIOUS = Assumption(
    "fedlaavg.oblivious",
    "Who is available does not depend on the gradient noise.",
    lambda scenario: True,
    stated=False,
)
"""A scenario's trace is fixed before any noise is drawn, so the last one holds on every
scenario."""

SELECTION = Assumption(
    "fedlaavg.selection",
    "The K = beta N available clients that have been away for longest take part (Algorithm 1), so"
    " that I = ceil(N/K) E - 1.",
    lambda scenario: None,
)
"""A trace does not tell who was available and not chosen."""

EXAMPLE = Assumption(
    "fedlaavg.example1",
    "Example 1: two clients with the losses (x - e_i)^2; in every period client 1 alone is"
    " available in the first t_1 rounds and client 2 alone in the next t_2.",
    lambda scenario: None,
)
EXACT = Assumption(
    "fedlaavg.exact", "Each client computes the exact gradient.", lambda scenario: None
)
BELOW = Assumption("fedlaavg.below", "The global loss is bounded below.", _known("infimum"))


def in_full(*assumptions: Assumption) -> tuple[Assumption, ...]:
    """The same hypotheses, all of them stated: a claim of ours lists whatever it needs."""
    return tuple(replace(assumption, stated=True) for assumption in assumptions)


GENERAL = (METHOD, SMOOTH, NOISE, SAMPLES, BOUNDED, WINDOW, BELOW, OBLIVIOUS)

LEMMA_1 = sympy.ceiling(N / K) * E - 1
"""I as Lemma 1 has it."""


def printed(place: str, formula: str = "") -> Source:
    """A place in the paper whose text the claim repeats; `formula` is what is printed there, in the
    paper's letters."""
    return Source(PAPER, place, formula=formula)


def read(place: str, reading: str, *alternatives: str) -> Source:
    """A place in the paper whose informal sentence the claim makes precise."""
    return Source(PAPER, place, Authorship.READ, reading=reading, alternatives=alternatives)


def corrected(place: str) -> Source:
    """A place in the paper, in a form that is not printed there."""
    return Source(PAPER, place, kind=Authorship.OURS)
