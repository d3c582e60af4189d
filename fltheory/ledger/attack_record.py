"""The record of attacks: one line per claim, and the claims that an attack has refuted."""

from collections.abc import Mapping
from pathlib import Path

from fltheory.claims.evidence import Verdict
from fltheory.claims.record import house_folder
from fltheory.ledger.lines import LedgerLine, read


def record_file() -> Path:
    """The file of all recorded attacks."""
    return house_folder() / "attacks.jsonl"


def counterexample_folder() -> Path:
    """The folder of the counterexamples that attacks have found."""
    return house_folder() / "counterexamples" / "attack"


def recorded_attacks() -> list[LedgerLine]:
    """The recorded outcome of every attack."""
    return read(record_file())


def contradicted(verdict_of: Mapping[str, Verdict]) -> list[str]:
    """One sentence for each claim that a recorded attack refutes, while its verdict is another."""
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
