"""Terms of the proofs of Theorems 3 and 4: A3 and (b9) (Appendix B.3), A1, A2, C1, C2 (C)."""

from fltheory.claims.claim import Claim, Severity, UpperBound, letter
from fltheory.papers.afl.paper import (
    APART,
    ASM1,
    ASM2,
    ASM3,
    AVERAGE,
    DELAY,
    FRESH,
    INDEPENDENT,
    LOCAL,
    NOISE,
    SAMPLES,
    STEP,
    WHERE,
    K,
    L,
    M,
    in_full,
    printed,
    repaired,
)
from fltheory.papers.afl.statements.general_arrivals import NEW_SUM, OLD_SUM
from fltheory.papers.afl.statements.general_arrivals import PLACES as SUMS
from fltheory.papers.afl.statements.lemmas import SMALL_DRIFT

SLOPE, SQUARED, MOVE = (
    letter("slope_along_move"),
    letter("squared_gradient"),
    letter("squared_move"),
)
STALE, GAPS = letter("sum_of_stale_changes"), letter("sum_of_path_gaps")
DEVIATION, LAGS, USED = (
    letter("squared_deviation"),
    letter("sum_of_lags"),
    letter("sum_of_used_gaps"),
)
CHANGE, NEW_GAP, OLD_GAP = letter("stale_change"), letter("path_gap"), letter("old_path_gap")
INCREMENTS = letter("sum_of_increments")

PLACES = (
    SUMS
    | WHERE
    | {
        "slope_along_move": "E <grad f(x_t), x_{t+1} - x_t>",
        "squared_gradient": "E |grad f(x_t)|^2",
        "squared_move": "E |x_{t+1} - x_t|^2",
        "sum_of_stale_changes": (
            "sum over the stale workers of E |Delta_i(x_t) - Delta_i(x_{t-tau})|^2"
        ),
        "sum_of_path_gaps": "sum over all workers of E |grad f_i(x_t) - Delta_i(x_t)|^2",
        "squared_deviation": "A3: E |grad f(x_t) - (1/M) sum of Delta_i(x_{t-tau_i})|^2",
        "sum_of_lags": "sum over all workers of E |x_t - x_{t-tau_i}|^2",
        "sum_of_used_gaps": (
            "sum over all workers of E |grad f_i(x_{t-tau_i}) - Delta_i(x_{t-tau_i})|^2"
        ),
        "stale_change": "C1: E |Delta_i(x_t) - Delta_i(x_{t-tau})|^2 of one worker",
        "path_gap": "C2: E |grad f_i(x_t) - Delta_i(x_t)|^2 of one worker",
        "old_path_gap": "E |grad f_i(x_{t-tau}) - Delta_i(x_{t-tau})|^2 of one worker",
        "sum_of_increments": "sum over the last tau rounds of E |x_{t-u} - x_{t-u-1}|^2",
    }
)
NOISY = (ASM2, ASM3, INDEPENDENT, SAMPLES)

