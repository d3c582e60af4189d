"""Theorem 3, Corollary 2 and Remark 4: AFA-CD when every round hears from a uniform subset (Sec.
4.1, Appendix B.3)."""

from fractions import Fraction

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
    DELAY,
    ERROR,
    LOCAL,
    PER_ROUND,
    SETTING,
    SPREAD,
    STEP,
    K,
    L,
    M,
    T,
    printed,
    repaired,
    step_sizes,
)
from fltheory.papers.afl.statements.general_arrivals import EXAMPLE, NO_LOSS, error_bound
from fltheory.papers.afl.statements.general_arrivals import PLACES as BOUND_PLACES
from fltheory.papers.afl.statements.lemmas import SMALL_DRIFT

MOVE = L * STEP + L**2 * STEP**2 * DELAY**2
ALPHA_L = (
    L * STEP / PER_ROUND
    + DELAY**2 * L**2 * STEP**2 / PER_ROUND
    + 5 * K * L**2 * LOCAL**2
    + MOVE * SPREAD * 15 * K * L**2 * LOCAL**2
)
ALPHA_G = 30 * K**2 * L**2 * LOCAL**2 + MOVE * SPREAD * (90 * K**2 * L**2 * LOCAL**2 + 3)
THEOREM3 = error_bound(ALPHA_L, ALPHA_G)

LONG_DRIFT = sympy.Or(sympy.Eq(K, 1), 20 * K**2 * L**2 * (DELAY + 1) <= T)
LONG_STEP = 36 * L**2 * PER_ROUND * (DELAY + 1) ** 2 <= T
"""The assumption afl.cor2.horizon, as relations between expressions."""

RATIO = (M - PER_ROUND) / (M - 1)
ROOT = sympy.sqrt(PER_ROUND)
COROLLARY2_L = (
    L / (ROOT * sympy.sqrt(T))
    + DELAY**2 * L**2 / T
    + 5 * K * L**2 / T
    + 15 * K * L**3 * RATIO / (ROOT * T ** sympy.Rational(3, 2))
    + 15 * K * L**4 * DELAY**2 * RATIO / T**2
)
COROLLARY2_G = (
    3 * L * RATIO / (ROOT * sympy.sqrt(T))
    + 3 * L**2 * DELAY**2 * RATIO / T
    + 30 * K**2 * L**2 / T
    + 90 * K**2 * L**3 * RATIO / (ROOT * T ** sympy.Rational(3, 2))
    + 90 * K**2 * L**4 * DELAY**2 * RATIO / T**2
)

WEIGHT, MEAN_SQUARES = letter("move_weight", positive=True), letter("mean_of_squares")
EXPECTED_MEAN, MEAN_SQUARE = letter("expected_mean_square"), letter("square_of_mean")
BOUND = letter("theorem_bound")
LEADING = letter("leading_constant")
AFA = letter("afa_model")
FEDAVG = letter("fedavg_model")

PLACES = BOUND_PLACES | {
    "move_weight": "L g + L^2 g^2 tau^2",
    "mean_of_squares": "(1/M) sum over all workers of |Delta_i|^2",
    "expected_mean_square": "E |(1/m) sum over M_t of Delta_i|^2",
    "square_of_mean": "|(1/M) sum over all workers of Delta_i|^2",
    "theorem_bound": "right side of eq. (3) at eta_L = 1/sqrt(T), eta = sqrt(m)",
    "leading_constant": "limit of sqrt(mT) times the bound of Theorem 3* there as T grows",
    "afa_model": "model after one synchronous round of AFA-CD with K local steps everywhere",
    "fedavg_model": (
        "model after one round of FedAvg with two-sided step sizes, from the same model"
    ),
}
STEP_B12 = UpperBound(WEIGHT * EXPECTED_MEAN - MEAN_SQUARE / 2, WEIGHT * SPREAD * MEAN_SQUARES)


def spread(clients: int, per_round: int) -> Fraction:
    """rho = (M - m)/(m (M - 1)), and 0 for one client."""
    return Fraction(clients - per_round, per_round * max(clients - 1, 1))


def terms(scenario: Scenario) -> tuple[Fraction, Fraction, Fraction, int]:
    """K^2 L^2 eta_L^2, L g + L^2 g^2 tau^2, rho and tau."""
    smoothness, local, step, steps, delay = step_sizes(scenario)
    return (
        (steps * smoothness * local) ** 2,
        smoothness * step + (smoothness * step * delay) ** 2,
        spread(scenario.trace.num_clients, int(scenario.trace.delivers.sum(axis=-1).min())),
        delay,
    )


def _printed_3(scenario: Scenario) -> bool:
    drift, move, rho, delay = terms(scenario)
    return bool(120 * drift * delay + 4 * move * rho * (90 * drift * delay + 3 * delay) < 1)


def _corrected_3(scenario: Scenario) -> bool:
    drift, move, rho, delay = terms(scenario)
    return bool((120 * drift + 4 * move * rho * (90 * drift + 3)) * (delay + 1) <= 1)


def _missing_2(scenario: Scenario) -> bool:
    _, move, rho, _ = terms(scenario)
    return bool(2 * (1 - rho) * move <= 1)


def _long_enough(scenario: Scenario) -> bool:
    smoothness, _, _, steps, delay = step_sizes(scenario)
    rounds, per_round = scenario.trace.num_rounds, int(scenario.trace.delivers.sum(axis=-1).min())
    drift = steps == 1 or 20 * (steps * smoothness) ** 2 * (delay + 1) <= rounds
    return bool(drift and 36 * smoothness**2 * per_round * (delay + 1) ** 2 <= rounds)


