"""What campaigns leave behind: a page with a table, one row for each part, and the code that the row speaks of.

`tests/test_campaign_records.py` fails when a part is missing, has a finding, or speaks of code that has changed since.
"""

import ast
import hashlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def fingerprint(files: Iterable[str], *, root: Path = ROOT) -> str:
    """Of what the code of some files does: names, docstrings and comments of the files do not count, nor does their layout.

    >>> len(fingerprint(["fltheory/trace.py"]))
    12
    """
    meanings = (_meaning((root / name).read_text(encoding="utf-8")) for name in sorted(files))
    return hashlib.sha256("\n".join(meanings).encode()).hexdigest()[:12]


def _meaning(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            said = [part for part in node.body if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant)]
            node.body = [part for part in node.body if part not in said]
    return ast.dump(tree)


def versions(*packages: str) -> str:
    """Python and the packages that a campaign ran with."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)])


def write(path: Path, introduction: str, header: Sequence[str], rows: Mapping[str, Sequence[str]]) -> None:
    """The page: rows by the name of their part, in order."""
    lines = [introduction, "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join((name, *rows[name])) + " |" for name in sorted(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, tuple[str, ...]]:
    """The rows of a page; an absent one has none."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {name: tuple(cells) for name, *cells in table[2:]}
