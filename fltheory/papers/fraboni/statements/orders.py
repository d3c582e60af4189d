"""How the paper compares its bounds: synchronous FedAvg, FedFix and asynchronous FedAvg; one round
as a window; one local step; and what Figure 3 says of many."""

import sympy

from fltheory.claims.claim import Identity, LowerBound, UpperBound
from fltheory.papers.fraboni.paper import NOISE, SPREAD, K, M, N, claim, word
from fltheory.papers.fraboni.statements.application_bounds import CYCLE, HARDWARE, ROOT

PART = SPREAD + CYCLE * NOISE / M
FIX_LAST = ROOT * PART + K / N * CYCLE**2 * PART
"""The third and fourth terms of eq. (15)."""
ASYNC_LAST = (HARDWARE * ROOT + HARDWARE**3 * K / N * M**2) * (SPREAD + NOISE)
"""Those of eq. (13)."""
SECOND_FIX, SECOND_ASYNC = (K - 1) / N * (SPREAD + NOISE), (K - 1) / N * NOISE

CLAIMS = (
    claim(
        "order.sync",
        "Section 4.4, after eq. (15)",
        "The terms of eq. (15) that come from steps and delay are at least that of synchronous"
        " FedAvg in eq. (11).",
        UpperBound(ROOT * NOISE / M, FIX_LAST),
    ),
    claim(
        "order.last_terms",
        "Section 4.4, after eq. (15)",
        "With two clients or more and windows no shorter than the fastest client's time, the terms"
        " of eq. (15) that come from steps and delay are at most those of eq. (13).",
        UpperBound(FIX_LAST, ASYNC_LAST),
        note="Of the printed formulas, in which factors of rho are hidden: see eq13.heterogeneity.",
    ),
    claim(
        "order.first_terms",
        "Section 4.4, after eq. (15)",
        "The second terms of eq. (13) and (15) are identical.",
        Identity(SECOND_FIX, SECOND_ASYNC),
        note="As printed, that of eq. (15) has R + Sigma and that of eq. (13) Sigma alone.",
    ),
    claim(
        "thm3.one_round",
        "Section 3.4, before Corollary 2",
        "For windows of one round Theorem 3 has no window term, so that it agrees with Corollary"
        " 1.",
        Identity(word("window_term_of_one_round", "epsilon_W at W = 1"), sympy.S.Zero),
    ),
    claim(
        "thm1.one_step",
        "Section 3.2, after Theorem 1",
        "With one local step Theorem 1 has no term of local drift.",
        Identity(word("drift_term_of_one_step", "epsilon_K at K = 1"), sympy.S.Zero),
    ),
    claim(
        "exp.fig3.variance",
        "Figure 3 and Section 5.2.2",
        "Two clients that take turns: one more local step makes the limit cycle wider, for local"
        " step sizes below 1 and as long as the cycle is stable.",
        LowerBound(
            word("width_with_one_more", "width of the limit cycle with K + 1 local steps"),
            word("width_of_cycle", "width of the limit cycle with K local steps"),
        ),
    ),
)
