"""The answers with and without numba: the same to eleven digits, since sums are taken in another
order."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app

BLOCKED = """
import json, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "numba":
            raise ModuleNotFoundError("No module named 'numba'", name="numba")
sys.meta_path.insert(0, Blocked())
from typer.testing import CliRunner
from fltheory.cli import make_app
for command in sys.argv[1:]:
    done = CliRunner().invoke(make_app(), command.split())
    print(json.dumps([done.exit_code, done.stdout, done.stderr]))
assert "numba" not in sys.modules
"""
TOLERANCE = 1e-9
"""Largest relative difference of any number, which is far above that of rounding."""

COMMANDS = (
    "gap --algorithm mifa --optima 0,1 --noise 1 --step-size 1/10 --rounds 60 --json",
    "rates --algorithm mifa --versus T --json",
)


ADVISE = "advise days.csv --json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log."""
    made = tmp_path_factory.mktemp("logs")
    rows = ("client_0,client_1,client_2", *("1,0,1" if t % 3 else "0,1,1" for t in range(30)))
    (made / "days.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def blocked(folder: Path) -> dict[str, list[float]]:
    """The numbers of all commands in one process that cannot import numba."""
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED, *COMMANDS, ADVISE],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [code for code, *_ in found] == [0, 0, 0], found
    answers = [numbers(json.loads(text)) for _, text, _ in found]
    return dict(zip((*COMMANDS, ADVISE), answers, strict=True))


def compiled(command: str) -> list[float]:
    done = CliRunner().invoke(make_app(), command.split())
    assert done.exit_code == 0, done.output
    assert "numba" in sys.modules
    return numbers(json.loads(done.stdout))


def numbers(value: object) -> list[float]:
    if isinstance(value, dict):
        return [x for key in sorted(value) for x in numbers(value[key])]
    if isinstance(value, list):
        return [x for entry in value for x in numbers(entry)]
    return [value] if isinstance(value, float) else []


@pytest.mark.slow
@pytest.mark.parametrize(("command", "least"), [*((one, 3) for one in COMMANDS), (ADVISE, 50)])
def test_answers_do_not_need_numba(
    command: str,
    least: int,
    folder: Path,
    blocked: dict[str, list[float]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(folder)
    ours, theirs = blocked[command], compiled(command)
    assert len(ours) == len(theirs) >= least
    assert all(math.isclose(a, b, rel_tol=TOLERANCE) for a, b in zip(ours, theirs, strict=True))
