"""`fltheory prove`: let Coq check the theorem behind a claim."""

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.explain import ClaimId
from fltheory.cli.options import AsJson, Papers, add_papers

NOT_PROVED = 1
"""Exit code when the record does not fit or Coq refuses the theorem."""


def register(app: typer.Typer) -> None:
    """Add prove."""

    @command(app, "prove")
    def prove(claim_id: ClaimId, papers: Papers = None, as_json: AsJson = False) -> Answer:
        """Check the proof of a claim with Coq, if it is installed; otherwise compare the recorded
        proof with the claim; exit 1 if it is not proved.

        Example: fltheory prove afl.thm2c
        """
        from fltheory.ledger.prove import prove as run

        add_papers(papers)
        found = run(claim_id)
        return Answer(found.to_dict(), text=found.says, exit_code=0 if found.holds else NOT_PROVED)
