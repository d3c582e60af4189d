"""Find the packages of papers: in this folder, in folders of one's own, and in installed packages.

`--papers FOLDER` names a folder on the command line, `add_papers` in Python; the environment
variable FLTHEORY_PAPERS hands it to worker processes. Installed packages name theirs in the
entry-point group `fltheory.papers`.
"""

import os
from collections.abc import Callable
from functools import cache, wraps
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import ParamSpec, TypeVar

from fltheory.core.errors import InvalidInput
from fltheory.core.plugins import check_imports, import_path, imported

GROUP = "fltheory.papers"
"""Entry-point group of installed packages that bring papers."""

VARIABLE = "FLTHEORY_PAPERS"
"""Environment variable with folders of papers, so that worker processes find them too."""

HERE = Path(__file__).parent

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def remembered(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Remember each answer as long as the folders of FLTHEORY_PAPERS stay the same."""

    by_folders: Callable[..., _Found] = cache(
        lambda folders, *args, **kwargs: function(*args, **kwargs)
    )

    @wraps(function)
    def asked(*args: _Given.args, **kwargs: _Given.kwargs) -> _Found:
        return by_folders(os.environ.get(VARIABLE, ""), *args, **kwargs)

    return asked


def add_papers(folder: str | Path) -> None:
    """Read papers from this folder too, here and in processes started from here.

    The folder is a paper itself, or it contains papers; its Python is imported. The command line
    does the same for --papers.

    >>> add_papers("nowhere")
    Traceback (most recent call last):
        ...
    fltheory.core.errors.InvalidInput: papers folder must be a folder that exists, got nowhere
    """
    check_imports(str(folder))
    given = Path(folder).resolve()
    if not given.is_dir():
        raise InvalidInput("papers folder", "be a folder that exists", str(folder))
    if not packages_of(given):
        rule = "be a paper (with __init__.py and paper.py) or contain papers"
        raise InvalidInput("papers folder", rule, str(folder))
    if os.pathsep in str(given):
        raise InvalidInput("papers folder", f"have a name without {os.pathsep!r}", str(folder))
    known = _listed()
    if given not in known:
        os.environ[VARIABLE] = os.pathsep.join(str(path) for path in (*known, given))


def _listed() -> list[Path]:
    return [Path(text) for text in os.environ.get(VARIABLE, "").split(os.pathsep) if text]


def packages_of(folder: Path) -> list[Path]:
    """The papers in a folder, which may be one itself."""
    if (folder / "__init__.py").exists() and (folder / "paper.py").exists():
        return [folder]
    return sorted(
        path.parent for path in folder.glob("*/paper.py") if (path.parent / "__init__.py").exists()
    )


@remembered
def packages() -> tuple[ModuleType, ...]:
    """Every paper's package: those of this folder, of FLTHEORY_PAPERS, and of installed
    packages."""
    found = [imported(f"fltheory.papers.{path.name}") for path in packages_of(HERE)]
    found += [import_path(path) for folder in _listed() for path in packages_of(folder)]
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            found.append(entry.load())
        except Exception as problem:
            told = f"{type(problem).__name__}: {problem}"[:200]
            raise InvalidInput(f"entry point {entry.name} of {GROUP}", "load", told) from problem
    return tuple(dict.fromkeys(found))


def papers_option(package: ModuleType) -> str:
    """What a command needs to find a paper that a folder of one's own brings: " --papers FOLDER";
    empty for other papers."""
    homes = {Path(path).resolve() for path in package.__path__}
    for folder in _listed():
        if homes & {path.resolve() for path in packages_of(folder)}:
            shown = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
            return f" --papers {shown}"
    return ""
