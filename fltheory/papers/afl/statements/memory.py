"""Theorem 4: AFA-CS, whose server remembers the latest update of every worker (Sec. 4.2, Appendix
C)."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import sympy

from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    Severity,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.paper import (
    AGE,
    ERROR,
    FRESH,
    LOCAL,
    NOISE,
    SETTING,
    STEP,
    WHERE,
    K,
    L,
    M,
    printed,
    read,
    repaired,
    step_sizes,
)
from fltheory.papers.afl.statements.general_arrivals import error_bound

STALE = (M - FRESH) ** 2 / M**2
PATH = 9 * STALE * (1 + L * STEP) + sympy.Rational(3, 2) + 3 * L * STEP
ALPHA_L = 3 * L * STEP / (2 * M) + 5 * K * L**2 * LOCAL**2 * PATH
ALPHA_G = PATH * 30 * K**2 * L**2 * LOCAL**2
THEOREM4 = error_bound(ALPHA_L, ALPHA_G)
THEOREM4_CORRECTED = error_bound(ALPHA_L + 3 / (2 * M), ALPHA_G)


def condition_4(last: int) -> sympy.Expr:
    """Left side of eq. (4), with 320 as printed or 360 as derived in its last term."""
    moved = K**2 * L**2 * LOCAL**2
    return (
        12 * L * STEP
        + 540 * STALE * (1 + L * STEP) * moved * (1 + AGE)
        + 180 * moved
        + last * L * STEP * moved
    )


BETA_0 = sympy.Rational(27, 2) * STALE * (1 + L * STEP) * AGE**2 * L**2 * STEP**2
"""The smallest series beta that satisfies (5) and (6), at 0 and times g (afl.thm4.betas)."""

PROOF, INCREMENT = letter("condition_of_the_proof"), letter("increment_of_v")
MIDDLE, NEWEST = letter("change_of_middle_terms"), letter("newest_term")
DROPPED = letter("printed_dropped_term")
DROPPED_RIGHT = letter("dropped_term")
LOSS_CHANGE = letter("loss_change")
UPDATE_SQUARE = letter("squared_update")
FIRST_BETA = letter("doubled_first_beta")
LEAST = letter("least_squared_path")
LOSS, FALL = letter("current_loss"), letter("other_terms")

SMALL_STEP, SMALL_STEP_PRINTED = condition_4(360) < 1, condition_4(320) < 1
SMALL_SERIES = 2 * BETA_0 <= 1
NOISE_BELOW_MOVES = sympy.Le(
    3 * NOISE**2 / (2 * M), (sympy.Rational(1, 2) - BETA_0) * UPDATE_SQUARE
)
"""(4), (5) with (6), and (7) in one round, as relations between expressions."""

PLACES = WHERE | {
    "condition_of_the_proof": (
        "4 times what must not exceed 1/4 in the proof's condition (c3), taken together"
    ),
    "increment_of_v": "V(x_{t+1}) - V(x_t)",
    "loss_change": "f(x_{t+1}) - f(x_t)",
    "change_of_middle_terms": (
        "sum over u <= tau - 2 of (beta_{u+1} - beta_u) |x_{t-u} - x_{t-u-1}|^2"
    ),
    "newest_term": "beta_0 |x_{t+1} - x_t|^2",
    "printed_dropped_term": "beta_{tau-1} |x_{t-tau-1} - x_{t-tau-2}|^2",
    "dropped_term": "beta_{tau-1} |x_{t-tau+1} - x_{t-tau}|^2",
    "squared_update": "E |G_t|^2",
    "doubled_first_beta": "2 beta_0 g for the smallest series beta that satisfies (5) and (6)",
    "least_squared_path": (
        "least E |mean of Delta_i|^2 that is compatible with (7) and E |G_t - mean of Delta_i|^2 <="
        " sigma_L^2/M"
    ),
    "current_loss": "f(x_t)",
    "other_terms": "all other terms on the right of eq. (12)",
}


def memory_ages(scenario: Scenario) -> tuple[Fraction, int]:
    """((M - m')/M)^2 and tau: how stale the memory gets, when all of it is written in round 0."""
    trace = scenario.trace
    ages, oldest, least = trace.delays[0].copy(), 0, trace.num_clients
    for t in range(trace.num_rounds):
        ages = np.where(trace.delivers[t], trace.delays[t], ages + 1)
        oldest, least = max(oldest, int(ages.max())), min(least, int((ages == 0).sum()))
    return Fraction(trace.num_clients - least, trace.num_clients) ** 2, oldest


def _condition_4(last: int) -> Callable[[Scenario], bool]:
    def holds(scenario: Scenario) -> bool:
        smoothness, local, step, steps, _ = step_sizes(scenario)
        stale, oldest = memory_ages(scenario)
        moved = (steps * smoothness * local) ** 2
        return bool(
            12 * smoothness * step
            + 540 * stale * (1 + smoothness * step) * moved * (1 + oldest)
            + 180 * moved
            + last * smoothness * step * moved
            < 1
        )

    return holds


def _small_betas(scenario: Scenario) -> bool:
    smoothness, _, step, _, _ = step_sizes(scenario)
    stale, oldest = memory_ages(scenario)
    return bool(27 * stale * (1 + smoothness * step) * (oldest * smoothness * step) ** 2 <= 1)


REMEMBERED = Assumption(
    "afl.thm4.memory",
    "every worker's update from x_0 is in the memory from the first round on",
    lambda s: bool(s.trace.delivers[0].all()),
    stated=False,
)
FOUR_PRINTED = Assumption("afl.thm4.4", "eq. (4) with 320 in its last term", _condition_4(320))
FOUR = Assumption("afl.thm4c.4", "eq. (4) with 360 in its last term", _condition_4(360))
BETAS = Assumption(
    "afl.thm4.5-6", "a series beta satisfies (5) and (6) with beta_0 eta eta_L <= 1/2", _small_betas
)
SEVEN = Assumption(
    "afl.thm4.7",
    "eq. (7) in every round: (3/(2M)) sigma_L^2 <= (1/2 - beta_0 eta eta_L) E |G_t|^2",
    lambda s: True if s.problem.constants.gradient_noise_squared == 0 else None,
)

LONG = Assumption(
    "afl.thm4.long",
    "T is so large that the bound (8) is below 2 sigma_L^2/M",
    lambda s: None,
    stated=False,
)

EXAMPLE = {
    "num_clients": 10,
    "fresh_entries": 5,
    "local_steps": 5,
    "max_staleness": 4,
    "smoothness": 1,
    "num_rounds": 10**6,
    "server_step_size": sympy.sqrt(10),
    "local_step_size": "1/1000",
    "gradient_noise": 0,
    "dissimilarity": 0,
    "initial_loss_gap": 0,
}
WINDOW = {
    "smoothness": 1,
    "local_steps": 1,
    "max_staleness": 0,
    "num_clients": 1,
    "fresh_entries": 1,
    "local_step_size": sympy.sqrt(2) / 20,
    "server_step_size": sympy.Rational(729966, 10**8) * 20 / sympy.sqrt(2),
}

CLAIMS = (
    Claim(
        "afl.thm4",
        printed(
            "Theorem 4, eq. (8)",
            "(4), (5), (6), (7): (1/T) sum E|grad f(x_t)|^2 <= 4(V(x_0) - V(x*))/(eta eta_L T) + "
            "4(alpha_L sigma_L^2 + alpha_G sigma_G^2)",
        ),
        "With bounded delay AFA-CS's mean squared gradient is at most 4 (V(x_0) - V(x*))/(gT) + 4"
        " (alpha_L sigma_L^2 + alpha_G sigma_G^2).",
        UpperBound(ERROR, THEOREM4),
        assumes=(*SETTING, REMEMBERED, FOUR_PRINTED, BETAS, SEVEN),
        where=PLACES,
        note=(
            "V(x_0) - V(x*) must be read f(x_0) - f*, and m' as its least value over the rounds."
            " With noise, (7) contradicts the conclusion for large T."
        ),
        special_cases=(
            SpecialCase(
                "alpha_L at the paper's scale of settings",
                EXAMPLE | {"gradient_noise": "1/2"},
                "0.000568507",
            ),
            SpecialCase("alpha_G there", EXAMPLE | {"dissimilarity": "1/2"}, "0.00282495"),
        ),
        proof="docs/proofs/afl.md#theorem-4-corrected",
    ),
    Claim(
        "afl.thm4.noisy",
        read(
            "Theorem 4 with Corollary 3's step sizes, sigma_L > 0",
            "Theorem 4 shows that the error of a long run with noise becomes small, as Corollary 3"
            " concludes: here K = 1, all entries are fresh, and T is so large that (8) is below 2"
            " sigma_L^2/M.",
            "Shorter runs from far away can meet (7); their bound is above 2 sigma_L^2/M.",
        ),
        "With noise, one local step, all entries fresh and Corollary 3's step sizes, Theorem 4"
        " bounds the mean squared gradient of a run so long that the bound is below 2 sigma_L^2/M.",
        UpperBound(ERROR, THEOREM4),
        assumes=(*SETTING, REMEMBERED, FOUR_PRINTED, BETAS, SEVEN, LONG),
        where=PLACES,
        note=(
            "Condition (7) keeps the expected squared gradient above 2 sigma_L^2/M in every round."
            " Once T is so large that the bound is below that, the hypotheses cannot hold together;"
            " as M, sigma_L and the initial gap are fixed and T grows, that is always the case in"
            " the end. What holds instead is afl.thm4star."
        ),
    ),
    Claim(
        "afl.thm4c",
        repaired("Theorem 4"),
        "Without (7), with 360 in (4) and beta_0 g <= 1/2, the bound of Theorem 4 holds with 3/(2M)"
        " added to alpha_L.",
        UpperBound(ERROR, THEOREM4_CORRECTED),
        assumes=(*SETTING, REMEMBERED, FOUR, BETAS),
        where=PLACES,
        corrects="afl.thm4",
        note=(
            "This keeps the paper's proof, at the price of a floor 6 sigma_L^2/M that never"
            " vanishes; cite afl.thm4star, whose noise vanishes with the step size."
        ),
        about=("afa-cs",),
        proof="docs/proofs/afl.md#theorem-4-corrected",
    ),
    Claim(
        "afl.thm4.four",
        printed(
            "Theorem 4, eq. (4)",
            "12Lg + 540((M-m')^2/M^2)(1+Lg)K^2L^2 eta_L^2 (1+tau) + 180K^2L^2 eta_L^2 + "
            "320L^3K^2 eta eta_L^3 < 1",
        ),
        "Four times the proof's condition (c3) is eq. (4), with 320 in the last term.",
        Identity(PROOF, condition_4(320)),
        where=PLACES,
        special_cases=(
            SpecialCase("the paper's scale of settings", EXAMPLE, "0.0594010"),
            SpecialCase("where 320 and 360 differ", WINDOW, "0.99928"),
        ),
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.thm4.four.corrected",
        repaired("Theorem 4, eq. (4)"),
        "Four times the proof's condition (c3) is eq. (4) with 360 in the last term.",
        Identity(PROOF, condition_4(360)),
        where=PLACES,
        corrects="afl.thm4.four",
        special_cases=(
            SpecialCase("the paper's scale of settings", EXAMPLE, "0.0594042"),
            SpecialCase("where 320 and 360 differ", WINDOW, "1.00074"),
        ),
    ),
    Claim(
        "afl.thm4.betas",
        repaired("Theorem 4, eqs. (5) and (6)"),
        "The smallest series beta gives 2 beta_0 g = 27 q (1 + Lg) tau^2 L^2 g^2, which (7) needs"
        " below 1.",
        Identity(FIRST_BETA, 2 * BETA_0),
        where=PLACES,
        special_cases=(SpecialCase("the paper's scale of settings", EXAMPLE, "0.001083416"),),
    ),
    Claim(
        "afl.thm4.forces",
        repaired("Theorem 4, eq. (7)"),
        "Eq. (7) keeps the squared mean path above (sqrt(3) - 1)^2 sigma_L^2 / M for ever.",
        Identity(LEAST, (sympy.sqrt(3) - 1) ** 2 * NOISE**2 / M),
        where=PLACES,
    ),
)
