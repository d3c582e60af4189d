"""The tables of a sweep's store."""

import sqlite3
from contextlib import closing
from functools import cache
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS cells(
    key TEXT PRIMARY KEY, command TEXT NOT NULL, options TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK(state IN ('open', 'taken', 'done', 'failed')),
    owner TEXT, attempts INTEGER NOT NULL DEFAULT 0, \
result TEXT, checksum TEXT, seconds REAL, error TEXT);
CREATE INDEX IF NOT EXISTS by_state ON cells(state);
CREATE TABLE IF NOT EXISTS wanted(\
driver TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(driver, key)) WITHOUT ROWID;
"""
Row = tuple[Any, ...]
"""A row of SQLite, whose types no query declares."""


@cache
def schema() -> list[Row]:
    """What the data base of a store holds, and nothing else: its own tables and index."""
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        return tables(db)


def tables(db: sqlite3.Connection) -> list[Row]:
    """Tables, indexes, views and triggers of a data base, with the text that made each."""
    return sorted(
        db.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    )
