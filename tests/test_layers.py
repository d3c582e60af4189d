"""The table in CONTRIBUTING.md is the architecture: imports go down or sideways, never up and never round."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "fltheory"


def layers() -> dict[str, int]:
    rows = re.findall(r"^\| (\d+) \| (.+) \|$", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    return {name: int(layer) for layer, names in rows for name in re.findall(r"\w+", re.sub(r"\(.*?\)", "", names))}


def sources() -> dict[str, str]:
    return {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p.read_text() for p in PACKAGE.rglob("*.py")}


def imports(source: str, known: set[str]) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found |= {f"{node.module}.{a.name}" if f"{node.module}.{a.name}" in known else str(node.module) for a in node.names}
    return found & known


def part(module: str) -> str:
    return [*module.split("."), "__init__"][1]


def check(modules: dict[str, str], table: dict[str, int]) -> None:
    homeless = {part(name) for name in modules} - set(table)
    assert not homeless, f"{homeless} without a layer: give them one in the table of CONTRIBUTING.md"
    graph = {name: imports(source, set(modules)) - {name} for name, source in modules.items()}
    for name, targets in graph.items():
        for target in targets:
            assert table[part(target)] <= table[part(name)], f"{name} imports upwards from {target}"
    TopologicalSorter(graph).prepare()


def test_imports_follow_the_table() -> None:
    check(sources(), layers())


def test_the_table_names_exactly_the_modules_that_exist() -> None:
    assert set(layers()) == {part(name) for name in sources()}


@pytest.mark.parametrize("planted", ["from fltheory.simulate import simulate", "def f():\n    import fltheory.limits", "import fltheory"])
def test_a_planted_upward_import_fails(planted: str) -> None:
    with pytest.raises(AssertionError, match="trace imports upwards"):
        check({"fltheory": "", "fltheory.simulate": "", "fltheory.limits": "", "fltheory.trace": planted}, layers())


def test_a_planted_module_without_a_layer_fails() -> None:
    with pytest.raises(AssertionError, match=r"stray.* without a layer"):
        check({"fltheory.stray": ""}, layers())


def test_a_planted_circle_fails() -> None:
    with pytest.raises(CycleError):
        check({"fltheory.exact": "import fltheory.errors", "fltheory.errors": "from fltheory import exact"}, layers())
