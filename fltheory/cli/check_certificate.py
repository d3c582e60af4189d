"""`fltheory check-certificate`: the proof of a worst case or of an inequality, checked exactly."""

from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson

REJECTED = 1
"""Exit code when a certificate proves nothing."""
NOT_CHECKABLE = 3
"""Exit code when the certificate's method is not known here."""


def register(app: typer.Typer) -> None:
    """Add check-certificate."""

    @command(app, "check-certificate")
    def check_certificate(
        file: Annotated[
            Path,
            typer.Argument(
                help="A certificate that worst-case wrote, or one of verification/certificates."
            ),
        ],
        as_json: AsJson = False,
    ) -> Answer:
        """Check a certificate in exact arithmetic, and that its method gives what it speaks of;
        exit 0 proved, 1 rejected, 2 unusable, 3 not checkable (its method is not known here).

        Example: fltheory check-certificate bound.json
        """
        from fltheory.analysis.worst_case.checking import check_certificate as run

        found = run(file)
        failed = REJECTED if found.checkable else NOT_CHECKABLE
        return Answer(found.to_dict(), exit_code=0 if found.proved else failed)
