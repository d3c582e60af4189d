"""The command `fltheory rates`."""

import json

import pytest
from typer.testing import CliRunner

from fltheory.cli import make_app


def answer(*arguments):
    result = CliRunner().invoke(make_app(), ["rates", "--json", *arguments])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_command():
    (entry,) = answer("--algorithm", "mifa", "--versus", "K")
    assert entry["exponent"] == pytest.approx(-1, abs=0.02)
    assert entry["rounds"] == [100, 200, 400]
    (fixed,) = answer(
        "--algorithm", "mifa", "--versus", "K", "--rounds", "500", "--grid", "1,2,4,8"
    )
    assert fixed["values"] == [1, 2, 4, 8]
    for wrong in (
        ["--algorithm", "nothing"],
        ["--algorithm", "afa-cd", "--versus", "m", "--clients", "4", "--grid", "2,4,8"],
        ["--algorithm", "mifa", "--versus", "K", "--grid", "2"],
    ):
        assert CliRunner().invoke(make_app(), ["rates", *wrong]).exit_code == 2


@pytest.mark.slow
def test_command_with_samples():
    entries = answer("--algorithm", "mifa", "--engine", "samples", "--runs", "100")
    assert [entry["versus"] for entry in entries] == ["N", "K", "T", "staleness"]
    for entry in entries:
        low, high = entry["sampling_interval"]
        assert low < entry["plain_fit"] < high
        assert "too noisy" in entry["says"]
    (short,) = answer(
        "--algorithm",
        "fedavg",
        "--versus",
        "K",
        "--engine",
        "samples",
        "--rounds",
        "50",
        "--runs",
        "100",
    )
    assert "asks for 20736 rounds" in short["says"]
