"""The record of attacks as the ledger reads it: one line per claim, and claims that search alone
has broken."""

from collections.abc import Mapping
from pathlib import Path

from fltheory.claims.evidence import Verdict
from fltheory.claims.record import house_folder
from fltheory.ledger.lines import LedgerLine, read


def record_file() -> Path:
    """Where the outcome of every recorded attack is."""
    return house_folder() / "attacks.jsonl"


def counterexample_folder() -> Path:
    """Where the counterexamples found by search are."""
    return house_folder() / "counterexamples" / "attack"


def recorded_attacks() -> list[LedgerLine]:
    """The recorded outcome of every attack."""
    return read(record_file())


def contradicted(verdict_of: Mapping[str, Verdict]) -> list[str]:
    """Sentences on claims that a recorded attack breaks, exactly and replayably, while the ledger
    holds something else."""
    broke = [
        line.evidence.claim
        for line in recorded_attacks()
        if line.evidence.verdict is Verdict.REFUTED
    ]
    return [
        f"{claim}: {verdict_of[claim].name}, but broken by an attack (fltheory replay"
        f" verification/counterexamples/attack/{claim}.json)"
        for claim in broke
        if verdict_of.get(claim, Verdict.REFUTED) is not Verdict.REFUTED
    ]
