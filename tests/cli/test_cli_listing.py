"""Lists, help, tables, the README and the installed command."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fltheory import __version__
from fltheory.core.results import told
from tests.cli.runs import answer, fltheory

ROOT = Path(__file__).parents[2]


def test_the_list_names_every_member_and_how_to_write_it() -> None:
    data = answer("list")
    assert {
        "fedavg",
        "fedlaavg",
        "mifa",
        "async",
        "fedfix",
        "fedbuff",
        "afa-cd",
        "afa-cs",
        "fedprox",
        "scaffold",
    } <= {entry["name"] for entry in data["algorithms"]}
    assert "alternating:1,3" in {entry["usage"] for entry in data["availability"]}
    assert "quadratic" in {entry["name"] for entry in data["problems"]}
    assert "mifa" in fltheory("list").stdout


@pytest.mark.slow
def test_every_usage_that_the_list_shows_works() -> None:
    data = answer("list")
    for entry in data["algorithms"]:
        answer(
            f"simulate --algorithm {entry['name']} {entry['usage']} --optima 0,1 --step-size 1/4"
            " --rounds 3"
        )
    for entry in data["problems"]:
        answer(
            f"simulate --algorithm mifa --problem {entry['name']} {entry['usage']} --step-size 1/4"
            " --rounds 3 --arithmetic float"
        )
    for entry in data["availability"]:
        if entry["name"] != "recorded":
            made = [
                fltheory(f"trace make {entry['usage']} --rounds 3 {clients}").exit_code
                for clients in ("", "--clients 4")
            ]
            assert 0 in made, entry


def test_people_see_short_tables() -> None:
    shown = fltheory(
        "limit --algorithm async --update-times 2,3,5 --optima 0,1,2 --step-size 1/10"
    ).stdout
    assert "31 in all" in shown
    assert max(len(line) for line in shown.splitlines()) <= 80
    assert told([True, None, 0.25]) == "yes, -, 0.25"


@pytest.mark.parametrize(
    "command", ["", "limit", "weights", "trace", "trace stats", "trace make", "simulate", "list"]
)
def test_every_command_has_help(command: str) -> None:
    result = fltheory(f"{command} --help")
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def readme_examples() -> list[tuple[str, str]]:
    text = (ROOT / "README.md").read_text()
    return re.findall(r"^\$ fltheory (.+)\n((?:\{.*\n)?)", text, re.M)


@pytest.mark.slow
def test_the_readme_tells_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = readme_examples()
    assert len(examples) >= 4
    for line, shown in examples:
        result = fltheory(line)
        assert result.exit_code == 0, (line, result.stderr)
        assert result.stdout.startswith(shown.strip().removesuffix(", ...}")), line


@pytest.mark.slow
def test_the_installed_command_works_from_any_folder(tmp_path: Path) -> None:
    command = Path(sys.executable).parent / "fltheory"
    made = "trace make always --clients 1 --rounds 1"
    for line, expected in (("--version", f"fltheory {__version__}\n"), (made, "client_0\n1\n")):
        run = subprocess.run(
            [command, *line.split()], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert run.stdout == expected
    refused = subprocess.run(
        [command, "limit", "--algorithm", "mifa"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("error: ")
