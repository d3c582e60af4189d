"""Open folders: a file that defines MEMBERS is all it takes to add an algorithm, an availability
model or a problem."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import ModuleType
from typing import Any

from fltheory.core.errors import InvalidInput


@dataclass(frozen=True)
class Settings:
    """What a user has set, by vocabulary name; a member takes what it needs and says what is
    missing."""

    given: Mapping[str, Any] = field(default_factory=dict)

    def get(self, name: str, default: Any = None) -> Any:
        value = self.given.get(name)
        return default if value is None else value

    def need(self, name: str) -> Any:
        value = self.given.get(name)
        if value is None:
            raise InvalidInput(name.replace("_", " "), "be given for this choice", "nothing")
        return value


@dataclass(frozen=True)
class Member:
    """One entry of an open folder: its name, one plain sentence, how to build it, and how to write
    it on the command line.

    `makes` is the frozen dataclass behind it where its fields alone describe it (so that a file can
    hold it); `facts` are what the member declares about itself (see fltheory.engine.traits for
    methods).
    """

    name: str
    says: str
    build: Callable[[Settings], Any]
    usage: str = ""
    makes: type | None = None
    facts: frozenset[str] = frozenset()


def members(package: ModuleType) -> dict[str, Member]:
    """Every member of an open folder, by name, in alphabetical order."""
    found: dict[str, Member] = {}
    for module in pkgutil.iter_modules(package.__path__):
        for member in getattr(
            importlib.import_module(f"{package.__name__}.{module.name}"), "MEMBERS", ()
        ):
            if member.name in found:
                raise InvalidInput(
                    f"member {member.name!r}", "have a name of its own", "a second one"
                )
            found[member.name] = member
    return dict(sorted(found.items()))


def find_member(package: ModuleType, name: str) -> Member:
    """The member of that name; an unknown one suggests its neighbours."""
    found = members(package)
    if not isinstance(name, str) or name not in found:  # a file may hold anything
        kind = package.__name__.rsplit(".", 1)[-1].rstrip("s")
        near = get_close_matches(str(name)[:60], found, n=3) or list(found)
        raise InvalidInput(
            kind, f"be one that `fltheory list` names (near: {', '.join(near)})", repr(name)[:80]
        )
    return found[name]
