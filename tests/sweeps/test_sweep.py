"""Sweeps: each cell once, nothing lost, nothing half written, whatever dies."""

import json
from pathlib import Path

import pytest

from fltheory.cli.sweep import compute_cell
from fltheory.sweeps.spec import Cell, parse_spec
from fltheory.sweeps.store import Store
from tests.sweeps.grids import SPEC, expected, fltheory, stored


@pytest.mark.slow
def test_every_cell_is_run_once_and_holds_what_the_command_answers(spec: Path) -> None:
    code, output = fltheory("sweep", str(spec), "--jobs", "2", "--json")
    assert code == 0, output
    path, results = Path(f"{spec}.sqlite"), expected(spec)
    assert stored(path, frozenset(results)) == results
    kept = Store(path)
    assert [row[0] for row in kept._db.execute("SELECT attempts FROM cells")] == [1] * 6
    kept.close()
    code, output = fltheory("sweep", str(spec))
    assert code == 2
    assert "--resume" in output
    assert fltheory("sweep", str(spec), "--resume")[0] == 0


@pytest.mark.slow
def test_results_as_table_and_files(spec: Path, tmp_path: Path) -> None:
    assert fltheory("results", str(spec))[0] == 2
    fltheory("sweep", str(spec), "--json")
    code, output = fltheory("results", str(spec), "--json")
    assert code == 0
    rows = json.loads(output)["cells"]
    assert [row["availability"] for row in rows] == [
        f"alternating:{a},{b}" for a in (1, 2, 3) for b in (1, 2)
    ]
    options = {
        "algorithm": "fedavg",
        "availability": "alternating:1,1",
        "optima": "0,1",
        "step-size": "1/4",
    }
    told = compute_cell(Cell("limit", tuple(options.items())))
    assert isinstance(told, dict)
    assert rows[0]["at_period_end"] == told["at_period_end"]
    assert fltheory("results", str(spec), "-o", str(tmp_path / "t.csv"))[0] == 0
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 7
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    assert fltheory("results", str(spec), "-o", str(tmp_path / "t.parquet"))[0] == 0
    assert parquet.read_table(tmp_path / "t.parquet").num_rows == 6
    assert fltheory("results", str(spec), "-o", str(tmp_path / "t.txt"))[0] == 2


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("command = 3", "command of"),
        ("x = [", "be TOML"),
        ('command = "gap"\nother = 1', "have only"),
        ('command = "gap"\n[grid]\nrounds = 3', "be a list"),
        ('command = "gap"\n[grid]\nrounds = []', "at least one"),
        ('command = "gap"\n[grid]\nrounds = [[1]]', "be text"),
        ('command = "gap"\n[grid]\nrounds = [nan]', "finite"),
        ('command = "gap"\n[fixed]\nrounds = 1\n[grid]\nrounds = [1]', "both"),
        ('command = "gap"\n[fixed]\n"a b" = 1', "letters"),
        (
            'command = "gap"\n[grid]\n'
            + "\n".join(f"o{i} = [{', '.join(map(str, range(100)))}]" for i in range(4)),
            "cells",
        ),
        ('command = "sweep"', "be one of"),
        ('command = "gap"\n[fixed]\nhelp = true', "leaves the answer"),
        ('command = "gap"\n[grid]\njson = [true]', "leaves the answer"),
        ('command = "simulate"\n[fixed]\noutput = "x.csv"', "writes no file"),
        ('command = "advise"\n[fixed]\nweights = "x"', "writes no file"),
        ('command = "verify"\n[fixed]\nrecord = true', "writes no file"),
        ('command = "explain"\n[grid]\nargument = ["--help"]', "a dash"),
        ('command = "gap"\n[grid]\nroundz = [1]', "roundz"),
        ('command = "gap"\n[grid]\nrounds = ["x"]', "rounds"),
    ],
)
def test_a_spec_that_is_wrong_is_refused_before_anything_runs(
    text: str, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    code, output = fltheory("sweep", str(path))
    assert code == 2, output
    assert says in output
    assert not path.with_name("wrong.toml.sqlite").exists()


def test_values_that_python_takes_for_equal_are_different_cells() -> None:
    cells = list(parse_spec('command = "gap"\n[grid]\nx = [1, 1.0, true, 1]').cells())
    assert [cell.arguments[1] for cell in cells] == ["--x=1", "--x=1.0", "--x"]


@pytest.mark.slow
def test_a_cell_that_its_command_refuses_is_failed_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "half.toml"
    path.write_text(SPEC.format('"alternating:1,3", "alternating:0,3"'))
    code, output = fltheory("sweep", str(path), "--json")
    assert code == 1
    assert (json.loads(output)["done"], json.loads(output)["failed"]) == (1, 1)
    error = json.loads(fltheory("results", str(path), "--json")[1])["cells"][1]["error"]
    assert error == json.loads(output)["first_failure"]
    assert "alternating" in error


@pytest.mark.slow
def test_a_table_with_many_columns_shows_some_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "wide.toml"
    path.write_text('command = "explain"\n[grid]\nargument = ["fraboni.ex2"]\n')
    assert fltheory("sweep", str(path))[0] == 0
    code, output = fltheory("results", str(path))
    assert code == 0
    assert "8 of " in output
    assert len(json.loads(fltheory("results", str(path), "--json")[1])["cells"][0]) > 8


def test_help_names_the_tables_of_a_spec() -> None:
    for command in ("sweep", "results"):
        output = fltheory(command, "--help")[1]
        assert "[fixed]" in output
        assert "[grid]" in output
