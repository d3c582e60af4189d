"""How many claims of each paper have which verdict, from the ledger."""

from collections import Counter
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Verdict
from fltheory.claims.record import house_folder
from fltheory.ledger.lines import read, verdicts
from fltheory.papers import all_claims, papers

LEDGER = house_folder() / "ledger.jsonl"


def counts(claims: list[Claim], found: dict[str, Verdict]) -> dict[str, int]:
    """Claims by verdict; one that the ledger does not know is undecided."""
    seen = Counter(found.get(claim.id, Verdict.UNDECIDED) for claim in claims)
    return {verdict.name: seen[verdict] for verdict in Verdict}


def numbers() -> dict[str, Any]:
    """For each paper, claims as printed, and our corrections and additions."""
    found, claims = verdicts(read(LEDGER)), list(all_claims().values())
    total = counts(claims, found)
    return {
        "title": "Verdicts of the ledger",
        "caption": (
            f"{len(claims)} claims of {len(papers())} papers, each decided by exact means. As"
            " printed: what the paper says. Corrected and added: repairs of what is false, explicit"
            " constants, sharper forms."
        ),
        "total": total,
        "sentences": {verdict.name: verdict.value for verdict in Verdict},
        "papers": {
            paper: {
                kind: counts(
                    [
                        c
                        for c in claims
                        if c.source.paper.key == paper and c.source.ours is not printed
                    ],
                    found,
                )
                for kind, printed in (("as printed", True), ("corrected and added", False))
            }
            for paper in papers()
        },
    }
