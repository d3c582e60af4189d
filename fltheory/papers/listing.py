"""What there is: members, papers, and the quantities that claims are made of."""

import importlib
from dataclasses import dataclass

from fltheory.claims.hypotheses import CLASSES
from fltheory.claims.participation import LAWS
from fltheory.core.registry import Member, members
from fltheory.core.results import Table, as_data, as_html, as_text
from fltheory.core.types import Json, JsonValue
from fltheory.papers.known_quantities import kind_of, quantities, quantities_of_clients
from fltheory.papers.library import claims_of, papers

FOLDERS = {
    "algorithms": ("fltheory.algorithms", "--algorithm"),
    "availability": ("fltheory.traces.availability", "--availability"),
    "problems": ("fltheory.problems", "--problem"),
}
"""Kinds of members: their open folder and their option."""


@dataclass(frozen=True, repr=False)
class Listing:
    """Entries as data, and as tables for people."""

    kind: str
    entries: JsonValue
    shown: tuple[Table, ...]

    def to_dict(self) -> Json:
        return {self.kind: self.entries}

    def tables(self) -> list[Table]:
        return list(self.shown)

    __repr__ = as_text
    _repr_html_ = as_html


def list_members() -> Listing:
    """Algorithms, availability models and problems: names, sentences, and how the command line
    writes them.

    >>> "mifa" in repr(list_members())
    True
    """
    found = {
        kind: list(members(importlib.import_module(folder)).values())
        for kind, (folder, _) in FOLDERS.items()
    }
    data = {
        kind: [{"name": one.name, "says": one.says, "usage": one.usage} for one in listed]
        for kind, listed in found.items()
    }
    tables = (
        Table(
            f"{kind} ({FOLDERS[kind][1]})",
            ("usage", "what it is"),
            [(_written(one), one.says) for one in listed],
        )
        for kind, listed in found.items()
    )
    return Listing("members", as_data(data), tuple(tables))


def list_papers() -> Listing:
    """Each paper with the version that is judged, its letters and the number of its claims.

    >>> [entry["key"] for entry in list_papers().entries][:2]
    ['afl', 'fedlaavg']
    """
    data: list[dict[str, object]] = [
        {
            "key": key,
            "title": paper.title,
            "authors": paper.authors,
            "year": paper.year,
            "version": paper.version,
            "letters": dict(paper.letters),
            "claims": len(claims_of(key)),
        }
        for key, paper in papers().items()
    ]
    parts = ("key", "title", "year", "version", "claims")
    rows = [[str(entry[part]) for part in parts] for entry in data]
    table = Table("papers", ("key", "title", "year", "judged", "claims"), rows)
    return Listing("papers", as_data(data), (table,))


def list_quantities() -> Listing:
    """Names, kinds and meanings of quantities; a claim about runs uses only those that a run shows.

    >>> "max_staleness" in {entry["name"] for entry in list_quantities().entries}
    True
    """
    shown = quantities(runs=True)
    data = [
        {"name": name, "kind": kind_of(name), "runs": name in shown, "says": says}
        for name, says in quantities(runs=False).items()
    ]
    titles = {
        True: "for claims about runs (those with `about`)",
        False: "for formulas, besides those above",
    }
    tables = (
        Table(
            title,
            ("name", "kind", "what it is"),
            [
                [str(entry[part]) for part in ("name", "kind", "says")]
                for entry in data
                if entry["runs"] is runs
            ],
        )
        for runs, title in titles.items()
    )
    more = (
        Table(
            "for formulas under sum_over_clients(...), mean_over_clients, max_over_clients and"
            " min_over_clients, and for conditions `every client: ...`",
            ("name", "what it is, of one client"),
            list(quantities_of_clients().items()),
        ),
        Table("field `participation` of a claim", ("law", "what it is"), list(LAWS.items())),
        Table("field `losses` of a claim", ("class", "what it is"), list(CLASSES.items())),
    )
    return Listing("quantities", as_data(data), (*tables, *more))


def _written(member: Member) -> str:
    if member.usage.startswith(member.name):
        return member.usage
    return f"{member.name} {member.usage}".strip()
