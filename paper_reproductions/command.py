"""`python -m paper_reproductions`: run the papers' own experiments with their printed
parameters."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson
from fltheory.core.errors import InvalidInput
from fltheory.engine.device.check import check_device
from paper_reproductions.data.files import search_folders

MOST_JOBS = 256
RESULTS = Path(__file__).parent / "results"


def register(app: typer.Typer) -> None:
    """Add run and pages."""

    @command(app, "run")
    def reproduce(
        experiments: Annotated[
            list[str] | None, typer.Argument(metavar="[EXPERIMENT]...", help="Names, or all.")
        ] = None,
        listing: Annotated[bool, typer.Option("--list", help="Name every experiment.")] = False,
        smoke: Annotated[bool, typer.Option("--smoke", help="Seconds, on embedded data.")] = False,
        small: Annotated[
            bool, typer.Option("--small", help="Minutes on two cores, on real data.")
        ] = False,
        paper: Annotated[
            bool, typer.Option("--paper", help="As printed: for a GPU or a cluster.")
        ] = False,
        device: Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:1, ...")] = "cpu",
        data_dir: Annotated[
            Path | None,
            typer.Option(
                "--data-dir", help="Data sets; then $FLTHEORY_DATA, a cache, their homes."
            ),
        ] = None,
        jobs: Annotated[int, typer.Option("--jobs", help="Processes.")] = min(
            2, os.cpu_count() or 1
        ),
        output: Annotated[
            Path,
            typer.Option(
                "-o", "--output", help="Folder for results; a run that was killed goes on there."
            ),
        ] = Path("build/reproductions"),
        as_json: AsJson = False,
    ) -> Answer:
        """Repeat what the four papers ran: results, figures and a comparison page; killed runs go
        on where they were."""
        from paper_reproductions import experiment, reproducing

        if listing:
            return _list(experiment)
        size = _one_of({"smoke": smoke, "small": small, "paper": paper})
        if not experiments:
            raise InvalidInput(
                "experiments",
                "be named, or be all (`python -m paper_reproductions run --list` has the names)",
                "nothing",
            )
        if not 1 <= jobs <= MOST_JOBS:
            raise InvalidInput("--jobs", f"lie in [1, {MOST_JOBS}]", jobs)
        check_device(device)
        chosen = [
            experiment.find(name)
            for name in (experiment.names() if experiments == ["all"] else experiments)
        ]
        missing = [
            one.id
            for one in chosen
            if experiments == ["all"] and reproducing.lacks_data(one, size, data_dir)
        ]
        chosen = [one for one in chosen if one.id not in missing]
        search_folders(data_dir)
        records, took = reproducing.reproduce_all(
            chosen, size, output, watch=_progress, data_dir=data_dir, device=device, jobs=jobs
        )
        rows = [
            (record["experiment"], claim["outcome"], claim["says"])
            for record in records
            for claim in record["claims"]
        ]
        files = [
            str(reproducing.folder_of(output, record["experiment"], size) / "README.md")
            for record in records
        ]
        shown = ("experiment", "size", "claims", "published", "timing")
        data: list[dict[str, Any]] = [
            {"page": file} | {name: record[name] for name in shown}
            for record, file in zip(records, files, strict=True)
        ]
        data.append({"run": took})
        tables = [
            Table("claims", ("experiment", "outcome", "claim"), rows),
            Table("pages", ("file",), [(f,) for f in files]),
        ]
        tables.append(
            Table(
                "run",
                ("minutes", "CPU seconds", "runs", "kept from before", "processes"),
                [
                    (
                        f"{took['seconds'] / 60:.1f}",
                        f"{took['cpu_seconds']:.0f}",
                        str(took["runs"]),
                        str(took["kept"]),
                        str(jobs),
                    )
                ],
            )
        )
        if missing:
            why = "no Sentiment140 in --data-dir or $FLTHEORY_DATA"
            data += [{"experiment": name, "left_out": why} for name in missing]
            tables.append(Table(f"left out: {why}", ("experiment",), [(name,) for name in missing]))
        return Answer(data, tables)

    @command(app, "pages")
    def pages(as_json: AsJson = False) -> Answer:
        """Draw the figures and write the pages of all recorded results anew."""
        from paper_reproductions.reproducing import publish, write_index
        from paper_reproductions.results import refreshed

        files = sorted(RESULTS.glob("*/result.json"))
        for file in files:
            publish(refreshed(json.loads(file.read_text(encoding="utf-8"))), file.parent)
        write_index(RESULTS)
        return Answer(
            {"pages": [str(file.parent) for file in files]}, text=f"{len(files)} pages written"
        )


def make_app() -> typer.Typer:
    """The two commands."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    register(app)
    return app


def _list(experiment: Any) -> Answer:
    found = [experiment.find(name) for name in experiment.names()]
    data = [
        {
            "name": one.id,
            "paper": one.paper,
            "place": one.place,
            "title": one.title,
            "cells": {s: len(one.cells(s)) for s in one.sizes},
        }
        for one in found
    ]
    rows = [(one.id, one.place, one.title) for one in found]
    return Answer(data, [Table("experiments", ("name", "place", "what it is"), rows)])


def _one_of(sizes: dict[str, bool]) -> str:
    chosen = [name for name, asked in sizes.items() if asked]
    if len(chosen) != 1:
        raise InvalidInput(
            "size",
            "be one of --smoke, --small, --paper",
            ", ".join(f"--{name}" for name in chosen) or "nothing",
        )
    return chosen[0]


@contextmanager
def _progress(
    title: str,
) -> Iterator[tuple[Callable[[int, int, str], None], Callable[[str, int, int], None]]]:
    """Bars on stderr for runs and downloads where someone looks on, else a line for each tenth."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(title)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None)
        downloads: dict[str, Any] = {}

        def tell(done: int, total: int, label: str) -> None:
            bar.update(
                task,
                completed=done,
                total=total,
                description=f"{title}: {label}" if label else title,
            )

        def tell_download(name: str, done: int, total: int) -> None:
            if name not in downloads:
                downloads[name] = bar.add_task(f"downloading {name}", total=total or None)
            bar.update(downloads[name], completed=done)

        yield tell, tell_download


def _lines(title: str) -> tuple[Callable[[int, int, str], None], Callable[[str, int, int], None]]:
    """What is told, as plain lines with the time since the first: for logs of long runs."""
    began, told = monotonic(), set[tuple[str, int]]()

    def say(name: str, done: int, total: int, unit: str) -> None:
        tenth = 10 * done // total if total else 0
        if (name, tenth) not in told:
            told.add((name, tenth))
            typer.echo(
                f"{name}: {done:,} of {f'{total:,}' if total else '?'} {unit},"
                f" {(monotonic() - began) / 60:.1f} minutes",
                err=True,
            )

    return (lambda done, total, label: say(title, done, total, "runs")), (
        lambda name, done, total: say(f"downloading {name}", done, total, "bytes")
    )
