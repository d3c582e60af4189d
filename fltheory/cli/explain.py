"""`fltheory explain`, `fltheory cite` and `fltheory replay`: one claim, its source, its
counterexample."""

from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers

ClaimId = Annotated[
    str, typer.Argument(metavar="CLAIM", help="Id of a claim, such as fraboni.ex2.")
]
NOT_CONFIRMED = 1
"""Exit code when a file does not contradict its claim."""


def register(app: typer.Typer) -> None:
    """Add explain, cite and replay."""

    @command(app, "explain")
    def explain(claim_id: ClaimId, papers: Papers = None, as_json: AsJson = False) -> Answer:
        """Tell what a claim says, whether it is true, and how we know.

        Example: fltheory explain fraboni.ex2
        """
        from fltheory.ledger.public import explain as run

        add_papers(papers)
        found = run(claim_id)
        return Answer(found.to_dict(), text=repr(found))

    @command(app, "cite")
    def cite(claim_id: ClaimId, papers: Papers = None, as_json: AsJson = False) -> Answer:
        """Print the paper of a claim as BibTeX.

        Example: fltheory cite mifa.thm5.1
        """
        from fltheory.ledger.public import cite as run

        add_papers(papers)
        found = run(claim_id)
        return Answer(found.to_dict(), text=found.bibtex)

    @command(app, "replay")
    def replay(
        file: Annotated[Path, typer.Argument(help="A counterexample file.")],
        claims: Annotated[
            Path | None,
            typer.Option(
                "--claims", help="The .toml file that states the claim, if it is your own."
            ),
        ] = None,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Check a counterexample again: run it and compare both sides exactly; exit 1 if it does
        not contradict the claim.

        Example: fltheory replay counterexamples/fraboni.ex2.json
        """
        from fltheory.ledger.public import replay as run

        add_papers(papers)
        found = run(file, claims=claims)
        return Answer(
            found.to_dict(), text=repr(found), exit_code=0 if found.confirmed else NOT_CONFIRMED
        )
