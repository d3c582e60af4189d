"""The list of folders in CONTRIBUTING.md is the architecture: imports go up the list, never down it
and never out of the package."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "fltheory"


def folders() -> list[str]:
    """The folders and root modules of the package, top to bottom."""
    return re.findall(r"^\| `(\w+)/?(?:\.py)?` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.M)


def sources() -> dict[str, str]:
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path.read_text()
        for path in PACKAGE.rglob("*.py")
    }


def imported(source: str, known: set[str]) -> set[str]:
    """Every module that a source imports, at its head, in a function, or by name through
    importlib."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            full = {f"{node.module}.{alias.name}": str(node.module) for alias in node.names}
            found |= {name if name in known else module for name, module in full.items()}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            found |= {str(part.value) for part in node.args[:1] if isinstance(part, ast.Constant)}
    return found


DYNAMIC = {
    "fltheory": "public names on first use, from a table that a test compares",
    "fltheory.cli": "the commands of its own folder",
    "fltheory.cli.groups": "open folders, by name",
    "fltheory.core.plugins": "what the command line names as a plug-in",
    "fltheory.core.registry": "the members of an open folder",
    "fltheory.ledger.runner": "the module of a check, found by the library of papers",
    "fltheory.papers.library": "the modules of a paper",
    "fltheory.papers.listing": "open folders, by name",
}
"""Modules that import by a name which is put together, and what they import."""


def imports_by_name(source: str) -> bool:
    """Does a source import a module whose name stands nowhere in it?"""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.ImportFrom(module="importlib", names=names):
                if any(alias.asname for alias in names):
                    return True
            case ast.Import(names=names):
                if any(alias.name == "runpy" for alias in names):
                    return True
            case ast.Name(id="__import__"):
                return True
            case ast.Call(func=function, args=given):
                if ast.unparse(function).endswith("import_module") and not (
                    given and isinstance(given[0], ast.Constant)
                ):
                    return True
    return False


@pytest.mark.slow
def test_only_what_is_listed_imports_by_a_name_that_is_put_together() -> None:
    assert {name for name, source in sources().items() if imports_by_name(source)} <= set(DYNAMIC)


@pytest.mark.parametrize(
    "planted",
    [
        "import_module(f'fltheory.engine.{x}')",
        "importlib.import_module(NAME)",
        "import_module(name='verification.replay')",
        "from importlib import import_module as im\nim('verification.replay')",
        "__import__('verification')",
        "import runpy\nrunpy.run_module('verification.replay')",
    ],
)
def test_a_planted_import_by_name_is_seen(planted: str) -> None:
    assert imports_by_name(planted)
    assert not imports_by_name("from importlib import import_module\nimport_module('sympy')")


def folder_of(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def check(modules: dict[str, str], order: list[str]) -> None:
    homeless = {folder_of(name) for name in modules} - set(order)
    assert not homeless, f"{homeless} without a place: give them one in the list of CONTRIBUTING.md"
    outside = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"fltheory"}
    graph = {}
    for name, source in modules.items():
        targets = imported(source, set(modules))
        leaving = {target for target in targets if target.split(".")[0] in outside}
        assert not leaving, f"{name} imports out of the package: {leaving}"
        graph[name] = (targets & set(modules)) - {name}
        for target in graph[name]:
            assert order.index(folder_of(target)) <= order.index(folder_of(name)), (
                f"{name} imports upwards from {target}"
            )
    TopologicalSorter(graph).prepare()


@pytest.mark.slow
def test_imports_follow_the_list() -> None:
    check(sources(), folders())


def test_the_list_names_exactly_what_exists() -> None:
    assert sorted(folders()) == sorted({folder_of(name) for name in sources()})


@pytest.mark.parametrize(
    "planted",
    [
        "from fltheory.engine.simulate import simulate",
        "def f():\n    import fltheory.analysis.limits",
        "import fltheory",
        "from importlib import import_module\nimport_module('fltheory.analysis.limits')",
    ],
)
def test_a_planted_upward_import_fails(planted: str) -> None:
    modules = {"fltheory": "", "fltheory.engine.simulate": "", "fltheory.analysis.limits": ""}
    with pytest.raises(AssertionError, match="trace imports upwards"):
        check(modules | {"fltheory.traces.trace": planted}, folders())


@pytest.mark.parametrize(
    "planted",
    [
        "from verification.check_certificate import check",
        "def f():\n    import paper_reproductions",
        "import tests.campaigns",
        "import importlib\nimportlib.import_module('verification.replay')",
    ],
)
def test_a_planted_import_out_of_the_package_fails(planted: str) -> None:
    with pytest.raises(AssertionError, match="out of the package"):
        check({"fltheory.ledger.runner": planted}, folders())


def test_a_planted_module_without_a_place_fails() -> None:
    with pytest.raises(AssertionError, match=r"stray.* without a place"):
        check({"fltheory.stray": ""}, folders())


def test_a_planted_circle_fails() -> None:
    modules = {
        "fltheory.core.exact": "import fltheory.core.errors",
        "fltheory.core.errors": "from fltheory.core import exact",
    }
    with pytest.raises(CycleError):
        check(modules, folders())
