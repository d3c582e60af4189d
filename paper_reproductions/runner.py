"""Running an experiment's cells: each becomes one file, written whole or not at all, so that a run
that was killed goes on."""

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import bounded_json
from paper_reproductions.cells import Cell, run_cell
from paper_reproductions.experiment import Experiment

MOST_BYTES = 1 << 26
Told = Callable[[int, int, str], None]
"""Told (cells done, cells in all, what was done last)."""


def stored(folder: Path, cell: Cell) -> dict[str, Any] | None:
    """What a former run has left of this cell; a file that is not whole or not of these settings
    counts as nothing."""
    try:
        found = bounded_json(_file(folder, cell), MOST_BYTES)
    except (OSError, InvalidInput):
        return None
    return (
        found
        if isinstance(found, dict) and found.get("key") == cell.key and "timing" in found
        else None
    )


def run_and_store(cell: Cell, folder: Path, data_dir: Path | None, device: str) -> dict[str, Any]:
    """Run a cell and keep its file; the answer is what the file says."""
    text = json.dumps({"key": cell.key, **run_cell(cell, data_dir, device)})
    replace_text(_file(folder, cell), text, make_folder=True)
    found: dict[str, Any] = json.loads(text)
    return found


@contextmanager
def processes(jobs: int) -> Iterator[ProcessPoolExecutor | None]:
    """Processes that experiments share, each with the data that it has read; none where one is
    enough. What is left undone is dropped."""
    if jobs == 1:
        yield None
        return
    with ProcessPoolExecutor(
        max_workers=jobs, mp_context=get_context("spawn"), initializer=_end_with_parent
    ) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            found = "one that died; finished runs are kept, so give the command again"
            raise InvalidInput(
                "processes of --jobs", "have the memory that they need", found
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _end_with_parent() -> None:
    """In a process of the pool: end when the command has ended, however it did, since nobody would
    send it work or take its answers."""
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=wait, daemon=True).start()


def run(
    experiment: Experiment,
    size: str,
    folder: Path,
    *,
    data_dir: Path | None = None,
    device: str = "cpu",
    pool: ProcessPoolExecutor | None = None,
    tell: Told | None = None,
) -> list[dict[str, Any]]:
    """Every cell's numbers, in the order of the cells, whatever the number of processes; cells that
    are stored are not run again."""
    cells = experiment.cells(size)
    found = {cell.key: there for cell in cells if (there := stored(folder, cell)) is not None}
    left = list({cell.key: cell for cell in cells if cell.key not in found}.values())
    done, total = len(found), len(found) + len(left)
    if tell is not None:
        tell(done, total, "")
    for cell, numbers in _results(left, folder, data_dir, device, pool):
        found[cell.key] = numbers
        done += 1
        if tell is not None:
            tell(done, total, f"{cell.panel}, {cell.series}, seed {cell.seed}")
    return [found[cell.key] | {"panel": cell.panel, "series": cell.series} for cell in cells]


def _results(
    left: list[Cell],
    folder: Path,
    data_dir: Path | None,
    device: str,
    pool: ProcessPoolExecutor | None,
) -> Iterator[tuple[Cell, dict[str, Any]]]:
    if pool is None:
        for cell in left:
            yield cell, run_and_store(cell, folder, data_dir, device)
        return
    waiting = {pool.submit(run_and_store, cell, folder, data_dir, device): cell for cell in left}
    for future in as_completed(waiting):
        yield waiting[future], future.result()


def _file(folder: Path, cell: Cell) -> Path:
    return folder / "cells" / f"{cell.key}.json"
