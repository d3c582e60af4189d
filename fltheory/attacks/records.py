"""The record of attacks: one line per claim beside the ledger, and the counterexamples that search
alone has found."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from fltheory.attacks.campaign import AttackOutcome
from fltheory.claims.evidence import Verdict
from fltheory.claims.record import house_folder
from fltheory.ledger import lines as ledger
from fltheory.papers import all_claims


def record_file() -> Path:
    """Where the outcome of every recorded attack is."""
    return house_folder() / "attacks.jsonl"


def counterexample_folder() -> Path:
    """Where the counterexamples found by search are."""
    return house_folder() / "counterexamples" / "attack"


def write_file(into: Path, found: AttackOutcome) -> Path:
    """Write the counterexample of one outcome into a folder."""
    into.mkdir(parents=True, exist_ok=True)
    path = into / f"{found.data['id']}.json"
    path.write_text(json.dumps(found.file, indent=1) + "\n", encoding="utf-8")
    return path


def contradicted(verdict_of: Mapping[str, Verdict]) -> list[str]:
    """Sentences on claims that a recorded attack breaks, exactly and replayably, while the ledger
    holds something else."""
    broke = [
        line.evidence.claim
        for line in ledger.read(record_file())
        if line.evidence.verdict is Verdict.REFUTED
    ]
    return [
        f"{claim}: {verdict_of[claim].name}, but broken by an attack (fltheory replay"
        f" verification/counterexamples/attack/{claim}.json)"
        for claim in broke
        if verdict_of.get(claim, Verdict.REFUTED) is not Verdict.REFUTED
    ]


def record_all(outcomes: Iterable[AttackOutcome]) -> None:
    """Replace the lines and the counterexamples of the claims that were attacked; those of other
    claims stay."""
    lines = []
    for found in outcomes:
        lines.append(found.line)
        path = counterexample_folder() / f"{found.data['id']}.json"
        if found.line.evidence.verdict is Verdict.REFUTED:
            write_file(counterexample_folder(), found)
        else:
            path.unlink(missing_ok=True)
    ledger.record(record_file(), lines, all_claims())
