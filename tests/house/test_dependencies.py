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
GROUPS = [
    tuple(map(Requirement, texts))
    for texts in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
]
OTHERS = [(one, group) for group in GROUPS for one in group if one.name != PROJECT["name"]]


def open_ends(requirement: Requirement) -> bool:
    return not {">="} <= {part.operator for part in requirement.specifier} or "<" not in {
        part.operator for part in requirement.specifier
    }


@pytest.mark.parametrize(
    ("requirement", "group"), OTHERS, ids=[requirement.name for requirement, _ in OTHERS]
)
def test_a_dependency_is_a_range_and_what_is_installed_lies_in_it(
    requirement: Requirement, group: tuple[Requirement, ...]
) -> None:
    """An extra holds what comes with it: `flower` needs an older click than the rest does."""
    assert not open_ends(requirement)
    installed = {}
    for one in group:
        try:
            installed[one.name] = version(one.name)
        except PackageNotFoundError:
            pytest.skip(f"{one.name} is not installed")
    assert requirement.specifier.contains(installed[requirement.name], prereleases=True), installed


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
