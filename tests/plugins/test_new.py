"""Skeletons that work at once: their tests pass, and every command accepts them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(make_app(), list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def apart(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A process of its own in that folder."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


@pytest.mark.slow
def test_a_new_paper_passes_its_tests_and_every_command(tmp_path: Path) -> None:
    code, text = run("new", "paper", "mine", "--into", str(tmp_path))
    assert code == 0
    assert f"wrote {tmp_path}/mine/paper.py" in text
    tests = apart(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "mine")
    assert tests.returncode == 0, tests.stdout
    option = ("--papers", str(tmp_path))
    for words in (
        ("verify", "mine", "--full", "--jobs", "1"),
        ("attack", "mine", "--attempts", "20", "--jobs", "1"),
        ("explain", "mine.two-steps"),
        ("cite", "mine.descent"),
        ("report", "-o", str(tmp_path / "page.html")),
        ("list", "papers"),
    ):
        assert run(*words, *option)[0] == 0, words


@pytest.mark.slow
def test_a_wrong_formula_in_the_new_paper_is_noticed(tmp_path: Path) -> None:
    assert run("new", "paper", "mine", "--into", str(tmp_path))[0] == 0
    file = tmp_path / "mine" / "statements.py"
    file.write_text(file.read_text().replace("(1 - STEP * CURVATURE) ** 2", "(1 - STEP) ** 2"))
    tests = apart(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", "mine")
    assert tests.returncode == 1
    verify = apart(tmp_path, "fltheory", "verify", "mine", "--papers", "mine", "--jobs", "1")
    assert verify.returncode == 1
    assert "mine.two-steps" in verify.stderr


@pytest.mark.slow
def test_a_new_algorithm_passes_its_tests_and_is_found(tmp_path: Path) -> None:
    assert run("new", "algorithm", "fedavg-m", "--into", str(tmp_path))[0] == 0
    assert {file.name for file in tmp_path.iterdir()} == {"fedavg_m.py", "test_fedavg_m.py"}
    tests = apart(tmp_path, "pytest", "-q", "-p", "no:cacheprovider")
    assert tests.returncode == 0, tests.stdout
    words = ("limit", "--availability", "alternating:1,3", "--optima", "0,1", "--step-size", "1/8")
    by_file = apart(
        tmp_path, "fltheory", "--plugins", "fedavg_m.py", *words, "--algorithm", "fedavg-m"
    )
    by_name = apart(tmp_path, "fltheory", *words, "--algorithm", "fedavg_m:FedavgM")
    assert by_file.returncode == by_name.returncode == 0
    assert by_file.stdout == by_name.stdout


@pytest.mark.slow
def test_a_wrong_step_in_the_new_algorithm_is_noticed(tmp_path: Path) -> None:
    assert run("new", "algorithm", "slow", "--into", str(tmp_path))[0] == 0
    file = tmp_path / "slow.py"
    file.write_text(
        file.read_text().replace("* state.velocity + moved", "* state.velocity - moved")
    )
    assert apart(tmp_path, "pytest", "-q", "-p", "no:cacheprovider").returncode == 1


@pytest.mark.parametrize("what", ["paper", "algorithm"])
def test_existing_files_are_never_overwritten(what: str, tmp_path: Path) -> None:
    place = tmp_path / ("mine/README.md" if what == "paper" else "test_mine.py")
    place.parent.mkdir(exist_ok=True)
    place.write_text("kept")
    code, text = run("new", what, "mine", "--into", str(tmp_path))
    assert code == 2
    assert "must not exist yet, got a file" in text
    assert place.read_text() == "kept"
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [place]


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("paper", "mifa"),
        ("paper", "json"),
        ("paper", "numpy"),
        ("paper", "class"),
        ("paper", "My"),
        ("paper", "a-b"),
        ("paper", "../up"),
        ("paper", "1st"),
        ("paper", ""),
        ("algorithm", "mifa"),
        ("algorithm", "fedavg"),
        ("algorithm", "json"),
        ("algorithm", "../up"),
        ("algorithm", "Up"),
        ("algorithm", "lambda"),
    ],
)
def test_bad_names_are_refused_by_rule(what: str, name: str, tmp_path: Path) -> None:
    code, text = run("new", what, name, "--into", str(tmp_path))
    assert code == 2
    assert "must" in text
    assert list(tmp_path.iterdir()) == []
