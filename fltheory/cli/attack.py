"""`fltheory attack`: search for a counterexample to claims of the papers, or to a claim of one's
own."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fltheory.cli.answers import REFUSED, Answer, command
from fltheory.cli.options import AsJson, Papers, add_papers
from fltheory.cli.progress import watched
from fltheory.core.durable import replace_text

if TYPE_CHECKING:
    from fltheory.attacks.campaign import AttackOutcome

FAILED = 1
"""Exit code where an attack met an error of its own."""


def register(app: typer.Typer) -> None:
    """Add attack."""

    @command(app, "attack")
    def attack(
        patterns: Annotated[
            list[str],
            typer.Argument(
                metavar="CLAIM",
                help="Ids, prefixes or patterns of claims, `all`, or a file of your own claims.",
            ),
        ],
        attempts: Annotated[
            int | None,
            typer.Option(
                "--attempts",
                help="Maximum attempts per claim (default 400, without limit if --seconds is"
                " given).",
            ),
        ] = None,
        seconds: Annotated[
            float | None,
            typer.Option(
                "--seconds",
                min=0.001,
                help="Processor time of a search; minimising has its rest, or a quarter.",
            ),
        ] = None,
        seed: Annotated[
            int,
            typer.Option(
                "--seed",
                help="The same seed and attempts give the same outcome.",
                rich_help_panel="Work",
            ),
        ] = 0,
        jobs: Annotated[int, typer.Option("--jobs", help="Number of processes.")] = min(
            2, os.cpu_count() or 1
        ),
        folder: Annotated[
            Path | None,
            typer.Option(
                "--store",
                help="Checkpoint directory; interrupted attacks resume.",
                metavar="FOLDER",
                rich_help_panel="Work",
            ),
        ] = None,
        worst_case: Annotated[
            bool,
            typer.Option(
                "--worst-case",
                help="Add the worst ratio over all functions on the closest run.",
                rich_help_panel="Work",
            ),
        ] = False,
        output: Annotated[
            Path | None,
            typer.Option(
                "--output",
                "-o",
                metavar="FOLDER",
                help="Write counterexample files into this folder.",
            ),
        ] = None,
        record: Annotated[
            bool, typer.Option("--record", help="Write the outcome into the record of attacks.")
        ] = False,
        summary: Annotated[
            Path | None,
            typer.Option("--summary", help="Write a summary of all outcomes as Markdown."),
        ] = None,
        papers: Papers = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Try to break claims: search, decide exactly, shrink. Exit 0 whatever is found, 1 if an
        attack itself fails, 2 if a claim of a file is not in order (the others are attacked).

        Example: fltheory attack fraboni.ex2 --attempts 200
        """
        from fltheory.attacks.public import attack as run

        add_papers(papers)
        with watched("attacks") as bar:

            def done(found: "AttackOutcome") -> None:
                bar.advance(f"{found.data['id']}: {found.data['verdict']}")

            found = run(
                *patterns,
                attempts=attempts,
                seconds=seconds,
                seed=seed,
                jobs=jobs,
                store=folder,
                output=output,
                worst_case=worst_case,
                record=record,
                begin=bar.begin,
                done=done,
                tell=lambda news: bar.describe(str(news)),
            )
        if summary is not None:
            replace_text(summary, found.summary())
        for problem in found.bad:
            typer.echo(f"error: {problem}", err=True)
        code = REFUSED if found.bad else FAILED if found.failed else 0
        if len(found.outcomes) == 1:
            return Answer(found.entries, text=repr(found), exit_code=code)
        return Answer(found.entries, found.tables(), exit_code=code)
