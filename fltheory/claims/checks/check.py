"""Check: one way to decide one claim, and the falsehood that it must be able to refute."""

from collections.abc import Callable
from dataclasses import dataclass

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence


@dataclass(frozen=True)
class Check:
    """`decide` looks at the two sides of the claim that it is given, so that a planted falsehood
    changes its verdict.

    `plant` makes a false version of the claim that `decide` must refute; without it the test suite
    plants a generic one (an identity off by one, a bound tightened below the best ratio found).
    `slow` checks run only with --full. `rests_on` names claims that it takes for granted: its
    verdict is no stronger than theirs, so to prove or refute they must be PROVED.
    """

    claim: str
    decide: Callable[[Claim], Evidence]
    plant: Callable[[Claim], Claim] | None = None
    slow: bool = False
    rests_on: tuple[str, ...] = ()
