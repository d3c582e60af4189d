"""`fltheory sweep` and `fltheory results`: grids of commands, run once each, kept in a file, and
shown as a table."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, Table, command
from fltheory.cli.options import AsJson
from fltheory.cli.progress import progress
from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import imports_refused
from fltheory.core.results import told
from fltheory.sweeps.cluster import drive_cluster
from fltheory.sweeps.spec import Cell, Sweep, read_spec
from fltheory.sweeps.store import Store
from fltheory.sweeps.table import columns, flat_row, write_rows
from fltheory.sweeps.workers import drive

UsageError: Any = typer.BadParameter.__bases__[0]
"""What the parser of the command line raises; typer gives it no public name."""
NOT_SWEPT = ("sweep", "results", "demo")
NOT_SET = ("help", "json", "output", "certificate", "plot", "record", "store", "summary", "papers")
"""Options that a file may not set: cells answer in JSON, and write nothing."""
MOST_COLUMNS = 8
"""Columns of the table that people see; files and --json have all."""
SpecFile = Annotated[
    Path,
    typer.Argument(
        help="TOML file with a command, \\[fixed] options and a \\[grid].",
        exists=True,
        dir_okay=False,
    ),
]
StoreFile = Annotated[
    Path | None,
    typer.Option(help="Where cells are kept; beside the spec by default (SPEC.sqlite)."),
]


@cache
def _commands() -> Any:
    from fltheory.cli import make_app

    return typer.main.get_command(make_app())


def compute_cell(cell: Cell) -> Any:
    """The JSON answer of a cell's command; what the command refuses is an InvalidInput with its
    message."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), imports_refused():
        code = _commands().main(args=cell.arguments, prog_name="fltheory", standalone_mode=False)
    if not out.getvalue():
        raise InvalidInput(
            f"cell {' '.join(cell.arguments)}"[:200],
            "be accepted by its command",
            f"exit code {code}: {err.getvalue().strip()[:300]}",
        )
    return json.loads(out.getvalue())


def check_cells(sweep: Sweep) -> list[Cell]:
    """All cells, each parsed by its command; the first that it does not understand is refused."""
    known = _commands().commands
    if sweep.command not in known or sweep.command in NOT_SWEPT:
        raise InvalidInput(
            "command of the sweep",
            f"be one of {', '.join(sorted(set(known) - set(NOT_SWEPT)))}",
            repr(sweep.command)[:60],
        )
    for name in (*sweep.fixed, *sweep.grid):
        if name in NOT_SET or (sweep.command, name) == ("advise", "weights"):
            raise InvalidInput(
                f"option {name!r} of a sweep",
                "be one that writes no file and leaves the answer as it is",
                repr(name),
            )
    cells = list(sweep.cells())
    for cell in cells:
        try:
            known[sweep.command].make_context(sweep.command, cell.arguments[1:])
        except UsageError as problem:
            raise InvalidInput(
                f"cell {' '.join(cell.arguments)}"[:200],
                "be a command that fltheory understands",
                problem.format_message(),
            ) from None
    return cells


@contextmanager
def _opened(spec: Path, store: Path | None) -> Iterator[tuple[Store, list[Cell], frozenset[str]]]:
    cells = check_cells(read_spec(spec))
    kept = Store(_store_file(spec, store))
    try:
        yield kept, cells, frozenset(cell.key for cell in cells)
    finally:
        kept.close()


def _store_file(spec: Path, store: Path | None) -> Path:
    return store if store is not None else spec.with_name(spec.name + ".sqlite")


def register(app: typer.Typer) -> None:
    @command(app, "sweep")
    def sweep(
        spec: SpecFile,
        jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 2,
        scheduler: Annotated[
            str | None,
            typer.Option(
                help="Address of a dask scheduler, such as tcp://127.0.0.1:8786; "
                "instead of local processes."
            ),
        ] = None,
        resume: Annotated[
            bool, typer.Option("--resume", help="Go on with the cells that a store already holds.")
        ] = False,
        retry: Annotated[
            bool, typer.Option("--retry", help="Run cells again that failed.")
        ] = False,
        store: StoreFile = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Run a command over a grid of options; finished cells are kept, whatever happens to the
        processes.

        Example: fltheory sweep gaps.toml --jobs 2
        """
        path = _store_file(spec, store)
        if path.exists() and not (resume or retry):
            raise InvalidInput(
                f"store {path}",
                "not be there yet, or be gone on with by --resume",
                "a file that exists",
            )
        with _opened(spec, store) as (kept, cells, keys):
            kept.add(cells)
            repaired, retried = kept.repair(), kept.retry() if retry else 0
            with progress(len(cells), "cells") as bar:

                def tell(counts: dict[str, int]) -> None:
                    bar(counts["done"] + counts["failed"])

                if scheduler is None:
                    counts = drive(path, keys, compute_cell, jobs=jobs, tell=tell)
                else:
                    counts = drive_cluster(path, keys, compute_cell, scheduler=scheduler, tell=tell)
            failure = next(
                (stored.error for stored in kept.ended(keys) if stored.error is not None), None
            )
            return Answer(
                {
                    "store": str(path),
                    "cells": len(cells),
                    **counts,
                    "repaired": repaired,
                    "retried": retried,
                    "first_failure": failure,
                },
                exit_code=1 if counts["done"] < len(cells) else 0,
            )

    @command(app, "results")
    def results(
        spec: SpecFile,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="A file that ends with .csv or .parquet."),
        ] = None,
        store: StoreFile = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Cells of a sweep with their results, as a table or a file; cells that are not finished
        are counted.

        Example: fltheory results gaps.toml -o gaps.csv
        """
        if not _store_file(spec, store).exists():
            raise InvalidInput(
                f"store {_store_file(spec, store).name}",
                "exist (run fltheory sweep first)",
                "no such file",
            )
        with _opened(spec, store) as (kept, cells, keys):
            ended = list(kept.ended(keys))
        rows = [flat_row(stored) for stored in ended]
        missing = len(cells) - len(ended)
        if output is not None:
            write_rows(output, rows)
        fixed = read_spec(spec).fixed
        known = [name for name in columns(rows) if name not in fixed]
        names = known[:MOST_COLUMNS]
        shown = [[told(row.get(name)) for name in names] for row in rows]
        title = f"{len(rows)} of {len(cells)} cells" + (
            f", {missing} not finished" if missing else ""
        )
        title += (
            f"; {len(names)} of {len(known)} columns (--output and --json have all)"
            if len(names) < len(known)
            else ""
        )
        return Answer(
            {"cells": rows, "missing": missing},
            [Table(title, names, shown)] if rows else [Table(title, (), [("no cell", "-")])],
        )
