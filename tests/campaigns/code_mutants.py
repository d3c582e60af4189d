"""`make mutants`: mutation testing of code with mutmut. One small change at a time: does a test
notice?

Not `python -m tests.campaigns.attacker`, which plants falsehoods in claims. Each module is changed
in a copy of the tree, never in the tree itself, and meets the tests that are about it
(code_mutants_areas.py). A module's score is the share of its mutants that a test (or the time
limit) stops. Exit code 1 if a score is too low (85 % for the core, 95 % for what says yes) or if a
survivor has no reason in the area's record; `--record` writes that file anew, reasons are then
written into it by hand. `--keep FOLDER` keeps the copies there: another run with the same code
repeats only what survived, since a test that is added revives nobody.
"""

import argparse
import ast
import difflib
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

from tests.campaigns.code_mutants_areas import AREAS, LEFT_OUT, ROOT, record_of
from tests.campaigns.code_mutants_report import Change, Result, faults, read, write
from tests.campaigns.record import fingerprint

LOOP = Path(__file__).with_name("code_mutants_loop.py")
CONFTEST = """
from hypothesis import HealthCheck, Phase, settings
settings.register_profile("quick", derandomize=True, deadline=None, max_examples=40, database=None,
                          suppress_health_check=[HealthCheck.too_slow],
                          phases=[Phase.explicit, Phase.generate])
settings.load_profile("quick")
"""
"""Fewer examples, and no shrinking of failures: only whether a test fails matters here."""


def copy_tree(root: Path, folder: Path, modules: Sequence[str]) -> None:
    """A copy of the packages and tests, in which the modules hold all their mutants."""
    for name in ("fltheory", "verification", "paper_reproductions"):
        if (root / name).is_dir():
            nothing = shutil.ignore_patterns("__pycache__")
            shutil.copytree(root / name, folder / name, ignore=nothing)
    for file in [*root.glob("*.toml"), *root.glob("*.py"), LOOP]:
        shutil.copy(file, folder)
    (folder / "setup.cfg").write_text("[mutmut]\nsource_paths =\n    .\n")
    copy_tests(root, folder)
    changes = {module: mutate(root, folder, module) for module in modules}
    (folder / "changes.json").write_text(json.dumps(changes))