UNIFORM = Assumption(
    "afl.uniform-arrivals",
    "M_t is a uniform subset of m workers, whatever happened before (sure only if all arrive)",
    lambda s: True if bool(s.trace.delivers.all()) else None,
)
FIXED_WORK = Assumption(
    "afl.uniform-arrivals.work",
    "delays and numbers of local steps do not depend on which sets M_t are drawn",
    lambda s: True,
    stated=False,
)
PRINTED_3 = Assumption(
    "afl.thm3.iii",
    "120 L^2 K^2 eta_L^2 tau + 4 (Lg + L^2 g^2 tau^2) rho (90 K^2 L^2 eta_L^2 tau + 3 tau) < 1",
    _printed_3,
)
CORRECTED_3 = Assumption(
    "afl.thm3c.iii",
    "(120 L^2 K^2 eta_L^2 + 4 (Lg + L^2 g^2 tau^2) rho (90 K^2 L^2 eta_L^2 + 3)) (tau + 1) <= 1",
    _corrected_3,
)
MISSING_2 = Assumption("afl.thm3c.ii", "2 (1 - rho) (Lg + L^2 g^2 tau^2) <= 1", _missing_2)

LONG = Assumption(
    "afl.cor2.horizon",
    "T is at least 36 L^2 m (tau + 1)^2, and at least 20 K^2 L^2 (tau + 1) unless K = 1",
    _long_enough,
    stated=False,
)

HERE = EXAMPLE | NO_LOSS | {"num_clients": 10}

CLAIMS = (
    Claim(
        "afl.thm3",
        printed(
            "Theorem 3, eq. (3)",
            "eta_L^2 6(2K^2-3K+1)L^2 <= 1, 120L^2K^2 eta_L^2 tau + 4(Lg + L^2 g^2 tau^2) rho "
            "(90K^2L^2 eta_L^2 tau + 3 tau) < 1: (1/T) sum E|grad f(x_t)|^2 <= 4(f_0 - f*)/(gT) "
            "+ 4(alpha_L sigma_L^2 + alpha_G sigma_G^2)",
        ),
        "Under uniform arrivals AFA-CD's mean squared gradient is at most 4 (f_0 - f*)/(gT) + 4"
        " (alpha_L sigma_L^2 + alpha_G sigma_G^2).",
        UpperBound(ERROR, THEOREM3),
        assumes=(*SETTING, UNIFORM, SMALL_DRIFT, PRINTED_3),
        where=PLACES,
        note=(
            "A condition on eta eta_L is missing. With m = M, or with tau = 0, the printed"
            " conditions allow every server step size: the step after (b12) multiplies an upper"
            " bound by a bracket that may be negative, and (iii) carries the factor tau throughout."
        ),
        special_cases=(
            SpecialCase(
                "alpha_L at the paper's scale of settings",
                HERE | {"gradient_noise": "1/2"},
                "0.000488233",
            ),
            SpecialCase("alpha_G there", HERE | {"dissimilarity": "1/2"}, "0.001522602"),
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        "afl.thm3c",
        repaired("Theorem 3"),
        "Theorem 3 holds with 2 (1 - rho)(Lg + L^2 g^2 tau^2) <= 1 added and with tau + 1 in place"
        " of the factor tau in (iii).",
        UpperBound(ERROR, THEOREM3),
        assumes=(*SETTING, UNIFORM, FIXED_WORK, SMALL_DRIFT, MISSING_2, CORRECTED_3),
        where=PLACES,
        corrects="afl.thm3",
        note=(
            "This keeps the paper's bound and its form of condition (iii); cite afl.thm3star, which"
            " needs neither."
        ),
        proof="docs/proofs/afl.md#theorem-3-corrected",
    ),
    Claim(
        "afl.thm3.bracket",
        printed(
            "Theorem 3, step after (b12)",
            "-(g/2M^2)|sum z_i|^2 + (Lg^2/m^2 + L^2 g^3 tau^2/m^2) E|sum over M_t of z_i|^2 <= "
            "(Lg^2 + L^2 g^3 tau^2) (M-m)/(mM(M-1)) sum |z_i|^2",
        ),
        "The sampled paths' second moment, weighted by Lg + L^2 g^2 tau^2, less half the mean"
        " path's, is at most rho times the mean of squares.",
        STEP_B12,
        where=PLACES,
        note="Needs (1 - rho)(Lg + L^2 g^2 tau^2) <= 1/2, which no printed condition gives.",
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        "afl.thm3.bracketc",
        repaired("Theorem 3, step after (b12)"),
        "The step after (b12) holds if 2 (1 - rho)(Lg + L^2 g^2 tau^2) <= 1.",
        STEP_B12,
        where=PLACES,
        corrects="afl.thm3.bracket",
        assumes=(MISSING_2,),
    ),
    Claim(
        "afl.thm3.assembly",
        printed(
            "Theorem 3, steps (b1) to (b13)",
            "alpha_L = Lg/m + tau^2 L^2 g^2/m + 5KL^2 eta_L^2 + (Lg + L^2 g^2 tau^2) rho 15KL^2 "
            "eta_L^2, alpha_G = 30K^2L^2 eta_L^2 + (Lg + L^2 g^2 tau^2) rho (90K^2L^2 eta_L^2 + "
            "3)",
        ),
        "The constants of the bounds on A1 to A5 add up to the printed alpha_L and alpha_G; that is"
        " arithmetic, whether or not every step is right.",
        Identity(letter("assembled_bound"), THEOREM3),
        where=PLACES,
        note="The step after (b12) and step (b9) are wrong: afl.thm3.bracket, afl.thm3.b9.",
    ),
)
