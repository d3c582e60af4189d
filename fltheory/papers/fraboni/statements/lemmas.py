"""Lemmas 1 to 3 of Appendix A: as printed, and with the constants and hypotheses that their proofs
support."""

from dataclasses import replace

import sympy

from fltheory.claims.claim import Authorship, Identity, LowerBound, UpperBound
from fltheory.papers.fraboni.hypotheses import (
    AT_VIRTUAL_MODELS,
    BLIND,
    COVARIANCE,
    INDEPENDENT,
    SAMPLEWISE,
    SHORT_DRIFT,
    SMOOTH,
    UNBIASED,
)
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    DRIFT_SQUARED,
    KAPPA,
    LOCAL,
    MEAN_WEIGHT,
    REPEATS,
    STALENESS,
    STEP,
    TOTAL,
    WEIGHT,
    K,
    L,
    claim,
    word,
)

Z = word(
    "round_gap",
    "Z(n): mean over local steps of E L^n(theta^{n,k}) - L^n(its optimum)",
    nonnegative=True,
)
DRIFT = word(
    "round_drift",
    "phi(n): mean squared distance of the local models from the virtual one",
    nonnegative=True,
)
SQUARES = word(
    "round_squared_gradient",
    "S(n): weighted mean of E |stochastic gradient|^2 at the local models",
    nonnegative=True,
)
MEAN_GRADIENT = word(
    "round_mean_gradient", "R(n): E |weighted mean of the stochastic gradients|^2", nonnegative=True
)
ALIGNMENT = word(
    "alignment",
    "D(x, n): E <sum_i q_i(n) grad L_i(local model), theta^{n,k} - x>, mean over local steps",
)
DESCENT = word("descent", "Delta(n): mean over local steps of the change of E |theta^{n,k} - x|^2")
MOVES = word(
    "recent_moves",
    "sum_s Q(n-s), over the last tau rounds; Q(n) = E|theta^{n+1} - theta^n|^2",
    nonnegative=True,
)
SIGMA1 = word(
    "round_noise",
    "sigma_1(n): E |stochastic gradient|^2 at the round's optimum, weighted",
    nonnegative=True,
)
SIGMA2 = word(
    "round_noise_squared", "sigma_2(n): the same with squared normalised weights", nonnegative=True
)
SECOND_MOMENT = word(
    "aggregate_second_moment", "E |sum_i omega_i x_i|^2 over the choice of participants"
)
OWN_TERMS = word("own_terms", "sum_i gamma_i |x_i|^2 with gamma_i = E omega_i^2 - alpha q_i^2")
MEAN_SQUARED = word("squared_mean_aggregate", "|sum_i q_i x_i|^2")
EXCESS = word("weight_excess", "gamma_i = E omega_i^2 - alpha q_i^2 of one client")
CROSS = word("cross_terms", "sum over pairs of different clients of <q_i x_i, q_j x_j>")

ZERO = sympy.S.Zero
DRIFT_STEPS = LOCAL**2 * (K - 1) ** 2
PLAIN = (SMOOTH, UNBIASED, SAMPLEWISE)

PRINTED_BETA = "beta = max of d_i - alpha q_i over the clients, as Theorem 1 has it"
_THIRD = claim(
    "lem1.excess",
    "Lemma 1, third claim",
    "For weights that are d_i or 0, as in eq. (4), the excess of a client's second moment is at"
    " most beta = max (d_i - alpha q_i) times its expected weight.",
    UpperBound(EXCESS, BETA * MEAN_WEIGHT),
    assumes=(COVARIANCE,),
    note=(
        "Not for the weights of multinomial sampling, which count draws: there beta is the least"
        " number for which it holds."
    ),
)

