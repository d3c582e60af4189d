"""Importing the package costs nothing that a user has not asked for."""

import os
import subprocess
import sys

import pytest

HEAVY = {"numpy", "sympy", "torch", "matplotlib", "scipy", "typer", "rich"}


def loaded_by(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    return HEAVY & set(output.split())


def test_the_package_imports_nothing_heavy() -> None:
    assert loaded_by("import fltheory") == set()


def test_the_module_runs_as_a_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fltheory", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("fltheory ")


def test_the_command_line_imports_no_mathematics_before_it_is_asked() -> None:
    assert loaded_by("import fltheory.cli") <= {"typer", "rich", "numpy"}


@pytest.mark.slow
def test_a_heavy_import_would_be_seen() -> None:
    assert "sympy" in loaded_by(
        "from fltheory.core.vocabulary import symbol; symbol('num_clients')"
    )


@pytest.mark.parametrize(("given", "found"), [(None, "1"), ("2", "2")])
def test_linear_algebra_has_one_thread_unless_told_otherwise(given: str | None, found: str) -> None:
    known = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"} | (
        {"OMP_NUM_THREADS": given} if given else {}
    )
    code = (
        "import sys; assert 'numpy' not in sys.modules\nimport fltheory,"
        " os\nprint(os.environ['OMP_NUM_THREADS'])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=known
        ).stdout.strip()
        == found
    )
