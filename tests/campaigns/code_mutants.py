"""`make mutants`: mutation testing of the core's code with mutmut. One small change at a time: does
a test notice?

Not `python -m tests.campaigns.attacker`, which plants falsehoods in claims. Each module is changed
in a copy of the tree, never in the tree itself, and meets the tests that are about it. A module's
score is the share of its mutants that a test (or the time limit) stops. Exit code 1 if a score is
below 85 % or if a survivor has no reason in code_mutants.md; `--record` writes that file anew,
reasons are then written into it by hand.
"""

import argparse
import ast
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

from tests.campaigns.code_mutants_report import LEAST, Change, Result, faults, read, write
from tests.campaigns.record import fingerprint

ROOT = Path(__file__).parent.parent.parent
RECORD = Path(__file__).with_suffix(".md")

CORE: dict[str, tuple[str, ...]] = {
    "fltheory/traces/trace.py": ("tests/traces/test_trace.py",),
    "fltheory/traces/trace_statistics.py": (
        "tests/traces/test_statistics.py",
        "tests/traces/test_repeats.py",
    ),
    "fltheory/traces/clocks.py": (
        "tests/traces/test_clocks.py",
        "tests/traces/test_update_times.py",
    ),
    "fltheory/traces/weights.py": (
        "tests/traces/test_weights.py",
        "tests/traces/test_weights_of_papers.py",
        "tests/analysis/test_core_results.py",
    ),
    "fltheory/engine/run.py": (
        "tests/engine/test_simulate.py",
        "tests/engine/test_simulate_virtual.py",
        "tests/analysis/test_boxes.py",
    ),
    "fltheory/engine/simulate.py": (
        "tests/engine/test_simulate.py",
        "tests/engine/test_simulate_virtual.py",
        "tests/analysis/test_boxes.py",
        "tests/analysis/test_core_results.py",
    ),
    "fltheory/analysis/limits.py": (
        "tests/analysis/test_limits.py",
        "tests/analysis/test_limit_orbits.py",
        "tests/analysis/test_spectral_radius.py",
        "tests/analysis/test_core_results.py",
    ),
    "fltheory/ledger/lines.py": ("tests/ledger/test_ledger.py", "tests/claims/test_scope.py"),
    "verification/check_certificate.py": (
        "tests/analysis/test_check_certificate.py",
        "tests/analysis/test_check_certificate_command.py",
        "tests/analysis/test_certificate_cases.py",
        "tests/analysis/test_certificate_constraints.py",
    ),
    "fltheory/analysis/worst_case/proof.py": (
        "tests/analysis/test_certificate_cases.py",
        "tests/analysis/test_two_checkers.py",
    ),
}
"""Each module and the tests that must notice a change in it."""

SLOW = (
    "tests/analysis/test_limits.py::test_the_cycle_is_a_run_of_the_algorithm",
    "tests/analysis/test_spectral_radius.py::"
    "test_schur_test_agrees_with_the_roots_away_from_the_circle",
    "tests/traces/test_update_times.py::"
    "test_exponential_asynchronous_gives_each_round_its_importance_but_no_bound_on_delays",
)
"""Tests that are left out to save time; a score without them can only be lower."""

SETTINGS = """[mutmut]
source_paths =
    {sources}
only_mutate =
    {module}
pytest_add_cli_args_test_selection =
    {tests}
pytest_add_cli_args =
    -pno:cacheprovider
    -pno:xdist
    {left_out}
timeout_constant = 4.0
timeout_multiplier = 300.0
use_git_change_detection = false
"""
CONFTEST = """
import os
import resource

from hypothesis import HealthCheck, Phase, settings
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=40, database=None,
                          suppress_health_check=[HealthCheck.too_slow],
                          phases=[Phase.explicit, Phase.generate])
settings.load_profile("quick")

def pytest_sessionstart():
    if "__mutmut_" in os.environ.get("MUTANT_UNDER_TEST", ""):
        resource.setrlimit(resource.RLIMIT_CPU, (20, resource.getrlimit(resource.RLIMIT_CPU)[1]))

def pytest_itemcollected(item):
    item._nodeid = item.nodeid
"""
"""Fewer examples, and no shrinking of failures: only whether a test fails matters here. The time
limit is 20 s of processor time: a busy machine must not stop a mutant (mutmut's own limit is by the
clock, and set to 20 minutes). mutmut reads an older pytest's `_nodeid`."""


