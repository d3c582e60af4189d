"""Write the record of attacks: one line per claim, and the counterexamples that attacks have
found."""

import json
from collections.abc import Iterable
from pathlib import Path

from fltheory.attacks.campaign import AttackOutcome
from fltheory.claims.evidence import Verdict
from fltheory.core.durable import replace_text
from fltheory.ledger.attack_record import counterexample_folder, record_file
from fltheory.ledger.lines import LedgerLine, record
from fltheory.ledger.meanings import add_meaning
from fltheory.papers import all_claims


def write_file(into: Path, found: AttackOutcome) -> Path:
    """Write the counterexample of one outcome into a folder, and for a claim of one's own what the
    standalone replayer needs to know of it."""
    path = into / f"{found.data['id']}.json"
    replace_text(path, json.dumps(found.file, indent=1) + "\n", make_folder=True)
    if found.meaning is not None:
        add_meaning(into / "claims.jsonl", found.meaning)
    return path


def record_all(outcomes: Iterable[AttackOutcome]) -> None:
    """Replace the lines and the counterexamples of the claims that were attacked, each in the
    record of its paper; those of other claims stay."""
    claims, by_file = all_claims(), dict[Path, list[LedgerLine]]()
    for found in outcomes:
        paper = claims[found.data["id"]].source.paper
        by_file.setdefault(record_file(paper), []).append(found.line)
        path = counterexample_folder(paper) / f"{found.data['id']}.json"
        if found.line.evidence.verdict is Verdict.REFUTED:
            write_file(path.parent, found)
        else:
            path.unlink(missing_ok=True)
    for file, lines in by_file.items():
        record(file, lines, claims)
