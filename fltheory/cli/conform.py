"""`fltheory conform`: does an implementation do what its algorithm says?"""

from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import REFUSED, Answer, command
from fltheory.cli.options import AsJson
from fltheory.core.durable import replace_text

DIFFERS = 1
"""Exit code where a difference was found."""


def register(app: typer.Typer) -> None:
    """Add conform."""

    @command(app, "conform")
    def conform(
        implementation: Annotated[
            str,
            typer.Argument(
                metavar="MODULE:NAME",
                help="The implementation: a function or a class, from an installed package or the"
                " current folder.",
            ),
        ],
        *,
        algorithm: Annotated[str, typer.Option(help="The algorithm that it implements.")],
        runs: Annotated[
            int,
            typer.Option(
                "--runs", help="Drawn runs, after all small ones.", rich_help_panel="Work"
            ),
        ] = 200,
        seed: Annotated[
            int,
            typer.Option("--seed", help="Seed of the drawn runs.", rich_help_panel="Work"),
        ] = 0,
        floats: Annotated[
            bool, typer.Option("--floats", help="Give floats instead of fractions.")
        ] = False,
        tolerance: Annotated[
            str,
            typer.Option(help="Allowed error of floats, as a part of the largest model (or of 1)."),
        ] = "1e-9",
        everyone_first: Annotated[
            bool, typer.Option("--everyone-first", help="Every client delivers in round 0.")
        ] = False,
        somebody: Annotated[
            bool, typer.Option("--somebody", help="Somebody delivers in every round.")
        ] = False,
        no_delays: Annotated[
            bool, typer.Option("--no-delays", help="Work starts from the newest model.")
        ] = False,
        no_server_step: Annotated[
            bool, typer.Option("--no-server-step", help="The step size of the server is 1.")
        ] = False,
        equal_importance: Annotated[
            bool, typer.Option("--equal-importance", help="All clients are equally important.")
        ] = False,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="Write the answer with the run into this file."),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Compare an implementation with its algorithm on exact runs, and show the simplest run on
        which they differ. Exit 0 if they agree on what was tried, 1 if they differ, 2 if the input
        is not in order or nothing could be compared.

        Example: fltheory conform my_server:Mifa --algorithm mifa
        """
        import json

        from fltheory.conformance.public import conform as run

        found = run(
            implementation,
            algorithm,
            runs=runs,
            seed=seed,
            floats=floats,
            tolerance=tolerance,
            everyone_first=everyone_first,
            empty_rounds=not somebody,
            delays=False if no_delays else None,
            server_step=False if no_server_step else None,
            equal_importance=equal_importance,
        )
        if output is not None:
            replace_text(output, json.dumps(found.to_dict(), indent=1) + "\n")
        code = DIFFERS if found.difference else 0 if found.agrees else REFUSED
        return Answer.of(found, exit_code=code)
