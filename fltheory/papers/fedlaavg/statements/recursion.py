"""Theorem 1: the recursion above eq. (1), with the indices that are printed."""

from fltheory.claims.claim import Claim, Identity, Severity, letter
from fltheory.papers.fedlaavg.paper import corrected, printed
from fltheory.papers.fedlaavg.statements.example1 import BLOCKS, E2, Q, closed_form
from fltheory.papers.fedlaavg.statements.theorem1 import at_blocks

CLAIMS = (
    Claim(
        id="fedlaavg.thm1.recursion",
        source=printed(
            "Proof of Theorem 1, recursion above eq. (1)",
            "for t in client i's block, k(t1+t2) + i: x^{t+1} = x^t - 2 gamma (x^t - e_i)",
        ),
        says=(
            "With the step of a block written from x^t to x^{t+1}, FedAvg's period ends tend to the"
            " closed form of Theorem 1, for step sizes in (0, 1/2)."
        ),
        statement=Identity(letter("limit_as_written"), closed_form(Q)),
        where=BLOCKS
        | {
            "limit_as_written": (
                "limit of x^{k(t1+t2)} when the recursion is followed with its printed indices"
            )
        },
        note=(
            "Off by one: round t moves x^{t-1} to x^t. Read literally, the first step of each"
            " period still belongs to client 2."
        ),
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.thm1.recursion.corrected",
        source=corrected("Proof of Theorem 1, what the printed indices give"),
        says=(
            "With the printed indices the period ends tend to e2 + (X - e2)/q, not to X, for step"
            " sizes in (0, 1/2)."
        ),
        statement=Identity(letter("limit_as_written"), E2 + (closed_form(Q) - E2) / Q),
        where=BLOCKS
        | {
            "limit_as_written": (
                "limit of x^{k(t1+t2)} when the recursion is followed with its printed indices"
            )
        },
        corrects="fedlaavg.thm1.recursion",
        special_cases=(at_blocks(1, 3, "1/4", "13/15"),),
    ),
)
