"""Claims with their verdicts, chosen by paper, verdict, severity and kind."""

from collections.abc import Sequence

from fltheory.claims.claim import Authorship, Claim, Severity
from fltheory.claims.evidence import Verdict
from fltheory.core.errors import InvalidInput
from fltheory.core.prose import prose_in_text
from fltheory.core.results import Table, as_data
from fltheory.ledger import runner
from fltheory.ledger.lines import verdicts
from fltheory.ledger.ranks import level, rank, tallies
from fltheory.papers.library import matching, papers
from fltheory.papers.listing import Listing

_GRADES = {"": "", "NONE": "not graded", **{one.name: one.name.lower() for one in Severity}}
"""How a severity is shown."""


def list_claims(
    *patterns: str,
    paper: str | None = None,
    verdict: str | None = None,
    severity: str | None = None,
    kind: str | None = None,
) -> Listing:
    """Claims by id, prefix or pattern (all by default), with what they say and their verdict;
    numbered results of a paper come first.

    `verdict` is a name of Verdict, `severity` one of Severity or "none" (of false claims only),
    `kind` one of Authorship; capitals do not matter.

    >>> [entry["id"] for entry in list_claims("fraboni.ex2.iff", verdict="refuted").entries]
    ['fraboni.ex2.iff']
    """
    if paper is not None and paper not in papers():
        raise InvalidInput("paper", f"be one of {', '.join(papers())}", repr(paper)[:60])
    verdict_of = verdicts(runner.recorded())
    wanted = {
        "verdict": _chosen(
            "verdict", verdict, [one.name for one in Verdict if one is not Verdict.CERTIFIED]
        ),
        "severity": _chosen("severity", severity, [*(one.name for one in Severity), "NONE"]),
        "kind": _chosen("kind", kind, [one.name for one in Authorship]),
    }
    found = []
    for claim in matching(list(patterns)):
        decided = verdict_of.get(claim.id, Verdict.UNDECIDED)
        facts = {
            "verdict": decided.name,
            "severity": _severity(claim, decided),
            "kind": claim.source.kind.name,
        }
        right_paper = paper in (None, claim.source.paper.key)
        if right_paper and all(one in (None, facts[name]) for name, one in wanted.items()):
            found.append((claim, decided, facts))
    found.sort(key=lambda one: (one[0].source.paper.key, level(one[0]), one[0].id))
    data = [
        {
            "id": claim.id,
            **facts,
            "rank": rank(claim),
            "place": claim.source.place,
            "says": claim.says,
        }
        for claim, _, facts in found
    ]
    return Listing("claims", as_data(data), tuple(_tables([one[:2] for one in found])))


def _chosen(owner: str, text: str | None, known: Sequence[str]) -> str | None:
    if text is not None and text.upper() not in known:
        rule = f"be one of {', '.join(name.lower() for name in known)}"
        raise InvalidInput(owner, rule, repr(text)[:60])
    return None if text is None else text.upper()


def _severity(claim: Claim, verdict: Verdict) -> str:
    """The severity of a false claim, NONE if nobody has graded it; nothing for other claims."""
    if verdict is not Verdict.REFUTED:
        return ""
    return claim.severity.name if claim.severity else "NONE"


def _tables(found: Sequence[tuple[Claim, Verdict]]) -> list[Table]:
    tables = []
    for key in dict.fromkeys(claim.source.paper.key for claim, _ in found):
        rows = [
            (
                f"{claim.id}\n{claim.source.place}",
                f"{verdict.name}\n{_GRADES[_severity(claim, verdict)]}".strip(),
                prose_in_text(claim.says),
            )
            for claim, verdict in found
            if claim.source.paper.key == key
        ]
        tables.append(Table(papers()[key].title, ("claim", "verdict", "says"), rows))
    if found:
        tables.append(tally_table(found))
    return tables


def tally_table(found: Sequence[tuple[Claim, Verdict]], title: str = "") -> Table:
    """How many claims have which verdict, theorems first, false ones by severity."""
    rows = [(one.group, str(one.claims), one.says) for one in tallies(found)]
    return Table(title, ("group", "claims", "of these"), rows)
