"""Check: one way to decide one claim, and the falsehood that it must be able to refute."""

from collections.abc import Callable
from dataclasses import dataclass

from fltheory.claims import Claim
from fltheory.evidence import Evidence


@dataclass(frozen=True)
class Check:
    """`decide` looks at the two sides of the claim that it is given, so that a planted falsehood changes its verdict.

    `plant` makes a false version of the claim that `decide` must refute; without it the test suite plants a generic one
    (an identity off by one, a bound tightened below the best ratio found). `slow` checks run only with --full.
    """

    claim: str
    decide: Callable[[Claim], Evidence]
    plant: Callable[[Claim], Claim] | None = None
    slow: bool = False
