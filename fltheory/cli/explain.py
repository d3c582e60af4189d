"""`fltheory explain`, `fltheory cite` and `fltheory replay`: one claim, its source, its
counterexample."""

from pathlib import Path
from shutil import get_terminal_size
from typing import Annotated

import typer

from fltheory.cli.answers import REFUSED, Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers

ClaimId = Annotated[
    str, typer.Argument(metavar="CLAIM", help="Id of a claim, such as fraboni.ex2.")
]
NOT_CONFIRMED, NOT_CHECKABLE = 1, 3
"""Exit codes when a file does not contradict its claim, and when nothing derives its values."""


def register(app: typer.Typer) -> None:
    """Add explain, cite and replay."""

    @command(app, "explain")
    def explain(
        claim_id: Annotated[
            str,
            typer.Argument(
                metavar="CLAIM",
                help="Id of a claim, such as fraboni.ex2, or a .toml file of your own claims.",
            ),
        ],
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Tell what a claim says, whether it is true, and how we know.

        Example: fltheory explain fraboni.ex2
        """
        from fltheory.ledger.explanation import as_text
        from fltheory.ledger.public import explain as run

        add_papers(papers)
        width = get_terminal_size().columns
        if not claim_id.endswith(".toml"):
            found = run(claim_id)
            return Answer(found.to_dict(), text=as_text(found, width))
        from fltheory.papers.claim_files import read_claims

        bad: list[str] = []
        told = [run(own.id, claims=claim_id) for own in read_claims(Path(claim_id), bad=bad)]
        for problem in bad:
            typer.echo(f"error: {problem}", err=True)
        text = "\n\n".join(as_text(one, width) for one in told)
        return Answer([one.to_dict() for one in told], text=text, exit_code=REFUSED if bad else 0)

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
        file: Annotated[
            Path, typer.Argument(help="A counterexample file, or the id of a refuted claim.")
        ],
        claims: Annotated[
            Path | None,
            typer.Option(
                "--claims", help="The .toml file that states the claim, if it is your own."
            ),
        ] = None,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Check a counterexample again: run it and compare both sides exactly.

        The file gives an instance; what its values mean follows from the claim. Exit 1 if it does
        not contradict the claim, 3 if nothing derives its values from the claim.

        Example: fltheory replay fraboni.ex2
        """
        from fltheory.ledger.public import replay as run

        add_papers(papers)
        found = run(file, claims=claims)
        code = 0 if found.confirmed else NOT_CONFIRMED if found.checkable else NOT_CHECKABLE
        return Answer(found.to_dict(), text=repr(found), exit_code=code)