def copy_tree(root: Path, folder: Path, module: str, tests: Sequence[str]) -> None:
    """A copy of the packages and tests, set up for mutants of one module."""
    names = [
        name
        for name in ("fltheory", "verification", "tests", "paper_reproductions")
        if (root / name).is_dir()
    ]
    for name in names:
        shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in [*root.glob("*.toml"), *root.glob("*.py")]:
        shutil.copy(file, folder)
    sources = [name for name in names if name != "tests"] or [module]
    lists = {
        "sources": sources,
        "tests": tests,
        "left_out": [f"--deselect={name}" for name in SLOW],
    }
    (folder / "setup.cfg").write_text(
        SETTINGS.format(
            module=module, **{name: "\n    ".join(items) for name, items in lists.items()}
        )
    )
    changed = folder / module
    changed.write_text(open_properties(changed.read_text(encoding="utf-8")), encoding="utf-8")
    with (folder / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(CONFTEST)


def open_properties(source: str) -> str:
    """Let each property call a method with its old body: mutmut leaves decorated functions alone,
    and properties have bodies to test.

    >>> source = "class A:\\n    @property\\n    def a(self) -> int:\\n        return 1"
    >>> print(open_properties(source))
    class A:
        @property
        def a(self):
            return self._body_of_a()
        def _body_of_a(self) -> int:
            return 1
    """
    lines = source.splitlines(keepends=True)
    classes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    things = [found for found in classes if "Protocol" not in map(ast.unparse, found.bases)]
    for node in (
        part for found in things for part in found.body if isinstance(part, ast.FunctionDef)
    ):
        if [ast.unparse(decorator) for decorator in node.decorator_list] == ["property"]:
            indent = " " * node.col_offset
            head = (
                f"{indent}def {node.name}(self):\n{indent}    return self._body_of_{node.name}()\n"
            )
            lines[node.lineno - 1] = head + lines[node.lineno - 1].replace(
                f"def {node.name}(", f"def _body_of_{node.name}("
            )
    return "".join(lines)


def run_module(module: str, tests: Sequence[str], *, root: Path = ROOT) -> Result:
    """All mutants of a module against its tests, in a copy of the tree, one after the other."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy_tree(root, folder, module, tests)
        command = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", "1"]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYTHONPATH": ""}
        ended = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        meta = folder / "mutants" / f"{module}.meta"
        outcomes = json.loads(meta.read_text()) if meta.exists() else {}
        if ended.returncode or None in outcomes.get("exit_code_by_key", {0: None}).values():
            told = f"{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
            raise SystemExit(
                f"mutmut did not finish {module} (exit code {ended.returncode}):\n{told}"
            )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return outcome(
            module,
            tests,
            outcomes["exit_code_by_key"],
            seconds,
            folder,
            fingerprint([module], root=root),
        )


def outcome(
    module: str,
    tests: Sequence[str],
    codes: dict[str, int],
    seconds: float,
    folder: Path,
    code: str,
) -> Result:
    """What became of the mutants; those that no test stopped, and those that the time limit
    stopped, by their change."""
    from mutmut.stats import status_by_exit_code

    by_status: dict[str, list[str]] = {}
    for name, ended in codes.items():
        by_status.setdefault(status_by_exit_code[ended], []).append(name)
    killed, late = by_status.pop("killed", []), by_status.pop("timeout", [])
    alive = [name for names in by_status.values() for name in names]
    with chdir(folder):
        changes = {name: change_of(name, module) for name in (*late, *alive)}
    return Result(
        module,
        tuple(tests),
        len(codes),
        len(killed),
        round(seconds),
        tuple(changes[name] for name in late),
        tuple(changes[name] for name in alive),
        code,
    )


def change_of(name: str, module: str) -> Change:
    """A mutant as its function and the lines that differ."""
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.utils.format_utils import orig_function_and_class_names_from_key

    function, owner = orig_function_and_class_names_from_key(name)
    lines = get_diff_for_mutant(name, path=module).splitlines()[2:]
    old, new = (
        " ".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+"
    )
    return Change(f"{owner}.{function}" if owner else function, old, new)


def main() -> int:
    """Run the modules that are named, all of them by default; a line for each, then the verdict."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "modules", nargs="*", metavar="MODULE", help="modules of the core; all by default"
    )
    options.add_argument(
        "--record",
        action="store_true",
        help=f"write the outcome into {RECORD.name}; reasons that still apply stay",
    )
    given = options.parse_args()
    recorded, trouble = read(RECORD), []
    for module in given.modules or CORE:
        result = run_module(module, CORE[module])
        explained = result.explained(recorded)
        trouble += faults(explained)
        print(f"mutants of {explained.headline()}", flush=True)
        if given.record:
            recorded = {**read(RECORD), module: explained}
            write(RECORD, {name: recorded[name] for name in CORE if name in recorded})
    print(
        "\n".join(trouble)
        or f"mutants: every module is at {LEAST:.0%} or above, and every survivor is explained"
    )
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
