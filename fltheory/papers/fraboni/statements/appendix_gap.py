"""Steps of the proofs of Lemmas 5 and 6 and of Theorem 1 in Appendix A: one claim per display,
eq. (24) to (32)."""

from fltheory.claims.claim import Authorship, Identity, UpperBound
from fltheory.papers.fraboni.hypotheses import BLIND, CONVEX, SAMPLEWISE, SMOOTH, UNBIASED
from fltheory.papers.fraboni.paper import (
    GAP,
    LEAST_TOTAL,
    NOISE,
    NOISE1,
    NOISE2,
    SERVER,
    SPREAD,
    L,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.appendix_drift import STEP_DRIFT
from fltheory.papers.fraboni.statements.lemmas import MEAN_GRADIENT, SIGMA2

PART_A = word("part_a", "a(n,k): 3 E |weighted mean of g(local) - g(virtual)|^2", nonnegative=True)
PART_B = word("part_b", "b(n,k): 3 E |weighted mean of g(virtual) - its mean|^2", nonnegative=True)
PART_C = word(
    "part_c",
    "c(n,k): 3 |weighted mean of exact gradients at the virtual model|^2",
    nonnegative=True,
)
NORMAL_GAP = word(
    "normalised_gap", "(L^n(theta^{n,k}) - L^n(its optimum)) / q(n)", nonnegative=True
)
LARGEST_SHARE = word(
    "largest_share", "largest normalised weight of a client in a round", nonnegative=True
)
MEAN_LATE = word(
    "mean_sequence",
    "mean of Q(n), Q(n) = A (Q(n-1) + ... + Q(n-tau)) + B(n), with tau A <= 1/2",
    nonnegative=True,
)
MEAN_INPUT = word("mean_input", "mean of B(n)", nonnegative=True)
GAP_TO_MEAN = word(
    "mean_gap_to_common",
    "mean over rounds and local steps of E L^n(theta^{n,k}) - L^n(optimum of the mean objective)",
)
LARGEST_MEAN_WEIGHT = word(
    "largest_weight",
    "max q_i(n), the largest expected weight of a client in a round",
    nonnegative=True,
)

CLAIMS = (
    claim(
        "eq24",
        "Appendix A, eq. (24)",
        "The mean stochastic gradient is bounded by three parts.",
        UpperBound(MEAN_GRADIENT, PART_A + PART_B + PART_C),
    ),
    claim(
        "eq25",
        "Appendix A, eq. (25)",
        "The first part is at most 3 L^2 times the drift.",
        UpperBound(PART_A, 3 * L**2 * STEP_DRIFT),
        assumes=(SMOOTH, SAMPLEWISE),
        note="False for rough batches.",
    ),
    claim(
        "eq25.corrected",
        "Appendix A, eq. (25) corrected",
        "For smooth batches the first part is at most 3 L^2 times the drift.",
        UpperBound(PART_A, 3 * L**2 * STEP_DRIFT),
        kind=Authorship.OURS,
        corrects="eq25",
        assumes=(SMOOTH, SAMPLEWISE),
    ),
    claim(
        "eq26",
        "Appendix A, eq. (26)",
        "The second part is at most 12 L times the largest share times the gap, plus 6 sigma_2.",
        UpperBound(PART_B, 12 * L * LARGEST_SHARE * NORMAL_GAP + 6 * SIGMA2),
        assumes=(SMOOTH, SAMPLEWISE),
        note="False for rough batches.",
    ),
    claim(
        "eq26.corrected",
        "Appendix A, eq. (26) corrected",
        "For smooth batches the second part is bounded by the gap and sigma_2.",
        UpperBound(PART_B, 12 * L * LARGEST_SHARE * NORMAL_GAP + 6 * SIGMA2),
        kind=Authorship.OURS,
        corrects="eq26",
        assumes=(SMOOTH, CONVEX, UNBIASED, SAMPLEWISE, BLIND),
    ),
    claim(
        "eq27",
        "Appendix A, eq. (27)",
        "The third part is at most 6 L times the normalised gap.",
        UpperBound(PART_C, 6 * L * NORMAL_GAP),
        assumes=(SMOOTH, CONVEX),
    ),
    claim(
        "eq29",
        "Appendix A, eq. (29)",
        "A sequence fed by its own last tau values is on average at most twice its input, which is"
        " not negative.",
        UpperBound(MEAN_LATE, 2 * MEAN_INPUT),
    ),
    claim(
        "eq30",
        "Appendix A, eq. (30)",
        "The mean gap is the mean gap to the common optimum plus the spread.",
        Identity(GAP, GAP_TO_MEAN + SPREAD),
    ),
    claim(
        "eq32",
        "Appendix A, eq. (32), first inequality",
        "Sigma_2 is at most the largest weight q_i(n) times Sigma_1.",
        UpperBound(NOISE2, LARGEST_MEAN_WEIGHT * NOISE1),
        note="False when q(n) < 1: the weights must be normalised.",
    ),
    claim(
        "eq32.corrected",
        "Appendix A, eq. (32) corrected",
        "Sigma_2 is at most the largest normalised weight times Sigma_1.",
        UpperBound(NOISE2, LARGEST_SHARE * NOISE1),
        kind=Authorship.OURS,
        corrects="eq32",
    ),
    claim(
        "eq32.optimum",
        "Appendix A, eq. (32), second inequality",
        "Sigma_1 is at most 4 L R + 2 Sigma.",
        UpperBound(NOISE1, 4 * L * SPREAD + 2 * NOISE),
        assumes=(SMOOTH, CONVEX, SAMPLEWISE),
        note="False when q(n) < 1, which happens in every heterogeneous asynchronous run.",
    ),
    claim(
        "eq32.optimum.corrected",
        "Appendix A, eq. (32) corrected",
        "Sigma_1 is at most 4 L R + 2 Sigma over the least total weight.",
        UpperBound(NOISE1, (4 * L * SPREAD + 2 * NOISE) / LEAST_TOTAL),
        kind=Authorship.OURS,
        corrects="eq32.optimum",
        assumes=(SMOOTH, CONVEX, UNBIASED, SAMPLEWISE),
    ),
    claim(
        "def.R",
        "Theorem 1, R({L^n})",
        "The spread is the mean objective's minimum minus the mean of the rounds' minima.",
        Identity(
            SPREAD,
            word("mean_minimum", "Lbar at its optimum")
            - word("mean_of_minima", "mean over rounds of L^n at its own optimum"),
        ),
    ),
    claim(
        "def.aux",
        "Appendix A.2",
        "The squared distance of consecutive models is the squared sum of the round's K virtual"
        " steps.",
        Identity(
            word("move", "Q(n) = E |theta^{n+1} - theta^n|^2", nonnegative=True),
            SERVER**2
            * word(
                "squared_total_delivery",
                "E |sum_i omega_i (local model after K steps - the model it started from)|^2",
            ),
        ),
    ),
)
