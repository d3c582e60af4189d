"""Lemmas 4 to 6 of Appendix A: as printed, and with the constants and hypotheses that their proofs
support."""

from fltheory.claims.claim import Authorship, UpperBound
from fltheory.papers.fraboni.hypotheses import (
    AT_VIRTUAL_MODELS,
    BLIND,
    CONVEX,
    COVARIANCE,
    INDEPENDENT,
    LOSSES,
    SAMPLEWISE,
    SHORT_DELAY,
    SHORT_DRIFT,
    SHORT_VIRTUAL_DRIFT,
    UNBIASED,
)
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    DRIFT_SQUARED,
    GAP,
    KAPPA,
    NOISE1,
    NOISE2,
    RHO,
    STALENESS,
    STEP,
    TOTAL,
    K,
    L,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.lemmas import (
    ALIGNMENT,
    DRIFT_STEPS,
    MEAN_GRADIENT,
    MOVES,
    PLAIN,
    SIGMA1,
    SIGMA2,
    Z,
)

TO_POINT = word("gap_to_point", "Xi(n): mean over local steps of E L^n(theta^{n,k}) - L^n(x)")
MOVE = word("move", "Q(n) = E |theta^{n+1} - theta^n|^2", nonnegative=True)
MEAN_MOVE = word("mean_move", "Qbar(N): mean over rounds of Q(n)", nonnegative=True)

NOISY = (
    "It fails when single batches are rougher than the mean loss: Assumptions 1 and 2 are needed"
    " for almost every batch. With them it holds with other constants."
)

CLAIMS = (
    claim(
        "lem4",
        "Lemma 4",
        "The gradients at the local models point away from any x by at least the gap, up to drift.",
        UpperBound(
            2 * TO_POINT - 2 * ALIGNMENT,
            4 * L * TOTAL * STALENESS * MOVES
            + 4 * DRIFT_SQUARED * Z
            + 6 * DRIFT_STEPS * TOTAL * L * SIGMA1,
        ),
        assumes=(CONVEX, UNBIASED),
        note="False for a large server step size, through Lemma 3.",
    ),
    claim(
        "lem4.corrected",
        "Lemma 4 corrected",
        "Lemma 4 holds with kappa D and the constant 12.",
        UpperBound(
            2 * TO_POINT - 2 * ALIGNMENT,
            4 * L * TOTAL * STALENESS * MOVES
            + 4 * KAPPA * DRIFT_SQUARED * Z
            + 12 * KAPPA * DRIFT_STEPS * TOTAL * L * SIGMA1,
        ),
        kind=Authorship.OURS,
        corrects="lem4",
        assumes=AT_VIRTUAL_MODELS,
    ),
    claim(
        "lem5",
        "Lemma 5",
        "The weighted mean of the stochastic gradients is bounded by recent moves, the gap and the"
        " noise.",
        UpperBound(
            MEAN_GRADIENT,
            12 * L**2 * STALENESS * MOVES
            + 24 * L * Z / TOTAL
            + 3 * DRIFT_SQUARED * SIGMA1
            + 6 * SIGMA2,
        ),
        assumes=(*PLAIN, SHORT_DRIFT),
        note=NOISY,
    ),
    claim(
        "lem5.corrected",
        "Lemma 5 corrected",
        "Lemma 5 holds for samplewise smooth losses, with 6 kappa D in place of 3 D.",
        UpperBound(
            MEAN_GRADIENT,
            12 * L**2 * STALENESS * MOVES
            + 24 * L * Z / TOTAL
            + 6 * KAPPA * DRIFT_SQUARED * SIGMA1
            + 6 * SIGMA2,
        ),
        kind=Authorship.OURS,
        corrects="lem5",
        assumes=AT_VIRTUAL_MODELS,
    ),
    claim(
        "lem6",
        "Lemma 6",
        "The mean squared move of the model is of the order of the squared step times gap and"
        " noise.",
        UpperBound(
            MEAN_MOVE,
            STEP**2
            * K**2
            * (
                24 * RHO * (2 * ALPHA + BETA) * L * GAP
                + 12 * RHO**2 * ALPHA * NOISE2
                + 6 * RHO**2 * (ALPHA * DRIFT_SQUARED + 2 * BETA) * NOISE1
            ),
        ),
        assumes=(*PLAIN, COVARIANCE, SHORT_DELAY),
        note=NOISY,
    ),
    claim(
        "lem6.corrected",
        "Lemma 6 corrected",
        "Lemma 6 holds for samplewise smooth losses, with the constants that the proof supports.",
        UpperBound(
            MEAN_MOVE,
            STEP**2
            * K**2
            * (
                24 * RHO * (2 * ALPHA + BETA) * L * GAP
                + 12 * RHO**2 * ALPHA * NOISE2
                + 12 * RHO**2 * (ALPHA * KAPPA * DRIFT_SQUARED + BETA) * NOISE1
            ),
        ),
        kind=Authorship.OURS,
        corrects="lem6",
        assumes=(*AT_VIRTUAL_MODELS, SHORT_DELAY),
    ),
    claim(
        "eq28",
        "Appendix A, eq. (28)",
        "One move of the model is bounded by the moves before it, the gap and the noise.",
        UpperBound(
            MOVE / (RHO * STEP**2 * K**2),
            12 * RHO * (ALPHA + BETA) * STALENESS * L**2 * MOVES
            + 12 * (2 * ALPHA + BETA) * L * Z
            + 3 * RHO * (ALPHA * DRIFT_SQUARED + 2 * BETA) * SIGMA1
            + 6 * RHO * ALPHA * SIGMA2,
        ),
        assumes=LOSSES,
        note=NOISY,
    ),
    claim(
        "eq28.corrected",
        "Appendix A, eq. (28) corrected",
        "The bound on one move holds with 6 rho (alpha kappa D + beta) in front of sigma_1.",
        UpperBound(
            MOVE / (RHO * STEP**2 * K**2),
            12 * RHO * (ALPHA + BETA) * STALENESS * L**2 * MOVES
            + 12 * (2 * ALPHA + BETA) * L * Z
            + 6 * RHO * (ALPHA * KAPPA * DRIFT_SQUARED + BETA) * SIGMA1
            + 6 * RHO * ALPHA * SIGMA2,
        ),
        kind=Authorship.OURS,
        corrects="eq28",
        assumes=(*LOSSES, SAMPLEWISE, COVARIANCE, INDEPENDENT, BLIND, SHORT_VIRTUAL_DRIFT),
    ),
)
