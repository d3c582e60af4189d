"""The page on conformance: its file and its commands, run in a fresh folder."""

import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app

PAGE = (Path(__file__).parents[2] / "docs/conformance.md").read_text(encoding="utf-8")
(NAME, SOURCE), *_ = re.findall(r"```python title=\"([\w.]+)\"\n(.*?)```", PAGE, re.S)
(COMMANDS,) = re.findall(r"```sh\n(.*?)```", PAGE, re.S)


def test_the_commands_of_the_page_answer_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / NAME).write_text(SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    outcomes = [
        CliRunner().invoke(make_app(), shlex.split(line)[1:]) for line in COMMANDS.splitlines()
    ]
    sys.modules.pop(NAME.removesuffix(".py"))
    assert [done.exit_code for done in outcomes] == [1, 0, 1]
    forgets, keeps, divides = (" ".join(done.stdout.split()) for done in outcomes)
    assert "after round 1 the implementation has 0, the reference gives -1" in forgets
    assert "1 nobody 1 -1 0" in forgets
    assert "runs compared 272" in keeps
    assert "2 clients, 1 round" in divides
