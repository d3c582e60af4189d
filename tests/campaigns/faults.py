"""`make faults`: kill -9 the processes of a sweep at random moments, and see that every cell is there once and right.

Phase 1: one driver with two workers; each kill hits a worker or the driver (which is started again with --resume).
Phase 2: two drivers on one store, killed in the same way.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from fltheory.cli.sweep import check_cells, compute_cell
from fltheory.sweep.spec import read_spec
from fltheory.sweep.store import Store

GRID = """command = "gap"
[fixed]
algorithm = "mifa-difference"
optima = "0,1"
noise = "1"
step-size = "1/10"
[grid]
rounds = [8000, 9000, 10000, 11000, 12000]
availability = ["bernoulli:1/2", "bernoulli:1/3", "bernoulli:1/4", "bernoulli:2/3", "bernoulli:3/4"]
seed = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
"""
"""500 cells of about a tenth of a second, so that kills hit work that is under way."""


def start(spec: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-c", "from fltheory.cli import main; main()", "sweep", str(spec), "--jobs", "2", "--resume", "--json"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def children(pid: int) -> list[int]:
    """Living worker processes of a driver (not the resource tracker of multiprocessing)."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1] if entry.name.isdigit() else None
            if parent == str(pid) and b"spawn_main" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def campaign(spec: Path, kills: int, drivers: int, chance: random.Random) -> dict[str, int]:
    """Kill so many processes while so many drivers run, after their workers have begun; returns who was hit."""
    running = [start(spec) for _ in range(drivers)]
    hits = {"worker": 0, "driver": 0}
    while sum(hits.values()) < kills:
        driver = chance.choice(running)
        while not (workers := children(driver.pid)):
            assert driver.poll() is None, f"the sweep ended after {hits}: it is too short to be hit by more"
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 1.2))
        kind = "worker" if chance.random() < 0.7 else "driver"
        with suppress(ProcessLookupError):
            os.kill(chance.choice(workers) if kind == "worker" else driver.pid, signal.SIGKILL)
            hits[kind] += 1
        if kind == "driver":
            driver.wait()
            running[running.index(driver)] = start(spec)
    for process in running:
        process.wait(timeout=600)
    return hits


def inspect(spec: Path) -> str:
    """Compare every stored cell with one computed here; an assertion fails where something is lost, doubled or wrong."""
    cells = check_cells(read_spec(spec))
    keys = frozenset(cell.key for cell in cells)
    store = Store(spec.with_name(spec.name + ".sqlite"))
    stored = list(store.ended(keys))
    assert store._db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    (rows,) = store._db.execute("SELECT count(*) FROM cells").fetchone()
    store.close()
    assert rows == len(stored) == len({entry.cell.key for entry in stored}) == len(cells), (rows, len(stored), len(cells))
    for entry in stored:
        assert entry.error is None, entry.error
        assert entry.result == compute_cell(entry.cell), entry.cell
    return f"{len(stored)} correct cells of {len(cells)}, no duplicates, data base whole"


def main() -> None:
    """Both phases, with a summary line each."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    for phase, drivers in (("one driver", 1), ("two drivers", 2)):
        with tempfile.TemporaryDirectory() as folder:
            spec = Path(folder) / "faults.toml"
            spec.write_text(GRID)
            began = time.monotonic()
            hits = campaign(spec, given.kills, drivers, random.Random(given.seed))
            seconds = time.monotonic() - began
            killed = f"kill -9 on {hits['worker']} workers and {hits['driver']} drivers"
            print(f"faults, {phase}: {killed}, {seconds:.0f} s: {inspect(spec)}", flush=True)


if __name__ == "__main__":
    main()
