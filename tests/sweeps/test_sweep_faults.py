"""Sweeps under faults: damage, killed processes, full disks; and the campaign that causes them."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fltheory.cli.sweep import check_cells
from fltheory.core.errors import InvalidInput
from fltheory.core.types import JsonValue
from fltheory.sweeps.processes import lives, process_name
from fltheory.sweeps.spec import Cell, parse_spec
from fltheory.sweeps.store import MOST_ATTEMPTS, FullDisk, Store
from fltheory.sweeps.workers import MOST_DEATHS, drive
from tests.campaigns.faults import at_once, inspect, quick_cells
from tests.sweeps.grids import expected, fltheory, stored


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    kept = Store(tmp_path / "cells.sqlite")
    yield kept
    kept.close()


def test_a_store_that_is_no_store_is_refused(spec: Path, tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("hello, this is no data base" * 100)
    assert (
        fltheory("sweep", str(spec), "--store", str(tmp_path / "text.sqlite"), "--resume")[0] == 2
    )


@pytest.mark.slow
def test_a_damaged_result_is_refused_and_computed_again(spec: Path) -> None:
    fltheory("sweep", str(spec), "--json")
    with sqlite3.connect(f"{spec}.sqlite") as db:
        db.execute("UPDATE cells SET result = '{}' WHERE rowid = 1")
    db.close()
    code, output = fltheory("results", str(spec))
    assert code == 2
    assert "checksum" in output
    code, output = fltheory("sweep", str(spec), "--resume", "--json")
    assert (code, json.loads(output)["repaired"]) == (0, 1)
    assert stored(Path(f"{spec}.sqlite"), frozenset(expected(spec))) == expected(spec)


def test_a_second_different_result_is_refused(store: Store) -> None:
    cell = Cell("limit", ())
    store.add([cell])
    assert store.take() == cell
    assert store.take() is None
    store.finish(cell, {"x": 1, "seconds": 1}, 0.1)
    store.finish(cell, {"x": 1, "seconds": 2}, 0.2)
    with pytest.raises(InvalidInput, match="same result each time"):
        store.finish(cell, {"x": 2, "seconds": 1}, 0.1)


def test_what_a_dead_process_had_taken_is_open_again(store: Store) -> None:
    cell = Cell("limit", ())
    store.add([cell])
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    owner = process_name(child.pid)
    try:
        for attempt in range(1, MOST_ATTEMPTS + 1):
            assert store.take() is not None, attempt
            with store._transaction() as db:
                db.execute("UPDATE cells SET owner = ?", (owner,))
            if attempt == 1:
                assert lives(owner)
                assert store.release() == 0
                child.kill()
                child.wait()
            assert not lives(owner)
            assert store.release() == 1
    finally:
        child.kill()
        child.wait()
    assert store.counts(frozenset([cell.key]))["failed"] == 1, (
        "a cell that always kills its process is given up"
    )


def test_a_full_disk_loses_nothing(spec: Path, store: Store) -> None:
    cells = check_cells(parse_spec(spec.read_text()))
    store.add(cells)
    store._db.execute(
        f"PRAGMA max_page_count = {store._db.execute('PRAGMA page_count').fetchone()[0]}"
    )
    cell = store.take()
    assert cell is not None
    with pytest.raises(FullDisk, match="have room"):
        store.finish(cell, {"x": "y" * 100_000}, 0.1)
    assert store.counts(frozenset(c.key for c in cells)) == {
        "open": 5,
        "taken": 1,
        "done": 0,
        "failed": 0,
    }
    store._db.execute("PRAGMA max_page_count = 1000000")
    store.finish(cell, {"x": 1}, 0.1)
    assert store.counts(frozenset(c.key for c in cells))["done"] == 1


def slow_cell(cell: Cell) -> JsonValue:
    time.sleep(0.2)
    return {"cell": cell.key}


@pytest.mark.slow
def test_two_drivers_and_a_killed_one_do_every_cell(tmp_path: Path) -> None:
    cells = [Cell("limit", (("n", i),)) for i in range(12)]
    keys, path = frozenset(cell.key for cell in cells), tmp_path / "two.sqlite"
    Store(path).add(cells)
    script = (
        "from pathlib import Path\nfrom fltheory.sweeps.workers import drive\n"
        "from tests.sweeps.test_sweep_faults import slow_cell\n"
        f"if __name__ == '__main__': drive(Path({str(path)!r}),"
        f" frozenset({sorted(keys)!r}), slow_cell, jobs=1)"
    )
    (tmp_path / "driver.py").write_text(script)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    drivers = [
        subprocess.Popen([sys.executable, str(tmp_path / "driver.py")], env=environment)
        for _ in range(2)
    ]
    try:
        kept = Store(path)
        while kept.counts(keys)["done"] < 2:
            assert any(driver.poll() is None for driver in drivers)
            time.sleep(0.05)
        drivers[0].send_signal(signal.SIGKILL)
        assert drivers[1].wait(timeout=120) == 0
    finally:
        for driver in drivers:
            driver.kill()
            driver.wait()
    assert drive(path, keys, slow_cell, jobs=1)["done"] == 12
    assert stored(path, keys) == {key: {"cell": key} for key in keys}


def test_workers_that_die_before_they_read_anything_neither_block_the_driver_nor_go_on_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of keys do not fit into a pipe: a driver that wrote them there would wait for ever
    for a dead reader."""
    cells = quick_cells(3000)
    Store(tmp_path / "s").add(cells)
    monkeypatch.setattr(
        "multiprocessing.spawn.get_command_line",
        lambda **more: [sys.executable, "-IS", "-c", "raise SystemExit(1)"],
    )
    with pytest.raises(InvalidInput, match="that died before"):
        drive(tmp_path / "s", frozenset(cell.key for cell in cells), at_once, jobs=MOST_DEATHS)


PLANTED = {
    "half a result with the checksum of that half": (
        "UPDATE cells SET result = '{}', checksum = "
        "'44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a' WHERE rowid = 3"
    ),
    "half a result": "UPDATE cells SET result = substr(result, 1, 40) WHERE rowid = 3",
    "no result": "UPDATE cells SET result = NULL WHERE rowid = 3",
    "a lost cell": "DELETE FROM cells WHERE rowid = 3",
    "a cell that nobody finished": "UPDATE cells SET state = 'taken' WHERE rowid = 3",
    "another cell's result": (
        "UPDATE cells SET (result, checksum) = (SELECT result, checksum FROM cells WHERE rowid = 4)"
        " WHERE rowid = 3"
    ),
    "a cell that does not belong there": (
        "INSERT INTO cells(key, command, options) VALUES ('x', 'limit', '[]')"
    ),
    "work done twice": "UPDATE cells SET attempts = 9 WHERE rowid = 3",
}


@pytest.mark.parametrize("planted", PLANTED.values(), ids=PLANTED)
def test_the_inspection_of_the_fault_campaign_sees_what_is_half_written_lost_or_doubled(
    planted: str, tmp_path: Path
) -> None:
    cells, path = quick_cells(5), tmp_path / "s"
    store = Store(path)
    store.add(cells)
    while (cell := store.take()) is not None:
        store.finish(cell, at_once(cell), 0.1)
    store.close()
    assert inspect(path, cells, at_once, most_lost=3).startswith("5 correct cells of 5")
    with sqlite3.connect(path) as db:
        db.execute(planted)
    db.close()
    with pytest.raises((AssertionError, InvalidInput)):
        inspect(path, cells, at_once, most_lost=3)
