"""Where cells are kept: one SQLite file in WAL mode, shared by any number of drivers and workers of
one machine.

A cell is open, taken (by a process that lives), done or failed. Every change is one transaction, so
that a process may be killed at any moment: what it had taken is open again, what it had finished is
whole. Results carry a checksum, which is checked on reading.
"""

import hashlib
import json
import os
import socket
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.core.untrusted_io import parse_json
from fltheory.sweeps.spec import Cell

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
MAX_BYTES = 1 << 26
"""Longest row of the file; a result has at most a quarter of it."""
SHOWN = 80
MOST_ATTEMPTS = 20
"""A cell whose worker has died this often is given up as failed."""


@dataclass(frozen=True)
class Stored:
    """A finished cell: its result, or the error that it ended with."""

    cell: Cell
    result: Any
    error: str | None
    seconds: float


class FullDisk(InvalidInput):
    """There is no room for a result."""


class Store:
    """The cells of one file. `owner` names this process, so that others see whether it lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner = process_name()
        with self._telling():
            self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self._telling():
                self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
                self._db.execute("PRAGMA trusted_schema=OFF")
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.executescript(SCHEMA)
                if (
                    _tables(self._db) != _schema()
                ):  # no views or triggers of somebody else, which would run here
                    raise sqlite3.DatabaseError("it has other tables")
                ((found,),) = self._db.execute(
                    "PRAGMA integrity_check(1)"
                ).fetchall()  # an index that lies would give a cell for ever
                if found != "ok":
                    raise sqlite3.DatabaseError(str(found)[:SHOWN])
        except InvalidInput:
            self._db.close()
            raise

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Trouble with the file is told by name."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as problem:
            if "full" in str(problem):
                self.raise_full()
            raise InvalidInput(
                f"store {self.path.name}",
                "be an SQLite file of a sweep that can be written",
                problem,
            ) from None

    def raise_full(self) -> None:
        """There is no room for results."""
        rule = "have room for results (nothing is lost: free some and use --resume)"
        raise FullDisk(f"disk of {self.path}", rule, "a full disk") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._telling():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        with self._telling():
            found = self._db.execute(query, values).fetchall()
        return found

    def add(self, cells: Iterable[Cell]) -> None:
        """Make cells known; those that are known stay as they are."""
        rows = [(cell.key, cell.command, json.dumps(cell.options)) for cell in cells]
        with self._transaction() as db:
            db.executemany(
                "INSERT OR IGNORE INTO cells(key, command, options) VALUES (?, ?, ?)", rows
            )

    def want(self, keys: frozenset[str]) -> None:
        """Say which cells this driver is to run; its workers read them here, since a pipe to a
        worker that dies unread blocks for ever."""
        with self._transaction() as db:
            drivers = [driver for (driver,) in db.execute("SELECT DISTINCT driver FROM wanted")]
            db.executemany(
                "DELETE FROM wanted WHERE driver = ?",
                [(d,) for d in drivers if d == self.owner or not lives(d)],
            )
            db.executemany("INSERT INTO wanted VALUES (?, ?)", [(self.owner, key) for key in keys])

    def wanted(self, driver: str) -> frozenset[str]:
        """The cells that a driver is to run."""
        return frozenset(
            key for (key,) in self._rows("SELECT key FROM wanted WHERE driver = ?", driver)
        )

    def keys(self) -> list[str]:
        """All cells that are known, in the order in which they were made known."""
        return [str(key) for (key,) in self._rows("SELECT key FROM cells ORDER BY rowid")]

    def attempts(self) -> int:
        """How often cells have been taken, all together."""
        ((total,),) = self._rows("SELECT coalesce(sum(attempts), 0) FROM cells")
        if not isinstance(total, int):
            raise InvalidInput(f"store {self.path.name}", "count attempts in whole numbers", total)
        return total

    def take(self, keys: frozenset[str] | None = None) -> Cell | None:
        """An open cell, now this process's own; None if there is none."""
        query = "SELECT key, command, options FROM cells WHERE state = 'open' ORDER BY rowid"
        with (
            self._transaction() as db,
            closing(db.execute(query)) as rows,
        ):  # a cursor left open would keep its lock
            for key, command, options in rows:
                if keys is None or key in keys:
                    db.execute(
                        "UPDATE cells SET state = 'taken', owner = ?, attempts = attempts + 1 WHERE"
                        " key = ?",
                        (self.owner, key),
                    )
                    return self._cell(key, command, options)
        return None

    def finish(self, cell: Cell, result: Any, seconds: float) -> None:
        """Store a result, whole or not at all; a second, different result of the same cell is
        refused."""
        text = check_result(cell, result)
        checksum = _checksum(text)
        with self._transaction() as db:
            state, known = db.execute(
                "SELECT state, result FROM cells WHERE key = ?", (cell.key,)
            ).fetchone()
            if state == "done":
                if steady(self._result(cell.key, known, _checksum(known))) != steady(result):
                    raise InvalidInput(
                        f"cell {cell.key[:12]}",
                        "give the same result each time",
                        "two different ones",
                    )
                return
            db.execute(
                "UPDATE cells SET state = 'done', owner = NULL, result = ?, checksum = ?, seconds ="
                " ?, error = NULL WHERE key = ?",
                (text, checksum, seconds, cell.key),
            )

    def fail(self, cell: Cell, error: str, seconds: float) -> None:
        """Store that a cell has no result, and why; a result that is there stays."""
        with self._transaction() as db:
            db.execute(
                "UPDATE cells SET state = 'failed', owner = NULL, error = ?, seconds = ? WHERE key"
                " = ? AND state != 'done'",
                (error, seconds, cell.key),
            )

    def release(self, *, everything: bool = False) -> int:
        """Open again what dead processes had taken (with `everything`, also what this one has), and
        what is damaged."""
        with self._transaction() as db:
            taken = db.execute(
                "SELECT key, owner, CAST(attempts AS INTEGER) FROM cells WHERE state = 'taken'"
            ).fetchall()
            lost = [
                (key, tries)
                for key, owner, tries in taken
                if not lives(owner) or (everything and owner == self.owner)
            ]
            for key, tries in lost:
                given_up = tries >= MOST_ATTEMPTS
                db.execute(
                    "UPDATE cells SET owner = NULL, state = ?, error = ? WHERE key = ?",
                    (
                        "failed" if given_up else "open",
                        f"its process died {tries} times" if given_up else None,
                        key,
                    ),
                )
        return len(lost)

    def repair(self) -> int:
        """Open again cells whose stored result is not what its checksum says."""
        with self._transaction() as db:
            rows = db.execute(
                "SELECT key, result, checksum FROM cells WHERE state = 'done'"
            ).fetchall()
            damaged = [key for key, result, checksum in rows if _checksum(result) != checksum]
            db.executemany(
                "UPDATE cells SET state = 'open', result = NULL, checksum = NULL WHERE key = ?",
                [(key,) for key in damaged],
            )
        return len(damaged)

    def retry(self) -> int:
        """Open again cells that failed."""
        with self._transaction() as db:
            return db.execute(
                "UPDATE cells SET state = 'open', error = NULL, attempts = 0 WHERE state = 'failed'"
            ).rowcount

    def counts(self, keys: frozenset[str]) -> dict[str, int]:
        """How many of these cells are in which state."""
        found = {"open": 0, "taken": 0, "done": 0, "failed": 0}
        for key, state in self._rows("SELECT key, state FROM cells"):
            found[state] += key in keys
        return found

    def ended(self, keys: frozenset[str]) -> Iterator[Stored]:
        """Cells that are done or failed, in the order in which they were made known."""
        rows = self._rows(
            "SELECT key, command, options, state, result, checksum, CAST(error AS TEXT),"
            " CAST(seconds AS REAL) FROM cells WHERE state IN ('done', 'failed') ORDER BY rowid"
        )
        for key, command, options, state, result, checksum, error, seconds in rows:
            if key not in keys:
                continue
            cell = self._cell(key, command, options)
            if state == "done":
                yield Stored(cell, self._result(key, result, checksum), None, seconds or 0.0)
            else:
                yield Stored(cell, None, error or "no reason is stored", seconds or 0.0)

    def _result(self, key: str, text: Any, checksum: Any) -> Any:
        if text is None or _checksum(text) != checksum:
            raise InvalidInput(
                f"cell {str(key)[:12]} of {self.path.name}",
                "hold what its checksum says (sweep --resume computes it again)",
                "something else",
            )
        return parse_json(str(text), f"result of cell {str(key)[:12]} of {self.path.name}")

    def _cell(self, key: str, command: Any, options: Any) -> Cell:
        """The cell of that key; content and key must agree."""
        owner = f"cell {str(key)[:12]} of {self.path.name}"
        listed = parse_json(str(options), owner)
        if isinstance(listed, list) and all(
            isinstance(pair, list)
            and len(pair) == 2
            and isinstance(pair[0], str)
            and isinstance(pair[1], str | int | float)
            for pair in listed
        ):
            cell = Cell(str(command), tuple((name, value) for name, value in listed))
            if cell.key == key:
                return cell
        raise InvalidInput(
            owner, "be the command that its key says", f"{command!r} {options!r}"[:80]
        )


