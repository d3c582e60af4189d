"""Dependencies are ranges with both ends, what is installed lies within them, and nothing that is
installed is broken."""

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
LISTED = [
    Requirement(text)
    for texts in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for text in texts
]
OTHERS = [requirement for requirement in LISTED if requirement.name != PROJECT["name"]]


def open_ends(requirement: Requirement) -> bool:
    return not {">="} <= {part.operator for part in requirement.specifier} or "<" not in {
        part.operator for part in requirement.specifier
    }


@pytest.mark.parametrize("requirement", OTHERS, ids=lambda requirement: requirement.name)
def test_a_dependency_is_a_range_and_what_is_installed_lies_in_it(requirement: Requirement) -> None:
    assert not open_ends(requirement)
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        pytest.skip(f"{requirement.name} is not installed")
    assert requirement.specifier.contains(installed, prereleases=True), installed


def test_an_open_end_would_be_seen() -> None:
    assert open_ends(Requirement("numpy>=1.26"))
    assert open_ends(Requirement("numpy<3"))
    assert not Requirement("numpy>=1.26,<2").specifier.contains("2.4")


@pytest.mark.slow
def test_nothing_installed_is_broken() -> None:
    assert (
        subprocess.run(
            [sys.executable, "-m", "pip", "check"], capture_output=True, check=False
        ).returncode
        == 0
    )
