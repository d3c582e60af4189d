"""`fltheory report`: the recorded ledger as a page."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson


def register(app: typer.Typer) -> None:
    """Add report."""

    @command(app, "report")
    def report(
        output: Annotated[
            Path, typer.Option("-o", "--output", help="A file that ends with .html, .md or .tex.")
        ],
        as_json: AsJson = False,
    ) -> Answer:
        """Write one row per claim: what it says, its verdict, its evidence; counterexample files
        are laid beside it."""
        from fltheory.attacks.records import record_file
        from fltheory.claims.record import house_folder
        from fltheory.ledger import lines as ledger
        from fltheory.ledger import runner
        from fltheory.ledger.report import render, rows, totals
        from fltheory.papers import all_claims

        found = rows(
            list(all_claims().values()),
            runner.recorded(),
            runner.counterexample_file,
            ledger.read(record_file()),
        )
        text = render(found, output.suffix)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
        examples = house_folder() / "counterexamples"
        if examples.is_dir() and output.parent.resolve() != house_folder().resolve():
            shutil.copytree(examples, output.parent / "counterexamples", dirs_exist_ok=True)
        return Answer(
            {"file": str(output), "summary": totals(found)}, text=f"{output}: {totals(found)}"
        )
