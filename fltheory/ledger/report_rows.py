"""Rows of the report: one per claim."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.ledger.explain import Explanation, explanation
from fltheory.ledger.lines import LedgerLine


@dataclass(frozen=True)
class Row:
    """One claim with its explanation."""

    claim: Claim
    told: Explanation

    @property
    def verdict(self) -> str:
        return self.told.verdict


def rows(
    claims: Sequence[Claim],
    lines: Sequence[LedgerLine],
    counterexample: Callable[[str], Path],
    attacks: Sequence[LedgerLine] = (),
) -> list[Row]:
    """One row per claim, in the given order, with its lines and recorded attacks."""
    by_claim, attacked = _by_claim(lines), _by_claim(attacks)

    def file(claim: Claim) -> str | None:
        path = counterexample(claim.id)
        return f"counterexamples/{path.name}" if path.exists() else None

    return [
        Row(
            claim,
            explanation(
                claim,
                by_claim.get(claim.id, []),
                claims,
                file(claim),
                attacks=attacked.get(claim.id, []),
            ),
        )
        for claim in claims
    ]


def _by_claim(lines: Sequence[LedgerLine]) -> dict[str, list[LedgerLine]]:
    found: dict[str, list[LedgerLine]] = {}
    for line in lines:
        found.setdefault(line.evidence.claim, []).append(line)
    return found


def totals(found: Sequence[Row]) -> str:
    """The number of claims with each verdict, in one sentence."""
    counts = [(v.name, sum(row.verdict == v.name for row in found)) for v in Verdict]
    return f"{len(found)} claims: " + ", ".join(f"{n} {name}" for name, n in counts if n)
