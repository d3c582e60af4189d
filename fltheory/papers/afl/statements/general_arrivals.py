"""Theorem 2 and its conditions: AFA-CD under general arrivals (Sec. 4.1, Appendix B.2)."""

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
    APART,
    DELAY,
    ERROR,
    GAP,
    LOCAL,
    NOISE,
    PER_ROUND,
    SETTING,
    STEP,
    WHERE,
    K,
    L,
    T,
    printed,
    read,
    repaired,
    step_sizes,
)

OLD_SUM, NEW_SUM = letter("sum_at_used_models"), letter("sum_at_all_models")
BOUND = letter("assembled_bound")

PLACES = WHERE | {
    "sum_at_used_models": (
        "sum over the rounds of |grad f|^2 at the model that the round's update started from"
    ),
    "sum_at_all_models": "sum over the rounds of |grad f|^2 at the round's own model",
    "assembled_bound": "the bound put together from the terms A1 to A6 of the proof",
}


def error_bound(noise_factor: sympy.Expr, apart_factor: sympy.Expr) -> sympy.Expr:
    """4 (f_0 - f*) / (g T) + 4 (alpha_L sigma_L^2 + alpha_G sigma_G^2), the form of eqs. (2), (3)
    and (8)."""
    return 4 * GAP / (STEP * T) + 4 * (noise_factor * NOISE**2 + apart_factor * APART**2)


CONDITION_B = 2 * L * STEP + 3 * DELAY**2 * L**2 * STEP**2
ALPHA_L = (
    L * STEP / PER_ROUND
    + 3 * DELAY**2 * L**2 * STEP**2 / (2 * PER_ROUND)
    + sympy.Rational(15, 2) * LOCAL**2 * K * L**2
)
ALPHA_G = sympy.Rational(3, 2) + 45 * K**2 * L**2 * LOCAL**2
DRIFT_A = sympy.Or(sympy.Eq(K, 1), 180 * LOCAL**2 * K**2 * L**2 * sympy.Max(DELAY, 1) <= 1)
STEP_B = CONDITION_B <= 1
STEP_HALF_B = L * STEP + 3 * DELAY**2 * L**2 * STEP**2 <= 1
STEP_SGD = sympy.And(sympy.Eq(K, 1), sympy.Eq(DELAY, 0), L * STEP <= 1)
"""The assumptions of that name, as relations between expressions."""

THEOREM2 = error_bound(ALPHA_L, ALPHA_G)
HALF = error_bound(ALPHA_L - L * STEP / (2 * PER_ROUND), ALPHA_G)
SIMPLE = 2 * GAP / (STEP * T) + APART**2 + L * STEP * NOISE**2 / PER_ROUND


def _printed_a(scenario: Scenario) -> bool:
    smoothness, local, _, steps, delay = step_sizes(scenario)
    return bool(180 * local**2 * steps**2 * smoothness**2 * delay < 1)


def _corrected_a(scenario: Scenario) -> bool:
    smoothness, local, _, steps, delay = step_sizes(scenario)
    return bool(steps == 1 or 180 * local**2 * steps**2 * smoothness**2 * max(delay, 1) <= 1)


def _condition_b(scenario: Scenario) -> bool:
    smoothness, _, step, _, delay = step_sizes(scenario)
    return bool(2 * smoothness * step + 3 * delay**2 * smoothness**2 * step**2 <= 1)


def _half_b(scenario: Scenario) -> bool:
    smoothness, _, step, _, delay = step_sizes(scenario)
    return bool(smoothness * step + 3 * delay**2 * smoothness**2 * step**2 <= 1)


def _synchronous_sgd(scenario: Scenario) -> bool:
    smoothness, _, step, steps, delay = step_sizes(scenario)
    return bool(steps == 1 and delay == 0 and smoothness * step <= 1)


PRINTED_A = Assumption("afl.thm2.a", "180 eta_L^2 K^2 L^2 tau < 1", _printed_a)
CORRECTED_A = Assumption(
    "afl.thm2c.a", "180 eta_L^2 K^2 L^2 max(tau, 1) <= 1, or K = 1", _corrected_a
)
B = Assumption("afl.thm2.b", "2 L eta eta_L + 3 tau^2 L^2 (eta eta_L)^2 <= 1", _condition_b)
HALF_B = Assumption("afl.thm2.half.b", "L eta eta_L + 3 tau^2 L^2 (eta eta_L)^2 <= 1", _half_b)
SGD = Assumption("afl.thm2.simple.sgd", "K = 1, tau = 0 and L eta eta_L <= 1", _synchronous_sgd)

EXAMPLE = {
    "smoothness": 1,
    "local_steps": 5,
    "max_delay": 4,
    "clients_per_round": 5,
    "server_step_size": sympy.sqrt(5),
    "local_step_size": "1/1000",
    "num_rounds": 10**6,
}
NO_LOSS = {"gradient_noise": 0, "dissimilarity": 0, "initial_loss_gap": 0}

