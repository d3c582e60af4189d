"""Theorem 3 in the forms that are proved on paper (docs/proofs): with bounded gradients and the
square of the mean total weight, and without bounded gradients."""

import sympy

from fltheory.claims.claim import Authorship, UpperBound
from fltheory.claims.condition import formula_assumption
from fltheory.papers.fraboni.hypotheses import IN_WINDOWS, PAGE, REPAIRED, WINDOWS
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    MEAN_TOTAL,
    NOISE,
    SPREAD,
    STALENESS,
    START,
    B,
    L,
    N,
    W,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.best import (
    DRIFT,
    PEAK,
    ROUND_STEP,
    SETTING,
    THEOREM_F1,
    VIRTUAL,
)
from fltheory.papers.fraboni.statements.bounds import CORRECTED
from fltheory.papers.fraboni.statements.theorem3 import OBJECTIVE_GAP

OVERLAP = word(
    "window_overlap", "W' = W where the window has two rounds or more, 0 where W = 1",
    nonnegative=True,
)  # fmt: skip
SERVER_OBJECTIVE_GAP = word(
    "mean_server_objective_gap",
    "(1/N) sum E[Lbar(theta^n) - Lbar(thetabar)], the mean gap at the server's models",
    nonnegative=True,
)

WINDOW_DRIFT = MEAN_TOTAL**2 * ROUND_STEP * (W - 1) * B**2
"""h B^2 qbar^2 (W - 1)."""
LARGEST_MOMENT = sympy.Max(PEAK, ALPHA * PEAK + BETA)
"""A of the theorem without bounded gradients."""
WINDOW_SHARE = (
    ROUND_STEP * L * LARGEST_MOMENT * (1 + OVERLAP)
    + DRIFT
    + 2 * PEAK * LARGEST_MOMENT * ROUND_STEP**2 * L**2 * (STALENESS + W) ** 2
)
"""y of the theorem without bounded gradients."""
THEOREM_F3 = START / (ROUND_STEP * N) + 4 * WINDOW_SHARE * NOISE / L
CONDITION_F3 = sympy.Le(16 * WINDOW_SHARE, 1)

SHORT_WINDOWS = formula_assumption(
    "F3",
    "16 y <= 1 with y = h L A (1 + W') + eta_l^2 K (K - 1) L^2 + 2 rho A h^2 L^2 (tau + W)^2 and"
    " A = max(rho, alpha rho + beta)",
    CONDITION_F3,
)

CLAIMS = (
    claim(
        "thm3.best",
        "Theorem 3, best form known with bounded gradients",
        "With balanced windows and bounded gradients, the mean objective's gap is at most the"
        " terms of Theorem 1 and h B^2 qbar^2 (W - 1).",
        UpperBound(OBJECTIVE_GAP, THEOREM_F1 - SPREAD + WINDOW_DRIFT),
        kind=Authorship.OURS,
        corrects="thm3",
        assumes=(*VIRTUAL, *IN_WINDOWS),
        proof=f"{PAGE}#theorem-3",
    ),
    claim(
        "thm3.learning_rate",
        "Theorem 3 with its learning rate",
        "With the printed learning rate, smooth batches and 2 alpha + beta <= 12 rho, Theorem 3"
        " holds with the constants that the proof supports and the square of the mean total weight"
        " in the window term.",
        UpperBound(OBJECTIVE_GAP, CORRECTED + WINDOW_DRIFT),
        kind=Authorship.OURS,
        corrects="thm3",
        assumes=(*REPAIRED, *IN_WINDOWS),
        proof=f"{PAGE}#theorem-3",
    ),
    claim(
        "thm3.windows",
        "Theorem 3 without bounded gradients",
        "With balanced windows, at the server's models, the mean objective's gap is at most the"
        " start and the noise at its optimum: no bounded gradients, no spread of the objectives,"
        " random participation allowed.",
        UpperBound(SERVER_OBJECTIVE_GAP, THEOREM_F3),
        kind=Authorship.OURS,
        corrects="thm3",
        assumes=(*SETTING, WINDOWS, SHORT_WINDOWS),
        to_cite=True,
        note="The form to cite: it needs Assumption 6 and a short step, and nothing else.",
        proof=f"{PAGE}#theorem-3-without-bounded-gradients",
    ),
)
