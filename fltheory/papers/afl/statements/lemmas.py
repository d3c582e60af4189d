"""Lemmas 1 and 2 and the terms A4, A5 and A6 of the proofs (Appendices A and B.2)."""

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
    ASM1,
    ASM2,
    ASM3,
    DELAY,
    INDEPENDENT,
    LOCAL,
    NOISE,
    PER_ROUND,
    SAMPLES,
    STEP,
    WHERE,
    K,
    L,
    printed,
    read,
    repaired,
    step_sizes,
)

NOISE_SQUARE = letter("squared_noise_of_update")
NOISE_MEAN = letter("mean_noise_of_update")
CROSS = letter("noise_times_path")
UPDATE_SQUARE, PATH_SQUARE = letter("squared_update_sum"), letter("squared_path_sum")
EXCESS, RATE = letter("excess"), letter("signed_rate")
MOVED, WINDOW = letter("mean_squared_lag"), letter("window_sum")
GAP_SQUARE = letter("squared_gradient_gap")
MEAN_GAP = letter("mean_squared_gap")
MEAN_DRIFT = letter("mean_squared_drift")
DRIFT, GRADIENT_SQUARE = letter("squared_drift"), letter("squared_gradient")
GROWTH = letter("unrolled_factor")
MEAN_GROWTH = letter("mean_unrolled_factor")
SLACK = letter("room_for_drift")

PLACES = {
    "squared_noise_of_update": "E |G_i - Delta_i|^2",
    "mean_noise_of_update": "E[G_i - Delta_i]",
    "noise_times_path": (
        "E <G_i - Delta_i, Delta_i>, which is 0 if Delta_i is the mean of G_i given the past"
    ),
    "squared_update_sum": "E|sum_i G_i|^2, the sum over M_t",
    "squared_path_sum": "E|sum_i Delta_i|^2, the sum over M_t",
    "excess": "E |G|^2 - E |Delta|^2 of one worker, in units of sigma_L^2",
    "signed_rate": "a = -eta_L h: negative on convex quadratics, positive on concave ones",
    "mean_squared_lag": "(1/m) sum over M_t of E |x_t - x_{t - tau_i}|^2",
    "window_sum": "sum over the last tau rounds of E |sum of Delta_i over M_k|^2",
    "squared_gradient_gap": "|grad f_i(x) - Delta_i(x)|^2",
    "mean_squared_gap": "(1/K) sum over the local steps of |grad f_i(x) - grad f_i(x^j)|^2",
    "mean_squared_drift": "(1/K) sum over the local steps of |x^j - x|^2",
    "squared_drift": "E |x^k - x|^2 after k < K local steps",
    "squared_gradient": "|grad f(x)|^2 at the pulled model",
    "unrolled_factor": "S_{K-1} = (K-1) [(1 + 1/(K-1))^(K-1) - 1]",
    "mean_unrolled_factor": "average of S_k = (K-1) [(1 + 1/(K-1))^k - 1] over k = 0..K-1",
    "room_for_drift": "1/(K-1) - 1/(2K-1), what 6 K L^2 eta_L^2 may take in step (a11)",
} | WHERE

DRIFT_BOUND = (
    5 * K * LOCAL**2 * (NOISE**2 + 6 * K * APART**2) + 30 * K**2 * LOCAL**2 * GRADIENT_SQUARE
)


def _short_work(scenario: Scenario) -> bool:
    smoothness, local, _, steps, _ = step_sizes(scenario)
    return bool(steps == 1 or steps * smoothness * local <= 1)


def _small_drift(scenario: Scenario) -> bool:
    smoothness, local, _, steps, _ = step_sizes(scenario)
    return bool(6 * (2 * steps**2 - 3 * steps + 1) * smoothness**2 * local**2 <= 1)


SHORT_STEPS = sympy.Or(sympy.Eq(K, 1), K * L * LOCAL <= 1)
SHORT_WORK = Assumption("afl.short-work", "K L eta_L <= 1 unless K = 1", _short_work)
SMALL_DRIFT = Assumption("afl.small-drift", "6 (2K^2 - 3K + 1) L^2 eta_L^2 <= 1", _small_drift)

NOISY = (ASM2, ASM3, INDEPENDENT, SAMPLES)
"""Assumptions 2 and 3, and what the paper does not state about samples and arrivals."""

LEMMA2 = UpperBound(UPDATE_SQUARE, PATH_SQUARE + PER_ROUND * NOISE**2)
LAG = UpperBound(MOVED, STEP**2 * DELAY / PER_ROUND**2 * (WINDOW + DELAY * PER_ROUND * NOISE**2))

