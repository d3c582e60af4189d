"""The ten-minute path: every file and every command of the page, run in a fresh folder."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from fltheory.cli import make_app

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/attack-your-claim.md").read_text(encoding="utf-8")
FILES = re.findall(r"```toml title=\"([\w.]+)\"\n(.*?)```", PAGE, re.S)
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()
]


def run(command: str) -> Result | subprocess.CompletedProcess[str]:
    words = shlex.split(command)
    if words[0] == "fltheory":
        return CliRunner().invoke(make_app(), words[1:])
    return subprocess.run(
        [sys.executable, str(ROOT / words[1]), *words[2:]],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    folder = tmp_path_factory.mktemp("mine")
    for name, text in FILES:
        (folder / name).write_text(text, encoding="utf-8")
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for command in COMMANDS:
            done = run(command)
            code = done.exit_code if isinstance(done, Result) else done.returncode
            found[command] = (code, done.stdout + ("" if isinstance(done, Result) else done.stderr))
    return found


@pytest.mark.slow
def test_every_command_succeeds(outputs: dict[str, tuple[int, str]]) -> None:
    assert len(outputs) == len(COMMANDS) == 8
    assert {command: text for command, (code, text) in outputs.items() if code != 0} == {}


@pytest.mark.slow
def test_they_find_what_the_page_says(outputs: dict[str, tuple[int, str]]) -> None:
    listed, first, own, replayed, second, third, read, loose = (
        text for _, text in outputs.values()
    )
    assert "availability_window" in listed
    assert "mine.descent: REFUTED" in first
    assert "left/right = 2 in this instance" in " ".join(first.split())
    assert "restrict it to availability window = 1" in first
    assert "confirmed: the claim is contradicted" in own
    assert "contradicts left <= right" in replayed
    assert "mine.descent.everyone: SUPPORTED" in second
    assert "best ratio 1" in second
    rows = " ".join(third.split())
    assert re.search(r"mine\.groups REFUTED 12/11", rows)
    assert re.search(r"mine\.rate REFUTED oo", rows)
    assert re.search(r"mine\.empty VACUOUS", rows)
    assert "mine.descent" in read
    assert "mine.descent.everyone" in loose


@pytest.mark.slow
def test_the_program_at_the_end_of_the_report_runs(
    outputs: dict[str, tuple[int, str]], tmp_path: Path
) -> None:
    program = outputs["fltheory attack mine.toml -o found"][1].split("In Python\n")[1]
    assert len(program.strip().splitlines()) <= 10
    (tmp_path / "mine.toml").write_text(dict(FILES)["mine.toml"], encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "left = 1, right = 1/2; the claim says left <= right\n"
