"""`fltheory sweep` and `fltheory results`: grids of commands, run once each, kept in a file, and
shown as a table."""

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from fltheory.cli.answers import Answer, command
from fltheory.cli.options import AsJson
from fltheory.cli.progress import progress
from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import imports_refused
from fltheory.core.types import JsonValue
from fltheory.sweeps.run import SweepRun, Tell, results, run_sweep
from fltheory.sweeps.spec import Cell, Sweep

UsageError: Any = typer.BadParameter.__bases__[0]
"""What the parser of the command line raises; typer gives it no public name."""
NOT_SWEPT = ("sweep", "results", "demo", "new")
NOT_SET = ("help", "json", "output", "certificate", "plot", "record", "store", "summary", "papers")
"""Options that a file may not set: cells answer in JSON, and write nothing."""
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


def compute_cell(cell: Cell) -> JsonValue:
    """The JSON answer of a cell's command; what the command refuses is an InvalidInput with its
    message."""
    if changed := cell.changed():
        rule = "stay as it was when the sweep began (sweep --resume starts with the new one)"
        raise InvalidInput(f"file {changed[0]}", rule, "another content")
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), imports_refused():
        code = _commands().main(args=cell.arguments, prog_name="fltheory", standalone_mode=False)
    if not out.getvalue():
        raise InvalidInput(
            f"cell {' '.join(cell.arguments)}"[:200],
            "be accepted by its command",
            f"exit code {code}: {err.getvalue().strip()[:300]}",
        )
    answer: JsonValue = json.loads(out.getvalue())
    return answer


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


def sweep(
    spec: str | Path,
    *,
    jobs: int = 2,
    scheduler: str | None = None,
    resume: bool = False,
    retry: bool = False,
    store: str | Path | None = None,
    tell: Tell = lambda finished, cells: None,
) -> SweepRun:
    """Run a command of fltheory over a grid of options; finished cells are kept, even if a process
    dies.

    `spec` is a TOML file with a command, [fixed] options and a [grid]. Work is done by `jobs`
    processes, or by the workers of a dask `scheduler` (an address such as tcp://127.0.0.1:8786).
    `resume` continues with a store that exists, `retry` also runs failed cells again. `tell` hears
    how many cells are finished, of how many.

    >>> sweep("gaps.toml")  # doctest: +SKIP
    """
    return run_sweep(
        spec,
        compute=compute_cell,
        check=check_cells,
        jobs=jobs,
        scheduler=scheduler,
        resume=resume,
        retry=retry,
        store=store,
        tell=tell,
    )


def register(app: typer.Typer) -> None:
    """Add sweep and results."""

    @command(app, "sweep")
    def sweep_command(
        spec: SpecFile,
        jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 2,
        scheduler: Annotated[
            str | None,
            typer.Option(
                help="Address of a dask scheduler, such as tcp://127.0.0.1:8786, instead of local "
                "processes."
            ),
        ] = None,
        resume: Annotated[
            bool, typer.Option("--resume", help="Continue with a store that exists.")
        ] = False,
        retry: Annotated[bool, typer.Option("--retry", help="Run failed cells again.")] = False,
        store: StoreFile = None,
        as_json: AsJson = False,
    ) -> Answer:
        """Run a command over a grid of options; finished cells are kept, even if a process dies.

        Example: fltheory sweep gaps.toml --jobs 2
        """
        with progress("cells") as bar:
            found = sweep(
                spec,
                jobs=jobs,
                scheduler=scheduler,
                resume=resume,
                retry=retry,
                store=store,
                tell=bar,
            )
        return Answer(found.to_dict(), exit_code=0 if found.complete else 1)

    @command(app, "results")
    def results_command(
        spec: SpecFile,
        output: Annotated[
            Path | None,
            typer.Option("--output", "-o", help="A file that ends with .csv or .parquet."),
        ] = None,
        store: StoreFile = None,
        recheck: Annotated[
            bool,
            typer.Option(
                "--recheck",
                help="Compute every cell again and refuse the store if an answer differs.",
            ),
        ] = False,
        as_json: AsJson = False,
    ) -> Answer:
        """Show the cells of a sweep with their results, as a table or a file; unfinished cells are
        counted.

        Example: fltheory results gaps.toml -o gaps.csv
        """
        again = compute_cell if recheck else None
        return Answer.of(
            results(spec, store=store, output=output, check=check_cells, recheck=again)
        )