CLAIMS = (
    Claim(
        "afl.thm3.a3",
        printed(
            "Appendix B.3, term A3, steps (b5) to (b7)",
            "A3 <= (2L^2/M) sum |x_t - x_{t-tau_i}|^2 + (2/M) sum |grad f_i - Delta_i|^2",
        ),
        "The mean path of all workers is as near to the global gradient as their lags and the gaps"
        " of their paths allow.",
        UpperBound(DEVIATION, 2 * (L**2 * LAGS + USED) / M),
        assumes=(ASM1, AVERAGE),
        where=PLACES,
    ),
    Claim(
        "afl.thm3.b9",
        printed(
            "Appendix B.3, step (b9)",
            "sum_t |grad f(x_{t-tau_{t,j}})|^2 <= tau sum_t |grad f(x_t)|^2, delay less than tau",
        ),
        "Summed over the rounds, squared gradients at the models from which one worker's work"
        " started are at most tau times those at all models.",
        UpperBound(OLD_SUM, DELAY * NEW_SUM),
        where=PLACES,
        note="The same count as in step (a12) of Theorem 2: a model can be used in tau + 1 rounds.",
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.thm3.b9c",
        repaired("Appendix B.3, step (b9)"),
        "Summed over the rounds, squared gradients at the models from which one worker's work"
        " started are at most tau + 1 times those at all models.",
        UpperBound(OLD_SUM, (DELAY + 1) * NEW_SUM),
        where=PLACES,
        corrects="afl.thm3.b9",
    ),
    Claim(
        "afl.thm4.a1",
        printed(
            "Appendix C, term A1",
            "A1 <= -(g/2)|grad f|^2 - (1/(2g)) E|x_{t+1} - x_t|^2 + (3(M-m')g/(2M^2)) sum |Delta_i"
            "(x_t) - Delta_i(x_{t-tau})|^2 + (3g/(2M)) sum |grad f_i - Delta_i|^2 + (3g/(2M))"
            " sigma_L^2",
        ),
        "The slope along an update of AFA-CS is bounded by the gradient, the move, the stale"
        " workers' changes, the gaps of the paths and the noise.",
        UpperBound(
            SLOPE + STEP / 2 * SQUARED + MOVE / (2 * STEP),
            3 * (M - FRESH) * STEP / (2 * M**2) * STALE + 3 * STEP / (2 * M) * (GAPS + NOISE**2),
        ),
        assumes=(AVERAGE, *NOISY),
        where=PLACES,
    ),
    Claim(
        "afl.thm4.a2",
        printed(
            "Appendix C, term A2",
            "A2 <= (3g^2/M) sigma_L^2 + (3(M-m')g^2/M^2) sum |Delta_i(x_t) - Delta_i(x_{t-tau})|^2"
            " + (6g^2/M) sum |Delta_i - grad f_i|^2 + 6g^2 |grad f|^2",
        ),
        "The squared move of AFA-CS is bounded by the noise, the stale workers' changes, the gaps"
        " of the paths and the gradient.",
        UpperBound(
            MOVE,
            3 * STEP**2 / M * NOISE**2
            + 3 * (M - FRESH) * STEP**2 / M**2 * STALE
            + 6 * STEP**2 / M * GAPS
            + 6 * STEP**2 * SQUARED,
        ),
        assumes=(AVERAGE, *NOISY),
        where=PLACES,
    ),
    Claim(
        "afl.thm4.c1",
        printed(
            "Appendix C, term C1",
            "C1 <= 3|Delta_i(x_t) - grad f_i(x_t)|^2 + 3|grad f_i(x_{t-tau}) -"
            " Delta_i(x_{t-tau})|^2 + 3 tau L^2 sum_u |x_{t-u} - x_{t-u-1}|^2",
        ),
        "A stale worker's path changes by no more than the gaps of both paths and the increments of"
        " the models in between allow.",
        UpperBound(CHANGE, 3 * (NEW_GAP + OLD_GAP + DELAY * L**2 * INCREMENTS)),
        assumes=(ASM1,),
        where=PLACES,
    ),
    Claim(
        "afl.thm4.c2",
        printed(
            "Appendix C, term C2",
            "C2 <= 5KL^2 eta_L^2 (sigma_L^2 + 6K sigma_G^2) + 30K^2L^2 eta_L^2 |grad f(x_t)|^2",
        ),
        "The gap of a path is at most 5K L^2 eta_L^2 (sigma_L^2 + 6K sigma_G^2) + 30 K^2 L^2"
        " eta_L^2 |grad f|^2.",
        UpperBound(
            NEW_GAP,
            5 * K * L**2 * LOCAL**2 * (NOISE**2 + 6 * K * APART**2)
            + 30 * K**2 * L**2 * LOCAL**2 * SQUARED,
        ),
        assumes=(ASM1, AVERAGE, *in_full(SMALL_DRIFT), *NOISY),
        where=PLACES,
        note="Eq. (4) implies the condition on eta_L, which eq. (9) needs.",
        proof="docs/proofs/afl.md#lemma-a-drift",
    ),
)
