"""Theorem 2: its lemma, its constants and the order that it prints, as printed and corrected."""

import sympy

from fltheory.claims.claim import Authorship, Identity, Order, UpperBound
from fltheory.papers.fraboni.hypotheses import CONVEX, HYPOTHESES, LOSSES, PAGE, REPAIRED, SMOOTH
from fltheory.papers.fraboni.paper import LEAST_TOTAL, SPREAD, TOTAL, L, claim, word
from fltheory.papers.fraboni.statements.bounds import CORRECTED, ORDER
from fltheory.papers.fraboni.statements.theorem1 import GRADIENTS

MISMATCH = word(
    "mismatch",
    "chi_n^2 = sum over represented types of (r_j - s_j)^2 / s_j, s normalised",
    nonnegative=True,
)
GRADIENT = word("squared_global_gradient", "|grad L(theta)|^2", nonnegative=True)
GRADIENT_GAP = word(
    "squared_gradient_gap",
    "|grad L(theta) - grad of the normalised round objective|^2",
    nonnegative=True,
)
ROUND_EXCESS = word("round_excess", "L^n(theta) - L^n(its optimum)", nonnegative=True)
TYPES_AT_POINT = word(
    "types_at_point",
    "sum over represented types of s_j (F_j(theta) - F_j*), s normalised",
    nonnegative=True,
)
TYPES_AT_OPTIMUM = word("types_at_optimum", "the same at the optimum of L^n", nonnegative=True)
ABSENT = word("absent_types", "sum over absent types of r_j (F_j(theta) - F_j*)", nonnegative=True)
MEAN_MISREP = word(
    "misrepresentation",
    "P({L^n}), mean over rounds of chi_n^2 times what the types present lose at its optimum",
    nonnegative=True,
)
MEAN_ABSENT = word(
    "unrepresented",
    "U({L^n}), mean over rounds and local steps of what the absent types lose",
    nonnegative=True,
)
LARGEST_MISMATCH = word("largest_mismatch", "chi^2, the largest chi_n^2", nonnegative=True)
POOR = word("poorly_represented", "1 where some round has s_j(n) != r_j")
APART_OBJECTIVES = word("spread_is_positive", "1 where R({L^n}) > 0")

CLAIMS = (
    claim(
        "lem7",
        "Lemma 7",
        "Gradients of the federated and of the round's objective differ by at most the mismatch and"
        " the absent types.",
        UpperBound(GRADIENT_GAP, 4 * L * MISMATCH * TYPES_AT_POINT + 4 * L * ABSENT),
        assumes=LOSSES,
    ),
    claim(
        "thm2.display",
        "proof of Theorem 2",
        "The squared gradient of the federated loss is bounded by gap, mismatch and absent types.",
        UpperBound(
            GRADIENT,
            4
            * L
            * (
                (MISMATCH / TOTAL + 1 / TOTAL**2) * ROUND_EXCESS
                + MISMATCH * TYPES_AT_OPTIMUM
                + ABSENT
            ),
        ),
        note="False for q(n) > 2 (L^n is q(n) L-smooth), and twice Lemma 7 gives 8 L, not 4 L.",
    ),
    claim(
        "thm2.display.corrected",
        "proof of Theorem 2, corrected",
        "The squared gradient is bounded with (8 chi_n^2 + 4) L / q(n) in front of the gap.",
        UpperBound(
            GRADIENT,
            (8 * MISMATCH + 4) * L / TOTAL * ROUND_EXCESS
            + 8 * L * MISMATCH * TYPES_AT_OPTIMUM
            + 8 * L * ABSENT,
        ),
        kind=Authorship.OURS,
        corrects="thm2.display",
        assumes=(SMOOTH, CONVEX),
    ),
    claim(
        "thm2",
        "Theorem 2",
        "The mean squared gradient of the federated loss is of the order of R, P, U and Theorem 1's"
        " terms.",
        Order(GRADIENTS, SPREAD + MEAN_MISREP + MEAN_ABSENT + ORDER, hides="L"),
        assumes=HYPOTHESES,
        note="False: the order hides 1/q(n), which is unbounded (one client of small weight).",
    ),
    claim(
        "thm2.corrected",
        "Theorem 2 corrected",
        "The mean squared gradient is bounded with explicit constants and the least total weight.",
        UpperBound(
            GRADIENTS,
            (8 * LARGEST_MISMATCH + 4) * L / LEAST_TOTAL * (SPREAD + CORRECTED)
            + 8 * L * (MEAN_MISREP + MEAN_ABSENT),
        ),
        kind=Authorship.OURS,
        corrects="thm2",
        assumes=REPAIRED,
        proof=f"{PAGE}#corollary-1-and-theorem-2",
    ),
    claim(
        "thm2.remark",
        "after Theorem 2",
        "If a data type is poorly represented, then R({L^n}) is positive.",
        UpperBound(POOR, APART_OBJECTIVES),
        note="False: constant wrong weights give the same objective in every round, so R = 0.",
    ),
    claim(
        "def.chi",
        "Theorem 2, chi_n^2",
        "For two represented types, chi^2 is the sum of r_j^2 / s_j minus 1.",
        Identity(
            MISMATCH,
            word("r1", "r_1", positive=True) ** 2 / word("s1", "s_1", positive=True)
            + (1 - sympy.Symbol("r1", positive=True)) ** 2 / (1 - sympy.Symbol("s1", positive=True))
            - 1,
        ),
    ),
)
