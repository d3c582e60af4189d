"""`fltheory looseness`: the worst case over all functions beside a theorem's bound, along sweeps of
rounds, local steps and staleness."""

from enum import Enum
from typing import Annotated

import typer

from fltheory.cli.answers import REFUSED, Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers
from fltheory.cli.progress import watched
from fltheory.core.errors import InvalidInput


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
                metavar="THEOREM",
                help="Ids of claims for which papers declare a worst case, such as afl.thm2c "
                "(default: all of them), or a .toml file of your own claims.",
            ),
        ] = None,
        along: Annotated[
            list[Along] | None, typer.Option(help="What to vary (default: each in turn).")
        ] = None,
        steps: Annotated[
            bool,
            typer.Option(
                "--steps", help="Compare the theorems' step sizes with those proved to be stable."
            ),
        ] = False,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Compare a theorem's bound with the worst that can happen, by semidefinite programming;
        exact data, no noise.

        Example: fltheory looseness afl.thm2c --along max_staleness
        """
        from fltheory.ledger.public import looseness as run
        from fltheory.ledger.step_sizes import step_sizes

        add_papers(papers)
        if steps and along:
            raise InvalidInput("--steps", "go without --along", along[0].value)
        with watched("starting") as bar:

            def watch(total: int, says: str) -> None:
                bar.begin(total)
                bar.advance(says)

            if steps:
                sizes = step_sizes(*(theorems or ()), watch=watch)
                return Answer(sizes.to_dict()["rows"], sizes.tables())
            found = run(*(theorems or ()), along=[one.value for one in along or ()], watch=watch)
        for problem in found.bad:
            typer.echo(f"error: {problem}", err=True)
        code = REFUSED if found.bad else 0 if found.complete else NO_NUMBER
        return Answer(found.rows, found.tables(), exit_code=code)
