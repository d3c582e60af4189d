"""The local driver: processes take cells one by one; a process that dies is replaced, and its cell
is run again."""

import os
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path
from time import perf_counter, sleep

from fltheory.core.errors import Diverged, InvalidInput, NotExact
from fltheory.core.types import JsonValue
from fltheory.sweeps.results import check_result
from fltheory.sweeps.spec import Cell
from fltheory.sweeps.store import FullDisk, Store

Compute = Callable[[Cell], JsonValue]
"""Computes the result of a cell; a module-level function, so that other processes can import it."""

POLL_SECONDS = 0.1
MOST_DEATHS = 20
"""Workers that may die in a row without a cell being taken."""
LONGEST_ERROR = 500
FULL = 28
"""Exit code of a worker with a full disk (errno ENOSPC)."""


def attempt(cell: Cell, compute: Compute) -> tuple[JsonValue, str | None, float]:
    """The result or the error of a cell, and its seconds; an unexpected exception fails the cell,
    not the sweep."""
    started = perf_counter()
    try:
        result = compute(cell)
        check_result(cell, result)
    except (InvalidInput, NotExact, Diverged) as problem:
        return None, str(problem), perf_counter() - started
    except Exception as problem:
        return (
            None,
            f"{type(problem).__name__}: {problem}"[:LONGEST_ERROR],
            perf_counter() - started,
        )
    return result, None, perf_counter() - started


def run_cell(store: Store, cell: Cell, compute: Compute) -> None:
    """Compute a taken cell and store its result or its error."""
    keep(store, cell, *attempt(cell, compute))


def keep(store: Store, cell: Cell, result: JsonValue, error: str | None, seconds: float) -> None:
    """Store the outcome of an attempt."""
    if error is None:
        store.finish(cell, result, seconds)
    else:
        store.fail(cell, error, seconds)


def work(path: Path, driver: str, compute: Compute, parent: int) -> None:
    """Run the driver's cells until none is open or the driver is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver handles interrupts
    store = Store(path)
    try:
        keys = store.wanted(driver)
        while os.getppid() == parent and (cell := store.take(keys)) is not None:
            run_cell(store, cell, compute)
    except FullDisk:
        raise SystemExit(FULL) from None


def drive(
    path: Path,
    keys: frozenset[str],
    compute: Compute,
    *,
    jobs: int,
    tell: Callable[[dict[str, int]], None] = lambda counts: None,
) -> dict[str, int]:
    """Run all open cells with `jobs` processes, until each of `keys` is done or failed, here or by
    another driver."""
    store, context = Store(path), get_context("spawn")
    workers: list[SpawnProcess] = []
    deaths, attempts = 0, 0
    try:
        store.want(keys)
        while True:
            store.release()
            counts = store.counts(keys)
            tell(counts)
            if not counts["open"] and not counts["taken"]:
                return counts
            if any(worker.exitcode == FULL for worker in workers):
                store.raise_full()
            deaths += sum(worker.exitcode not in (None, 0) for worker in workers)
            if attempts != (attempts := store.attempts()):
                deaths = 0
            if deaths >= MOST_DEATHS:
                raise InvalidInput(
                    "workers of the sweep",
                    "run until they have taken a cell (nothing is lost: use --resume)",
                    f"{deaths} that died before",
                )
            workers = [worker for worker in workers if worker.is_alive()]
            for _ in range(min(jobs - len(workers), counts["open"])):
                # Not daemonic: a cell may start processes of its own, as reproductions do.
                worker = context.Process(
                    target=work, args=(path, store.owner, compute, os.getpid()), daemon=False
                )
                worker.start()
                workers.append(worker)
            sleep(POLL_SECONDS)
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()
        store.release()
        store.close()
