"""Commands that reproduce: what they tell while they run, how long they took, and which runs they
found done."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from fltheory.core.durable import replace_text
from fltheory.core.errors import InvalidInput
from paper_reproductions import experiment, pages, reproducing
from paper_reproductions.cells import Cell
from paper_reproductions.command import _lines, make_app
from paper_reproductions.runner import processes, run_and_store

ROOT = Path(__file__).parents[2]
RECORDED = sorted((ROOT / "paper_reproductions" / "results").glob("*-small/result.json"))
TEXT = (experiment.FOLDER / "fraboni-tuning.toml").read_text()


def run_line(folder: Path, *more: str) -> tuple[str, dict[str, object]]:
    answer = CliRunner().invoke(
        make_app(), ["run", "fraboni-tuning", "--smoke", "--jobs", "1", "-o", str(folder), *more]
    )
    assert answer.exit_code == 0, answer.stderr
    return answer.stderr, json.loads((folder / reproducing.RUN).read_text())


@pytest.mark.slow
def test_the_time_by_the_clock_is_kept_and_old_runs_are_told(tmp_path: Path) -> None:
    stderr, first = run_line(tmp_path)
    many = len({cell.key for cell in experiment.find("fraboni-tuning").cells("smoke")})
    assert (first["runs"], first["kept"]) == (many, 0)
    assert 0 < float(str(first["cpu_seconds"])) <= 1.2 * float(str(first["seconds"])), (
        "one process cannot use more than the clock"
    )
    assert "none of them kept from before" in (tmp_path / "README.md").read_text()
    assert f"fraboni-tuning --smoke: {many} of {many} runs" in stderr
    _, again = run_line(tmp_path)
    assert (again["runs"], again["kept"], again["cpu_seconds"]) == (many, many, 0)
    assert (
        f"{many} of them kept from before and not in these times"
        in (tmp_path / "README.md").read_text()
    )


def test_a_command_that_dies_leaves_no_time_of_another(tmp_path: Path) -> None:
    replace_text(tmp_path / reproducing.RUN, "{}")

    def watch(title: str) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproducing.reproduce_all(
            [experiment.find("fraboni-tuning")], "smoke", tmp_path, watch=watch
        )
    assert not (tmp_path / reproducing.RUN).exists()


@pytest.mark.slow
def test_a_process_that_dies_is_told_in_one_line() -> None:
    def die() -> None:
        with processes(2) as pool:
            assert pool is not None
            pool.submit(os._exit, 1).result()

    with pytest.raises(
        InvalidInput,
        match="processes of --jobs must have the memory that they need, got one that died",
    ):
        die()


@pytest.mark.slow
def test_processes_end_with_a_command_that_is_killed() -> None:
    script = (
        "import os, time; from paper_reproductions.runner import processes\nwith processes(2) as"
        " pool: print(pool.submit(os.getpid).result(), flush=True); time.sleep(600)"
    )
    command = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert command.stdout is not None
    with command.stdout:
        child = int(command.stdout.readline())
    assert alive(child)
    command.kill()
    command.wait()
    for _ in range(600):
        if not alive(child):
            return
        time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the process went on without the command")


def alive(process: int) -> bool:
    """Whether it runs; one that ended and has not been collected does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_json_has_the_run(tmp_path: Path) -> None:
    answer = CliRunner().invoke(
        make_app(),
        ["run", "fraboni-tuning", "--smoke", "--jobs", "1", "-o", str(tmp_path), "--json"],
    )
    assert json.loads(answer.stdout)[-1]["run"] == json.loads(
        (tmp_path / reproducing.RUN).read_text()
    )


def test_without_a_terminal_each_tenth_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell, tell_download = _lines("x --small")
    for done in range(101):
        tell(done, 100, "")
    for done in (0, 5, 10):
        tell_download("a.gz", done, 10)
    tell_download("b.gz", 7, 0)
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(" of 100")[0] for line in lines[:11]] == [
        f"x --small: {n}" for n in range(0, 101, 10)
    ]
    assert [re.sub(r", \d+\.\d minutes", "", line) for line in lines[11:]] == [
        "downloading a.gz: 0 of 10 bytes",
        "downloading a.gz: 5 of 10 bytes",
        "downloading a.gz: 10 of 10 bytes",
        "downloading b.gz: 7 of ? bytes",
    ]


@pytest.mark.slow
def test_sizes_may_have_seeds_that_nobody_has_seen(tmp_path: Path) -> None:
    one = experiment.parse(TEXT.replace("seeds = 1\n", "seeds = 3\nfirst_seed = 40\n"), "x")
    assert sorted({cell.seed for cell in one.cells("smoke")}) == [40, 41, 42]
    cells = [
        run_and_store(
            Cell(cell.panel, cell.series, cell.seed, cell.settings), tmp_path, None, "cpu"
        )
        for cell in one.cells("smoke")
    ]
    record = reproducing.collect(one, "smoke", cells)
    assert "3 seeds (40 to 42)" in pages.blocks(record, None)[1][1]
    others = experiment.parse(TEXT.replace("seeds = 1\n", "seeds = 3\n"), "x")
    assert {cell.key for cell in one.cells("smoke")}.isdisjoint(
        cell.key for cell in others.cells("smoke")
    )


@pytest.mark.parametrize("wrong", ["-1", "1.5", "true", '"7"', "2147483648"])
def test_a_first_seed_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput, match="first_seed of x --smoke must be a whole number"):
        experiment.parse(TEXT.replace("seeds = 1\n", f"seeds = 1\nfirst_seed = {wrong}\n"), "x")


def of_the_file(record: dict[str, Any]) -> bool:
    """Whether a record has the seeds and the settings that the experiment's file has now."""
    one = experiment.find(record["experiment"])
    size = one.size(record["size"])
    wanted = {
        (
            cell.panel,
            cell.series.partition(" @ ")[0],
            json.dumps(asdict(cell.settings), sort_keys=True),
        )
        for cell in one.cells(record["size"])
    }
    found = {
        (panel["name"], series["name"], json.dumps(series["settings"], sort_keys=True))
        for panel in record["panels"]
        for series in panel["series"]
    }
    pairs = {(panel.name, series.name) for panel, series in one.pairs(record["size"])}
    return (
        (record["seeds"], record["first_seed"]) == (size.seeds, size.first_seed)
        and found <= wanted
        and pairs == {(panel, series) for panel, series, _ in found}
    )


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.parent.name)
def test_recorded_results_are_those_of_the_files(file: Path) -> None:
    record = json.loads(file.read_text())
    assert of_the_file(record)
    assert not of_the_file(record | {"first_seed": record["first_seed"] + 1}), (
        "planted: other seeds"
    )
    record["panels"][0]["series"][0]["settings"]["batch_size"] += 1
    assert not of_the_file(record), "planted: other settings"


def test_every_experiment_whose_data_are_at_hand_is_recorded() -> None:
    lacking = {
        name
        for name in experiment.names()
        if any(
            cell.settings.data == "sentiment140" for cell in experiment.find(name).cells("small")
        )
    }
    assert {file.parent.name for file in RECORDED} == {
        f"{name}-small" for name in set(experiment.names()) - lacking
    }
    run = json.loads((RECORDED[0].parent.parent / reproducing.RUN).read_text())
    assert set(run["experiments"]) == set(experiment.names()) - lacking
    assert (run["kept"], run["jobs"]) == (0, 2)
    assert run["seconds"] < 3600