CLAIMS = (
    Claim(
        "afl.thm2",
        printed(
            "Theorem 2, eq. (2)",
            "180 eta_L^2 K^2 L^2 tau < 1, 2L eta eta_L + 3 tau^2 L^2 eta^2 eta_L^2 <= 1: (1/T) "
            "sum E|grad f(x_t)|^2 <= 4(f_0 - f*)/(eta eta_L T) + 4(alpha_L sigma_L^2 + alpha_G "
            "sigma_G^2)",
        ),
        "Under general arrivals AFA-CD's mean squared gradient is at most 4 (f_0 - f*)/(gT) + 4"
        " (alpha_L sigma_L^2 + alpha_G sigma_G^2).",
        UpperBound(ERROR, THEOREM2),
        assumes=(*SETTING, PRINTED_A, B),
        where=PLACES,
        about=("afa-cd",),
        note=(
            "False at tau = 0 with K >= 2: condition (a) then says nothing about eta_L, and the"
            " condition of eq. (9) is missing."
        ),
        special_cases=(
            SpecialCase(
                "first term of the paper's scale of settings",
                EXAMPLE | NO_LOSS | {"initial_loss_gap": 1},
                "0.00178885",
            ),
            SpecialCase(
                "alpha_L there", EXAMPLE | NO_LOSS | {"gradient_noise": "1/2"}, "0.000508714"
            ),
            SpecialCase("alpha_G there", EXAMPLE | NO_LOSS | {"dissimilarity": "1/2"}, "1.501125"),
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        "afl.thm2c",
        repaired("Theorem 2"),
        "Theorem 2 holds with 180 eta_L^2 K^2 L^2 max(tau, 1) <= 1 in place of (a), and with no"
        " condition (a) at all if K = 1.",
        UpperBound(ERROR, THEOREM2),
        assumes=(*SETTING, CORRECTED_A, B),
        where=PLACES,
        corrects="afl.thm2",
        about=("afa-cd",),
        note=(
            "This keeps the paper's bound; cite afl.thm2star, which has weaker conditions and less"
            " noise. The count is tau + 1, not tau, but the mean drift constant is (e-2)K, not 5K:"
            " 9 (e-2)(tau+1)/(180 max(tau,1)) <= 1/4."
        ),
        proof="docs/proofs/afl.md#theorem-2-corrected",
    ),
    Claim(
        "afl.thm2.half",
        repaired("Theorem 2"),
        "The factor 1/2 of (L/2) A2 that the proof drops may be kept: L g/(2m) in alpha_L, and L g"
        " + 3 tau^2 L^2 g^2 <= 1.",
        UpperBound(ERROR, HALF),
        assumes=(*SETTING, CORRECTED_A, HALF_B),
        where=PLACES,
        about=("afa-cd",),
        note="A consequence of the printed proof; cite afl.thm2star.",
        proof="docs/proofs/afl.md#theorem-2-corrected",
    ),
    Claim(
        "afl.thm2.simple",
        repaired("Theorem 2"),
        "With one local step and no delay, 2 (f_0 - f*)/(gT) + sigma_G^2 + L g sigma_L^2/m is"
        " enough, for all L g <= 1.",
        UpperBound(ERROR, SIMPLE),
        assumes=(*SETTING, SGD),
        where=PLACES,
        about=("afa-cd",),
        note="Without delay; afl.thm2.onestep is the form for any delay.",
        proof="docs/proofs/afl.md#theorem-2-with-one-local-step",
    ),
    Claim(
        "afl.thm2.a12",
        printed(
            "Theorem 2, step (a12)",
            "-(1/2) eta eta_L |grad f(x_t)|^2 + 45 eta eta_L^3 K^2 L^2 (1/m) sum |grad "
            "f(x_{t-tau_i})|^2 is summed to (-1/2 + 45 eta_L^2 K^2 L^2 tau) eta eta_L |grad "
            "f(x_t)|^2",
        ),
        "Summed over the rounds, squared gradients at the models that are used are at most tau"
        " times those at all models.",
        UpperBound(OLD_SUM, DELAY * NEW_SUM),
        where=PLACES,
        note="A model can be used in tau + 1 rounds; at tau = 0 the printed step says sum <= 0.",
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.thm2.a12c",
        repaired("Theorem 2, step (a12)"),
        "Summed over the rounds, squared gradients at the models that are used are at most tau + 1"
        " times those at all models.",
        UpperBound(OLD_SUM, (DELAY + 1) * NEW_SUM),
        where=PLACES,
        corrects="afl.thm2.a12",
    ),
    Claim(
        "afl.thm2.assembly",
        printed(
            "Theorem 2, steps (a1) to (a14)",
            "alpha_L = L g/m + 3 tau^2 L^2 g^2/(2m) + (15/2) eta_L^2 K L^2, alpha_G = 3/2 + 45 "
            "K^2 L^2 eta_L^2",
        ),
        "The constants of the bounds on A1 to A6 add up to the printed alpha_L and alpha_G; that is"
        " arithmetic, whether or not every step is right.",
        Identity(BOUND, THEOREM2),
        where=PLACES,
        note="Step (a12) is wrong: afl.thm2.a12.",
    ),
    Claim(
        "afl.thm2.condition-b",
        repaired("Theorem 2, step (a13)"),
        "The largest step allowed by condition (b) is 1/(L (1 + sqrt(1 + 3 tau^2))).",
        Identity(letter("largest_step"), 1 / (L * (1 + sympy.sqrt(1 + 3 * DELAY**2)))),
        where=PLACES | {"largest_step": "the positive root g of 2 L g + 3 tau^2 L^2 g^2 = 1"},
        special_cases=(
            SpecialCase("no delay", {"smoothness": 1, "max_delay": 0}, "1/2"),
            SpecialCase("delay 1", {"smoothness": 1, "max_delay": 1}, "1/3"),
        ),
    ),
    Claim(
        "afl.thm2.adaptive",
        read(
            "Theorem 2 with Sec. 3, 'no assumption on the arrival processes'",
            (
                '"No assumption on the arrival processes" allows arrivals that depend on the'
                " gradient noise."
            ),
            (
                "Arrivals do not depend on the noise of what arrives (afl.asm4-implicit): then see"
                " afl.thm2star."
            ),
        ),
        "Theorem 2 holds whatever decides which worker arrives first, also if it is the gradient"
        " noise.",
        UpperBound(ERROR, THEOREM2),
        where=PLACES,
        note="afl.asm4-implicit is needed: arrivals must not depend on the noise of what arrives.",
        severity=Severity.READING,
    ),
)
