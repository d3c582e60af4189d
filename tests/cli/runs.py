"""Running the command line."""

import json
import shlex
from typing import Any

from typer.testing import CliRunner

from fltheory.cli import make_app


def fltheory(line: str) -> Any:
    return CliRunner().invoke(make_app(), shlex.split(line))


def answer(line: str) -> dict[str, Any]:
    result = fltheory(f"{line} --json")
    assert result.exit_code == 0, result.stderr
    data: dict[str, Any] = json.loads(result.stdout)
    return data
