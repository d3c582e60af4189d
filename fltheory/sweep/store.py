"""Where cells are kept: one SQLite file in WAL mode, shared by any number of drivers and workers of one machine.

A cell is open, taken (by a process that lives), done or failed. Every change is one transaction, so that a process may be killed at
any moment: what it had taken is open again, what it had finished is whole. Results carry a checksum, which is checked on reading.
"""

import hashlib
import json
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fltheory.errors import InvalidInput
from fltheory.sweep.spec import Cell

SCHEMA = """
CREATE TABLE IF NOT EXISTS cells(
    key TEXT PRIMARY KEY, command TEXT NOT NULL, options TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open' CHECK(state IN ('open', 'taken', 'done', 'failed')),
    owner TEXT, attempts INTEGER NOT NULL DEFAULT 0, result TEXT, checksum TEXT, seconds REAL, error TEXT);
CREATE INDEX IF NOT EXISTS by_state ON cells(state);
CREATE TABLE IF NOT EXISTS wanted(driver TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY(driver, key)) WITHOUT ROWID;
"""
BUSY_SECONDS = 60
GONE = "none"
MOST_ATTEMPTS = 20
"""A cell whose worker has died this often is given up as failed."""


@dataclass(frozen=True)
class Stored:
    """A finished cell: its result, or the error that it ended with."""

    cell: Cell
    result: Any
    error: str | None
    seconds: float


