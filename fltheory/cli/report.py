"""`fltheory report`: the recorded ledger as a page."""

from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers


def register(app: typer.Typer) -> None:
    """Add report."""

    @command(app, "report")
    def report(
        output: Annotated[
            Path, typer.Option("-o", "--output", help="A file that ends with .html, .md or .tex.")
        ],
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Write the ledger as one page: each claim, its verdict and its evidence; counterexample
        files are copied beside it.

        Example: fltheory report -o ledger.html
        """
        from fltheory.ledger.public import report as run

        add_papers(papers)
        found = run(output)
        return Answer(found.to_dict(), text=repr(found))
