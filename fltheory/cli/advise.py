"""`fltheory advise`: what theory says about a fleet's own availability log."""

from functools import partial
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
                help="CSV, JSON lines or Parquet: round and one 0/1 column per client, or "
                "round,client, or client,start,end, or client,received,returned, or "
                "client,time,active.",
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
        columns: Annotated[
            str | None,
            typer.Option(
                help="Names of columns, such as client=cid,round=server_round.",
                rich_help_panel=LOG,
            ),
        ] = None,
        timezone: Annotated[
            str | None,
            typer.Option(help="Zone of local times, such as Europe/Berlin.", rich_help_panel=LOG),
        ] = None,
        time_unit: Annotated[
            str | None,
            typer.Option(
                help="Unit of times that are numbers: s, ms, us, ns.", rich_help_panel=LOG
            ),
        ] = None,
        strict: Annotated[
            bool,
            typer.Option(
                "--strict", help="Refuse bad rows instead of leaving them out.", rich_help_panel=LOG
            ),
        ] = False,
        importance: Annotated[
            Path | None,
            typer.Option(
                help="File of columns client and num_examples (default: as logged, or equal).",
                exists=True,
                dir_okay=False,
                rich_help_panel=LOG,
            ),
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
        what_if: Annotated[
            list[str] | None,
            typer.Option(
                help="Compare with a change: drop=CLIENT+CLIENT, window=ROUNDS, "
                "clients-per-round=NUMBER, noise=1/2, ...; may be repeated.",
                rich_help_panel="Comparisons",
            ),
        ] = None,
        versus: Annotated[
            Path | None,
            typer.Option(
                help="Another log, such as last month's, to put beside this one.",
                exists=True,
                dir_okay=False,
                rich_help_panel="Comparisons",
            ),
        ] = None,
        certificate: Annotated[
            Path | None,
            typer.Option(
                help="File for the certificate of the proved step size.", rich_help_panel="Output"
            ),
        ] = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Tell what theory says about your own availability log: theorems that apply, FedAvg's
        bias, predicted rounds to a target, fair weights.

        Example: fltheory advise fleet.csv --target 1/50 -o fleet.html --weights weights.csv
        """
        from fltheory.fleet.advice import ABOUT_STEPS
        from fltheory.fleet.public import advise as run
        from fltheory.fleet.public import compare, without_certificate, write_certificate

        slow_without_numba()
        questions = what_if or ()
        with watched("reading the log") as bar:
            bar.begin(ABOUT_STEPS * (1 + (versus is not None) + len(questions)))
            asked = partial(
                run,
                smoothness=smoothness,
                strong_convexity=strong_convexity,
                noise=noise,
                heterogeneity=heterogeneity,
                target=target,
                local_steps=local_steps,
                round_seconds=round_seconds,
                columns=columns,
                timezone=timezone,
                time_unit=time_unit,
                strict=strict,
                importance=importance,
                watch=bar.advance,
            )
            found = asked(log, report=output, weights=weights)
            without = without_certificate(found) if certificate is not None else ""
            if certificate is not None and not without:
                write_certificate(found, certificate)
            other = None if versus is None else asked(versus)
            beside = compare(found, what_if=questions, versus=other, watch=bar.advance)
        notes = () if as_json else found.log.notes  # the JSON has them
        missing = f"{certificate} is not written: {without}" if without else ""
        for note in (*notes, *filter(None, [found.not_computed, missing])):
            typer.echo(f"note: {note}", err=True)
        proof = None if without else certificate
        files = (("report", output), ("weights", weights), ("certificate", proof))
        written = [(what, str(path)) for what, path in files if path is not None]
        compared = [beside] if what_if or versus is not None else []
        rows = {"compared": [list(beside.header), *map(list, beside.rows)]} if compared else {}
        return Answer(
            {**found.to_json(), **rows},
            [*compared, *found.tables(), *([Table("written", (), written)] if written else [])],
        )
