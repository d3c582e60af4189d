"""The driver for many machines: dask.distributed computes the cells, only this process stores them
(extra `cluster`)."""

from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from fltheory.core.errors import InvalidInput
from fltheory.core.extras import MissingExtra
from fltheory.sweeps.spec import Cell
from fltheory.sweeps.store import Store
from fltheory.sweeps.workers import LONGEST_ERROR, POLL_SECONDS, Compute, attempt, keep

if TYPE_CHECKING:
    from distributed import Client, Future

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
    """Run all open cells on the workers of a scheduler; a cell whose worker dies runs again."""
    try:
        from distributed import Client, as_completed
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise MissingExtra("cluster", "--scheduler") from None
    store, cells = Store(path), dict[str, Cell]()
    try:
        with _connected(Client, scheduler) as client:

            def submit() -> "Future | None":
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
                    except Exception as problem:  # such as a worker without fltheory
                        outcome = None, f"{type(problem).__name__}: {problem}"[:LONGEST_ERROR], 0.0
                    keep(store, cells.pop(future.key), *outcome)
                    tell(store.counts(keys))
                    if (following := submit()) is not None:
                        running.add(following)
                sleep(POLL_SECONDS)  # another driver has taken the remaining cells
    finally:
        store.release(everything=True)
        store.close()


def _connected(client: "type[Client]", scheduler: str) -> "Client":
    try:
        return client(scheduler, timeout=10)
    except (OSError, ValueError) as problem:
        raise InvalidInput(
            "--scheduler",
            "be the address of a running dask scheduler",
            f"{scheduler!r} ({problem})"[:120],
        ) from None
