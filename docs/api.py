"""The API page, read off the source without importing it: modules by layer, public names,
signatures, docstrings."""

import ast
import re
from pathlib import Path


def api_page(root: Path) -> str:
    """Every public function and class, in the order of the layers in CONTRIBUTING.md."""
    table = re.findall(
        r"^\| (\d+) \| (.+) \|$", (root / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.M
    )
    parts = ["# API\n\nBy layer: a module uses only its own layer and lower ones.\n"]
    for layer, names in table:
        parts.append(f"## Layer {layer}\n")
        for name in re.findall(r"\w+", re.sub(r"\(.*?\)", "", names)):
            home = root / "fltheory" / name
            paths = sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]
            parts += [module_text(path, root) for path in paths]
    return "\n".join(parts)


def module_text(path: Path, root: Path) -> str:
    """One module: its sentence, then its public names."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    dotted = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    shown = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    if not shown:
        return ""
    told = (ast.get_docstring(tree) or "").partition("\n\n")[0]
    return f"### {dotted}\n\n{_escaped(told)}\n\n" + "\n".join(member_text(node) for node in shown)


def member_text(node: ast.FunctionDef | ast.ClassDef) -> str:
    """Signature and docstring, as code."""
    if isinstance(node, ast.FunctionDef):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        head = f"{node.name}({ast.unparse(node.args)}){returns}"
    else:
        fields = [ast.unparse(x) for x in node.body if isinstance(x, ast.AnnAssign)]
        head = f"class {node.name}" + (f"({', '.join(fields)})" if fields else "")
    told = ast.get_docstring(node) or ""
    body = "\n".join(f"    {line}".rstrip() for line in told.splitlines())
    return f"```python\n{head}\n{body}\n```\n"


def _escaped(text: str) -> str:
    return re.sub(r"([*_<])", r"\\\1", " ".join(text.split()))
