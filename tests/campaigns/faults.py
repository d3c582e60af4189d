"""`make faults`: kill -9 the processes of a sweep at random moments, and see that every cell is
there once and right.

Kills are spread over the sweep by its progress, not by a clock, so that a slow machine takes longer
but is hit as often. Each waits until a worker has taken a cell, then for a random part of a cell's
time. It hits that worker, its driver alone (whose workers must then end by themselves), or the
driver with all its workers. Each cell is taken once, and once more for each time that its process
died: this is how the store itself tells how many kills hit work in progress.

Phases: one driver; two drivers on one store; and cells that take no time, so that most kills fall
into a transaction of the store. `--record` writes the outcome into faults.md.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fltheory.cli.sweep import check_cells, compute_cell
from fltheory.sweeps.spec import Cell, read_spec
from fltheory.sweeps.store import Store
from tests.campaigns import record

PHASES = ("one driver", "two drivers", "cells without work")
RECORD = Path(__file__).with_suffix(".md")
INTRODUCTION = """# Kill -9 at random moments of a sweep

What `make faults FAULTS=--record` wrote: who was killed how often while a sweep ran, how many \
cells were under way when their process
died, and what an inspection found in the store afterwards, every cell computed again. `code` \
stands for the modules of sweeps
as they were.
"""
HEADER = ("phase", "kills", "hit", "cells under way", "found", "with", "code")
CODE = (
    "fltheory/cli/sweep.py",
    *(f"fltheory/sweeps/{name}.py" for name in ("spec", "store", "workers")),
)

GRID = """command = "gap"
[fixed]
algorithm = "mifa-difference"
optima = "0,1"
noise = "1"
step-size = "1/10"
[grid]
rounds = [2000, 2200, 2400, 2600, 2800]
availability = ["bernoulli:1/2", "bernoulli:1/3", "bernoulli:1/4", "bernoulli:2/3", "bernoulli:3/4"]
seed = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
"""
"""500 cells of about a tenth of a second, so that kills hit work that is under way."""
CELL_SECONDS = 0.15
KILLS = 50
PATIENCE = 900
"""Seconds without progress after which a phase has failed."""

Program = list[str]


def children(pid: int) -> list[int]:
    """Living worker processes of a driver (not the resource tracker of multiprocessing)."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            parent = (
                (entry / "stat").read_text().rpartition(")")[2].split()[1]
                if entry.name.isdigit()
                else None
            )
            if parent == str(pid) and b"spawn_main" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def at_work(store: Store) -> set[int]:
    """Processes that have taken a cell."""
    return {
        int(owner.split("/")[1])
        for (owner,) in store._db.execute("SELECT owner FROM cells WHERE state = 'taken'")
    }


def campaign(
    program: Program,
    path: Path,
    keys: frozenset[str],
    kills: int,
    drivers: int,
    chance: random.Random,
) -> Counter[str]:
    """Kill so many times while so many drivers run; returns who was hit, and how many cells that
    cost."""

    def start() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    store, hits, running = Store(path), Counter[str](), [start() for _ in range(drivers)]
    try:
        for number in range(kills):
            due, patience = (
                (number + chance.random()) * len(keys) / (kills + 1),
                time.monotonic() + PATIENCE,
            )
            while True:
                # A driver ends early only where the others have taken all that is left; then it is
                # started again, as --resume would.
                running = [driver if driver.poll() is None else start() for driver in running]
                busy = at_work(store)
                victims = [
                    (driver, workers)
                    for driver in running
                    if (workers := sorted(busy.intersection(children(driver.pid))))
                ]
                done = store.counts(keys)["done"]
                assert done < len(keys), (
                    f"the sweep ended after {hits}: it is too short to be hit by more"
                )
                if victims and done >= due:
                    break
                assert time.monotonic() < patience, f"no progress beyond {done} cells after {hits}"
                time.sleep(0.005)
            driver, workers = chance.choice(victims)
            kind = chance.choices(["worker", "driver", "driver with its workers"], [7, 1, 2])[0]
            hit = [chance.choice(workers)] if kind == "worker" else [driver.pid]
            time.sleep(chance.uniform(0, CELL_SECONDS))
            for pid in hit + (children(driver.pid) if kind.endswith("workers") else []):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            hits[kind] += 1
            if kind != "worker":
                driver.wait()
        for process in running:
            process.wait(timeout=PATIENCE)
        if store.counts(keys)["done"] < len(keys):  # all drivers were killed near the end
            subprocess.run(
                program,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
                timeout=PATIENCE,
            )
        hits["cells lost"] = store.attempts() - len(keys)
        return hits
    finally:
        store.close()
        for process in running:
            process.kill()
            process.wait()


