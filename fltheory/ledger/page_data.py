"""The data of the page: one entry per claim, with prose as HTML and formulas as MathML."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from fltheory.claims.claim import Authorship, Severity
from fltheory.claims.evidence import Method, Verdict
from fltheory.core.letters import in_mathml
from fltheory.core.prose import prose_in_html
from fltheory.core.results import as_dict
from fltheory.core.types import Json
from fltheory.ledger.claim_letters import IN_WORDS, explained, explained_letters
from fltheory.ledger.drawing import drawing
from fltheory.ledger.explain import recorded_counterexample
from fltheory.ledger.explanation import Explanation
from fltheory.ledger.lines import LedgerEntry
from fltheory.ledger.notation import statement_lines
from fltheory.ledger.ranks import level, tallies
from fltheory.ledger.report_rows import Row
from fltheory.ledger.wording import line_parts, side_in_words


def page_data(found: Sequence[Row]) -> Json:
    """Everything that the page shows."""
    papers = list(dict.fromkeys(row.claim.source.paper for row in found))
    told: dict[str, object] = {
        "claims": [_entry(row) for row in found],
        "papers": [
            {
                "key": paper.key,
                "name": paper.short_name,
                "title": paper.title,
                "authors": paper.authors.replace(" and ", ", "),
                "year": paper.year,
                "venue": paper.venue,
                "version": paper.version,
            }
            for paper in papers
        ],
        "verdicts": {verdict.name: verdict.value for verdict in Verdict},
        "severities": {severity.name: severity.value for severity in Severity},
        "kinds": {kind.name: kind.value for kind in Authorship},
        "tallies": [
            dict(one.to_json())
            for one in tallies((row.claim, Verdict[row.verdict]) for row in found)
        ],
    }
    return as_dict(told)


def _entry(row: Row) -> Json:
    """One claim; what is empty is left out."""
    told, claim = row.told, row.claim
    entry: dict[str, object] = {
        "id": told.id,
        "paper": claim.source.paper.key,
        "rank": told.rank,
        "level": level(claim),
        "place": claim.source.place,
        "kind": told.kind,
        "verdict": told.verdict,
        "severity": told.severity,
        "says": prose_in_html(told.says),
        "formula": prose_in_html(told.formula),
        "reading": prose_in_html(told.reading),
        "alternatives": [prose_in_html(other) for other in told.alternatives],
        "statement": statement_lines(claim),
        "latex": told.latex,
        "order": told.sign == "= O of",
        "hides": prose_in_html(told.hides),
        "where": _where(row),
        "assumes": [
            [prose_in_html(a["says"]), int(a["stated_in_the_paper"]), int(a["fails"])]
            for a in told.assumptions
        ],
        "note": prose_in_html(told.note),
        "proof": told.proof,
        "cite": told.cite,
        "trueForm": told.true_form["id"] if told.true_form else "",
        "adds": [prose_in_html(says) for says in told.true_form["adds"]] if told.true_form else [],
        "drops": [prose_in_html(says) for says in told.true_form["drops"]]
        if told.true_form
        else [],
        "corrects": told.corrects or "",
        "correctedBy": told.corrected_by,
        "restsOn": told.rests_on,
        "evidence": [_line(line, told.letters) for line in told.evidence],
        "kernel": _kernel(told),
        "attacks": [_line(line, told.letters) for line in told.attacks],
        "commands": [[c["does"], c["run"]] for c in told.commands],
        "file": told.counterexample or "",
        "drawing": _picture(row),
    }
    empty: tuple[object, ...] = ("", [], None)
    return as_dict({n: value for n, value in entry.items() if value not in empty})


def _picture(row: Row) -> Json | None:
    """The drawing of the counterexample, its two sides in words."""
    told = row.told
    example = recorded_counterexample(row.claim) if told.counterexample else None
    picture = drawing(row.claim, example)
    if picture is None:
        return None
    sides = {"left": picture.left, "right": picture.right}
    shown = {name: prose_in_html(side_in_words(text, told.letters)) for name, text in sides.items()}
    return {**picture.to_dict(), **shown}


def _where(row: Row) -> list[list[str]]:
    """Each letter, typeset, and what it stands for; names in words explain themselves last."""
    letters = explained_letters(row.claim)
    told = explained(row.claim)
    return [[_letter(letters[name]), prose_in_html(says)] for name, says in told.items()]


def _letter(letter: str) -> str:
    if IN_WORDS.fullmatch(letter):
        return escape(letter)
    return f"<math>{in_mathml(letter)}</math>"


def _line(line: LedgerEntry, letters: Mapping[str, str]) -> list[object]:
    """The verdict of a line, whether it covers everything, its paragraphs, and whether it is the
    proof assistant's."""
    first, *rest = line_parts(line, letters)
    head = first.removeprefix(f"{line['verdict']} by ")
    whole = bool(line["scope"]["everything"])
    by_kernel = line["method"] == Method.KERNEL.name
    parts = [_GLYPH.sub(_italic, prose_in_html(part)) for part in (head, *rest)]
    return [line["verdict"], int(whole), parts, int(by_kernel)]


_GLYPH = re.compile(r"(?<!<i>)([α-ωΓΔΘΛΣΦΨΩ][\u0302-\u0304]?)(?:_(\{[^{}]*\}|[A-Za-z0-9]+))?")
"""A Greek letter, with its index, in words that are in Unicode already."""


def _italic(found: re.Match[str]) -> str:
    index = (found[2] or "").strip("{}")
    return f"<i>{found[1]}</i>" + (f"<sub>{index}</sub>" if index else "")


def _kernel(told: Explanation) -> Json | None:
    theorem = told.kernel
    if theorem is None:
        return None
    return {
        "theorem": theorem["theorem"],
        "file": theorem["file"],
        "says": prose_in_html(theorem["says"]),
        "scope": prose_in_html(theorem["scope"]),
        "hypotheses": [prose_in_html(one) for one in theorem["hypotheses"]],
        "axioms": [name.split(".")[-1] for name in theorem["axioms"]],
        "coq": theorem["coq"],
        "sources": theorem["sources"][:12],
    }
