"""`fltheory list`: every algorithm, availability model and problem, or the quantities that claims
are made of."""

import importlib
from enum import Enum
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson

FOLDERS = {"algorithms": "--algorithm", "availability": "--availability", "problems": "--problem"}
HOMES = {"availability": "traces.availability"}


class What(Enum):
    """What can be listed."""

    MEMBERS = "members"
    QUANTITIES = "quantities"


def register(app: typer.Typer) -> None:
    @command(app, "list")
    def list_members(
        what: Annotated[
            What,
            typer.Argument(help="Members, or the quantities that a claim of your own may use."),
        ] = What.MEMBERS,
        as_json: AsJson = False,
    ) -> Answer:
        """Name every algorithm, availability model and problem, and how to write it; or the
        quantities of claims."""
        if what is What.QUANTITIES:
            return _quantities()
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
                [(_written(m), m.says) for m in entries.values()],
            )
            for folder, entries in found.items()
        ]
        return Answer(data, tables)


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


def _written(member: Any) -> str:
    return (
        member.usage
        if member.usage.startswith(member.name)
        else f"{member.name} {member.usage}".strip()
    )
