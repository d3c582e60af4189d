"""The store of a sweep: one SQLite file, shared by the drivers and workers of one machine.

A cell is open, taken (by a running process), done or failed. Every change is one transaction, so a
process may be killed at any moment: its taken cell becomes open again, its finished cells are
complete. Results carry a checksum, which is verified on reading.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import cast

from fltheory.core.errors import InvalidInput
from fltheory.core.types import JsonValue
from fltheory.core.untrusted_io import parse_json
from fltheory.sweeps.processes import lives, process_name
from fltheory.sweeps.results import Stored, check_result, checksum_of, steady
from fltheory.sweeps.schema import SCHEMA, Row, schema, tables
from fltheory.sweeps.spec import Cell, Value

BUSY_SECONDS = 60
MAX_BYTES = 1 << 26
"""Longest row of the file, four times the longest result."""
SHOWN = 80
MOST_ATTEMPTS = 20
"""A cell whose workers died this many times has failed."""


class FullDisk(InvalidInput):
    """The disk is full."""


class Store:
    """The cells of one file. `owner` names this process, so that others can see whether it runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.owner = process_name()
        for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
            if file.is_symlink():  # it would be written to, wherever it is
                raise InvalidInput(f"store {file.name}", "be a file, not a link to one", "a link")
        with self._telling():
            self._db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            with self._telling():
                self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BYTES)
                self._db.execute("PRAGMA trusted_schema=OFF")
                # A file of another program stays as it is.
                if tables(self._db) not in ([], schema()):
                    raise sqlite3.DatabaseError("it has other tables")
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
                # Views and triggers of somebody else would run here.
                if tables(self._db) != schema():
                    raise sqlite3.DatabaseError("it has other tables")
                # A damaged index could return the same cell forever.
                ((found,),) = self._db.execute("PRAGMA integrity_check(1)").fetchall()
                if found != "ok":
                    raise sqlite3.DatabaseError(str(found)[:SHOWN])
        except InvalidInput:
            self._db.close()
            raise

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn errors of SQLite into InvalidInput."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError) as problem:
            if "full" in str(problem):
                self.raise_full()
            raise InvalidInput(
                f"store {self.path.name}",
                "be a writable SQLite file of a sweep",
                problem,
            ) from None

    def raise_full(self) -> None:
        """Raise the error for a full disk."""
        rule = "have room for results (nothing is lost: free some space and use --resume)"
        raise FullDisk(f"disk of {self.path}", rule, "a full disk") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._telling():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk has already ended it
                    self._db.execute("ROLLBACK")
                raise

    def _rows(self, query: str, *values: str) -> list[Row]:
        with self._telling():
            return self._db.execute(query, values).fetchall()

    def add(self, cells: Iterable[Cell]) -> None:
        """Add cells; cells that the store already has are unchanged."""
        rows = [(cell.key, cell.command, cell.stored) for cell in cells]
        with self._transaction() as db:
            db.executemany(
                "INSERT OR IGNORE INTO cells(key, command, options) VALUES (?, ?, ?)", rows
            )

    def want(self, keys: frozenset[str]) -> None:
        """Record which cells this driver runs.

        Its workers read them here, because a pipe to a worker that dies unread blocks forever.
        """
        with self._transaction() as db:
            drivers = [driver for (driver,) in db.execute("SELECT DISTINCT driver FROM wanted")]
            db.executemany(
                "DELETE FROM wanted WHERE driver = ?",
                [(d,) for d in drivers if d == self.owner or not lives(d)],
            )
            db.executemany("INSERT INTO wanted VALUES (?, ?)", [(self.owner, key) for key in keys])

    def wanted(self, driver: str) -> frozenset[str]:
        """The cells that a driver runs."""
        return frozenset(
            key for (key,) in self._rows("SELECT key FROM wanted WHERE driver = ?", driver)
        )

    def keys(self) -> list[str]:
        """All cells, in the order in which they were added."""
        return [str(key) for (key,) in self._rows("SELECT key FROM cells ORDER BY rowid")]

    def attempts(self) -> int:
        """Total number of times that cells have been taken."""
        ((total,),) = self._rows("SELECT coalesce(sum(attempts), 0) FROM cells")
        if not isinstance(total, int):
            raise InvalidInput(f"store {self.path.name}", "count attempts in whole numbers", total)
        return total

    def take(self, keys: frozenset[str] | None = None) -> Cell | None:
        """Take an open cell for this process; None if there is none."""
        query = "SELECT key, command, options FROM cells WHERE state = 'open' ORDER BY rowid"
        # A cursor left open would keep its lock.
        with self._transaction() as db, closing(db.execute(query)) as rows:
            for key, command, options in rows:
                if keys is None or key in keys:
                    db.execute(
                        "UPDATE cells SET state = 'taken', owner = ?, attempts = attempts + 1 WHERE"
                        " key = ?",
                        (self.owner, key),
                    )
                    return self._cell(key, command, options)
        return None

    def finish(self, cell: Cell, result: JsonValue, seconds: float) -> None:
        """Store a result in one transaction; refuse a second, different result of the same cell."""
        text = check_result(cell, result)
        checksum = checksum_of(cell.key, text)
        with self._transaction() as db:
            state, known = db.execute(
                "SELECT state, result FROM cells WHERE key = ?", (cell.key,)
            ).fetchone()
            if state == "done":
                if steady(self._result(cell.key, known, checksum_of(cell.key, known))) != steady(
                    result
                ):
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
        """Store the error of a cell; an existing result is kept."""
        with self._transaction() as db:
            db.execute(
                "UPDATE cells SET state = 'failed', owner = NULL, error = ?, seconds = ? WHERE key"
                " = ? AND state != 'done'",
                (error, seconds, cell.key),
            )

    def release(self, *, everything: bool = False) -> int:
        """Reopen cells taken by dead processes; with `everything`, also those of this process."""
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
        """Reopen cells whose result does not match its checksum."""
        with self._transaction() as db:
            rows = db.execute(
                "SELECT key, result, checksum FROM cells WHERE state = 'done'"
            ).fetchall()
            damaged = [
                key for key, result, checksum in rows if checksum_of(key, result) != checksum
            ]
            db.executemany(
                "UPDATE cells SET state = 'open', result = NULL, checksum = NULL WHERE key = ?",
                [(key,) for key in damaged],
            )
        return len(damaged)

    def retry(self) -> int:
        """Reopen cells that failed."""
        with self._transaction() as db:
            return db.execute(
                "UPDATE cells SET state = 'open', error = NULL, attempts = 0 WHERE state = 'failed'"
            ).rowcount

    def counts(self, keys: frozenset[str]) -> dict[str, int]:
        """The number of these cells in each state."""
        found = {"open": 0, "taken": 0, "done": 0, "failed": 0}
        for key, state in self._rows("SELECT key, state FROM cells"):
            found[state] += key in keys
        return found

    def ended(self, keys: frozenset[str]) -> Iterator[Stored]:
        """Cells that are done or failed, in the order in which they were added."""
        rows = self._rows(
            "SELECT key, command, options, state, result, checksum, CAST(error AS TEXT),"
            " CAST(seconds AS REAL) FROM cells WHERE state IN ('done', 'failed') ORDER BY rowid"
        )
        for key, command, options, state, result, checksum, error, seconds in rows:
            if key not in keys:
                continue
            cell, spent = self._cell(key, command, options), seconds or 0.0
            if not 0 <= spent < float("inf"):
                owner = f"seconds of cell {key[:12]} of {self.path.name}"
                raise InvalidInput(owner, "be finite and at least 0", spent)
            if state == "done":
                yield Stored(cell, self._result(key, result, checksum), None, spent)
            else:
                yield Stored(cell, None, error or "no error is stored", spent)

    def _result(self, key: str, text: object, checksum: object) -> JsonValue:
        if text is None or checksum_of(key, text) != checksum:
            raise InvalidInput(
                f"cell {str(key)[:12]} of {self.path.name}",
                "match its checksum (sweep --resume computes it again)",
                "another result",
            )
        owner = f"result of cell {str(key)[:12]} of {self.path.name}"
        return parse_json(str(text), owner)

    def _cell(self, key: str, command: object, options: object) -> Cell:
        """The cell of a key; its content must match the key."""
        owner = f"cell {str(key)[:12]} of {self.path.name}"
        listed = parse_json(str(options), owner)
        if isinstance(listed, list) and all(
            isinstance(pair, list)
            and len(pair) == 2
            and isinstance(pair[0], str)
            and isinstance(pair[1], str | int | float)
            for pair in listed
        ):
            cell = Cell.of(str(command), cast(list[tuple[str, Value]], listed))
            if cell.key == key:
                return cell
        raise InvalidInput(
            owner, "have the content that its key says", f"{command!r} {options!r}"[:80]
        )
