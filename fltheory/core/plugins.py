"""Plug-ins: import what a user names on the command line, in the environment or in Python.

A text that comes out of a file (a scenario, a certificate, a grid of commands) never imports
anything: it is looked up among what is registered (`fltheory.core.registry`).
"""

import importlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from types import ModuleType

from fltheory.core.errors import InvalidInput

VARIABLE = "FLTHEORY_PLUGINS"
"""Environment variable with modules, files and folders, so that worker processes find them too."""

REFERENCE = re.compile(r"(?P<module>[A-Za-z_]\w*(\.\w+)*):(?P<name>[A-Za-z_]\w*(\.\w+)*)")
"""How an object of a module is written: module:Name."""

_allowed: ContextVar[bool] = ContextVar("imports allowed", default=True)


@contextmanager
def imports_refused() -> Iterator[None]:
    """Refuse imports within this block, for options that a file has set; what the environment names
    is still loaded.

    >>> with imports_refused():
    ...     import_object("math:pi")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: math:pi must be registered before (--plugins MODULE), ...
    """
    token = _allowed.set(False)
    try:
        yield
    finally:
        _allowed.reset(token)


def check_imports(what: str) -> None:
    """Refuse to import where a file has asked for it."""
    if not _allowed.get():
        raise InvalidInput(
            what,
            "be registered before (--plugins MODULE), for a file imports nothing",
            "a module to import",
        )


def import_named(name: str) -> ModuleType:
    """An installed module, or one of the current folder."""
    _importable(Path.cwd())
    return imported(name)


def import_path(path: Path) -> ModuleType:
    """The module of a file or the package of a folder; its parent becomes importable."""
    found = path.resolve()
    name = found.stem if found.is_file() else found.name
    if not name.isidentifier():
        raise InvalidInput(f"name of {path}", "be one word that Python can import", repr(name))
    _importable(found.parent)
    module = imported(name)
    home = Path(module.__file__ or "")
    if (home if found.is_file() else home.parent).resolve() != found:
        raise InvalidInput(
            f"name of {path}", "be one that no other module has", module.__file__ or "a built-in"
        )
    return module


def import_object(text: str) -> object:
    """What `module:Name` names.

    >>> import_object("fractions:Fraction")
    <class 'fractions.Fraction'>
    """
    check_imports(text)
    match = REFERENCE.fullmatch(text)
    if match is None:
        raise InvalidInput("object of a module", "be written module:Name", repr(text)[:80])
    found: object = import_named(match["module"])
    for part in match["name"].split("."):
        if not hasattr(found, part):
            raise InvalidInput(text, f"name an object of {match['module']}", f"no {part}")
        found = getattr(found, part)
    return found


def add_plugins(text: str) -> None:
    """Load a module, a file or a folder of members, here and in processes started from here."""
    check_imports(text)
    path = Path(text)
    known = _listed(os.environ.get(VARIABLE, ""))
    entry = str(path.resolve()) if path.exists() else text
    if os.pathsep in entry:
        raise InvalidInput("plug-in", f"have a name without {os.pathsep!r}", repr(text)[:80])
    _load(entry)
    if entry not in known:
        os.environ[VARIABLE] = os.pathsep.join([*known, entry])


def plugin_modules() -> tuple[ModuleType, ...]:
    """The modules that FLTHEORY_PLUGINS names, in its order."""
    listed = _listed(os.environ.get(VARIABLE, ""))
    return tuple(dict.fromkeys(module for entry in listed for module in _load(entry)))


def _listed(text: str) -> list[str]:
    return [entry for entry in text.split(os.pathsep) if entry]


@cache
def _load(entry: str) -> tuple[ModuleType, ...]:
    """The modules of an entry: a folder gives its package and the package's modules, or, without an
    `__init__.py`, each of its files."""
    path = Path(entry)
    if not path.exists():
        if not all(part.isidentifier() for part in entry.split(".")):
            raise InvalidInput(
                "plug-in", "be a module, a file or a folder that exists", repr(entry)
            )
        return (import_named(entry),)
    if path.is_file():
        if path.suffix != ".py":
            raise InvalidInput("plug-in", "be a Python file", repr(entry))
        return (import_path(path),)
    files = [file for file in sorted(path.glob("*.py")) if _holds_members(file)]
    if not (path / "__init__.py").exists():
        if not files:
            raise InvalidInput("plug-in folder", "contain Python files", repr(entry))
        return tuple(import_path(file) for file in files)
    package = import_path(path)
    return (package, *(imported(f"{package.__name__}.{file.stem}") for file in files))


def _holds_members(file: Path) -> bool:
    return not file.stem.startswith(("_", "test_")) and file.stem != "conftest"


def _importable(folder: Path) -> None:
    """Last in the search path, so that nothing installed is hidden."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def imported(name: str) -> ModuleType:
    """A module by its full name; an error in it is told as bad input."""
    try:
        return importlib.import_module(name)
    except InvalidInput:
        raise
    except Exception as problem:
        if isinstance(problem, ImportError) and problem.name != name:
            raise  # something that the module needs is missing, and the error says what
        told = f"{type(problem).__name__}: {problem}"[:300]
        raise InvalidInput(f"module {name[:80]}", "be one that can be imported", told) from problem