def copy_tests(root: Path, folder: Path) -> None:
    shutil.copytree(root / "tests", folder / "tests", dirs_exist_ok=True)
    with (folder / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(CONFTEST)


def mutate(root: Path, folder: Path, module: str) -> dict[str, tuple[str, str, str]]:
    """Write all mutants of a module into the copy: (function, old lines, new lines) by name."""
    from mutmut.mutation.file_mutation import mutate_file_contents
    from mutmut.utils.format_utils import get_mutant_name, orig_function_and_class_names_from_key

    source = prepared(root, module)
    with chdir(folder):
        made = mutate_file_contents(module, source)
    (folder / module).write_text(made.code, encoding="utf-8")
    (folder / f"{module}.was").write_text(source, encoding="utf-8")
    written, found = made.code.splitlines(), {}

    def lines(name: str) -> list[str]:
        span = made.line_span_by_function_name[name]
        return [line.replace(name, "f") for line in written[span.start - 1 : span.end]]

    for name in made.mutant_names:
        function, owner = orig_function_and_class_names_from_key(name)
        both = lines(f"{name.partition('__mutmut_')[0]}__mutmut_orig"), lines(name)
        told = [*difflib.unified_diff(*both, lineterm="")][2:]
        old, new = (
            " ".join(line[1:].strip() for line in told if line.startswith(sign)) for sign in "-+"
        )
        key = get_mutant_name(Path(module), name)
        found[key] = (f"{owner}.{function}" if owner else function, old, new)
    return found


def prepared(root: Path, module: str) -> str:
    """A module's text with properties and names that mutmut can work on."""
    source = open_properties((root / module).read_text(encoding="utf-8"))
    return with_one_name(source, module) if module.startswith("verification/") else source


def with_one_name(source: str, module: str) -> str:
    """Let the functions of a standalone program say the same `__module__`, however it is imported:
    by that name mutmut knows which mutant is meant.

    >>> print(with_one_name('"A."\\nx = 1\\nif __name__ == "__main__":\\n    x', "v/a.py"))
    "A."
    __name__, _known_as = "v.a", __name__
    x = 1
    if _known_as == "__main__":
        x
    """
    lines = source.splitlines(keepends=True)
    name = module.removesuffix(".py").replace("/", ".")
    lines.insert(
        ast.parse(source).body[0].end_lineno or 0, f'__name__, _known_as = "{name}", __name__\n'
    )
    return "".join(lines).replace('if __name__ == "__main__":', 'if _known_as == "__main__":')


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


def run_modules(
    modules: Sequence[str], tests: Sequence[str], *, root: Path = ROOT, keep: Path | None = None
) -> list[Result]:
    """All mutants of modules against their tests, in a copy of the tree, one after the other."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    with tempfile.TemporaryDirectory() as name:
        folder = keep or Path(name)
        if (folder / "changes.json").exists():
            for module in modules:
                if (folder / f"{module}.was").read_text(encoding="utf-8") != prepared(root, module):
                    raise SystemExit(f"{module} has changed: delete {folder}")
            copy_tests(root, folder)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            copy_tree(root, folder, modules)
        changes = json.loads((folder / "changes.json").read_text())
        outcomes = outcomes_in(folder)
        asked = [n for m in modules for n in changes[m] if outcomes.get(n) != "killed"]
        (folder / "asked.json").write_text(json.dumps(asked))
        options = [f"--deselect={test}" for test in LEFT_OUT]
        options += [] if {*modules} & {*AREAS["core"]} else ["-m", "not slow"]
        command = [sys.executable, "-m", "pytest", "-q", "-p", LOOP.stem, "-p", "no:xdist"]
        command += ["-p", "no:cacheprovider", "-p", "no:randomly", "--tb=native", *options, *tests]
        environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
        environment |= {"PYTHONPATH": str(folder)}
        ended = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        outcomes = outcomes_in(folder)
        if ended.returncode or not all(n in outcomes for n in asked):
            told = f"{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
            raise SystemExit(f"not finished: {' '.join(modules)}:\n{told}")
    after, ours = (resource.getrusage(w) for w in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    seconds = sum(
        x.ru_utime + x.ru_stime - y.ru_utime - y.ru_stime for x, y in ((after, before), (ours, own))
    )
    return [
        outcome(
            module,
            tests,
            [(Change(*change), outcomes[n]) for n, change in changes[module].items()],
            seconds * len(changes[module]) / sum(len(changes[m]) for m in modules),
            fingerprint([module], root=root),
        )
        for module in modules
    ]


def outcomes_in(folder: Path) -> dict[str, str]:
    file = folder / "outcomes.json"
    return dict(json.loads(file.read_text())) if file.exists() else {}


def outcome(
    module: str, tests: Sequence[str], ended: list[tuple[Change, str]], seconds: float, code: str
) -> Result:
    """What became of the mutants; those that no test stopped, and those that the time limit
    stopped, by their change."""
    return Result(
        module,
        tuple(tests),
        len(ended),
        sum(how == "killed" for _, how in ended),
        round(seconds),
        tuple(change for change, how in ended if how == "late"),
        tuple(change for change, how in ended if how in ("survived", "no tests")),
        code,
    )


def main() -> int:
    """Run the modules that are named, all of them by default; a line for each, then the verdict."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "modules", nargs="*", metavar="MODULE", help="modules or areas; all by default"
    )
    options.add_argument(
        "--record",
        action="store_true",
        help="write the outcome into the area's record; reasons that still apply stay",
    )
    options.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the copies there")
    given = options.parse_args()
    trouble = []
    for area, core in AREAS.items():
        wanted = [m for m in core if not given.modules or {area, m} & {*given.modules}]
        path = record_of(area)
        for tests in dict.fromkeys(core[module] for module in wanted):
            group = [module for module in wanted if core[module] == tests]
            keep = given.keep and given.keep / group[0].replace("/", ".")
            for result in run_modules(group, tests, keep=keep):
                recorded = read(path)
                explained = result.explained(recorded)
                trouble += faults(explained, area)
                print(f"mutants of {explained.headline()}", flush=True)
                if given.record:
                    recorded |= {result.module: explained}
                    write(path, area, {name: recorded[name] for name in core if name in recorded})
    print("\n".join(trouble) or "mutants: every score is high enough, every survivor explained")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
