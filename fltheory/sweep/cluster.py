"""The driver for many machines: cells are computed by dask.distributed, and stored by this process alone (extra `cluster`)."""

from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

from fltheory.errors import Diverged, InvalidInput, NotExact
from fltheory.sweep.spec import Cell
from fltheory.sweep.store import Store
from fltheory.sweep.workers import Compute

AHEAD = 4
"""Cells in flight per worker."""


def computed(cell: Cell, compute: Compute) -> tuple[Any, str | None, float]:
    """Result or error of a cell, and how long it took; runs on a worker."""
    started = perf_counter()
    try:
        return compute(cell), None, perf_counter() - started
    except (InvalidInput, NotExact, Diverged) as problem:
        return None, str(problem), perf_counter() - started


def drive_cluster(path: Path, keys: frozenset[str], compute: Compute, *, scheduler: str,
                  tell: Callable[[dict[str, int]], None] = lambda counts: None) -> dict[str, int]:
    """Run all open cells on the workers of a scheduler; a worker that dies changes nothing."""
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise InvalidInput("--scheduler", "have dask.distributed (pip install 'fltheory[cluster]')", "it not installed") from None
    store = Store(path)
    try:
        with _connected(Client, scheduler) as client:
            def submit() -> Any:
                cell = store.take(keys)
                if cell is None:
                    return None
                future = client.submit(computed, cell, compute, key=f"cell-{cell.key}", pure=False)
                cells[future.key] = cell
                return future

            store.release()
            cells: dict[str, Cell] = {}
            room = AHEAD * max(len(client.scheduler_info()["workers"]), 1)
            running = as_completed([future for _ in range(room) if (future := submit()) is not None])
            for future in running:
                cell = cells.pop(future.key)
                try:
                    result, error, seconds = future.result()
                except KilledWorker:
                    result, error, seconds = None, "its workers died", 0.0
                if error is None:
                    store.finish(cell, result, seconds)
                else:
                    store.fail(cell, error, seconds)
                tell(store.counts(keys))
                if (following := submit()) is not None:
                    running.add(following)
        return store.counts(keys)
    finally:
        store.release(everything=True)
        store.close()


def _connected(client: Any, scheduler: str) -> Any:
    try:
        return client(scheduler, timeout=10)
    except (OSError, ValueError) as problem:
        raise InvalidInput("--scheduler", "be the address of a running dask scheduler", f"{scheduler!r} ({problem})"[:120]) from None
