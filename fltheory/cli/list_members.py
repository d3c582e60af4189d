"""`fltheory list`: algorithms, availability models and problems; papers; claims; or the quantities
that claims are made of."""

from enum import Enum
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers
from fltheory.core.errors import InvalidInput


class What(Enum):
    """What can be listed."""

    MEMBERS = "members"
    PAPERS = "papers"
    CLAIMS = "claims"
    QUANTITIES = "quantities"


def register(app: typer.Typer) -> None:
    """Add list."""

    @command(app, "list")
    def list_members(
        what: Annotated[
            What,
            typer.Argument(
                help="Members, papers, claims, or the quantities that a claim of your own may use."
            ),
        ] = What.MEMBERS,
        patterns: Annotated[
            list[str] | None,
            typer.Argument(metavar="CLAIM", help="For claims: ids, prefixes or patterns."),
        ] = None,
        paper: Annotated[
            str | None, typer.Option("--paper", help="Claims of one paper, by its key.")
        ] = None,
        verdict: Annotated[
            str | None, typer.Option("--verdict", help="Claims with this verdict: proved, ...")
        ] = None,
        severity: Annotated[
            str | None,
            typer.Option(
                "--severity",
                help="False claims of this severity: theorem, hypothesis, slip, reading or none.",
            ),
        ] = None,
        kind: Annotated[
            str | None, typer.Option("--kind", help="Claims that are printed, read or ours.")
        ] = None,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """List the algorithms, availability models and problems, and how to write them; or papers,
        claims or quantities of claims.

        Example: fltheory list claims --paper afl --verdict refuted --severity theorem
        """
        from fltheory.papers import listing

        add_papers(papers)
        chosen = {"paper": paper, "verdict": verdict, "severity": severity, "kind": kind}
        if what is What.CLAIMS:
            from fltheory.ledger.claim_list import list_claims

            claims = list_claims(*(patterns or ()), **chosen)
            if not claims.entries:
                return Answer(claims.entries, text="no claim is of this kind")
            return Answer(claims.entries, claims.tables())
        given = [name for name, value in {"pattern": patterns, **chosen}.items() if value]
        if given:
            rule = "be given with `fltheory list claims` alone"
            raise InvalidInput(given[0], rule, f"list {what.value}")
        found = {
            What.MEMBERS: listing.list_members,
            What.PAPERS: listing.list_papers,
            What.QUANTITIES: listing.list_quantities,
        }[what]()
        return Answer(found.entries, found.tables())
