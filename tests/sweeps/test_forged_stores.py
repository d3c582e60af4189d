"""Stores that somebody has forged are refused by name, or computed again; files of other programs
stay as they are."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fltheory.cli.sweep import check_cells, compute_cell
from fltheory.core.errors import InvalidInput
from fltheory.sweeps.results import checksum_of
from fltheory.sweeps.run import results
from fltheory.sweeps.spec import parse_spec
from fltheory.sweeps.store import Store
from tests.sweeps.grids import SPEC, expected, fltheory

SMALL = SPEC.format('"alternating:1,1", "alternating:1,2"')
FALSE = json.dumps({"distance": 0.0})


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, Path, list[str]]:
    """A grid of two cells, its store, and the keys of the cells."""
    spec, path = tmp_path / "grid.toml", tmp_path / "grid.toml.sqlite"
    spec.write_text(SMALL)
    cells, store = check_cells(parse_spec(SMALL)), Store(path)
    store.add(cells)
    for cell in cells:
        store.finish(cell, compute_cell(cell), 0.1)
    store.close()
    return spec, path, [cell.key for cell in cells]


def forge(path: Path, *statements: tuple[str, tuple[Any, ...]]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement, values in statements:
            db.execute(statement, values)


def shown(spec: Path) -> list[Any]:
    return [row["distance"] for row in results(spec, check=check_cells).rows]


def test_the_result_of_one_cell_is_not_taken_for_that_of_another(
    kept: tuple[Path, Path, list[str]],
) -> None:
    spec, path, (one, other) = kept
    assert len(set(map(str, results(spec, check=check_cells).rows))) == 2
    row = "(SELECT result, checksum FROM cells WHERE key = ?)"
    forge(path, (f"UPDATE cells SET (result, checksum) = {row} WHERE key = ?", (one, other)))
    with pytest.raises(InvalidInput, match=r"match its checksum .*, got another result"):
        results(spec, check=check_cells)
    assert fltheory("sweep", str(spec), "--resume", "--jobs", "1")[0] == 0
    assert {r.cell.key: r.result for r in Store(path).ended(frozenset((one, other)))} == expected(
        spec
    )


@pytest.mark.parametrize("false", [FALSE, "[1]", "null", json.dumps({"rounds": 99})])
def test_a_false_answer_with_a_right_checksum_is_found_by_computing_it_again(
    kept: tuple[Path, Path, list[str]], false: str
) -> None:
    spec, path, (one, _) = kept
    assert results(spec, check=check_cells, recheck=compute_cell).missing == 0
    code, _ = fltheory("results", str(spec), "--recheck")
    assert code == 0
    update = "UPDATE cells SET result = ?, checksum = ? WHERE key = ?"
    forge(path, (update, (false, checksum_of(one, false), one)))
    code, told = fltheory("results", str(spec), "--recheck")
    assert code == 2
    assert "must have the answer that its command gives, got another answer" in " ".join(
        told.split()
    )


def test_a_false_failure_is_found_too(kept: tuple[Path, Path, list[str]]) -> None:
    spec, path, (one, _) = kept
    forge(path, ("UPDATE cells SET state = 'failed', error = 'no' WHERE key = ?", (one,)))
    with pytest.raises(InvalidInput, match="have the answer that its command gives"):
        results(spec, check=check_cells, recheck=compute_cell)


ANSWERED = "UPDATE cells SET result = ?, checksum = ? WHERE key = ?"


def with_text(text: str) -> Callable[[str], tuple[str, tuple[Any, ...]]]:
    return lambda key: (ANSWERED, (text, checksum_of(key, text), key))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (with_text('{"a": 1, "a": 2}'), "have each key of an object once"),
        (with_text("{"), "result of cell"),
        (with_text("NaN"), "result of cell"),
        (with_text("[" * 100_000), "result of cell"),
        (lambda key: ("UPDATE cells SET result = x'00ff' WHERE key = ?", (key,)), "checksum"),
        (lambda key: ("UPDATE cells SET result = NULL WHERE key = ?", (key,)), "checksum"),
        (lambda key: ("UPDATE cells SET checksum = NULL WHERE key = ?", (key,)), "checksum"),
        (lambda key: ("UPDATE cells SET seconds = -1 WHERE key = ?", (key,)), "be finite"),
        (lambda key: ("UPDATE cells SET seconds = 9e999 WHERE key = ?", (key,)), "be finite"),
        (lambda key: ("UPDATE cells SET options = '[]' WHERE key = ?", (key,)), "its key says"),
        (lambda key: ("UPDATE cells SET options = '{}' WHERE key = ?", (key,)), "its key says"),
        (lambda key: ("UPDATE cells SET options = '[[1, 2]]' WHERE key = ?", (key,)), "key says"),
        (lambda key: ("UPDATE cells SET command = 'gap' WHERE key = ?", (key,)), "its key says"),
        (
            lambda key: (
                "UPDATE cells SET result = hex(zeroblob(33554433)) WHERE key = ?",
                (key,),
            ),
            "be a writable SQLite file",
        ),
        (lambda _: ("CREATE VIEW v AS SELECT * FROM cells", ()), "it has other tables"),
        (lambda _: ("CREATE TABLE more(a)", ()), "it has other tables"),
        (lambda _: ("ALTER TABLE cells ADD COLUMN more", ()), "it has other tables"),
        (lambda _: ("DROP INDEX by_state", ()), "it has other tables"),
        (
            lambda _: ("CREATE TRIGGER t AFTER UPDATE ON cells BEGIN DELETE FROM cells; END", ()),
            "it has other tables",
        ),
    ],
)
def test_a_forged_store_is_refused_by_name(
    kept: tuple[Path, Path, list[str]],
    change: Callable[[str], tuple[str, tuple[Any, ...]]],
    reason: str,
) -> None:
    spec, path, (one, _) = kept
    forge(path, change(one))
    with pytest.raises(InvalidInput, match=reason):
        results(spec, check=check_cells)


def test_answers_for_another_version_or_other_cells_are_not_shown(
    kept: tuple[Path, Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, path, (one, _) = kept
    forge(path, ("UPDATE cells SET key = 'x' || key WHERE key = ?", (one,)))
    found = results(spec, check=check_cells)
    assert (len(found.rows), found.missing) == (1, 1)
    monkeypatch.setattr("fltheory.sweeps.spec.versions", lambda: "fltheory of tomorrow")
    found = results(spec, check=check_cells)
    assert (len(found.rows), found.missing) == (0, 2)


@pytest.mark.parametrize("schema", ["CREATE TABLE mine(a)", "CREATE TABLE cells(key)"])
def test_a_file_of_another_program_stays_as_it_is(tmp_path: Path, schema: str) -> None:
    path = tmp_path / "mine.sqlite"
    forge(path, (schema, ()))
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="it has other tables"):
        Store(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["mine.sqlite"]


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_store_that_is_a_link_is_not_followed(tmp_path: Path, end: str) -> None:
    folder, precious = tmp_path / "asked", tmp_path / "precious"
    folder.mkdir()
    link = folder / f"s.sqlite{end}"
    for there in (False, True):
        if there:
            precious.write_text("precious")
        link.unlink(missing_ok=True)
        link.symlink_to(precious)
        with pytest.raises(InvalidInput, match="be a file, not a link to one"):
            Store(folder / "s.sqlite")
        assert precious.exists() == there
    assert precious.read_text() == "precious"
