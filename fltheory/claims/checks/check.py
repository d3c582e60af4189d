"""Check: one way to decide one claim, and a false version of it that the check must refute."""

from collections.abc import Callable
from dataclasses import dataclass

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence


@dataclass(frozen=True)
class Check:
    """One way to decide a claim; `decide` evaluates the two sides of the claim that it is given, so
    that a planted falsehood changes its verdict.

    `plant` makes a false version of the claim, which `decide` must refute; without it the test
    suite plants a generic one (an identity off by one, a bound tightened below the best ratio
    found). `slow` checks run only with --full. `rests_on` names claims that the check takes for
    granted: it may prove or refute only if these are PROVED. `everything` is the reason why the
    cases that the check proves are all that the claim says (all rounds, clients, traces, functions
    and noise); without it a proof supports the claim and no more.
    """

    claim: str
    decide: Callable[[Claim], Evidence]
    plant: Callable[[Claim], Claim] | None = None
    slow: bool = False
    rests_on: tuple[str, ...] = ()
    everything: str = ""