class Store:
    """The cells of one file. `owner` names this process, so that others see whether it lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner = process_name()
        try:
            self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._db.executescript(SCHEMA)
        except sqlite3.DatabaseError as problem:
            raise InvalidInput(f"store {path.name}", "be an SQLite file of a sweep that can be written", problem) from None

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # a full disk has ended it already
                self._db.execute("ROLLBACK")
            raise

    def add(self, cells: Iterable[Cell]) -> None:
        """Make cells known; those that are known stay as they are."""
        rows = [(cell.key, cell.command, json.dumps(cell.options)) for cell in cells]
        with self._transaction() as db:
            db.executemany("INSERT OR IGNORE INTO cells(key, command, options) VALUES (?, ?, ?)", rows)

    def want(self, keys: frozenset[str]) -> None:
        """Say which cells this driver is to run; its workers read them here, since a pipe to a worker that dies unread blocks for ever."""
        with self._transaction() as db:
            drivers = [driver for (driver,) in db.execute("SELECT DISTINCT driver FROM wanted")]
            db.executemany("DELETE FROM wanted WHERE driver = ?", [(d,) for d in drivers if d == self.owner or not lives(d)])
            db.executemany("INSERT INTO wanted VALUES (?, ?)", [(self.owner, key) for key in keys])

    def wanted(self, driver: str) -> frozenset[str]:
        """The cells that a driver is to run."""
        return frozenset(key for (key,) in self._db.execute("SELECT key FROM wanted WHERE driver = ?", (driver,)))

    def attempts(self) -> int:
        """How often cells have been taken, all together."""
        (total,) = self._db.execute("SELECT coalesce(sum(attempts), 0) FROM cells").fetchone()
        return int(total)

    def take(self, keys: frozenset[str] | None = None) -> Cell | None:
        """An open cell, now this process's own; None if there is none."""
        with self._transaction() as db:
            for key, command, options in db.execute("SELECT key, command, options FROM cells WHERE state = 'open' ORDER BY rowid"):
                if keys is None or key in keys:
                    db.execute("UPDATE cells SET state = 'taken', owner = ?, attempts = attempts + 1 WHERE key = ?", (self.owner, key))
                    return _cell(command, options)
        return None

    def finish(self, cell: Cell, result: Any, seconds: float) -> None:
        """Store a result, whole or not at all; a second, different result of the same cell is refused."""
        text = json.dumps(result, allow_nan=False)
        checksum = _checksum(text)
        with self._transaction() as db:
            state, known = db.execute("SELECT state, result FROM cells WHERE key = ?", (cell.key,)).fetchone()
            if state == "done":
                if steady(json.loads(known)) != steady(result):
                    raise InvalidInput(f"cell {cell.key[:12]}", "give the same result each time", "two different ones")
                return
            db.execute("UPDATE cells SET state = 'done', owner = NULL, result = ?, checksum = ?, seconds = ?, error = NULL WHERE key = ?",
                       (text, checksum, seconds, cell.key))

    def fail(self, cell: Cell, error: str, seconds: float) -> None:
        """Store that a cell has no result, and why; a result that is there stays."""
        with self._transaction() as db:
            db.execute("UPDATE cells SET state = 'failed', owner = NULL, error = ?, seconds = ? WHERE key = ? AND state != 'done'",
                       (error, seconds, cell.key))

    def release(self, *, everything: bool = False) -> int:
        """Open again what dead processes had taken (with `everything`, also what this one has), and what is damaged."""
        with self._transaction() as db:
            taken = db.execute("SELECT key, owner, attempts FROM cells WHERE state = 'taken'").fetchall()
            lost = [(key, tries) for key, owner, tries in taken if not lives(owner) or (everything and owner == self.owner)]
            for key, tries in lost:
                given_up = tries >= MOST_ATTEMPTS
                db.execute("UPDATE cells SET owner = NULL, state = ?, error = ? WHERE key = ?",
                           ("failed" if given_up else "open", f"its process died {tries} times" if given_up else None, key))
        return len(lost)

    def repair(self) -> int:
        """Open again cells whose stored result is not what its checksum says."""
        with self._transaction() as db:
            rows = db.execute("SELECT key, result, checksum FROM cells WHERE state = 'done'").fetchall()
            damaged = [key for key, result, checksum in rows if result is None or _checksum(result) != checksum]
            db.executemany("UPDATE cells SET state = 'open', result = NULL, checksum = NULL WHERE key = ?", [(key,) for key in damaged])
        return len(damaged)

    def retry(self) -> int:
        """Open again cells that failed."""
        with self._transaction() as db:
            return db.execute("UPDATE cells SET state = 'open', error = NULL, attempts = 0 WHERE state = 'failed'").rowcount

    def counts(self, keys: frozenset[str]) -> dict[str, int]:
        """How many of these cells are in which state."""
        found = {"open": 0, "taken": 0, "done": 0, "failed": 0}
        for key, state in self._db.execute("SELECT key, state FROM cells"):
            found[state] += key in keys
        return found

    def ended(self, keys: frozenset[str]) -> Iterator[Stored]:
        """Cells that are done or failed, in the order in which they were made known."""
        rows = self._db.execute("SELECT key, command, options, state, result, checksum, error, seconds FROM cells "
                                "WHERE state IN ('done', 'failed') ORDER BY rowid")
        for key, command, options, state, result, checksum, error, seconds in rows:
            if key not in keys:
                continue
            if state == "done" and (result is None or _checksum(result) != checksum):
                raise InvalidInput(f"cell {key[:12]} of {self.path.name}", "hold what its checksum says (sweep --resume computes it again)",
                                   "something else")
            yield Stored(_cell(command, options), json.loads(result) if state == "done" else None, error, seconds or 0.0)


def steady(result: Any) -> Any:
    """A result without its timings, which differ from run to run."""
    if isinstance(result, dict):
        return {name: steady(value) for name, value in result.items() if name != "seconds"}
    return [steady(value) for value in result] if isinstance(result, list) else result


def process_name(pid: int | None = None) -> str:
    """Host, process and its birth: numbers of processes are used again, births are not."""
    number = os.getpid() if pid is None else pid
    return f"{socket.gethostname()}/{number}/{_birth(number)}"


def lives(owner: str) -> bool:
    """Is the process of that name still there? One of another machine is taken to live: the file belongs to one machine."""
    host, pid, birth = owner.split("/")
    return host != socket.gethostname() or (birth != GONE and process_name(int(pid)) == owner)


def _birth(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return GONE
    fields = stat.rpartition(")")[2].split()
    return GONE if fields[0] in "ZX" else fields[19]  # a zombie no longer works


def _cell(command: str, options: str) -> Cell:
    return Cell(command, tuple((name, value) for name, value in json.loads(options)))


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
