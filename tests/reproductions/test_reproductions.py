"""Reproductions: every experiment runs at smoke size, goes on after a kill, and gives the same
numbers with any number of processes."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from paper_reproductions import experiment, formats, pages, reproducing
from paper_reproductions.cells import Cell, evaluation_rounds, run_cell
from paper_reproductions.command import make_app
from paper_reproductions.deliveries import plan, wait_then_everyone
from paper_reproductions.runner import run, stored
from paper_reproductions.settings import Settings

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "paper_reproductions" / "results"
RECORDED = sorted(RESULTS.glob("*-small/result.json"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reproductions")


@pytest.mark.slow
@pytest.mark.parametrize("name", experiment.names())
def test_smoke(name: str, folder: Path) -> None:
    one = experiment.find(name)
    told: list[tuple[int, int, str]] = []
    record = reproducing.reproduce(one, "smoke", folder, tell=lambda *state: told.append(state))
    here = reproducing.folder_of(folder, name, "smoke")
    keys = {cell.key for cell in one.cells("smoke")}
    assert told[-1][:2] == (len(keys), len(keys))
    assert keys <= {file.stem for file in (folder / "cells").iterdir()}
    assert (here / "figure.png").stat().st_size < 150_000
    assert json.loads((here / "result.json").read_text())["panels"] == record["panels"]
    page = (here / "README.md").read_text()
    assert "Smoke size" in page
    assert "![" in page
    for panel in record["panels"]:
        for series in panel["series"]:
            assert series["diverged"] == 0
            for curves in series["measures"].values():
                assert len(curves) == record["seeds"]
                assert all(len(curve) == len(series["x"]["rounds"]) for curve in curves)


def without_timing(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != "timing"}


@pytest.mark.slow
def test_a_killed_run_with_two_processes_goes_on_and_gives_the_same_numbers(tmp_path: Path) -> None:
    one = experiment.find("fraboni-tuning")
    arguments = ["run", one.id, "--smoke", "--jobs", "2", "-o", str(tmp_path)]
    command = [
        sys.executable,
        "-c",
        "from paper_reproductions.command import make_app; make_app()()",
        *arguments,
    ]
    cells = tmp_path / "cells"
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        start_new_session=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while process.poll() is None and len(list(cells.glob("*.json"))) < 3:
            time.sleep(0.01)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    kept = {file: file.stat().st_mtime_ns for file in cells.glob("*.json")}
    assert len(kept) >= 3
    resumed = reproducing.reproduce(one, "smoke", tmp_path)
    assert all(file.stat().st_mtime_ns == before for file, before in kept.items()), (
        "finished cells are not run again"
    )
    fresh = reproducing.reproduce(one, "smoke", tmp_path / "fresh")
    assert without_timing(resumed) == without_timing(fresh)


def test_a_damaged_cell_is_run_again(tmp_path: Path) -> None:
    cell = Cell(
        "p",
        "s",
        0,
        Settings(algorithm="fedavg", batch_size=50, local_steps=1, num_rounds=2, evaluations=1),
    )
    file = tmp_path / "cells" / f"{cell.key}.json"
    file.parent.mkdir()
    for damaged in (
        '{"key": "',
        json.dumps({"key": "another", "timing": {}}),
        json.dumps({"key": cell.key}),
    ):
        file.write_text(damaged)
        assert stored(tmp_path, cell) is None
    file.write_text(json.dumps({"key": cell.key, "timing": {}}))
    assert stored(tmp_path, cell) is not None


def test_the_same_cell_twice_gives_the_same_bits() -> None:
    cell = Cell(
        "p",
        "s",
        3,
        Settings(
            algorithm="mifa",
            batch_size=20,
            epochs=1,
            num_rounds=40,
            partition="classes",
            classes_per_client=2,
            availability="label-correlated",
            selection="wait-then-everyone",
            evaluations=4,
        ),
    )
    one, same = (without_timing(run_cell(cell)) for _ in range(2))
    assert one == same
    other = run_cell(Cell("p", "s", 4, cell.settings))
    assert other["measures"] != one["measures"]


def test_a_cell_does_not_depend_on_the_cells_before_it() -> None:
    settings = Settings(
        algorithm="fedavg",
        model="lenet5",
        image_size=16,
        train_samples=40,
        test_samples=20,
        num_clients=2,
        batch_size=10,
        local_steps=1,
        num_rounds=2,
        local_step_size="1",
        evaluations=2,
    )
    cells = [Cell("p", "s", 0, settings), Cell("p", "s", 0, replace(settings, algorithm="mifa"))]
    first = without_timing(run_cell(cells[0]))
    run_cell(cells[1])
    assert without_timing(run_cell(cells[0])) == first


def test_a_run_that_diverges_is_recorded_as_such(tmp_path: Path) -> None:
    settings = Settings(
        algorithm="fedavg",
        batch_size=20,
        local_steps=5,
        num_rounds=60,
        local_step_size="1e200",
        evaluations=4,
    )
    found = run_cell(Cell("p", "s", 0, settings))
    assert "diverged" in found["diverged"]
    assert len(found["rounds"]) == len(found["measures"]["train_loss"]) < 5


def test_mifa_waits_and_counts_the_waiting_rounds() -> None:
    assert wait_then_everyone([[1, 0], [1, 0]]).sum() == 0
    settings = Settings(
        algorithm="mifa",
        batch_size=10,
        epochs=2,
        num_rounds=40,
        availability="label-correlated",
        num_clients=3,
        selection="wait-then-everyone",
        step_schedule="inverse",
    )
    planned = plan(settings, ((0, 1), (4, 5), (8, 9)), (25, 10, 11), seed=2)
    first = int(planned.trace.delivers.any(axis=1).argmax())
    assert first > 0
    assert planned.trace.delivers[first].all()
    assert planned.trace.local_steps[first].tolist() == [6, 2, 4]
    assert [str(planned.local_step_size(first + k)) for k in range(3)] == ["1/10", "1/20", "1/30"]


def test_evaluations_include_both_ends() -> None:
    assert evaluation_rounds(3, 50) == [0, 1, 2, 3]
    assert evaluation_rounds(1000, 4) == [0, 250, 500, 750, 1000]


REFUSED = {
    "run": "size must be one of --smoke, --small, --paper, got nothing",
    "run --smoke": "experiments must be named, or be all",
    "run mifa-figure2-mnist --smoke --paper": (
        "size must be one of --smoke, --small, --paper, got --smoke, --paper"
    ),
    "run mifa-figur2-mnist --smoke": "(near: mifa-figure2-mnist",
    "run fraboni-tuning --smoke --jobs 0": "--jobs must lie in [1, 256], got 0",
    "run fraboni-tuning --smoke --device warp": (
        "--device must be one that torch has here, got 'warp'"
    ),
    "run fraboni-tuning --smoke --device meta": (
        "--device must be one that torch has here, got 'meta'"
    ),
    "run fraboni-tuning --smoke --data-dir nowhere": (
        "data folder must be a folder that exists, got 'nowhere'"
    ),
    "run fraboni-tuning --small --data-dir nowhere": (
        "data folder must be a folder that exists, got 'nowhere'"
    ),
}


@pytest.mark.parametrize("line", REFUSED)
def test_bad_input_ends_with_exit_code_2(line: str) -> None:
    answer = CliRunner().invoke(make_app(), line.split())
    assert answer.exit_code == 2
    assert REFUSED[line] in " ".join(answer.stderr.split())


def test_a_wrong_data_file_is_told_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "mnist").mkdir()
    (tmp_path / "mnist" / "train-images-idx3-ubyte.gz").write_bytes(b"\x1f\x8b nothing")
    answer = CliRunner().invoke(
        make_app(),
        ["run", "fraboni-tuning", "--small", "--data-dir", str(tmp_path), "-o", str(tmp_path)],
    )
    assert answer.exit_code == 2
    assert "train-images-idx3-ubyte.gz must be a whole gzip file" in answer.stderr.replace("\n", "")


def test_the_list_has_every_experiment() -> None:
    answer = CliRunner().invoke(make_app(), ["run", "--list", "--json"])
    assert [entry["name"] for entry in json.loads(answer.stdout)] == experiment.names()


TEXT = (experiment.FOLDER / "fraboni-tuning.toml").read_text()
BROKEN = {
    "title = ": ("titel = ", "experiment x must have no entries but title"),
    'x = "times"': ('x = "weeks"', "x of x must be rounds or times"),
    "batch_size = 64": (
        "batch_sise = 64",
        "setting must have a name that exists (near: batch_size",
    ),
    "local_steps = 1": ('local_steps = "1"', "setting local_steps must be written as int"),
    'policy = "async"': ('policy = "later"', "setting policy must be one of sync, async, window"),
    'duration = "2000"': ('duration = "2k"', "setting duration must be a number"),
    "[sizes.paper]": ("[sizes.huge]", "sizes of x must be smoke, small, paper"),
    "seeds = 5": ("seeds = 0", "seeds of x --paper must be a whole number"),
    'draw = ["train_loss"]': ('draw = ["luck"]', "draw of x must be among"),
    "[settings]": ("[settings", "experiment x must be TOML"),
    'measures = ["train_loss"]': ('measures = ["luck"]', "setting measures must be among"),
}


@pytest.mark.parametrize("place", BROKEN)
def test_a_broken_file_is_refused(place: str) -> None:
    text, told = BROKEN[place]
    with pytest.raises(ValueError, match="must") as refused:
        experiment.parse(TEXT.replace(place, text), "x")
    assert told in str(refused.value)


def test_cells_of_equal_settings_run_once(tmp_path: Path) -> None:
    text = TEXT.replace(
        'settings = { partition = "dirichlet", concentration = "1/10" }',
        'settings = { partition = "iid" }',
    )
    text = text.replace('tuned = ["1/10000", "1/1000", "1/100", "1/10", "1"]', 'tuned = ["1/10"]')
    one = experiment.parse(text, "x")
    cells = run(one, "smoke", tmp_path)
    assert len(cells) == 2
    assert len(list((tmp_path / "cells").iterdir())) == 1
    assert [cell["panel"] for cell in cells] == ["MNIST", "MNIST-shard"]


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.parent.name)
def test_recorded_pages_are_what_the_recorded_numbers_give(file: Path) -> None:
    record = json.loads(file.read_text())
    assert (file.parent / "README.md").read_text() == formats.as_markdown(
        pages.blocks(record, "figure.png")
    )
    assert (file.parent / "figure.png").stat().st_size < 150_000
    assert file.stat().st_size < 400_000
    assert not any("embedded" in name for name in record["data"])
