"""The API pages, read off the source without importing it: one page of public functions, and one
page per folder with its modules, signatures, docstrings and examples."""

import ast
import re
from pathlib import Path

Member = ast.FunctionDef | ast.ClassDef


def folders(root: Path) -> dict[str, str]:
    """The folders of the package with what is in them, in the order of CONTRIBUTING.md."""
    written = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `(\w+)/` \| (.+) \|$", written, re.M))


OWN_PAGE = 10
"""A subfolder with so many modules has a page of its own."""


def api_pages(root: Path) -> dict[str, str]:
    """Every page by its address in the site."""
    pages = {"api/index.md": public_page(root)}
    for page in page_names(root):
        pages[f"api/{page}.md"] = folder_page(root, page)
    return pages


def page_names(root: Path) -> list[str]:
    """The folders, each followed by its large subfolders, such as analysis-worst_case."""
    found = []
    for folder in folders(root):
        found.append(folder)
        if folder != "papers":
            found += [
                f"{folder}-{home.name}"
                for home in sorted((root / "fltheory" / folder).iterdir())
                if len(list(home.glob("*.py"))) >= OWN_PAGE
            ]
    return found


def page_of(root: Path, module: str) -> str:
    """The page on which a module such as fltheory.analysis.limits stands."""
    parts = module.split(".")
    own = "-".join(parts[1:3])
    return own if own in page_names(root) else parts[1]


def public_names(root: Path) -> dict[str, str]:
    """The module of each public name, as `fltheory/__init__.py` imports it for type checkers."""
    tree = ast.parse((root / "fltheory" / "__init__.py").read_text(encoding="utf-8"))
    return {
        alias.name: str(node.module)
        for guarded in tree.body
        if isinstance(guarded, ast.If)
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def public_page(root: Path) -> str:
    """What `import fltheory` offers: functions with their examples, then other names."""
    functions, others = [], []
    for name, module in sorted(public_names(root).items()):
        node = _find(root, module, name)
        place = f"[`{module}`]({page_of(root, module)}.md#{_anchor(module)})"
        if isinstance(node, ast.FunctionDef):
            functions.append(f"## {name}\n\nFrom {place}.\n\n{member_text(node)}")
        else:
            says = _sentence(node) if node is not None else ""
            others.append(f"| `{name}` | {place} | {says} |")
    return "\n".join(
        [
            "# Public functions\n",
            "Everything that the command line can do is a function of `import fltheory`. A result "
            "is frozen, has a readable `repr`, a table for notebooks, and `to_dict()` for JSON with"
            " exact numbers as text.\n",
            *functions,
            "## Other public names\n",
            "| name | module | what it is |\n|---|---|---|",
            *others,
            "",
        ]
    )


def folder_page(root: Path, page: str) -> str:
    """The modules of one page; of a paper's folder there is a page in the ledger."""
    home = root.joinpath("fltheory", *page.split("-"))
    paths = sorted(home.glob("*.py")) if page == "papers" else sorted(home.rglob("*.py"))
    apart = [root.joinpath("fltheory", *own.split("-")) for own in page_names(root) if "-" in own]
    modules = [
        module_text(path, root)
        for path in paths
        if home in apart or not any(other in path.parents for other in apart)
    ]
    says = folders(root).get(page) or ast.get_docstring(
        ast.parse((home / "__init__.py").read_text(encoding="utf-8"))
    )
    title = page.replace("-", ".")
    told = _escaped(str(says)).rstrip(".")
    return "\n".join([f"# fltheory.{title}\n", f"{told}.\n", *filter(None, modules)])


def module_text(path: Path, root: Path) -> str:
    """One module: its sentence, then its public names; empty without any."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    dotted = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
    shown = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and node.name != "register"
    ]
    if not shown:
        return ""
    heading = f"## {dotted} {{ #{_anchor(dotted)} }}"
    told = _escaped((ast.get_docstring(tree) or "").partition("\n\n")[0])
    return f"{heading}\n\n{told}\n\n" + "\n".join(
        f"### {node.name} {{ #{_anchor(dotted)}-{node.name} }}\n\n{member_text(node)}"
        for node in shown
    )


def member_text(node: Member) -> str:
    """The signature as code, the docstring as text, and its example as code."""
    told = ast.get_docstring(node) or ""
    words, _, example = told.partition(">>>")
    parts = [f"```python\n{signature(node)}\n```\n"]
    parts += [f"{_paragraph(part)}\n" for part in words.strip().split("\n\n") if part.strip()]
    if example:
        parts.append(f"```pycon\n>>>{example.rstrip()}\n```\n")
    return "\n".join(parts)


def signature(node: Member) -> str:
    """A function with its types, one parameter per line if there are many; a class with its
    fields."""
    if isinstance(node, ast.ClassDef):
        fields = [ast.unparse(part) for part in node.body if isinstance(part, ast.AnnAssign)]
        return _call(f"class {node.name}", fields, "")
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    listed = node.args
    places = [*listed.posonlyargs, *listed.args]
    defaults = [None] * (len(places) - len(listed.defaults)) + list(listed.defaults)
    words = [_parameter(a, d) for a, d in zip(places, defaults, strict=True)]
    if listed.posonlyargs:
        words.insert(len(listed.posonlyargs), "/")
    if listed.vararg is not None:
        words.append(f"*{_parameter(listed.vararg, None)}")
    elif listed.kwonlyargs:
        words.append("*")
    words += [_parameter(a, d) for a, d in zip(listed.kwonlyargs, listed.kw_defaults, strict=True)]
    if listed.kwarg is not None:
        words.append(f"**{_parameter(listed.kwarg, None)}")
    return _call(node.name, words, returns)


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    typed = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    return f"{argument.arg}{typed}" + (f" = {ast.unparse(default)}" if default else "")


def _call(name: str, parts: list[str], returns: str) -> str:
    line = f"{name}({', '.join(parts)}){returns}"
    if not parts:
        return f"{name}{'()' if returns else ''}{returns}"
    if len(line) <= 88:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


def _find(root: Path, module: str, name: str) -> Member | None:
    path = root.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return next(
        (
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name
        ),
        None,
    )


def _anchor(module: str) -> str:
    return module.replace(".", "-")


def _sentence(node: Member) -> str:
    first = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return _escaped(first).replace("|", "\\|")


def _paragraph(text: str) -> str:
    """A paragraph, or a list whose entries begin with a dash."""
    if text.lstrip().startswith("- "):
        entries = re.split(r"\n(?=- )", text.strip())
        return "\n".join(f"- {_escaped(entry[2:])}" for entry in entries)
    return _escaped(text)


def _escaped(text: str) -> str:
    """Plain text in which code between backquotes stays as it is."""
    parts = " ".join(text.split()).split("`")
    return "`".join(
        part if place % 2 else re.sub(r"([*_<\[])", r"\\\1", part)
        for place, part in enumerate(parts)
    )
