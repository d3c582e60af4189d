"""Several symbolic cases of one claim."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fltheory.checks.symbolic import check_symbolic
from fltheory.claims import Claim
from fltheory.evidence import Evidence, Method, Verdict


def check_cases(claim: Claim, cases: Iterable[Mapping[str, Any]], *, covers: str, complete: bool = False) -> Evidence:
    """Prove the claim in each case, symbols that a case does not fix staying free; PROVED only if these are all cases there are."""
    evidence = Evidence(claim.id, Method.SYMBOLIC, Verdict.UNDECIDED, covers, note="no case was produced")
    count = 0
    for case in cases:
        evidence = check_symbolic(claim, derived=case, covers=covers)
        if evidence.verdict is not Verdict.PROVED:
            return evidence
        count += 1
    if not count or complete:
        return evidence
    return replace(evidence, verdict=Verdict.SUPPORTED, note=f"proved in {count} cases, each for all values of the other symbols")
