"""The command: JSON, files, exit codes, and `check-certificate` on what it wrote."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fltheory import check_certificate
from fltheory.cli import make_app

ARGUMENTS = ["forever", "--algorithm", "mifa", "--staleness", "2", "--strong-convexity", "1/10"]


def run(*more: str) -> tuple[int, str]:
    found = CliRunner().invoke(make_app(), [*ARGUMENTS, *more])
    return found.exit_code, found.output


@pytest.mark.slow
def test_json_has_the_fields_of_the_answer_and_the_file_is_a_proof(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    code, output = run("--step-size", "1/2", "--largest-step", "--json", "--certificate", str(file))
    found = json.loads(output)
    assert code == 0
    assert found["status"] == "CERTIFIED"
    assert {"rate", "constant", "floor", "largest_step", "breaks_at", "statement", "latex"} <= set(
        found
    )
    assert found["breaks_at"] == "2/3"
    checked = check_certificate(file)
    assert checked.proved
    assert checked.says == found["statement"]
    changed = json.loads(file.read_text()) | {"rate": "1/2"}
    file.write_text(json.dumps(changed))
    assert not check_certificate(file).proved
    file.write_text(json.dumps({"format": changed["format"], "method": "mifa"}))
    assert not check_certificate(file).proved


def test_nothing_proved_has_an_exit_code_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    code, output = run("--step-size", "2", "--json", "--certificate", str(file))
    assert (code, json.loads(output)["status"], file.exists()) == (1, "NONE_FOUND", False)


@pytest.mark.parametrize(
    "more",
    [
        ["--step-size", "-1"],
        ["--step-size", "1/2", "--staleness", "-1"],
        ["--step-size", "1/2", "--window", "3"],
        ["--step-size", "1/2", "--falling"],
        ["--step-size", "1/2", "--noise", "1", "--local-steps", "2"],
        ["--step-size", "1/2", "--noise", "some"],
        ["--step-size", "1/2", "--clients", "0"],
        ["--step-size", "one"],
        [],
    ],
)
def test_bad_input_has_exit_code_2(more: list[str]) -> None:
    code, output = run(*more)
    assert code == 2
    assert "error:" in output
