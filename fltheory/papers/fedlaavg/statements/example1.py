"""Example 1: two clients in turn; the letters of its claims, its window and its staleness."""

import sympy

from fltheory.claims.claim import Claim, Identity, SpecialCase, UpperBound, letter
from fltheory.papers.fedlaavg.paper import GAMMA, E, I, corrected, printed

T1 = letter("first_block", integer=True, positive=True)
T2 = letter("second_block", integer=True, positive=True)
E1, E2 = letter("first_optimum"), letter("second_optimum")
LIMIT = letter("limit_at_period_end")
BEFORE, AFTER = letter("model_before_block"), letter("model_after_block")
Q = 1 - 2 * GAMMA
OPTIMUM = (E1 + E2) / 2
SMALL_STEP_VALUE = (T1 * E1 + T2 * E2) / (T1 + T2)

BLOCKS = {
    "first_block": "t1, rounds in which only client 1 is available",
    "second_block": "t2, rounds in which only client 2 is available",
    "first_optimum": "e1, where client 1's loss (x - e1)^2 is least",
    "second_optimum": "e2, where client 2's loss (x - e2)^2 is least",
    "limit_at_period_end": "limit of FedAvg's model at the end of a period t1 + t2",
}
BLOCK_MODELS = BLOCKS | {
    "model_before_block": "model before the block begins",
    "model_after_block": "model when the block has ended",
}


def closed_form(contraction: sympy.Expr) -> sympy.Expr:
    """Limit at the period end when each round multiplies the distance to the active client's
    optimum by `contraction`."""
    return E2 + (E1 - E2) * contraction**T2 * (1 - contraction**T1) / (1 - contraction ** (T1 + T2))


CLAIMS = (
    Claim(
        id="fedlaavg.ex1",
        source=corrected("Example 1 with Assumption 4"),
        says=(
            "In Example 1 the least availability window is one more than the longer of the two"
            " blocks."
        ),
        statement=Identity(E, sympy.Max(T1, T2) + 1),
        where=BLOCKS,
        special_cases=(
            SpecialCase("blocks of 1 and 3 rounds", {"first_block": 1, "second_block": 3}, "4"),
        ),
    ),
    Claim(
        id="fedlaavg.ex1.staleness",
        source=printed(
            "Proof of Theorem 2, before eq. (11)",
            "t - T_i^t <= I = max{t_1, t_2}, i = 1, 2",
        ),
        says=(
            "In Example 1 no gradient that FedLaAvg uses is older than the longer of the two"
            " blocks."
        ),
        statement=UpperBound(I, sympy.Max(T1, T2)),
        where=BLOCKS
        | {
            "staleness_bound": (
                "largest t - T_i^t over all rounds, counted from 0 for a client not yet heard from"
            )
        },
        note="Lemma 1 alone would give 2 max(t1, t2) + 1.",
    ),
)
