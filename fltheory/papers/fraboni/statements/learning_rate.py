"""A.5: six conditions on the step sizes, and the one that is said to imply them all."""

import sympy

from fltheory.claims.claim import Authorship, SpecialCase, UpperBound
from fltheory.papers.fraboni.hypotheses import CONDITION_VARIANCE, condition
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    DRIFT_SQUARED,
    LOCAL,
    RHO,
    STALENESS,
    K,
    L,
    claim,
    word,
)

STEP = word("effective_step_size", "eta_g eta_l", positive=True)
HALF, ONE = sympy.Rational(1, 2), sympy.S.One

SIX = (
    (DRIFT_SQUARED, HALF, "the drift constant D is at most 1/2 (Lemma 3)"),
    (
        12 * RHO**2 * (ALPHA + BETA) * STEP**2 * K**2 * STALENESS**2 * L**2,
        HALF,
        "moves caused by delay are summable (Lemma 6)",
    ),
    (3 * RHO * (ALPHA + BETA) * STEP * L, ONE, "delay terms of one step are bounded (Theorem 1)"),
    (
        4 * DRIFT_SQUARED
        + 12 * RHO * (2 * ALPHA + BETA) * (STEP + 16 * RHO * L * STEP**2 * K**2 * STALENESS**2) * L,
        ONE,
        "half of the gap stays on the left (Theorem 1)",
    ),
    (
        3 * RHO**2 * STEP * L,
        ONE,
        "the drift part of the alpha term is of the order of the drift term (Theorem 1)",
    ),
    (
        48 * RHO**3 * STEP**2 * K**2 * STALENESS**2 * L**2,
        ONE,
        "the delayed part of the alpha term is of the order of the drift term (Theorem 1)",
    ),
)
WORST = {
    "local_steps": 1,
    "smoothness": 1,
    "max_staleness": 0,
    "largest_total_weight": 1,
    "covariance_factor": 0,
    "variance_excess": "99/5",
    "local_step_size": "1/144",
    "effective_step_size": "1/144",
}

RATE = (
    condition("local-rate", "eta_l <= 1/(48 K L)", sympy.Le(48 * K * L * LOCAL, ONE)),
    condition(
        "server-rate",
        "eta_g eta_l <= 1/(144 rho^2 K L (tau + 1))",
        sympy.Le(144 * RHO**2 * K * L * (STALENESS + 1) * STEP, ONE),
    ),
    condition("alpha-at-most-one", "alpha <= 1", sympy.Le(ALPHA, ONE)),
)
"""The learning rate of Theorem 1 and the alpha of Assumption 5."""
SMALL_BETA = condition("beta-at-most-one", "beta <= 1", sympy.Le(BETA, ONE))
SMALL_SUM = condition("small-sum", "2 alpha + beta <= 12 rho", CONDITION_VARIANCE)

CLAIMS = (
    *(
        claim(
            f"lr.c{i}",
            f"Appendix A.5, condition {i}",
            f"With alpha and beta at most 1, the learning rate of Theorem 1 implies that {says}.",
            UpperBound(left, right),
            assumes=(*RATE, SMALL_BETA),
        )
        for i, (left, right, says) in enumerate(SIX, start=1)
    ),
    claim(
        "lr",
        "Appendix A.5",
        "The learning rate of Theorem 1 implies the fourth condition, for every scheme that"
        " Assumption 5 allows.",
        UpperBound(SIX[3][0], SIX[3][1]),
        assumes=RATE,
        special_cases=(
            SpecialCase(
                "one of twenty clients sampled, importance 0.99", WORST, "1.65", side="left"
            ),
        ),
        note=(
            "False for schemes with a large beta: A.5 assumes beta <= 1, which Assumption 5 does"
            " not give. True when 2 alpha + beta <= 12 rho."
        ),
    ),
    claim(
        "lr.corrected",
        "Appendix A.5 corrected",
        "The learning rate of Theorem 1 implies the fourth condition whenever 2 alpha + beta <= 12"
        " rho.",
        UpperBound(SIX[3][0], SIX[3][1]),
        kind=Authorship.OURS,
        corrects="lr",
        assumes=(*RATE, SMALL_SUM),
        note=(
            "Asynchronous FedAvg has beta <= rho, so the theorem's condition suffices there."
            " Equality for K = 1 and tau = 0."
        ),
    ),
    claim(
        "lr.beta",
        "Appendix A.5",
        "The constant beta is at most 1.",
        UpperBound(BETA, ONE),
        note=(
            "False for asynchronous FedAvg with time-based weights on unequal hardware: update"
            " times 1 and 5 give beta = 3."
            " See lr.corrected."
        ),
    ),
)
