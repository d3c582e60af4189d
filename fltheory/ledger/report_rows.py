"""Rows of the report: one per claim."""

from collections.abc import Sequence
from dataclasses import dataclass

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.ledger.attack_record import standing
from fltheory.ledger.explain import Explanation, explanation, recorded_counterexample
from fltheory.ledger.lines import LedgerLine, verdicts
from fltheory.ledger.ranks import headline


@dataclass(frozen=True)
class Row:
    """One claim with its explanation."""

    claim: Claim
    told: Explanation

    @property
    def verdict(self) -> str:
        return self.told.verdict


def rows(
    claims: Sequence[Claim], lines: Sequence[LedgerLine], attacks: Sequence[LedgerLine] = ()
) -> list[Row]:
    """One row per claim, in the given order, with its lines and recorded attacks; files are named
    as a clone of the repository has them."""
    by_claim, attacked = _by_claim(lines), _by_claim(attacks)
    verdict_of = verdicts(lines)
    corrections: dict[str | None, list[Claim]] = {}
    for claim in claims:
        corrections.setdefault(claim.corrects, []).append(claim)
    return [
        Row(
            claim,
            explanation(
                claim,
                by_claim.get(claim.id, []),
                corrections.get(claim.id, []),
                recorded_counterexample(claim),
                attacks=standing(
                    attacked.get(claim.id, []), verdict_of.get(claim.id, Verdict.UNDECIDED)
                ),
                verdict_of=verdict_of,
                in_clone=True,
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
    """The headline: theorems as printed first, false ones by severity."""
    return headline((row.claim, Verdict[row.verdict]) for row in found)
