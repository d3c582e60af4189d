"""Section 3.4: Theorem 3, with windows and bounded gradients, and Corollary 2; as printed and
corrected."""

import sympy

from fltheory.claims.claim import (
    Authorship,
    Identity,
    LowerBound,
    Severity,
    SpecialCase,
    UpperBound,
)
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.hypotheses import (
    BOUNDED,
    CONVEX,
    HYPOTHESES,
    IN_WINDOWS,
    PAGE,
    REPAIRED,
)
from fltheory.papers.fraboni.paper import (
    MEAN_TOTAL,
    STALENESS,
    STEP,
    TOTAL,
    B,
    K,
    L,
    W,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.bounds import CORRECTED, PRINTED, WINDOW_TERM
from fltheory.papers.fraboni.statements.theorem1 import AS_ONE, GRADIENTS, TURNS

OBJECTIVE_GAP = word(
    "mean_objective_gap",
    "(1/NK) sum E[Lbar(theta^{n,k}) - Lbar(thetabar)], mean over rounds and local steps",
    nonnegative=True,
)
CHI = word(
    "mean_mismatch",
    "chi^2 = sum_j (r_j - s_j)^2 / s_j of the mean normalised weights",
    nonnegative=True,
)
CONFLICT = word(
    "optimum_conflict", "Lbar(its optimum) - sum_j s_j F_j(its own optimum)", nonnegative=True
)
RISE = word("client_loss_rise", "E L_i(theta^{n+1}) - E L_i(theta^n) of one client")
OWN = word("window_client_loss", "sum over a window and local steps of q_i E L_i(theta^{n,k})")
OTHER = word(
    "window_other_loss",
    "sum over a window and local steps of the losses on the right of the inequality, with weights"
    " q_i(n)",
)
ARRIVED = word(
    "window_weight", "sum over a window and local steps of the weights q_i(n)", nonnegative=True
)
LARGEST_EXPONENT = word(
    "largest_exponent", "largest exponent of N in Theorem 3's bound once the powers are substituted"
)
RATE = word("step_exponent", "c: the local step size falls as N^-c", nonnegative=True)
WINDOW_POWER = word("window_exponent", "a: the balance period grows as N^a", nonnegative=True)
DELAY_POWER = word("delay_exponent", "b: the largest staleness grows as N^b", nonnegative=True)
WHOLE = word("window_is_the_run", "1 where Assumption 6 holds with W = N")
FAILS = word(
    "fails_to_converge",
    "1 where no step size makes the run converge to the optimum, 0 where one does",
)

CLAIMS = (
    claim(
        "thm3",
        "Theorem 3, first bound",
        "With balanced windows and bounded gradients, the mean objective's gap is at most the five"
        " vanishing terms.",
        UpperBound(OBJECTIVE_GAP, PRINTED + WINDOW_TERM),
        assumes=(*HYPOTHESES, *IN_WINDOWS),
        special_cases=(
            SpecialCase("two clients in turn, W = 2, B = 2", TURNS | AS_ONE, "0.345870"),
        ),
        note=(
            "False as printed for the same reason as Theorem 1 (rough batches). With smooth batches"
            " it holds with other constants, 2 alpha + beta <= 12 rho and the square of the mean"
            " total weight in the window term: thm3.learning_rate. The second bound, on gradients,"
            " is thm3.gradient."
        ),
    ),
    claim(
        "thm3.corrected",
        "Theorem 3, first bound corrected",
        "Theorem 3's first bound holds for smooth batches with the constants that its proof"
        " supports.",
        UpperBound(OBJECTIVE_GAP, CORRECTED + WINDOW_TERM),
        kind=Authorship.OURS,
        corrects="thm3",
        assumes=(*HYPOTHESES, *IN_WINDOWS),
        severity=Severity.THEOREM,
        note=(
            "A correction of ours that was wrong: the window term needs the square of the mean"
            " total weight. Two clients of weight 500 that deliver for 215,998 rounds each break"
            " it. See thm3.learning_rate, and thm3.windows without bounded gradients."
        ),
    ),
    claim(
        "thm3.gradient",
        "Theorem 3, second bound",
        "With fair mean weights, the mean squared gradient of the federated loss is at most the"
        " same bound.",
        UpperBound(GRADIENTS, PRINTED + WINDOW_TERM),
        assumes=(*HYPOTHESES, *IN_WINDOWS),
        note=(
            "False already for one client with L = 10: a squared gradient is bounded by 2 L times a"
            " gap, and that factor is missing."
        ),
    ),
    claim(
        "thm3.gradient.corrected",
        "Theorem 3, second bound corrected",
        "The mean squared gradient is bounded by (8 chi^2 + 4) L over the mean total weight times"
        " the first bound, plus the conflict.",
        UpperBound(
            GRADIENTS,
            (8 * CHI + 4) * L / MEAN_TOTAL * (CORRECTED + MEAN_TOTAL * WINDOW_TERM)
            + 8 * L / MEAN_TOTAL * CHI * CONFLICT,
        ),
        kind=Authorship.OURS,
        corrects="thm3.gradient",
        assumes=(*REPAIRED, *IN_WINDOWS),
        proof=f"{PAGE}#theorem-3",
    ),
    claim(
        "eq9",
        "Section 3.4, eq. (9)",
        "In one round a client's loss rises by at most eta_g eta_l q(n) K B^2.",
        UpperBound(RISE, STEP * TOTAL * B**2 * K),
        assumes=(CONVEX, BOUNDED),
    ),
    claim(
        "eq10",
        "Section 3.4, eq. (10)",
        "Over a window, a client's loss with its mean weight is at most the mean objective with its"
        " weights, plus drift.",
        UpperBound(OWN, OTHER + ARRIVED * STEP * K * (W - 1) * B**2),
        assumes=(CONVEX, *IN_WINDOWS),
        note="False: the loss on the right must be the client's own, summed over clients.",
    ),
    claim(
        "eq10.corrected",
        "Section 3.4, eq. (10) corrected",
        "Over a window, the losses with mean weights are at most the losses with the rounds'"
        " weights, plus drift.",
        UpperBound(OWN, OTHER + ARRIVED * STEP * K * (W - 1) * B**2 * MEAN_TOTAL),
        kind=Authorship.OURS,
        corrects="eq10",
        assumes=(CONVEX, *IN_WINDOWS),
    ),
    claim(
        "cor2",
        "Corollary 2",
        "With step size N^-c, windows N^a and staleness N^b, the largest power of N in Theorem 3's"
        " bound is at most max(a - c, c - 1, 2 (b - c)), so that the bound tends to 0 if"
        " max(a, b) < c < 1.",
        UpperBound(
            LARGEST_EXPONENT,
            sympy.Max(WINDOW_POWER - RATE, RATE - 1, 2 * (DELAY_POWER - RATE), -RATE),
        ),
        note=(
            "The powers are those of Theorem 3 as printed, which fails"
            " for rough batches, and also those of thm3.learning_rate, which holds for smooth ones."
            " That the gap itself vanishes is thm3.windows, for the server's models and smooth"
            " batches."
        ),
    ),
    claim(
        "cor2.window",
        "after Corollary 2",
        "When W = N, no learning rate makes the process converge to the optimum.",
        UpperBound(WHOLE, FAILS),
        note="Only the bound fails there: identical clients converge although W = N is admissible.",
    ),
    claim(
        "W.tau",
        "after Assumption 6",
        "By construction the window is at least as long as the largest staleness.",
        LowerBound(W, STALENESS),
        note="False: a client may be first in one window and last in the next.",
    ),
    claim(
        "W.tau.corrected",
        "after Assumption 6, corrected",
        "If every client delivers in every window, staleness is at most 2 W - 2.",
        UpperBound(STALENESS, 2 * W - 2),
        kind=Authorship.OURS,
        corrects="W.tau",
    ),
    claim(
        "ass6",
        "Assumption 6",
        "A window as long as the whole run always satisfies Assumption 6.",
        Identity(
            word("mean_weight_over_windows", "mean of q_i(n) over every window of W = N rounds"),
            symbol("expected_weight"),
        ),
    ),
)
