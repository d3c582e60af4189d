"""Example 1 and Theorem 1: two clients that take turns, and where FedAvg ends up."""

from fltheory.claims import Claim, Identity, Source, SpecialCase, letter
from fltheory.papers.fedlaavg.paper import GAMMA, PAPER

T1, T2 = letter("first_block", integer=True, positive=True), letter("second_block", integer=True, positive=True)
E1, E2 = letter("first_optimum"), letter("second_optimum")
LIMIT = letter("limit_at_period_end")
Q = 1 - 2 * GAMMA

BLOCKS = {
    "first_block": "t1, rounds in which only client 1 is available",
    "second_block": "t2, rounds in which only client 2 is available",
    "first_optimum": "e1, where client 1's loss (x - e1)^2 is least",
    "second_optimum": "e2, where client 2's loss (x - e2)^2 is least",
    "limit_at_period_end": "limit of FedAvg's model at the end of a period t1 + t2",
}

CLAIMS = (
    Claim(
        id="fedlaavg.thm1",
        source=Source(PAPER, "Theorem 1"),
        says="On Example 1, FedAvg with a small enough step size converges to the average of the optima weighted by availability.",
        statement=Identity(LIMIT, (T1 * E1 + T2 * E2) / (T1 + T2)),
        where=BLOCKS,
        note="True only in the limit of vanishing step sizes: see fedlaavg.thm1.closed and fedlaavg.thm1.limit.",
    ),
    Claim(
        id="fedlaavg.thm1.closed",
        source=Source(PAPER, "Theorem 1, closed form from its proof", as_printed=False),
        says="On Example 1, FedAvg's model at the end of a period tends to a point that depends on the step size.",
        statement=Identity(LIMIT, E2 + (E1 - E2) * Q**T2 * (1 - Q**T1) / (1 - Q ** (T1 + T2))),
        where=BLOCKS,
        corrects="fedlaavg.thm1",
        special_cases=(
            SpecialCase("one round against three, step size 1/4",
                        {"first_block": 1, "second_block": 3, "first_optimum": 0, "second_optimum": 1, "local_step_size": "1/4"}, "14/15"),
        ),
    ),
)