CLAIMS = (
    Claim(
        "afl.lem1",
        printed(
            "Lemma 1",
            "E|G_i(x_t) - Delta_i(x_t)|^2 <= sigma_L^2 for all i in [M]",
        ),
        "The noise of an update, averaged over its local steps, has second moment at most"
        " sigma_L^2.",
        UpperBound(NOISE_SQUARE, NOISE**2),
        assumes=(ASM1, *NOISY),
        where=PLACES,
        note="True but loose (afl.lem1.sharp); two lines of the printed proof are wrong.",
    ),
    Claim(
        "afl.lem1.mean",
        read(
            "Lemma 1, first part",
            "E[G_i] = Delta_i is the expectation given the path, as the proof of Lemma 2 uses it.",
            "In total expectation, E[G_i] = E[Delta_i]: true (afl.asm4-implicit).",
        ),
        "Delta_i is the expectation of G_i, so the noise is uncorrelated with the path.",
        Identity(CROSS, 0 * CROSS),
        where=PLACES,
        note="Delta_i is itself random: only E[G_i] = E[Delta_i] holds.",
        severity=Severity.READING,
    ),
    Claim(
        "afl.lem1.sharp",
        repaired("Lemma 1"),
        "The noise of an update has second moment at most sigma_L^2 / K.",
        UpperBound(NOISE_SQUARE, NOISE**2 / K),
        assumes=(ASM1, *NOISY),
        where=PLACES,
        proof="docs/proofs/afl.md#lemma-b-noise-of-an-update",
    ),
    Claim(
        "afl.lem1.adaptive",
        read(
            "Algorithm 2, worker code line 2, with Lemma 1",
            (
                "A worker that chooses its number of local steps while it works may look at its"
                " gradients."
            ),
            (
                "The choice does not depend on the gradient noise (afl.asm4-implicit): then Lemma"
                " 1 is afl.lem1."
            ),
        ),
        "Lemma 1 holds although a worker chooses its number of local steps while it works.",
        UpperBound(NOISE_SQUARE, NOISE**2),
        where=PLACES,
        note="False if the choice looks at the gradients: see afl.asm4-implicit.",
        severity=Severity.READING,
    ),
    Claim(
        "afl.lem1.adaptive-mean",
        read(
            "Algorithm 2, worker code line 2, with Lemma 1",
            (
                "A worker that chooses its number of local steps while it works may look at its"
                " gradients."
            ),
            (
                "The choice does not depend on the gradient noise: then updates are unbiased"
                " (afl.asm4-implicit)."
            ),
        ),
        "An update is unbiased although a worker chooses its number of local steps while it works.",
        Identity(NOISE_MEAN, 0 * NOISE_MEAN),
        where=PLACES,
        severity=Severity.READING,
    ),
    Claim(
        "afl.lem2",
        printed(
            "Lemma 2",
            "E|sum over M_t of G_i|^2 <= |sum over M_t of Delta_i|^2 + m sigma_L^2 for a fixed "
            "set M_t of cardinality m",
        ),
        "The second moment of a sum of m updates exceeds that of their exact paths by at most m"
        " sigma_L^2.",
        LEMMA2,
        assumes=NOISY,
        where=PLACES,
        note=(
            "The proof drops 2 E <G - Delta, Delta>, which is positive on concave losses; as"
            " printed it sets no limit on eta_L."
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        "afl.lem2.closed",
        repaired("Lemma 2"),
        "On a quadratic with independent additive noise of variance sigma_L^2 the excess is 1/K +"
        " (2/K^2) (((1+a)^K - 1)/a - K) times sigma_L^2.",
        Identity(EXCESS, 1 / K + 2 / K**2 * (((1 + RATE) ** K - 1) / RATE - K)),
        where=PLACES,
        special_cases=(
            SpecialCase(
                "two steps on a concave loss with a = 2",
                {"local_steps": 2, "signed_rate": 2},
                "3/2",
            ),
            SpecialCase("one step", {"local_steps": 1, "signed_rate": "1/2"}, "1"),
        ),
    ),
    Claim(
        "afl.lem2c",
        repaired("Lemma 2"),
        "Lemma 2 holds if the local work is short: K L eta_L <= 1, or K = 1.",
        LEMMA2,
        assumes=(ASM1, *NOISY, SHORT_WORK),
        where=PLACES,
        corrects="afl.lem2",
        note="The steps allowed in Theorems 2 (with delay), 3 and 4 are that short.",
        proof="docs/proofs/afl.md#lemma-b-noise-of-an-update",
    ),
    Claim(
        "afl.a4",
        printed(
            "Appendix B.2, term A4",
            "A4 <= (g^2 tau/m^2) [sum over k = t-tau..t-1 of |sum over M_k of Delta_i|^2 + tau m "
            "sigma_L^2]",
        ),
        "The model moves within a delay by at most the window's sum of squared paths plus tau m"
        " sigma_L^2, in units of g^2 tau / m^2.",
        LAG,
        assumes=NOISY,
        where=PLACES,
        note="Inherits the gap of Lemma 2; the factor m is counted once, as it should be.",
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        "afl.a4c",
        repaired("Appendix B.2, term A4"),
        "The bound on A4 holds if the local work is short: K L eta_L <= 1, or K = 1.",
        LAG,
        assumes=(ASM1, *NOISY, SHORT_WORK),
        where=PLACES,
        corrects="afl.a4",
        proof="docs/proofs/afl.md#lemma-b-noise-of-an-update",
    ),
)