CLAIMS = (
    claim(
        "lem1",
        "Lemma 1",
        "The mean square of the random aggregate splits into each client's own terms and alpha"
        " times the square of its mean.",
        Identity(SECOND_MOMENT, OWN_TERMS + ALPHA * MEAN_SQUARED),
        assumes=(COVARIANCE,),
    ),
    replace(_THIRD, where={**_THIRD.where, "variance_excess": PRINTED_BETA}),
    claim(
        "lem1.sign",
        "Lemma 1, second claim",
        "The excess of a client's second moment is never negative.",
        LowerBound(EXCESS, ZERO),
        assumes=(COVARIANCE,),
    ),
    claim(
        "lem1.remark",
        "Lemma 1, remark",
        "The cross terms between different clients are never negative.",
        LowerBound(CROSS, ZERO),
        note=(
            "False: two clients with opposite vectors have negative cross terms (Jensen is used in"
            " the wrong direction)."
        ),
    ),
    claim(
        "lem1.remark.corrected",
        "Lemma 1, remark corrected",
        "The cross terms are at least minus the sum of the clients' own squares.",
        LowerBound(CROSS, -word("squared_terms", "sum_i q_i^2 |x_i|^2", nonnegative=True)),
        kind=Authorship.OURS,
        corrects="lem1.remark",
    ),
    claim(
        "lem2",
        "Lemma 2",
        "One local step moves the virtual model closer to any point, up to terms of the second"
        " order.",
        UpperBound(
            DESCENT + 2 * STEP * ALIGNMENT,
            STEP**2 * (ALPHA * TOTAL**2 * MEAN_GRADIENT + BETA * TOTAL * SQUARES),
        ),
        assumes=(COVARIANCE, UNBIASED, INDEPENDENT),
        note=(
            "False twice. Where participation remembers the past (random update times that are not"
            " memoryless), a client takes part more often when its model is fresh, so E[omega g] is"
            " not q E[g]. And with several local steps: see lem2.local_steps."
        ),
    ),
    claim(
        "lem2.local_steps",
        "Lemma 2, eq. (18)",
        "With several local steps under one random choice of participants, Lemma 2 still holds.",
        UpperBound(
            DESCENT + 2 * STEP * ALIGNMENT,
            STEP**2 * (ALPHA * TOTAL**2 * MEAN_GRADIENT + BETA * TOTAL * SQUARES),
        ),
        assumes=(COVARIANCE, UNBIASED, INDEPENDENT),
        note=(
            "False: after the first local step the virtual model itself depends on who was chosen,"
            " so the proof's expectation over S_n at a fixed theta^{n,k} leaves out a covariance."
            " The beta term must be multiplied by K."
            " See lem2.corrected."
        ),
    ),
    claim(
        "lem2.corrected",
        "Lemma 2 corrected",
        "Lemma 2 holds when participation is independent of the past and beta is multiplied by K.",
        UpperBound(
            DESCENT + 2 * STEP * ALIGNMENT,
            STEP**2 * (ALPHA * TOTAL**2 * MEAN_GRADIENT + REPEATS * BETA * TOTAL * SQUARES),
        ),
        kind=Authorship.OURS,
        corrects="lem2",
        assumes=(COVARIANCE, UNBIASED, INDEPENDENT, BLIND),
    ),
    claim(
        "lem3",
        "Lemma 3, first bound",
        "Local models stay close to the virtual one, by recent moves, the gap and the noise.",
        UpperBound(
            DRIFT,
            4 * TOTAL * STALENESS * MOVES
            + 4 * DRIFT_SQUARED / L * Z / TOTAL
            + 6 * DRIFT_STEPS * SIGMA1,
        ),
        assumes=(*PLAIN, SHORT_DRIFT),
        note=(
            "False when q(n) < 1/4 (the factor q(n) does not belong there) and when eta_g is large."
        ),
    ),
    claim(
        "lem3.q",
        "Lemma 3, first term",
        "With one local step, the drift is at most 4 q(n) tau times the recent moves.",
        UpperBound(DRIFT, 4 * TOTAL * STALENESS * MOVES),
        assumes=PLAIN,
        note="False for q(n) < 1/4; the factor q(n) must go.",
    ),
    claim(
        "lem3.virtual",
        "Lemma 3, without delay",
        "Without delay, the drift is at most (4 D / L) Z(n) + 6 eta_l^2 (K-1)^2 sigma_1(n).",
        UpperBound(DRIFT, 4 * DRIFT_SQUARED / L * Z / TOTAL + 6 * DRIFT_STEPS * SIGMA1),
        assumes=(*PLAIN, SHORT_DRIFT),
        note=(
            "False for a large server step size: the proof writes the virtual model without eta_g."
            " The factor kappa repairs it."
            " See lem3.corrected."
        ),
    ),
    claim(
        "lem3.corrected",
        "Lemma 3, first bound corrected",
        "Local models stay close to the virtual one, with the constants that the proof supports.",
        UpperBound(
            DRIFT,
            4 * STALENESS * MOVES
            + 4 * KAPPA * DRIFT_SQUARED / L * Z / TOTAL
            + 12 * KAPPA * DRIFT_STEPS * SIGMA1,
        ),
        kind=Authorship.OURS,
        corrects="lem3",
        assumes=AT_VIRTUAL_MODELS,
    ),
    claim(
        "lem3.gradients",
        "Lemma 3, second bound",
        "Stochastic gradients at the local models are bounded by recent moves, the gap and the"
        " noise.",
        UpperBound(
            SQUARES, 12 * TOTAL * L**2 * STALENESS * MOVES + 12 * L * Z / TOTAL + 6 * SIGMA1
        ),
        assumes=(*PLAIN, SHORT_DRIFT),
        note="False when q(n) < 1/12: the same misplaced factor q(n).",
    ),
    claim(
        "lem3.gradients.corrected",
        "Lemma 3, second bound corrected",
        "The second bound of Lemma 3 holds without the factor q(n).",
        UpperBound(SQUARES, 12 * L**2 * STALENESS * MOVES + 12 * L * Z / TOTAL + 6 * SIGMA1),
        kind=Authorship.OURS,
        corrects="lem3.gradients",
        assumes=AT_VIRTUAL_MODELS,
    ),
    claim(
        "def.omega",
        "Section 2.3, eq. (4)",
        "A weight that is d_i or 0 has second moment d_i times its mean.",
        Identity(word("weight_second_moment", "E omega_i^2"), WEIGHT * MEAN_WEIGHT),
    ),
)
