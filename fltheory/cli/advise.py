"""`fltheory advise`: what theory says about a fleet's own availability log."""

from pathlib import Path
from typing import Annotated

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.extras import slow_without_numba
from fltheory.cli.options import AsJson
from fltheory.cli.progress import watched
from fltheory.fleet.setting import MEANINGS, LearningTask

TASK, LOG = "Learning task (losses in units of the initial gap)", "Log"


def _meaning(name: str) -> str:
    """What a constant means, with the value that is assumed."""
    return f"{MEANINGS[name].rstrip('.')} (default {getattr(LearningTask, name)})."


def register(app: typer.Typer) -> None:
    """Add advise."""

    @command(app, "advise")
    def advise(
        log: Annotated[
            Path,
            typer.Argument(
                help="CSV (commas, semicolons or tabs) or Parquet: round and one 0/1 column per "
                "client, or client,start,end, or client,received,returned.",
                exists=True,
                dir_okay=False,
            ),
        ],
        smoothness: Annotated[
            str | None, typer.Option(help=_meaning("smoothness"), rich_help_panel=TASK)
        ] = None,
        strong_convexity: Annotated[
            str | None, typer.Option(help=_meaning("strong_convexity"), rich_help_panel=TASK)
        ] = None,
        noise: Annotated[
            str | None, typer.Option(help=_meaning("noise"), rich_help_panel=TASK)
        ] = None,
        heterogeneity: Annotated[
            str | None, typer.Option(help=_meaning("heterogeneity"), rich_help_panel=TASK)
        ] = None,
        target: Annotated[
            str | None, typer.Option(help=_meaning("target"), rich_help_panel=TASK)
        ] = None,
        local_steps: Annotated[
            int | None, typer.Option(min=1, help=_meaning("local_steps"), rich_help_panel=TASK)
        ] = None,
        round_seconds: Annotated[
            float | None, typer.Option(help=MEANINGS["round_seconds"], rich_help_panel=LOG)
        ] = None,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="Report: a file that ends with .html or .json."),
        ] = None,
        weights: Annotated[
            Path | None,
            typer.Option(
                help="CSV file for the recommended aggregation weights.", rich_help_panel="Output"
            ),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Tell what theory says about your own availability log: theorems that apply, FedAvg's
        bias, predicted rounds to a target, fair weights.

        Example: fltheory advise fleet.csv --target 1/50 -o fleet.html --weights weights.csv
        """
        from fltheory.fleet.public import advise as run

        slow_without_numba()
        with watched("reading the log") as bar:
            found = run(
                log,
                smoothness=smoothness,
                strong_convexity=strong_convexity,
                noise=noise,
                heterogeneity=heterogeneity,
                target=target,
                local_steps=local_steps,
                round_seconds=round_seconds,
                report=output,
                weights=weights,
                watch=bar.describe,
            )
        if found.not_computed:
            typer.echo(f"note: {found.not_computed}", err=True)
        files = (("report", output), ("weights", weights))
        written = [(what, str(path)) for what, path in files if path is not None]
        return Answer(
            found.to_json(),
            [*found.tables(), *([Table("written", (), written)] if written else [])],
        )