def check_result(cell: Cell, result: Any) -> str:
    """The text of a result; one that is not JSON with finite numbers, or that is too long, is
    refused."""
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(
            f"result of cell {cell.key[:12]}", "be JSON with finite numbers", problem
        ) from None
    if len(text) > MAX_BYTES // 4:
        raise InvalidInput(
            f"result of cell {cell.key[:12]}",
            f"have at most {MAX_BYTES // 4} characters",
            len(text),
        )
    return text


def steady(result: Any) -> Any:
    """A result without its timings, which differ from run to run."""
    if isinstance(result, dict):
        return {name: steady(value) for name, value in result.items() if name != "seconds"}
    return [steady(value) for value in result] if isinstance(result, list) else result


def process_name(pid: int | None = None) -> str:
    """Host, process and its birth: numbers of processes are used again, births are not."""
    number = os.getpid() if pid is None else pid
    return f"{socket.gethostname()}/{number}/{_birth(number)}"


def lives(owner: Any) -> bool:
    """Is the process of that name still there? One of another machine is taken to live: the file
    belongs to one machine."""
    host, pid, birth = (*str(owner).split("/"), "", "")[:3]
    if not (pid.isascii() and pid.isdigit() and len(pid) < 20):
        return False  # no process has such a name
    return host != socket.gethostname() or (birth != GONE and process_name(int(pid)) == owner)


def _birth(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return GONE
    fields = stat.rpartition(")")[2].split()
    return GONE if fields[0] in "ZX" else fields[19]  # a zombie no longer works


def _checksum(text: Any) -> str:
    return hashlib.sha256(str(text).encode("utf-8", "replace")).hexdigest()


@cache
def _schema() -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(SCHEMA)
        return _tables(db)


def _tables(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return sorted(
        db.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master").fetchall()
    )
