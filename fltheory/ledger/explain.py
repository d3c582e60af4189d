"""Explain a claim: what it says, what is true, and how we know, as text, as data and as a
citation."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from textwrap import fill
from typing import TypedDict

from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Method, Verdict, overall
from fltheory.core.results import Table, as_dict, as_html, named_values
from fltheory.core.types import Json
from fltheory.core.vocabulary import WORDS, latex
from fltheory.ledger.lines import LedgerEntry, LedgerLine
from fltheory.papers.library import papers_option_of


def statement_text(claim: Claim) -> str:
    """The statement with vocabulary names, on one line."""
    return f"{claim.statement.left} {claim.statement.sign} {claim.statement.right}"


def statement_latex(claim: Claim) -> str:
    """The statement in LaTeX, each quantity under its letter."""
    signs = {"=": "=", "<=": r"\le", ">=": r"\ge", "= O of": "= O"}
    right = latex(claim.statement.right)
    right = rf"\left({right}\right)" if claim.statement.sign == "= O of" else right
    return f"{latex(claim.statement.left)} {signs[claim.statement.sign]} {right}"


def meanings(claim: Claim) -> dict[str, str]:
    """What each symbol of the claim stands for."""
    known = {word.name: f"{word.says} ({word.letter})" for word in WORDS}
    return {
        s.name: claim.where.get(s.name) or known[s.name] for s in sorted(claim.symbols, key=str)
    }


class AssumptionEntry(TypedDict):
    """An assumption as data."""

    id: str
    says: str
    stated_in_the_paper: bool


@dataclass(frozen=True, repr=False)
class Explanation:
    """What a claim says, whether it is true, and how we know.

    Recorded attacks are shown beside the evidence, on which alone the verdict rests.
    """

    id: str
    verdict: str
    meaning: str
    says: str
    source: str
    as_printed: bool
    statement: str
    latex: str
    where: dict[str, str]
    assumptions: list[AssumptionEntry]
    note: str
    evidence: list[LedgerEntry]
    attacks: list[LedgerEntry]
    corrects: str | None
    corrected_by: list[str]
    counterexample: str | None

    def to_dict(self) -> Json:
        return as_dict(asdict(self))

    def tables(self) -> list[Table]:
        shown = ("verdict", "meaning", "says", "source", "statement", "note", "counterexample")
        return [named_values(self.id, {name: getattr(self, name) or None for name in shown})]

    def __repr__(self) -> str:
        return as_text(self)

    _repr_html_ = as_html


def explanation(
    claim: Claim,
    lines: Sequence[LedgerLine],
    related: Sequence[Claim],
    counterexample: str | None,
    *,
    attacks: Sequence[LedgerLine] = (),
) -> Explanation:
    """Everything about one claim."""
    verdict = overall(line.evidence for line in lines) if lines else Verdict.UNDECIDED
    return Explanation(
        id=claim.id,
        verdict=verdict.name,
        meaning=verdict.value,
        says=claim.says,
        source=f"{claim.source.paper.title} ({claim.source.paper.year}), {claim.source.place}",
        as_printed=claim.source.as_printed,
        statement=statement_text(claim),
        latex=statement_latex(claim),
        where=meanings(claim),
        assumptions=[
            {"id": a.id, "says": a.says, "stated_in_the_paper": a.stated} for a in claim.assumes
        ],
        note=claim.note,
        evidence=[line.to_json() for line in lines],
        attacks=[line.to_json() for line in attacks],
        corrects=claim.corrects,
        corrected_by=[other.id for other in related if other.corrects == claim.id],
        counterexample=counterexample,
    )


def as_text(told: Explanation) -> str:
    """An explanation of one screen."""
    origin = "as printed" if told.as_printed else "not printed there: a correction or consequence"
    parts = [
        f"{told.id}: {told.verdict} ({told.meaning})",
        f"\nWhat is claimed\n  {told.says}\n  {told.source}, {origin}",
        f"\nStatement\n  {told.statement}\n  LaTeX: {told.latex}",
        "\nwhere\n" + "\n".join(f"  {name}: {says}" for name, says in told.where.items()),
    ]
    if told.assumptions:
        rows = [
            f"  {a['id']}: {a['says']}"
            + ("" if a["stated_in_the_paper"] else "  [needed, but the paper does not state it]")
            for a in told.assumptions
        ]
        parts.append("\nAssumptions\n" + "\n".join(rows))
    if told.note:
        parts.append(f"\nWhat is true\n{_wrapped(told.note)}")
    if told.corrects:
        parts.append(f"  This corrects {told.corrects}.")
    if told.corrected_by:
        parts.append(f"  Corrected by {', '.join(told.corrected_by)}.")
    parts.append(
        "\nHow we know\n"
        + ("\n".join(_line_text(line) for line in told.evidence) or "  nothing is recorded yet")
    )
    if told.attacks:
        parts.append(
            "\nHow it was attacked\n" + "\n".join(_line_text(line) for line in told.attacks)
        )
    if told.counterexample:
        parts.append(
            f"\nReplay the counterexample\n  fltheory replay {told.counterexample}"
            f"{papers_option_of(told.id)}\n"
            f"  python3 verification/replay.py {told.counterexample}   (standard library only)"
        )
    return "\n".join(parts)


def _wrapped(text: str) -> str:
    return fill(text, 110, initial_indent="  ", subsequent_indent="  ", break_long_words=False)


def _line_text(line: LedgerEntry) -> str:
    sides = f"\n    left {line['left']}, right {line['right']}" if line["left"] else ""
    ratio = f", left/right {line['looseness']}" if line["looseness"] else ""
    note = f"\n    {line['note']}" if line["note"] else ""
    return (
        f"  {line['verdict']} by {Method[line['method']].value}:"
        f" {line['scenario']}{sides}{ratio}{note}"
    )


def bibtex(claim: Claim) -> str:
    """The paper as a BibTeX entry, with the place of the claim as a note."""
    paper = claim.source.paper
    fields = {
        "title": f"{{{paper.title}}}",
        "author": paper.authors,
        "year": str(paper.year),
        "howpublished": paper.venue,
        "note": f"{claim.source.place} (claim {claim.id})",
    }
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@misc{{{paper.key}{paper.year},\n{body}\n}}"
