"""Explain a claim: gather what it says, what is true and how we know; cite its paper."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fltheory.claims.checks.kernel import KernelTheorem, kernel_theorems
from fltheory.claims.claim import ENTRIES, Claim, Order
from fltheory.claims.evidence import Evidence, Method, Verdict, overall
from fltheory.core.letters import in_text
from fltheory.ledger import runner
from fltheory.ledger.claim_letters import IN_WORDS, explained, explained_letters, letters_for
from fltheory.ledger.counterexamples import read_file, unmet_in
from fltheory.ledger.explanation import AssumptionEntry, Explanation, TrueForm
from fltheory.ledger.lines import LedgerLine
from fltheory.ledger.notation import statement_latex, statement_text
from fltheory.ledger.ranks import rank
from fltheory.ledger.sceptic import sceptics_commands, shown
from fltheory.ledger.wording import in_order
from fltheory.papers.library import entries_of, papers


@dataclass(frozen=True)
class Found:
    """The counterexample of a claim: its file, its data, and the assumptions that it violates."""

    file: Path
    data: Mapping[str, object] = field(default_factory=dict)
    failing: tuple[str, ...] = ()

    @property
    def origin(self) -> str:
        """The kind of its origin; "run" if it has a run."""
        origin = self.data.get("origin")
        if self.data.get("run") is not None or not isinstance(origin, dict):
            return "run"
        return str(origin.get("kind"))


def recorded_counterexample(claim: Claim) -> Found | None:
    """The recorded counterexample of a claim, if there is one."""
    file = runner.counterexample_file(claim.id)
    if not file.exists():
        return None
    data = read_file(file)
    return Found(file, dict(data), tuple(unmet_in(file, claim)))


FINITE = (
    "Finite, because Coq's real numbers come without measures, so that expectations are sums:"
    " laws with a density, such as Gaussian noise, are left out"
)
"""What a theorem on finite probability spaces leaves out, and why."""


def explanation(
    claim: Claim,
    lines: Sequence[LedgerLine],
    related: Sequence[Claim],
    counterexample: Found | None = None,
    *,
    attacks: Sequence[LedgerLine] = (),
    verdict_of: Mapping[str, Verdict] | None = None,
    in_clone: bool = False,
) -> Explanation:
    """Everything about one claim.

    `verdict_of` holds the verdicts on related claims, by which the one to cite is chosen. With
    `in_clone` the commands name files as a clone of the repository has them.
    """
    evidence = [line.evidence for line in lines]
    verdict = overall(evidence)
    if verdict is Verdict.UNDECIDED:  # an exact counterexample of an attack decides as well
        broke = [line.evidence for line in attacks if line.evidence.verdict is Verdict.REFUTED]
        verdict = overall(broke)
    corrections = sorted(
        (other for other in related if other.corrects == claim.id),
        key=lambda one: (not one.to_cite, not one.proof),
    )
    told_of = verdict_of or {}
    ids = [one.id for one in corrections if told_of.get(one.id) is not Verdict.REFUTED]
    forms = _forms(claim, corrections, told_of)
    source, kernel = claim.source, _kernel(claim, evidence)
    letters, shown_as = letters_for(claim), explained_letters(claim)
    failing = counterexample.failing if counterexample else ()
    return Explanation(
        id=claim.id,
        rank=rank(claim),
        verdict=verdict.name,
        meaning=verdict.value,
        severity=claim.severity.name if claim.severity and verdict is Verdict.REFUTED else "",
        says=claim.says,
        source=f"{source.paper.title} ({source.paper.year}), {source.place}",
        version=source.paper.version,
        kind=source.kind.name,
        authorship=source.kind.value,
        formula=source.formula,
        reading=source.reading,
        alternatives=list(source.alternatives),
        statement=statement_text(claim),
        latex=statement_latex(claim),
        sign=claim.statement.sign,
        hides=claim.statement.hides if isinstance(claim.statement, Order) else "",
        letters=letters,
        where={_shown(shown_as[name]): told for name, told in explained(claim).items()},
        assumptions=[
            AssumptionEntry(
                id=a.id, says=a.says, stated_in_the_paper=a.stated, fails=a.id in failing
            )
            for a in claim.assumes
        ],
        note=claim.note,
        proof=claim.proof,
        cite=what_to_cite(
            claim.id,
            verdict,
            [form.id for form in forms],
            told_of,
            better=[form.id for form in forms if form.to_cite],
        ),
        true_form=_true_form(claim, verdict, forms, told_of),
        evidence=in_order(line.to_json() for line in lines),
        kernel=kernel,
        attacks=[line.to_json() for line in attacks],
        corrects=claim.corrects,
        corrected_by=ids,
        rests_on=_rests_on(claim),
        counterexample=(shown(counterexample.file, in_clone=in_clone) if counterexample else None),
        commands=sceptics_commands(
            claim,
            evidence,
            counterexample=counterexample.file if counterexample else None,
            origin=counterexample.origin if counterexample else "",
            kernel=kernel,
            in_clone=in_clone,
        ),
    )


def _shown(letter: str) -> str:
    """A letter in Unicode; a name in words as it is."""
    return letter if IN_WORDS.fullmatch(letter) else in_text(letter)


def _kernel(claim: Claim, evidence: Sequence[Evidence]) -> KernelTheorem | None:
    """The theorem of the proof assistant, if a line of evidence rests on it; its scope says what
    "finite" leaves out."""
    proved = any(e.method is Method.KERNEL and e.verdict is Verdict.PROVED for e in evidence)
    theorem = kernel_theorems(claim.source.paper).get(claim.id) if proved else None
    if theorem is None or "finite probability" not in theorem["scope"]:
        return theorem
    return {**theorem, "scope": f"{theorem['scope']}. {FINITE}"}


def _rests_on(claim: Claim) -> list[str]:
    """Claims that the checks of this one take for granted."""
    if claim.source.paper.key not in papers():
        return []
    own = claim.source.paper.record is None  # this package sets the field in these words
    words = ("rests_on", "checks_of") if own else ()
    checks = entries_of(claim.source.paper.key, "CHECKS", beside=words)
    mine = (check for check in checks if getattr(check, "claim", "") == claim.id)
    return sorted({other for check in mine for other in getattr(check, "rests_on", ())})


def _best(
    corrections: Sequence[str], verdict_of: Mapping[str, Verdict]
) -> tuple[str, Verdict] | None:
    """The strongest correction that is not refuted, in the order in which they are given."""
    for wanted in (Verdict.PROVED, Verdict.SUPPORTED):
        for other in corrections:
            if verdict_of.get(other) is wanted:
                return other, wanted
    return None


def _forms(
    claim: Claim, corrections: Sequence[Claim], verdict_of: Mapping[str, Verdict]
) -> list[Claim]:
    """The corrections that can stand in place of the claim: those that are not a step of another
    one, and of these those about the same quantity, if there are any."""
    ids = [other.id for other in corrections]
    kept = [
        other
        for other in corrections
        if verdict_of.get(other.id) in (Verdict.PROVED, Verdict.SUPPORTED)
        and not any(other.id.startswith(f"{one}.") for one in ids)
    ]
    left = claim.statement.left
    same = [other for other in kept if other.to_cite or other.statement.left == left]
    return same or kept


def _true_form(
    false: Claim, verdict: Verdict, corrections: Sequence[Claim], verdict_of: Mapping[str, Verdict]
) -> TrueForm | None:
    """What to state in place of a claim that is not proved."""
    best = _best([other.id for other in corrections], verdict_of)
    if verdict is Verdict.PROVED or best is None:
        return None
    claim = next(other for other in corrections if other.id == best[0])
    before, after = ([a.says for a in one.assumes] for one in (false, claim))
    return TrueForm(
        id=claim.id,
        verdict=best[1].name,
        says=claim.says,
        statement=statement_text(claim),
        assumptions=after,
        adds=[says for says in after if says not in before],
        drops=[says for says in before if says not in after],
        proof=claim.proof,
    )


def what_to_cite(
    claim_id: str,
    verdict: Verdict,
    corrections: Sequence[str],
    verdict_of: Mapping[str, Verdict],
    *,
    better: Sequence[str] = (),
) -> str:
    """Which claim to rely on, in one sentence; `better` names the best forms known.

    >>> what_to_cite("x.a", Verdict.REFUTED, ["x.b"], {"x.b": Verdict.PROVED})
    'x.b (PROVED) in place of x.a'
    >>> what_to_cite("x.a", Verdict.SUPPORTED, ["x.b"], {"x.b": Verdict.PROVED})
    'x.b (PROVED); x.a is not proved'
    >>> what_to_cite("x.a", Verdict.PROVED, ["x.b"], {"x.b": Verdict.PROVED}, better=["x.b"])
    'x.a (PROVED), or x.b (PROVED), which is the best form known'
    """
    if verdict is Verdict.PROVED:
        known = next((one for one in better if verdict_of.get(one) is Verdict.PROVED), "")
        more = f", or {known} (PROVED), which is the best form known" if known else ""
        return f"{claim_id} (PROVED){more}"
    best = _best(corrections, verdict_of)
    if verdict is Verdict.SUPPORTED:
        proved = best is not None and best[1] is Verdict.PROVED
        told = f"{claim_id} (SUPPORTED: not proved, so cite it as an open statement)"
        return f"{best[0]} (PROVED); {claim_id} is not proved" if best and proved else told
    if best is None:
        return "nothing: no true form of it is in the ledger"
    caveat = "" if best[1] is Verdict.PROVED else ": not proved"
    return f"{best[0]} ({best[1].name}{caveat}) in place of {claim_id}"


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
