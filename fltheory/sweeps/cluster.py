"""The driver for many machines: cells are computed by dask.distributed, and stored by this process
alone (extra `cluster`)."""

from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from time import sleep
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.sweeps.spec import Cell
from fltheory.sweeps.store import Store
from fltheory.sweeps.workers import LONGEST_ERROR, POLL_SECONDS, Compute, attempt, keep

AHEAD = 4
"""Cells in flight per worker."""


def drive_cluster(
    path: Path,
    keys: frozenset[str],
    compute: Compute,
    *,
    scheduler: str,
    tell: Callable[[dict[str, int]], None] = lambda counts: None,
) -> dict[str, int]:
    """Run all open cells on the workers of a scheduler; a worker that dies changes nothing."""
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise InvalidInput(
            "--scheduler",
            "have dask.distributed (pip install 'fltheory[cluster]')",
            "it not installed",
        ) from None
    store, cells = Store(path), dict[str, Cell]()
    try:
        with _connected(Client, scheduler) as client:

            def submit() -> Any:
                cell = store.take(keys)
                if cell is None:
                    return None
                future = client.submit(attempt, cell, compute, key=f"cell-{cell.key}", pure=False)
                cells[future.key] = cell
                return future

            while True:
                store.release()
                counts = store.counts(keys)
                tell(counts)
                if not counts["open"] and not counts["taken"]:
                    return counts
                room = AHEAD * max(len(client.scheduler_info()["workers"]), 1)
                running = as_completed(
                    [future for _ in range(room) if (future := submit()) is not None]
                )
                for future in running:
                    try:
                        outcome = future.result()
                    except KilledWorker:
                        outcome = None, "its workers died", 0.0
                    except (CancelledError, OSError):
                        raise InvalidInput(
                            "--scheduler",
                            "stay up (nothing is lost: use --resume)",
                            f"{scheduler!r}, gone",
                        ) from None
                    except (
                        Exception
                        # what a worker says that cannot run our code, such as one without fltheory
                    ) as problem:
                        outcome = None, f"{type(problem).__name__}: {problem}"[:LONGEST_ERROR], 0.0
                    keep(store, cells.pop(future.key), *outcome)
                    tell(store.counts(keys))
                    if (following := submit()) is not None:
                        running.add(following)
                sleep(POLL_SECONDS)  # another driver has taken what is left
    finally:
        store.release(everything=True)
        store.close()


def _connected(client: Any, scheduler: str) -> Any:
    try:
        return client(scheduler, timeout=10)
    except (OSError, ValueError) as problem:
        raise InvalidInput(
            "--scheduler",
            "be the address of a running dask scheduler",
            f"{scheduler!r} ({problem})"[:120],
        ) from None
