"""Theorem 1, Corollary 1 and Theorem 2 in the form that is proved on paper (docs/proofs): K local
steps, delays, certain or random participation, with a constant for each term."""

import sympy

from fltheory.claims.claim import Authorship, UpperBound
from fltheory.claims.condition import formula_assumption
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.hypotheses import (
    BLIND,
    CERTAIN,
    CONVEX,
    COVARIANCE,
    FAIR,
    FINITE,
    INDEPENDENT,
    MINIMISERS,
    PAGE,
    REPAIRED,
    SAMPLEWISE,
    SMOOTH,
    UNBIASED,
)
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    GAP,
    LEAST_TOTAL,
    LOCAL,
    NOISE1,
    NOISE2,
    SPREAD,
    STALENESS,
    START,
    STEP,
    K,
    L,
    N,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.bounds import CORRECTED
from fltheory.papers.fraboni.statements.theorem1 import GRADIENTS
from fltheory.papers.fraboni.statements.theorem2 import LARGEST_MISMATCH, MEAN_ABSENT, MEAN_MISREP

PEAK = word(
    "largest_round_weight", "rho = max over rounds of q(n), no maximum with 1", positive=True
)
AWAY = word("server_factor", "kappa = max over rounds of max(1, (eta_g q(n) - 1)^2)", positive=True)
SERVER_GAP = word(
    "mean_server_gap",
    "(1/N) sum E[L^n(theta^n) - L^n(thetabar^n)], the mean gap at the server's models",
    nonnegative=True,
)
LOSS_GAP = symbol("mean_loss_gap")

_R = sympy.Rational
ROUND_STEP = STEP * K
"""h = eta_g eta_l K: how far a round moves."""
DRIFT = LOCAL**2 * K * (K - 1) * L**2
"""D' = eta_l^2 K (K - 1) L^2: no drift with one local step."""
SECOND_MOMENT = ALPHA * PEAK + BETA
"""alpha rho + beta, of the total weight of a round."""
DELAY = PEAK * SECOND_MOMENT * ROUND_STEP**2 * L**2 * STALENESS**2

VIRTUAL_STEP = STEP * PEAK + _R(33, 32) * ROUND_STEP * BETA
SERVER_STEP = ROUND_STEP * SECOND_MOMENT
CERTAIN_STEP = STEP * PEAK
CERTAIN_DELAY = PEAK**2 * ROUND_STEP**2 * L**2 * STALENESS**2
"""The same with alpha = 1 and beta = 0."""


def share(drift: sympy.Expr, step: sympy.Expr, delay: sympy.Expr) -> sympy.Expr:
    """c: half of what multiplies R; at most 1/2 under the conditions."""
    return _R(33, 5) * drift + 4 * step * L + _R(66, 5) * delay


def right_side(
    drift: sympy.Expr, step: sympy.Expr, delay: sympy.Expr, single: sympy.Expr, late: sympy.Expr
) -> sympy.Expr:
    """R + d_0^2/(h N) + 2 c R + the noise of drift, of single steps and of delay."""
    return (
        SPREAD
        + START / (ROUND_STEP * N)
        + 2 * share(drift, step, delay) * SPREAD
        + _R(33, 10) * drift * PEAK * NOISE1 / L
        + single
        + _R(33, 10) * PEAK * L * ROUND_STEP**2 * STALENESS**2 * late
    )


LATE_NOISE = 2 * ALPHA * PEAK**2 * NOISE2 + 2 * BETA * PEAK * NOISE1
THEOREM_F1 = right_side(
    AWAY * DRIFT,
    VIRTUAL_STEP,
    DELAY,
    2 * STEP * PEAK**2 * NOISE2 + _R(33, 16) * ROUND_STEP * BETA * PEAK * NOISE1,
    LATE_NOISE,
)
"""Right side at the virtual models."""
THEOREM_F1_SERVER = right_side(
    DRIFT,
    SERVER_STEP,
    DELAY,
    ROUND_STEP * (2 * ALPHA * PEAK**2 * NOISE2 / K + 2 * BETA * PEAK * NOISE1),
    LATE_NOISE,
)
"""Right side at the server's models: no factor kappa."""
THEOREM_F1_CERTAIN = right_side(
    AWAY * DRIFT,
    CERTAIN_STEP,
    CERTAIN_DELAY,
    2 * STEP * PEAK**2 * NOISE2,
    2 * PEAK**2 * NOISE2,
)
"""Right side at the virtual models for participation without chance."""

CONDITION_C1 = sympy.Le(AWAY * DRIFT, _R(1, 256))
CONDITION_C1_SERVER = sympy.Le(DRIFT, _R(1, 256))
CONDITION_C2 = sympy.Le(VIRTUAL_STEP * L, _R(3, 32))
CONDITION_C2_SERVER = sympy.Le(SERVER_STEP * L, _R(3, 32))
CONDITION_C2_CERTAIN = sympy.Le(CERTAIN_STEP * L, _R(3, 32))
CONDITION_C3 = sympy.Le(DELAY, _R(1, 192))
CONDITION_C3_CERTAIN = sympy.Le(CERTAIN_DELAY, _R(1, 192))
CONDITION_ROUND = sympy.Le(PEAK * ROUND_STEP * L, _R(1, 16))

