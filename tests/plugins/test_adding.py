"""The commands of docs/adding.md, run in their order in an empty folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "adding.md").read_text(encoding="utf-8")


def commands(page: str) -> list[str]:
    """Every line of a console block that begins with a prompt."""
    blocks = re.findall(r"^```console\n(.*?)^```", page, re.M | re.S)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def run(line: str, folder: Path) -> int:
    program, *words = line.split()
    assert program in ("fltheory", "pytest")
    more = ["-p", "no:cacheprovider"] if program == "pytest" else []
    return subprocess.run(
        [sys.executable, "-m", program, *words, *more],
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        check=False,
        timeout=200,
    ).returncode


def test_every_command_of_the_page_works(tmp_path: Path) -> None:
    found = commands(PAGE)
    assert len(found) >= 12
    assert [line for line in found if run(line, tmp_path) != 0] == []


@pytest.mark.parametrize("planted", ["fltheory verify mine --papers mine", "fltheory no-such"])
def test_a_command_that_does_not_work_is_noticed(planted: str, tmp_path: Path) -> None:
    (line,) = commands(f"```console\n$ {planted}\n```\n")
    assert run(line, tmp_path) != 0
