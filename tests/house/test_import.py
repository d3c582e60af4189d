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


def modules_of(*words: str) -> set[str]:
    """Every module that a command imports."""
    code = (
        "import sys, runpy, io, contextlib\n"
        f"sys.argv = ['fltheory', *{list(words)!r}]\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    runpy.run_module('fltheory', run_name='__main__')\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


UNASKED = {"scipy", "torch", "numba", "matplotlib", "fltheory.cli.attack", "fltheory.cli.rates"}
"""What neither an explanation nor a limit needs."""


@pytest.mark.slow
def test_an_explanation_imports_only_what_it_needs() -> None:
    found = modules_of("explain", "fraboni.ex2")
    unasked = UNASKED | {"fltheory.ledger.report", "fltheory.ledger.looseness"}
    assert "fltheory.ledger.explain" in found
    assert not found & unasked
    assert not any(".fraboni.spaces." in name for name in found)


@pytest.mark.slow
def test_a_limit_imports_no_ledger() -> None:
    limit = "limit --algorithm fedavg --pattern 11 --optima 0,1 --step-size 1/8"
    found = modules_of(*limit.split())
    assert not found & UNASKED
    assert not any("ledger" in name for name in found)


@pytest.mark.slow
def test_a_command_that_imports_more_would_be_seen() -> None:
    assert {"fltheory.cli.attack", "fltheory.cli.rates"} <= modules_of("cite", "mifa.thm5.1")


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
