"""The ledger as Markdown, with formulas that GitHub, MkDocs and notebooks typeset."""

import re
from collections.abc import Iterable, Sequence

from fltheory.claims.claim import Severity
from fltheory.claims.evidence import Verdict
from fltheory.core.prose import prose_in_text
from fltheory.ledger.ranks import level, tallies
from fltheory.ledger.report_rows import Row, totals
from fltheory.ledger.wording import line_parts


def as_markdown(found: Sequence[Row]) -> str:
    """The headline, the words, then the claims of each paper, its theorems first."""
    parts = ["# Ledger", f"{totals(found)}.", _headline(found), _words()]
    for paper in dict.fromkeys(row.claim.source.paper for row in found):
        parts.append(f"## {_text(paper.title)}")
        parts.append(_text(f"{paper.authors} ({paper.year}), {paper.venue}."))
        parts += [_claim(row) for row in by_rank(found) if row.claim.source.paper == paper]
    return "\n\n".join(parts) + "\n"


def by_rank(found: Iterable[Row]) -> list[Row]:
    """Theorems, propositions, corollaries and lemmas first, then everything by id."""
    return sorted(found, key=lambda row: (level(row.claim), row.claim.id))


def _headline(found: Sequence[Row]) -> str:
    rows = [
        f"| {one.group} | {one.claims} | {one.says} |"
        for one in tallies((row.claim, Verdict[row.verdict]) for row in found)
    ]
    return "\n".join(["| group | claims | of these |", "|---|---|---|", *rows])


def _words() -> str:
    verdicts = [f"| {one.name} | {one.value} |" for one in Verdict]
    severities = [f"| {one.name.lower()} | {_text(one.value)} |" for one in Severity]
    return "\n".join(["| word | meaning |", "|---|---|", *verdicts, *severities])


def _claim(row: Row) -> str:
    told = row.told
    severity = f" ({told.severity.lower()})" if told.severity else ""
    parts = [
        f'### <a id="{told.id}"></a>{told.id}: {told.verdict}{severity}',
        f"{_prose(told.says)} *{_text(row.claim.source.place)}: {told.authorship}.*",
        f"$$\n{told.latex}\n$$",
    ]
    for title, stated in (("Hypotheses", True), ("Not stated in the paper", False)):
        members = [a for a in told.assumptions if a["stated_in_the_paper"] is stated]
        if members:
            parts.append(f"{title}: {'; '.join(_prose(a['says']) for a in members)}.")
    if told.reading:
        parts.append(f"Read so: {_prose(told.reading)}")
    if told.note:
        parts.append(f"What is true: {_prose(told.note)}")
    parts.append(f"To cite: {_text(told.cite)}.")
    lines = [
        "- " + " ".join(_text(part) for part in line_parts(line, told.letters))
        for line in (*told.evidence, *told.attacks)
    ]
    if lines:
        parts.append("\n".join(lines))
    parts.append("\n".join(f"- {c['does']}: `{c['run']}`" for c in told.commands))
    return "\n\n".join(parts)


def _prose(text: str) -> str:
    return _text(prose_in_text(text))


def _text(value: str) -> str:
    """Plain text that Markdown leaves as it is."""
    return re.sub(r"([\\`*_\[\]#|<>$])", r"\\\1", " ".join(value.split()))
