"""Plain runs that step over a claim's conditions: what a removed condition would have kept out.

They are enumerated without any search: the edges of a small region, with step sizes far inside and far outside what theorems admit.
"""

from collections.abc import Iterator
from typing import Any

from fltheory.checks.bound_on_run import check_on_runs
from fltheory.checks.exact_run import Region
from fltheory.claims import Claim
from fltheory.errors import InvalidInput, NotExact
from fltheory.evidence import Evidence, Verdict
from fltheory.trace import Trace

LOCAL = ("1/100", "1/10", "1/4", "1/2", 1, 2)
SERVER = (1, 4)


def _any_steps(problem: Any, trace: Trace) -> Iterator[tuple[Any, Any]]:
    for local in LOCAL:
        for server in SERVER:
            yield local, server


def trespassing(claim: Claim) -> Iterator[Evidence]:
    """What such runs say of a claim about runs that has lost a condition: evidence only where they refute it."""
    for algorithm in claim.about:
        region = Region(algorithm, clients=(1, 2), rounds=(1, 4), local_steps=(1, 2), delays=(0, 2))
        for first in (True, False):
            try:
                runs = Region(**{**region.__dict__, "everyone_first": first}).edges(_any_steps)
                found = check_on_runs(claim, runs, covers=f"edges of a small region of {algorithm}, any step sizes")
            except (InvalidInput, NotExact, ArithmeticError):
                continue
            if found.verdict is Verdict.REFUTED:
                yield found
