"""The commands of docs/adding.md, run in their order in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app

PAGE = (Path(__file__).parents[2] / "docs" / "adding.md").read_text(encoding="utf-8")


def commands(page: str) -> list[str]:
    """Every line of a console block that begins with a prompt."""
    blocks = re.findall(r"^```console\n(.*?)^```", page, re.M | re.S)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def run(line: str) -> int:
    """The exit code of a command in the current folder; `pytest` is a process of its own."""
    program, *words = line.split()
    if program == "fltheory":
        return CliRunner().invoke(make_app(), words).exit_code
    assert program == "pytest"
    return subprocess.run(
        [sys.executable, "-m", program, *words, "-p", "no:cacheprovider"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
        timeout=200,
    ).returncode


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("here")
def test_every_command_of_the_page_works() -> None:
    found = commands(PAGE)
    assert len(found) >= 12
    assert [line for line in found if run(line) != 0] == []


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("planted", ["fltheory verify mine --papers mine", "fltheory no-such"])
def test_a_command_that_does_not_work_is_noticed(planted: str) -> None:
    (line,) = commands(f"```console\n$ {planted}\n```\n")
    assert run(line) != 0
