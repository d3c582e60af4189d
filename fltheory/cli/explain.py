"""`fltheory explain`, `fltheory cite` and `fltheory replay`: one claim, its source, its
counterexample."""

from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson

ClaimId = Annotated[
    str, typer.Argument(metavar="CLAIM", help="Id of a claim, such as fraboni.ex2.")
]
NOT_CONFIRMED = 1


def register(app: typer.Typer) -> None:
    """Add explain, cite and replay."""

    @command(app, "explain")
    def explain(claim_id: ClaimId, as_json: AsJson = False) -> Answer:
        """What a claim says, whether it is true, and how we know."""
        from fltheory.ledger.explain import as_text

        told = _explanation(claim_id)
        return Answer(told, text=as_text(told))

    @command(app, "cite")
    def cite(claim_id: ClaimId, as_json: AsJson = False) -> Answer:
        """The paper of a claim, as BibTeX."""
        from fltheory.ledger.explain import bibtex
        from fltheory.papers import find_claim

        entry = bibtex(find_claim(claim_id))
        return Answer({"id": claim_id, "bibtex": entry}, text=entry)

    @command(app, "replay")
    def replay(
        file: Annotated[Path, typer.Argument(help="A counterexample file.")],
        claims: Annotated[
            Path | None,
            typer.Option(
                "--claims", help="The .toml file that states the claim, if it is your own."
            ),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Check a counterexample again: run it, compare both sides exactly; exit 1 if it does not
        contradict the claim."""
        from fltheory.ledger.counterexamples import read_file
        from fltheory.ledger.counterexamples import replay as check
        from fltheory.papers import find_claim
        from fltheory.papers.claim_files import find_own_claim

        data = read_file(file)
        claim = (
            find_claim(data["claim"]) if claims is None else find_own_claim(claims, data["claim"])
        )
        found = check(data, claim)
        outcome = "confirmed: the claim is contradicted" if found.confirmed else "not confirmed"
        text = "\n".join([f"{found.claim}: {outcome}", *(f"  {step}" for step in found.steps)])
        told = {"claim": found.claim, "confirmed": found.confirmed, "steps": list(found.steps)}
        return Answer(told, text=text, exit_code=0 if found.confirmed else NOT_CONFIRMED)


def _explanation(claim_id: str) -> dict[str, Any]:
    from fltheory.attacks.records import record_file
    from fltheory.ledger import lines as ledger
    from fltheory.ledger import runner
    from fltheory.ledger.explain import explanation
    from fltheory.papers import all_claims, find_claim

    claim = find_claim(claim_id)
    lines = [line for line in runner.recorded() if line.evidence.claim == claim_id]
    file = runner.counterexample_file(claim_id)
    shown = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    attacks = [line for line in ledger.read(record_file()) if line.evidence.claim == claim_id]
    return explanation(
        claim,
        lines,
        list(all_claims().values()),
        str(shown) if file.exists() else None,
        attacks=attacks,
    )
