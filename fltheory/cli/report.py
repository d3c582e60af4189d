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
        output: Annotated[Path, typer.Option("-o", "--output", help="A file that ends with .html, .md or .tex.")],
        as_json: AsJson = False,
    ) -> Answer:
        """Write one row per claim: what it says, its verdict, its evidence; counterexample files are laid beside it."""
        from fltheory import ledger, verifying
        from fltheory.attack.records import record_file
        from fltheory.papers import all_claims
        from fltheory.report import render, rows, totals

        found = rows(list(all_claims().values()), ledger.read(verifying.ledger_file()), verifying.counterexample_file,
                     ledger.read(record_file()))
        text = render(found, output.suffix)
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")
        examples = verifying.folder() / "counterexamples"
        if examples.is_dir() and output.parent.resolve() != verifying.folder().resolve():
            shutil.copytree(examples, output.parent / "counterexamples", dirs_exist_ok=True)
        return Answer({"file": str(output), "summary": totals(found)}, text=f"{output}: {totals(found)}")
