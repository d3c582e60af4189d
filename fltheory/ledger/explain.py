"""Explain a claim: gather what it says, what is true and how we know; cite its paper."""

from collections.abc import Mapping, Sequence

from fltheory.claims.claim import ENTRIES, Claim
from fltheory.claims.evidence import Verdict, overall
from fltheory.core.letters import in_text
from fltheory.ledger.explanation import Explanation
from fltheory.ledger.lines import LedgerLine
from fltheory.ledger.notation import letter_of, meanings, statement_latex, statement_text


def explanation(
    claim: Claim,
    lines: Sequence[LedgerLine],
    related: Sequence[Claim],
    counterexample: str | None,
    *,
    attacks: Sequence[LedgerLine] = (),
    verdict_of: Mapping[str, Verdict] | None = None,
    failing: Sequence[str] = (),
) -> Explanation:
    """Everything about one claim.

    `verdict_of` holds the verdicts on related claims, by which the one to cite is chosen; `failing`
    names the assumptions that the counterexample violates.
    """
    verdict = overall(line.evidence for line in lines) if lines else Verdict.UNDECIDED
    corrections = [other.id for other in related if other.corrects == claim.id]
    source = claim.source
    letters = {symbol.name: in_text(letter_of(claim, symbol.name)) for symbol in claim.symbols}
    return Explanation(
        id=claim.id,
        verdict=verdict.name,
        meaning=verdict.value,
        severity=claim.severity.name if claim.severity and verdict is Verdict.REFUTED else "",
        says=claim.says,
        source=f"{source.paper.title} ({source.paper.year}), {source.place}",
        authorship=source.kind.value,
        formula=source.formula,
        reading=source.reading,
        alternatives=list(source.alternatives),
        statement=statement_text(claim),
        latex=statement_latex(claim),
        where={f"{letters[name]}": told for name, told in meanings(claim).items()},
        assumptions=[
            {
                "id": a.id,
                "says": a.says,
                "stated_in_the_paper": a.stated,
                "fails": a.id in failing,
            }
            for a in claim.assumes
        ],
        note=claim.note,
        proof=claim.proof,
        cite=what_to_cite(claim.id, verdict, corrections, verdict_of or {}),
        evidence=[line.to_json() for line in lines],
        attacks=[line.to_json() for line in attacks],
        corrects=claim.corrects,
        corrected_by=corrections,
        counterexample=counterexample,
    )


def what_to_cite(
    claim_id: str, verdict: Verdict, corrections: Sequence[str], verdict_of: Mapping[str, Verdict]
) -> str:
    """Which claim to rely on, in one sentence.

    >>> what_to_cite("x.a", Verdict.REFUTED, ["x.b"], {"x.b": Verdict.PROVED})
    'x.b (PROVED) in place of x.a'
    """
    if verdict is Verdict.PROVED:
        return f"{claim_id} (PROVED)"
    for wanted in (Verdict.PROVED, Verdict.SUPPORTED):
        if verdict is wanted:
            return f"{claim_id} ({verdict.name}: not proved, so cite it as an open statement)"
        for other in corrections:
            if verdict_of.get(other) is wanted:
                caveat = "" if wanted is Verdict.PROVED else ": not proved"
                return f"{other} ({wanted.name}{caveat}) in place of {claim_id}"
    return "nothing: no true form of it is in the ledger"


def bibtex(claim: Claim) -> str:
    """The paper as a BibTeX entry, with the place of the claim as a note."""
    paper, place = claim.source.paper, f"{claim.source.place} (claim {claim.id})"
    fields = {
        "title": f"{{{paper.title}}}",
        "author": paper.authors,
        "year": str(paper.year),
        ENTRIES[paper.entry]: paper.venue,
        **paper.citation,
        "note": "; ".join(filter(None, (place, paper.citation.get("note")))),
    }
    body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items())
    return f"@{paper.entry}{{{paper.key}{paper.year},\n{body}\n}}"
