"""What becomes of single cells of a sweep: bugs of their commands, and their columns."""

import json
import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app
from fltheory.cli.sweep import NOT_SWEPT, _commands, check_cells
from fltheory.core.errors import InvalidInput
from fltheory.sweeps.results import Stored
from fltheory.sweeps.spec import Cell, parse_spec, read_spec
from fltheory.sweeps.store import Store
from fltheory.sweeps.table import flat_row
from fltheory.sweeps.workers import drive
from tests.campaigns.faults import quick_cells


def without_a_result(cell: Cell) -> Any:
    """What a command with a bug does: one cell raises, one answers with what is no JSON, one is
    right."""
    number = dict(cell.options)["n"]
    if number == 0:
        raise TypeError("a bug")
    return {0: None, 1: math.nan, 2: {"x": 1}}[int(number)]


def with_a_process(cell: Cell) -> Any:
    """What reproductions do."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(abs, -3).result()


def test_a_cell_may_start_processes_of_its_own(tmp_path: Path) -> None:
    cells = quick_cells(1)
    keys = frozenset(cell.key for cell in cells)
    store = Store(tmp_path / "s")
    store.add(cells)
    drive(tmp_path / "s", keys, with_a_process, jobs=1)
    assert [entry.result for entry in store.ended(keys)] == [3]
    store.close()


def test_a_bug_in_one_cell_is_told_and_stops_no_other(tmp_path: Path) -> None:
    cells = quick_cells(3)
    keys = frozenset(cell.key for cell in cells)
    store = Store(tmp_path / "s")
    store.add(cells)
    assert drive(tmp_path / "s", keys, without_a_result, jobs=1) == {
        "open": 0,
        "taken": 0,
        "done": 1,
        "failed": 2,
    }
    first, second, third = store.ended(keys)
    assert first.error == "TypeError: a bug"
    assert "be JSON with finite numbers" in (second.error or "")
    assert third.result == {"x": 1}
    assert store.attempts() == 3, "none is tried again and again"
    store.close()


def test_the_only_entry_of_a_list_gives_the_columns() -> None:
    row = flat_row(
        Stored(Cell("attack", (("argument", "x"),)), [{"id": "x", "verdict": "REFUTED"}], None, 0.0)
    )
    assert row == {"argument": "x", "id": "x", "verdict": "REFUTED"}
    assert flat_row(Stored(Cell("rates", ()), [{"a": 1}, {"a": 2}], None, 0.0)) == {
        "result": '[{"a": 1}, {"a": 2}]'
    }


@pytest.mark.slow
def test_a_sweep_over_rates_gives_a_row_for_each_algorithm(tmp_path: Path) -> None:
    spec, grid = tmp_path / "rates.toml", "250,500,1000,2000"
    spec.write_text(
        f'command = "rates"\n[fixed]\nversus = "T"\ngrid = "{grid}"\n[grid]\nalgorithm = ["mifa",'
        ' "fedavg"]\n'
    )
    swept = CliRunner().invoke(make_app(), ["sweep", str(spec), "--jobs=1", "--json"])
    assert swept.exit_code == 0, swept.output
    found = json.loads(CliRunner().invoke(make_app(), ["results", str(spec), "--json"]).output)
    assert found["missing"] == 0
    assert [row["algorithm"] for row in found["cells"]] == ["mifa", "fedavg"]
    for row in found["cells"]:
        words = [
            "rates",
            "--versus=T",
            f"--grid={grid}",
            f"--algorithm={row['algorithm']}",
            "--json",
        ]
        (alone,) = json.loads(CliRunner().invoke(make_app(), words).output)
        assert (row["claim"], row["claimed"], row["plain_fit"]) == (
            alone["claim"],
            alone["claimed"],
            alone["plain_fit"],
        )
    assert len({row["plain_fit"] for row in found["cells"]}) == 2


READ_BY_A_CELL = {
    ("rates", "data"),
    ("train", "data"),
    ("replay", "claims"),
    ("advise", "importance"),
    ("advise", "versus"),
}
"""Options that name a file or a folder which a command only reads."""


def files_of_commands() -> set[tuple[str, str]]:
    """Every option of every command that may be swept whose value is a path."""
    found = set()
    for command, entry in _commands().commands.items():
        for option in getattr(entry, "params", ()):
            if option.opts[0].startswith("-") and "Path" in str(option.type_descriptor.annotation):
                found |= {
                    (command, name.lstrip("-")) for name in option.opts if name.startswith("--")
                }
    return {(command, name) for command, name in found if command not in NOT_SWEPT}


def test_a_spec_may_set_no_option_that_writes_a_file(tmp_path: Path) -> None:
    known = files_of_commands()
    assert {
        ("attack", "summary"),
        ("simulate", "plot"),
        ("worst-case", "certificate"),
        ("advise", "weights"),
    } <= known
    assert known >= READ_BY_A_CELL
    for command, name in sorted(known - READ_BY_A_CELL):
        with pytest.raises(InvalidInput, match="writes no file"):
            check_cells(
                parse_spec(f'command = "{command}"\n[fixed]\n{name} = "{tmp_path / "x.md"}"\n')
            )


@pytest.mark.parametrize(("options", "told"), [(21, "got 2097152"), (400, r"more than 10\^18")])
def test_a_grid_of_any_size_beyond_the_limit_is_refused_by_name(
    options: int, told: str, tmp_path: Path
) -> None:
    file = tmp_path / "grid.toml"
    rows = [f"a{i} = [1, 2]" for i in range(options)]
    file.write_text("\n".join(['command = "limit"', "[grid]", *rows]))
    with pytest.raises(InvalidInput, match=f"grid must have at most 1000000 cells, .*{told}"):
        read_spec(file)
