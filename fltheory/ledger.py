"""The ledger: one line per (claim, check), recorded as sorted JSON lines, compared on every run."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fltheory.checks.check import Check
from fltheory.claims import Claim
from fltheory.evidence import Evidence, Verdict, overall


@dataclass(frozen=True)
class Line:
    """Evidence with how long it took."""

    evidence: Evidence
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """What `fltheory verify --json` prints for one (claim, method)."""
        e = self.evidence
        return {
            "id": e.claim, "verdict": e.verdict.name, "method": e.method.name, "left": e.left, "right": e.right,
            "looseness": e.looseness, "scenario": e.scenario, "note": e.note, "seconds": round(self.seconds, 2),
        }


def decide(check: Check, claim: Claim) -> Line:
    """Run one check."""
    started = time.perf_counter()
    evidence = check.decide(claim)
    return Line(evidence, time.perf_counter() - started)


def verdicts(lines: Iterable[Line]) -> dict[str, Verdict]:
    """The overall verdict on each claim."""
    by_claim: dict[str, list[Evidence]] = {}
    for line in lines:
        by_claim.setdefault(line.evidence.claim, []).append(line.evidence)
    return {claim: overall(evidence) for claim, evidence in sorted(by_claim.items())}
