"""`fltheory looseness`: the worst case over all functions beside a theorem's bound, along sweeps of
rounds, local steps and staleness."""

from enum import Enum
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers
from fltheory.cli.progress import watched


class Along(Enum):
    """What is varied."""

    ROUNDS = "num_rounds"
    STEPS = "local_steps"
    MAXIMUM = "max_staleness"
    MEAN = "mean_staleness"


NO_NUMBER = 1
"""Exit code when some worst case could not be computed."""


def register(app: typer.Typer) -> None:
    """Add looseness."""

    @command(app, "looseness")
    def looseness(
        theorems: Annotated[
            list[str] | None,
            typer.Argument(
                metavar="[THEOREM]...",
                help="Ids of claims for which papers declare a worst case, such as afl.thm2c "
                "(default: all of them).",
            ),
        ] = None,
        along: Annotated[
            list[Along] | None, typer.Option(help="What to vary (default: each in turn).")
        ] = None,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Compare a theorem's bound with the worst that can happen, by semidefinite programming;
        exact data, no noise.

        Example: fltheory looseness afl.thm2c --along max_staleness
        """
        from fltheory.ledger.public import looseness as run

        add_papers(papers)
        with watched("starting") as bar:

            def watch(total: int, says: str) -> None:
                bar.begin(total)
                bar.advance(says)

            found = run(*(theorems or ()), along=[one.value for one in along or ()], watch=watch)
        return Answer(found.rows, found.tables(), exit_code=0 if found.complete else NO_NUMBER)
