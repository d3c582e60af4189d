"""`fltheory list`: every algorithm, availability model and problem."""

import importlib
from typing import Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson

FOLDERS = {"algorithms": "--algorithm", "availability": "--availability", "problems": "--problem"}


def register(app: typer.Typer) -> None:
    @command(app, "list")
    def list_members(as_json: AsJson = False) -> Answer:
        """Name every algorithm, availability model and problem, and how to write it."""
        from fltheory.members import members

        found = {folder: members(importlib.import_module(f"fltheory.{folder}")) for folder in FOLDERS}
        data = {
            folder: [{"name": member.name, "says": member.says, "usage": member.usage} for member in entries.values()]
            for folder, entries in found.items()
        }
        tables = [
            Table(f"{folder} ({FOLDERS[folder]})", ("usage", "what it is"), [(_written(m), m.says) for m in entries.values()])
            for folder, entries in found.items()
        ]
        return Answer(data, tables)


def _written(member: Any) -> str:
    return member.usage if member.usage.startswith(member.name) else f"{member.name} {member.usage}".strip()