def inspect(
    path: Path, cells: list[Cell], compute: Callable[[Cell], Any], *, most_lost: int
) -> str:
    """Compare every stored cell with one computed here; an assertion fails where something is lost,
    doubled, half written or wrong."""
    keys = frozenset(cell.key for cell in cells)
    store = Store(path)
    try:
        assert store._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        (rows,) = store._db.execute("SELECT count(*) FROM cells").fetchone()
        counts, attempts, stored = store.counts(keys), store.attempts(), list(store.ended(keys))
    finally:
        store.close()
    assert counts == {"open": 0, "taken": 0, "done": len(cells), "failed": 0}, counts
    assert rows == len(stored) == len({entry.cell.key for entry in stored}) == len(cells), (
        rows,
        len(stored),
        len(cells),
    )
    assert {entry.cell for entry in stored} == set(cells)
    for entry in stored:
        assert entry.result == compute(entry.cell), entry.cell
    assert len(cells) <= attempts <= len(cells) + most_lost, (
        f"{attempts} attempts: a cell was taken again without need"
    )
    return (
        f"{len(stored)} correct cells of {len(cells)}, no duplicates, data base whole, {attempts}"
        " attempts"
    )


def at_once(cell: Cell) -> Any:
    """A result that takes no time, of several pages."""
    return {"cell": cell.key, "text": cell.key * 200}


def drive_at_once(path: Path) -> None:
    """A driver of cells that take no time; runs as a program of its own."""
    from fltheory.sweeps.workers import drive

    drive(path, frozenset(cell.key for cell in quick_cells()), at_once, jobs=2)


def quick_cells(count: int = 6000) -> list[Cell]:
    """Cells of the third phase: more than fit into a pipe, too."""
    return [Cell("limit", (("n", number),)) for number in range(count)]


def phase(name: str, folder: Path, kills: int, chance: random.Random) -> tuple[str, str, str, str]:
    """One phase: kills, then the inspection; the kills, who was hit, how many cells were under way,
    and what the inspection found."""
    if name == "cells without work":
        path, cells, drivers, compute = folder / "quick.sqlite", quick_cells(), 1, at_once
        program = [
            sys.executable,
            "-c",
            (
                "from pathlib import Path; from tests.campaigns.faults import drive_at_once; "
                f"drive_at_once(Path({str(path)!r}))"
            ),
        ]
    else:
        spec = folder / "faults.toml"
        spec.write_text(GRID)
        path, cells, compute = (
            spec.with_name(spec.name + ".sqlite"),
            check_cells(read_spec(spec)),
            compute_cell,
        )
        drivers = 2 if name == "two drivers" else 1
        program = [
            sys.executable,
            "-c",
            "from fltheory.cli import main; main()",
            "sweep",
            str(spec),
            "--jobs",
            "2",
            "--resume",
            "--json",
        ]
    store = Store(path)
    store.add(cells)
    store.close()
    hits = campaign(program, path, frozenset(cell.key for cell in cells), kills, drivers, chance)
    lost = hits.pop("cells lost")
    told = ", ".join(f"{count} x {kind}" for kind, count in sorted(hits.items()))
    found = inspect(path, cells, compute, most_lost=2 * kills)
    assert 2 * lost >= kills or compute is at_once, (
        f"only {lost} cells were under way when they were hit: the kills had no teeth"
    )
    return str(kills), told, str(lost), found


def main() -> None:
    """Every phase, with a summary line each."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=KILLS)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "--record", action="store_true", help=f"write the outcome into {RECORD.name}"
    )
    given = options.parse_args()
    for name in PHASES:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            row = phase(name, Path(folder), given.kills, random.Random(given.seed))
        kills, told, lost, found = row
        seconds = time.monotonic() - began
        print(
            f"faults, {name}: {kills} times kill -9 on {told}; {lost} cells hit under way;"
            f" {seconds:.0f} s: {found}",
            flush=True,
        )
        if given.record:
            rows = {
                **record.read(RECORD),
                name: (*row, record.versions(), record.fingerprint(CODE)),
            }
            record.write(RECORD, INTRODUCTION, HEADER, rows)


if __name__ == "__main__":
    main()
