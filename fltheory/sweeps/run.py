"""Run a sweep and read its results: one store beside the file that describes the grid."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from fltheory.core.errors import AlreadyExists, InvalidInput
from fltheory.core.extras import require
from fltheory.core.results import Table, as_data, as_dict, as_html, as_text, named_values, told
from fltheory.core.types import Json
from fltheory.core.words import counted
from fltheory.sweeps.cluster import drive_cluster
from fltheory.sweeps.results import Stored, steady
from fltheory.sweeps.spec import Cell, Sweep, read_spec
from fltheory.sweeps.store import Store
from fltheory.sweeps.table import TableRow, columns, flat_row, write_rows
from fltheory.sweeps.workers import Compute, attempt, drive

MOST_COLUMNS = 8
"""Columns of the table that people see; files and the data have all."""

Check = Callable[[Sweep], list[Cell]]
"""All cells of a sweep, once each of them is known to be a command."""

Tell = Callable[[int, int], None]
"""Hears how many cells are finished, of how many."""


@dataclass(frozen=True, repr=False)
class SweepRun:
    """How many cells a sweep has, and how they ended."""

    store: str
    cells: int
    open: int
    taken: int
    done: int
    failed: int
    repaired: int
    retried: int
    first_failure: str | None

    @property
    def complete(self) -> bool:
        """Whether every cell has a result."""
        return self.done == self.cells

    def to_dict(self) -> Json:
        return as_dict(asdict(self))

    def tables(self) -> list[Table]:
        return [named_values("sweep", asdict(self))]

    __repr__ = as_text
    _repr_html_ = as_html


@dataclass(frozen=True, repr=False)
class SweepResults:
    """One row per finished cell, with its options and its result; `fixed` are options that all
    cells share."""

    rows: tuple[TableRow, ...]
    missing: int
    fixed: frozenset[str] = frozenset()

    def to_dict(self) -> Json:
        return {"cells": as_data(self.rows), "missing": self.missing}

    def tables(self) -> list[Table]:
        known = [name for name in columns(self.rows) if name not in self.fixed]
        names = known[:MOST_COLUMNS]
        rows = [[told(row.get(name)) for name in names] for row in self.rows]
        title = f"{len(rows)} of {counted(len(rows) + self.missing, 'cell')}"
        if self.missing:
            title += f", {self.missing} not finished"
        if len(names) < len(known):
            title += f"; {len(names)} of {len(known)} columns (--output and --json have all)"
        return [Table(title, names, rows) if rows else Table(title, (), [("no cell", "-")])]

    __repr__ = as_text
    _repr_html_ = as_html


def run_sweep(
    spec: str | Path,
    *,
    compute: Compute,
    check: Check,
    jobs: int = 2,
    scheduler: str | None = None,
    resume: bool = False,
    retry: bool = False,
    store: str | Path | None = None,
    tell: Tell = lambda finished, cells: None,
) -> SweepRun:
    """Run every cell of a grid once; finished cells are kept, even if a process dies.

    `compute` gives the result of a cell, `check` all cells of the grid. Work is done by `jobs`
    processes, or by the workers of a dask `scheduler`.
    """
    path = store_file(spec, store)
    if scheduler is not None:
        require("cluster", "--scheduler")
    if path.exists() and not (resume or retry):
        raise AlreadyExists(str(path), "use --resume to continue or --store to choose another file")
    with _opened(spec, store, check) as (kept, cells, keys):
        kept.add(cells)
        repaired, retried = kept.repair(), kept.retry() if retry else 0

        def heard(counts: dict[str, int]) -> None:
            tell(counts["done"] + counts["failed"], len(cells))

        if scheduler is None:
            counts = drive(path, keys, compute, jobs=jobs, tell=heard)
        else:
            counts = drive_cluster(path, keys, compute, scheduler=scheduler, tell=heard)
        errors = (stored.error for stored in kept.ended(keys) if stored.error is not None)
        return SweepRun(
            str(path),
            len(cells),
            **counts,
            repaired=repaired,
            retried=retried,
            first_failure=next(errors, None),
        )


def results(
    spec: str | Path,
    *,
    store: str | Path | None = None,
    output: str | Path | None = None,
    check: Check = lambda sweep: list(sweep.cells()),
    recheck: Compute | None = None,
) -> SweepResults:
    """The cells of a sweep with their results; `output` is a file that ends with .csv or .parquet.

    A checksum finds damage; whether a store that somebody else wrote tells the truth is found by
    `recheck`, which gives the result of each cell again.

    >>> results("gaps.toml", store="nowhere.sqlite")
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: store nowhere.sqlite must exist (run fltheory sweep first), \
got no such file
    """
    path = store_file(spec, store)
    if output is not None and Path(output).suffix == ".parquet":
        require("parquet", "a .parquet file")
    if not path.exists():
        raise InvalidInput(f"store {path.name}", "exist (run fltheory sweep first)", "no such file")
    with _opened(spec, store, check) as (kept, cells, keys):
        ended = list(kept.ended(keys))
    if recheck is not None:
        for stored in ended:
            _same_answer(stored, recheck)
    rows = [flat_row(stored) for stored in ended]
    if output is not None:
        write_rows(Path(output), rows)
    fixed = frozenset(read_spec(Path(spec)).fixed)
    return SweepResults(tuple(rows), len(cells) - len(ended), fixed)


def _same_answer(stored: Stored, compute: Compute) -> None:
    """Refuse a cell whose answer is not what its command gives now."""
    again, error, _ = attempt(stored.cell, compute)
    if (error, steady(again)) != (stored.error, steady(stored.result)):
        owner = f"cell {' '.join(stored.cell.arguments)}"[:200]
        raise InvalidInput(owner, "have the answer that its command gives", "another answer")


def store_file(spec: str | Path, store: str | Path | None) -> Path:
    """Where cells are kept: beside the spec, unless another file is chosen."""
    return Path(store) if store is not None else Path(spec).with_name(Path(spec).name + ".sqlite")


@contextmanager
def _opened(
    spec: str | Path, store: str | Path | None, check: Check
) -> Iterator[tuple[Store, list[Cell], frozenset[str]]]:
    cells = check(read_spec(Path(spec)))
    kept = Store(store_file(spec, store))
    try:
        yield kept, cells, frozenset(cell.key for cell in cells)
    finally:
        kept.close()
