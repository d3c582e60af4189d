"""Types and names of the package: `Any` is rare, and a class name means one thing."""

import ast
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "fltheory").rglob("*.py"))]
MOST_ANY = 300


def any_count(sources: Iterable[str]) -> int:
    return sum(len(re.findall(r"\bAny\b", source)) for source in sources)


def repeated_classes(sources: Iterable[str]) -> list[str]:
    """Names that two classes at the head of a module share."""
    names = Counter(
        node.name
        for source in sources
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    )
    return sorted(name for name, count in names.items() if count > 1)


def test_any_is_rare() -> None:
    assert any_count(SOURCES) < MOST_ANY
    assert any_count(["x: Any = 1", "def f(Anything: Any) -> Any: ..."]) == 3


@pytest.mark.slow
def test_class_names_are_unique() -> None:
    assert repeated_classes(SOURCES) == []
    assert repeated_classes(["class A: ...", "class B: ...\nclass A: ..."]) == ["A"]