SMALL_DRIFT = formula_assumption("C1", "(C1) kappa eta_l^2 K (K - 1) L^2 <= 1/256", CONDITION_C1)
SMALL_DRIFT_SERVER = formula_assumption(
    "C1-server", "(C1) eta_l^2 K (K - 1) L^2 <= 1/256", CONDITION_C1_SERVER
)
SHORT_STEP = formula_assumption(
    "C2", "(C2) eta_g eta_l L rho + (33/32) h L beta <= 3/32 and rho h L <= 1/16",
    CONDITION_C2, CONDITION_ROUND,
)  # fmt: skip
SHORT_STEP_SERVER = formula_assumption(
    "C2-server", "(C2) h L (alpha rho + beta) <= 3/32", CONDITION_C2_SERVER
)
SHORT_STEP_CERTAIN = formula_assumption(
    "C2-certain", "(C2) eta_g eta_l L rho <= 3/32", CONDITION_C2_CERTAIN
)
SMALL_DELAY = formula_assumption(
    "C3", "(C3) rho (alpha rho + beta) h^2 L^2 tau^2 <= 1/192", CONDITION_C3
)
SMALL_DELAY_CERTAIN = formula_assumption(
    "C3-certain", "(C3) rho^2 h^2 L^2 tau^2 <= 1/192", CONDITION_C3_CERTAIN
)

SETTING = (
    SMOOTH, CONVEX, UNBIASED, FINITE, COVARIANCE, SAMPLEWISE, INDEPENDENT, BLIND, MINIMISERS
)  # fmt: skip
VIRTUAL = (*SETTING, SMALL_DRIFT, SHORT_STEP, SMALL_DELAY)
AT_SERVER = (*SETTING, SMALL_DRIFT_SERVER, SHORT_STEP_SERVER, SMALL_DELAY)
WITHOUT_CHANCE = (*SETTING, CERTAIN, SMALL_DRIFT, SHORT_STEP_CERTAIN, SMALL_DELAY_CERTAIN)
NEEDED = (
    "What is really needed is (C2): with one local step and clients of one loss, E |theta|^2 is"
    " multiplied by 1 - 2 h L q + h^2 L^2 E (sum of weights)^2, which exceeds 1 once h L (alpha rho"
    " + beta) is above 2."
)

CLAIMS = (
    claim(
        "thm1.best",
        "Theorem 1, best form known",
        "At the virtual models the mean gap of the rounds' own objectives is at most their spread"
        " plus the start, the drift, the noise and the delay, each with its own constant.",
        UpperBound(GAP, THEOREM_F1),
        kind=Authorship.OURS,
        corrects="thm1",
        assumes=VIRTUAL,
        note=NEEDED,
        proof=f"{PAGE}#theorem-1",
    ),
    claim(
        "thm1.best.server",
        "Theorem 1, best form known, at the server's models",
        "At the server's models the same holds without the factor kappa and with the second moment"
        " of the weights in place of the step.",
        UpperBound(SERVER_GAP, THEOREM_F1_SERVER),
        kind=Authorship.OURS,
        corrects="thm1",
        assumes=AT_SERVER,
        note=NEEDED,
        proof=f"{PAGE}#theorem-1",
    ),
    claim(
        "thm1.best.certain",
        "Theorem 1, best form known, participation without chance",
        "For participation without chance Theorem 1 holds with rho, kappa and one constant for each"
        " term.",
        UpperBound(GAP, THEOREM_F1_CERTAIN),
        kind=Authorship.OURS,
        corrects="thm1",
        assumes=WITHOUT_CHANCE,
        proof=f"{PAGE}#theorem-1",
    ),
    claim(
        "thm1.learning_rate",
        "Theorem 1 with its learning rate",
        "With the printed learning rate, batches that are smooth and 2 alpha + beta <= 12 rho,"
        " Theorem 1 holds with the constants that its own proof supports.",
        UpperBound(GAP, SPREAD + CORRECTED),
        kind=Authorship.OURS,
        corrects="thm1",
        assumes=REPAIRED,
        note="A consequence of thm1.best, whose conditions are wider and whose constants smaller.",
        proof=f"{PAGE}#theorem-1-with-the-printed-learning-rate",
    ),
    claim(
        "cor1.best",
        "Corollary 1, best form known",
        "When every data type has its importance in each round, the gap of the federated loss is"
        " at most Theorem 1's terms over the least total weight of a round.",
        UpperBound(LOSS_GAP, THEOREM_F1.subs(SPREAD, 0) / LEAST_TOTAL),
        kind=Authorship.OURS,
        corrects="cor1",
        assumes=(*VIRTUAL, FAIR),
        proof=f"{PAGE}#corollary-1-and-theorem-2",
    ),
    claim(
        "thm2.best",
        "Theorem 2, best form known",
        "The mean squared gradient of the federated loss is at most Theorem 1's right side times"
        " (8 chi^2 + 4) L over the least total weight, plus misrepresented and absent types.",
        UpperBound(
            GRADIENTS,
            (8 * LARGEST_MISMATCH + 4) * L / LEAST_TOTAL * THEOREM_F1
            + 8 * L * (MEAN_MISREP + MEAN_ABSENT),
        ),
        kind=Authorship.OURS,
        corrects="thm2",
        assumes=VIRTUAL,
        proof=f"{PAGE}#corollary-1-and-theorem-2",
    ),
)
