"""Sweeps on a dask cluster give the same bits as local processes, also when a worker is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fltheory.cli.sweep import check_cells, compute_cell
from fltheory.core.errors import InvalidInput
from fltheory.core.types import JsonValue
from fltheory.sweeps.cluster import drive_cluster
from fltheory.sweeps.spec import Cell, parse_spec
from fltheory.sweeps.store import Store
from fltheory.sweeps.workers import drive

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")

GRID = (
    'command = "gap"\n[fixed]\nalgorithm = "mifa"\noptima = "0,1"\nstep-size = "1/10"\nnoise ='
    ' "1"\navailability = "bernoulli:1/2"\n[grid]\nrounds = [5, 10, 20]\nseed = [0, 1, 2, 3]\n'
)


def results(path: Path, keys: frozenset[str]) -> list[tuple[Cell, JsonValue, str | None]]:
    store = Store(path)
    found = [(entry.cell, entry.result, entry.error) for entry in store.ended(keys)]
    store.close()
    return found


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_cluster_gives_the_same_bits_and_survives_the_death_of_a_worker(tmp_path: Path) -> None:
    cells = check_cells(parse_spec(GRID))
    keys = frozenset(cell.key for cell in cells)
    for name in ("local", "cluster"):
        Store(tmp_path / name).add(cells)
    drive(tmp_path / "local", keys, compute_cell, jobs=2)
    killed: list[int] = []

    def kill_once(counts: dict[str, int]) -> None:
        if counts["done"] and not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        counts = drive_cluster(
            tmp_path / "cluster",
            keys,
            compute_cell,
            scheduler=cluster.scheduler_address,
            tell=kill_once,
        )
    assert killed
    assert counts["done"] == len(cells)
    assert results(tmp_path / "cluster", keys) == results(tmp_path / "local", keys)


def test_a_scheduler_that_is_not_there_is_refused(tmp_path: Path) -> None:
    Store(tmp_path / "s").add([Cell("gap", ())])
    with pytest.raises(InvalidInput, match="running dask scheduler"):
        drive_cluster(
            tmp_path / "s", frozenset([Cell("gap", ()).key]), compute_cell, scheduler="nonsense://x"
        )


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_scheduler_that_dies_is_told_and_loses_nothing(tmp_path: Path) -> None:
    cells = check_cells(parse_spec(GRID))
    keys = frozenset(cell.key for cell in cells)
    Store(tmp_path / "s").add(cells)
    found: list[dict[str, int]] = []
    program = (
        "from distributed import LocalCluster; import time\nif __name__ == '__main__':\n c ="
        " LocalCluster(n_workers=1, threads_per_worker=1, host='127.0.0.1',"
        " dashboard_address=None)\n print(c.scheduler_address, flush=True); time.sleep(600)"
    )
    (tmp_path / "cluster.py").write_text(program)
    cluster = subprocess.Popen(
        [sys.executable, str(tmp_path / "cluster.py")], stdout=subprocess.PIPE, text=True
    )
    assert cluster.stdout is not None

    def kill_once(counts: dict[str, int]) -> None:
        found.append(counts)
        if counts["done"]:
            cluster.kill()

    try:
        with pytest.raises(InvalidInput, match="nothing is lost"):
            drive_cluster(
                tmp_path / "s",
                keys,
                compute_cell,
                scheduler=cluster.stdout.readline().strip(),
                tell=kill_once,
            )
    finally:
        cluster.kill()
        cluster.wait()
        cluster.stdout.close()
    assert 0 < found[-1]["done"] < len(cells)
    assert drive(tmp_path / "s", keys, compute_cell, jobs=1)["done"] == len(cells)
