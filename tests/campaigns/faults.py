"""`make faults`: kill -9 the processes of a sweep at random moments, and see that every cell is there once and right.

Phase 1: one driver with two workers; each kill hits a worker or the driver (which is started again with --resume).
Phase 2: two drivers on one store, killed in the same way.
"""

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from fltheory.cli.sweep import check_cells, compute_cell
from fltheory.sweep.spec import read_spec
from fltheory.sweep.store import Store

GRID = """command = "limit"
[fixed]
algorithm = "mifa"
optima = "0,1"
curvatures = "2,2"
[grid]
availability = [{availability}]
step-size = [{sizes}]
"""


def write_spec(path: Path) -> None:
    """500 exact limit cycles."""
    path.write_text(GRID.format(availability=", ".join(f'"alternating:{a},{b}"' for a in range(1, 6) for b in range(1, 6)),
                                sizes=", ".join(f'"1/{k}"' for k in range(4, 24))))


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


def campaign(spec: Path, kills: int, drivers: int, chance: random.Random) -> int:
    """Kill so many processes while so many drivers run; returns how often a driver was started."""
    running, starts = [start(spec) for _ in range(drivers)], drivers
    done = 0
    while done < kills:
        time.sleep(chance.uniform(0.05, 1.5))
        assert unfinished(spec), f"the sweep ended after {done} kills: it is too short to be hit by more"
        driver = chance.choice(running)
        victims = children(driver.pid)
        pid = chance.choice(victims) if victims and chance.random() < 0.7 else driver.pid
        if driver.poll() is None:
            os.kill(pid, signal.SIGKILL)
            done += 1
        for index, process in enumerate(running):
            if process.poll() is not None or process.pid == pid:
                process.wait()
                running[index] = start(spec)
                starts += 1
    for process in running:
        process.wait(timeout=600)
    return starts


def unfinished(spec: Path) -> bool:
    """Are there cells to be computed yet?"""
    path = spec.with_name(spec.name + ".sqlite")
    if not path.exists():
        return True
    with closing(sqlite3.connect(path, timeout=60)) as db:
        known = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'cells'").fetchone() == (1,)
        ended = db.execute("SELECT count(*) FROM cells WHERE state IN ('done', 'failed')").fetchone() if known else (0,)
    return ended[0] < len(read_spec(spec))


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
            write_spec(spec)
            began = time.monotonic()
            starts = campaign(spec, given.kills, drivers, random.Random(given.seed))
            seconds = time.monotonic() - began
            print(f"faults, {phase}: {given.kills} kill -9, {starts} driver starts, {seconds:.0f} s: {inspect(spec)}", flush=True)


if __name__ == "__main__":
    main()
