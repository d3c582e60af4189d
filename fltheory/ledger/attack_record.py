"""The record of attacks: one line per claim, and the claims that an attack has refuted."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from fltheory.claims.claim import Paper
from fltheory.claims.evidence import Verdict
from fltheory.claims.record import house_folder, record_folder
from fltheory.core.errors import InvalidInput, NotExact
from fltheory.ledger.counterexamples import read_file
from fltheory.ledger.lines import LedgerLine, read
from fltheory.papers import find_claim, papers


def record_file(paper: Paper | None = None) -> Path:
    """The recorded attacks on a paper's claims; without a paper, on those of the papers in this
    package."""
    return (house_folder() if paper is None else record_folder(paper)) / "attacks.jsonl"


def counterexample_folder(paper: Paper | None = None) -> Path:
    """The counterexamples that attacks have found to a paper's claims; without a paper, to those of
    the papers in this package."""
    folder = house_folder() if paper is None else record_folder(paper)
    return folder / "counterexamples" / "attack"


def recorded_attacks(about: str = "") -> list[LedgerLine]:
    """The recorded outcome of every attack, on all papers; with `about` only those in whose text
    it occurs."""
    files = sorted({record_file(paper) for paper in papers().values()})
    return [line for file in files for line in read(file, about)]


def standing(lines: Sequence[LedgerLine], verdict: Verdict) -> list[LedgerLine]:
    """Recorded attacks on a claim of this verdict, without those that broke an earlier form of it:
    their counterexample does not contradict the claim as it is."""
    if verdict is Verdict.REFUTED:
        return list(lines)
    return [
        line
        for line in lines
        if line.evidence.verdict is not Verdict.REFUTED or _still_breaks(line.evidence.claim)
    ]


def _still_breaks(claim_id: str) -> bool:
    claim = find_claim(claim_id)
    paper = claim.source.paper
    file = counterexample_folder(None if paper.record is None else paper) / f"{claim_id}.json"
    if not file.exists():
        return True
    from fltheory.ledger.replays import replay  # few explanations need it

    try:
        return replay(read_file(file), claim).confirmed
    except (InvalidInput, NotExact, ValueError):
        return False


def contradicted(verdict_of: Mapping[str, Verdict]) -> list[str]:
    """One sentence for each claim that a recorded attack refutes, while its verdict is another."""
    broke = [
        line.evidence.claim
        for line in recorded_attacks()
        if line.evidence.verdict is Verdict.REFUTED
    ]
    return [
        f"{claim}: {verdict_of[claim].name}, but broken by an attack (fltheory replay"
        f" {_shown(claim)})"
        for claim in broke
        if verdict_of.get(claim, Verdict.REFUTED) is not Verdict.REFUTED
    ]


def _shown(claim_id: str) -> str:
    paper = find_claim(claim_id).source.paper
    if paper.record is None:
        return f"verification/counterexamples/attack/{claim_id}.json"
    return str(counterexample_folder(paper) / f"{claim_id}.json")
