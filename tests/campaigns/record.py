"""What campaigns leave behind: a page with a table, one row for each part, and the code that the
row speaks of.

`tests/house/test_campaign_records.py` fails when a part is missing or has a finding. Whether it
speaks of code that has changed since is told by the campaign and is no failure: campaigns take
longer than the tests may. A release repeats them.
"""

import ast
import hashlib
import platform
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def fingerprint(files: Iterable[str], *, root: Path = ROOT) -> str:
    """Of the code of some files: their names, docstrings, comments and empty lines do not count.

    >>> len(fingerprint(["fltheory/traces/trace.py"]))
    12
    """
    meanings = (_meaning((root / name).read_text(encoding="utf-8")) for name in sorted(files))
    return hashlib.sha256("\n".join(meanings).encode()).hexdigest()[:12]


def _meaning(source: str) -> str:
    """The text without docstrings, comments and empty lines; the same for every version of
    Python."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [lines[first].encode()[: node.col_offset].decode()] + [""] * (
                last - first - 1
            )
    for token in tokenize.generate_tokens(iter(f"{line}\n" for line in lines).__next__):
        if token.type == tokenize.COMMENT:
            lines[token.start[0] - 1] = lines[token.start[0] - 1][: token.start[1]]
    return "\n".join(line.rstrip() for line in lines if line.strip())


def versions(*packages: str) -> str:
    """Python and the packages that a campaign ran with."""
    return ", ".join(
        [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)]
    )


def write(
    path: Path, introduction: str, header: Sequence[str], rows: Mapping[str, Sequence[str]]
) -> None:
    """The page: rows by the name of their part, in order."""
    lines = [introduction, "| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join((name, *rows[name])) + " |" for name in sorted(rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, tuple[str, ...]]:
    """The rows of a page; an absent one has none."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("|")
    ]
    return {name: tuple(cells) for name, *cells in table[2:]}
