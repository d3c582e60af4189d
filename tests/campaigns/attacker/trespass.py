"""Plain runs that step over a claim's conditions: what a removed condition would have kept out.

They are enumerated without any search: the edges of a small region, with step sizes far inside and
far outside what theorems admit.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fltheory.claims.checks.bound_on_run import check_on_runs
from fltheory.claims.checks.exact_run import Region
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Verdict
from fltheory.claims.scenario import Scenario
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.traces.trace import Trace

LOCAL = ("1/1000", "1/100", "1/10", "1/2", 1, 2)
SERVER = (1, 4, 64, 4096)


def _any_steps(problem: Any, trace: Trace) -> Iterator[tuple[Any, Any]]:
    for local in LOCAL:
        for server in SERVER:
            yield local, server


def scenarios(algorithm: str) -> Iterator[Scenario]:
    """Small runs of a method, everybody in the first round or not, with short and with far too long
    steps."""
    region = Region(algorithm, clients=(1, 2), rounds=(1, 4), local_steps=(1, 2), delays=(0, 2))
    for first in (True, False):
        yield from replace(region, everyone_first=first).edges(_any_steps)


def trespassing(claim: Claim) -> Iterator[Evidence]:
    """The first of such runs that refutes a claim about runs which has lost a condition, if one
    does."""
    for algorithm in claim.about:
        for scenario in scenarios(algorithm):
            try:
                found = check_on_runs(
                    claim,
                    [scenario],
                    covers=f"edges of a small region of {algorithm}, any step sizes",
                )
            except (InvalidInput, NotExact, ArithmeticError):
                # the run has no value for a symbol of the claim, such as a window that never ends
                continue
            if found.verdict is Verdict.REFUTED:
                yield found
                return
