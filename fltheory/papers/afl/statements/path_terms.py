"""Terms A5 and A6 of the proofs: gaps and drift of local paths (Appendix B.2)."""

import sympy

from fltheory.claims.claim import Claim, Identity, Severity, SpecialCase, UpperBound
from fltheory.papers.afl.paper import ASM1, K, L, printed, repaired
from fltheory.papers.afl.statements.lemmas import (
    DRIFT,
    DRIFT_BOUND,
    GAP_SQUARE,
    GROWTH,
    MEAN_DRIFT,
    MEAN_GAP,
    MEAN_GROWTH,
    NOISY,
    PLACES,
    SLACK,
    SMALL_DRIFT,
)

CLAIMS = (
    Claim(
        "afl.a5",
        printed(
            "Appendix B.2, term A5, step (a8)",
            "|grad f_i(x) - Delta_i(x)|^2 <= (L^2/K) sum_j |x - x^j|^2",
        ),
        "The path's average gradient differs from the first one by at most L^2 times the mean"
        " squared drift.",
        UpperBound(GAP_SQUARE, L**2 * MEAN_DRIFT),
        assumes=(ASM1,),
        where=PLACES,
    ),
    Claim(
        "afl.a5.equality",
        printed(
            "Appendix B.2, term A5, second line",
            "|grad f_i(x) - (1/K) sum_j grad f_i(x^j)|^2 = (1/K) sum_j |grad f_i(x) - grad "
            "f_i(x^j)|^2",
        ),
        "The squared norm of an average equals the average of the squared norms.",
        Identity(GAP_SQUARE, MEAN_GAP),
        where=PLACES,
        note="Jensen's inequality, printed as an equality; afl.a5 needs only <=.",
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.a6",
        printed(
            "Appendix B.2, eq. (9)",
            "E|x^k - x|^2 <= 5K eta_L^2 (sigma_L^2 + 6K sigma_G^2) + 30K^2 eta_L^2 |grad "
            "f(x)|^2, if eta_L^2 <= 1/(6(2K^2-3K+1)L^2)",
        ),
        "Local steps drift by at most 5K eta_L^2 (sigma_L^2 + 6K sigma_G^2) + 30 K^2 eta_L^2 |grad"
        " f|^2 in second moment.",
        UpperBound(DRIFT, DRIFT_BOUND),
        assumes=(ASM1, *NOISY, SMALL_DRIFT),
        where=PLACES,
        special_cases=(
            SpecialCase(
                "two steps at the edge, noise only",
                {
                    "local_steps": 2,
                    "local_step_size": sympy.sqrt(2) / 6,
                    "gradient_noise": 1,
                    "dissimilarity": 0,
                    "squared_gradient": 0,
                },
                "5/9",
            ),
        ),
        proof="docs/proofs/afl.md#lemma-a-drift",
    ),
    Claim(
        "afl.a6.room",
        printed(
            "Appendix B.2, step (a11)",
            "1/(2K-1) + 6K eta_L^2 L^2 <= 1/(K-1) if eta_L^2 <= 1/(6(2K^2-3K+1)L^2)",
        ),
        "The room left for the drift term is K / ((K-1)(2K-1)).",
        Identity(SLACK, K / (2 * K**2 - 3 * K + 1)),
        where=PLACES,
    ),
    Claim(
        "afl.a6.growth",
        repaired("Appendix B.2, eq. (9)"),
        "The unrolled factor is at most (e-1) K, not 5K.",
        UpperBound(GROWTH, (sympy.E - 1) * K),
        where=PLACES,
    ),
    Claim(
        "afl.a6.mean-growth",
        repaired("Appendix B.2, eq. (9)"),
        "On average over the local steps the unrolled factor is at most (e-2) K.",
        UpperBound(MEAN_GROWTH, (sympy.E - 2) * K),
        where=PLACES,
        note="This is what saves Theorem 2 for tau >= 1: see afl.thm2c.",
    ),
)
