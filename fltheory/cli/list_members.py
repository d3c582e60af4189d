"""`fltheory list`: algorithms, availability models and problems; papers; or the quantities that
claims are made of."""

import importlib
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers
from fltheory.core.results import Table

if TYPE_CHECKING:
    from fltheory.core.registry import Member

FOLDERS = {"algorithms": "--algorithm", "availability": "--availability", "problems": "--problem"}
HOMES = {"availability": "traces.availability"}


class What(Enum):
    """What can be listed."""

    MEMBERS = "members"
    PAPERS = "papers"
    QUANTITIES = "quantities"


def register(app: typer.Typer) -> None:
    """Add list."""

    @command(app, "list")
    def list_members(
        what: Annotated[
            What,
            typer.Argument(
                help="Members, papers, or the quantities that a claim of your own may use."
            ),
        ] = What.MEMBERS,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """List the algorithms, availability models and problems, and how to write them; or the
        papers; or the quantities of claims.

        Example: fltheory list quantities
        """
        add_papers(papers)
        if what is What.PAPERS:
            return _papers()
        return _quantities() if what is What.QUANTITIES else _members()


def _members() -> Answer:
    from fltheory.core.registry import members

    found = {
        folder: members(importlib.import_module(f"fltheory.{HOMES.get(folder, folder)}"))
        for folder in FOLDERS
    }
    data = {
        folder: [
            {"name": member.name, "says": member.says, "usage": member.usage}
            for member in entries.values()
        ]
        for folder, entries in found.items()
    }
    tables = [
        Table(
            f"{folder} ({FOLDERS[folder]})",
            ("usage", "what it is"),
            [(_written(member), member.says) for member in entries.values()],
        )
        for folder, entries in found.items()
    ]
    return Answer(data, tables)


def _papers() -> Answer:
    """Each paper with the version that is judged, its letters and the number of its claims."""
    from fltheory.papers.library import claims_of, papers

    data = [
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
    return Answer(data, [Table("papers", ("key", "title", "year", "judged", "claims"), rows)])


def _quantities() -> Answer:
    """Names, kinds and meanings; a claim about runs uses only those that a run shows."""
    from fltheory.papers.claim_files import kind_of, quantities

    shown = quantities(runs=True)
    data = [
        {"name": name, "kind": kind_of(name), "runs": name in shown, "says": says}
        for name, says in quantities(runs=False).items()
    ]
    titles = {
        True: "for claims about runs (those with `about`)",
        False: "for formulas, beside those above",
    }
    rows = {
        runs: [
            [str(e[part]) for part in ("name", "kind", "says")] for e in data if e["runs"] is runs
        ]
        for runs in titles
    }
    return Answer(
        data,
        [
            Table(title, ("name", "kind", "what it is"), rows[runs])
            for runs, title in titles.items()
        ],
    )


def _written(member: "Member") -> str:
    return (
        member.usage
        if member.usage.startswith(member.name)
        else f"{member.name} {member.usage}".strip()
    )
