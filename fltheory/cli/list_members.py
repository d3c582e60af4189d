"""`fltheory list`: algorithms, availability models and problems; papers; claims; or the quantities
that claims are made of."""

from enum import Enum
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers


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
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """List the algorithms, availability models and problems, and how to write them; or papers,
        claims or quantities of claims.

        Example: fltheory list quantities
        """
        from fltheory.papers import listing

        add_papers(papers)
        found = {
            What.MEMBERS: listing.list_members,
            What.PAPERS: listing.list_papers,
            What.CLAIMS: listing.list_claims,
            What.QUANTITIES: listing.list_quantities,
        }[what]()
        return Answer(found.entries, found.tables())
