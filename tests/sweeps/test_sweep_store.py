"""Stores of sweeps that somebody has spoiled are refused by name."""

import sqlite3
from pathlib import Path

import pytest

from fltheory.core.errors import InvalidInput
from fltheory.sweeps.spec import Cell
from fltheory.sweeps.store import Store
from tests.campaigns.faults import quick_cells


def test_a_store_that_counts_without_measure_is_refused(tmp_path: Path) -> None:
    kept = Store(tmp_path / "cells.sqlite")
    kept.add(quick_cells(1))
    kept.close()
    with sqlite3.connect(tmp_path / "cells.sqlite") as spoiled:
        spoiled.execute("UPDATE cells SET attempts = 9e999")
    spoiled.close()
    with pytest.raises(InvalidInput, match="count attempts in whole numbers"):
        Store(tmp_path / "cells.sqlite").attempts()


def test_a_store_whose_index_does_not_fit_its_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    store = Store(path)
    store.add([Cell("limit", ())])
    store.close()
    db = sqlite3.connect(path, isolation_level=None)
    ((index,),) = db.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'by_state'"
    ).fetchall()
    db.execute("PRAGMA writable_schema = ON")
    db.execute("DELETE FROM sqlite_schema WHERE name = 'by_state'")
    db.close()
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(
        "UPDATE cells SET state = 'done'"
    )  # the index, unseen, goes on to call the cell open
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "INSERT INTO sqlite_schema VALUES ('index', 'by_state', 'cells', ?, 'CREATE INDEX by_state"
        " ON cells(state)')",
        (index,),
    )
    db.close()
    with pytest.raises(InvalidInput, match="by_state"):
        Store(path)
