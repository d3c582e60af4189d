"""Find algorithms, availability models and problems by name: those of the open folders, of plug-ins
and of installed packages.

A file of an open folder adds its `MEMBERS`. A plug-in (a module, file or folder that `--plugins` or
FLTHEORY_PLUGINS names) adds what stands in its tuples `ALGORITHMS`, `AVAILABILITY` and `PROBLEMS`.
An installed package adds what its entry points in the groups `fltheory.algorithms`,
`fltheory.availability` and `fltheory.problems` load. Each entry is a `Member`, a class, or an
object.
"""

import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cache
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

from fltheory.core.errors import InvalidInput, Missing
from fltheory.core.fields import built, changed_fields, default_of, init_fields, is_numeric, same
from fltheory.core.plugins import REFERENCE, VARIABLE, import_object, plugin_modules


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
            raise Missing(name.replace("_", " "), "this choice")
        return value


ModelWeights = Callable[[int], Fraction]
"""The weight of each model in an average of models."""


@dataclass(frozen=True)
class Member:
    """A named algorithm, availability model or problem: one plain sentence, how to build it, and
    how to write it on the command line.

    `makes` is the frozen dataclass behind it where its fields alone describe it (so that a file can
    hold it). `facts` are what the member declares about itself (`fltheory.engine.traits` for
    methods), `needs` the settings that it cannot be built without. `average` gives the weights of
    the models in the average that its theorem is about, from the shift a of step sizes c/(t + a).
    """

    name: str
    says: str
    build: Callable[[Settings], Any]
    usage: str = ""
    makes: type | None = None
    facts: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    average: Callable[[Fraction], ModelWeights] | None = None


_registered: dict[str, dict[str, Member]] = {}
"""Members that Python or the command line has registered in this process, by folder."""


def members(package: ModuleType) -> dict[str, Member]:
    """Every member of an open folder, of the plug-ins and of the installed packages, by name, in
    alphabetical order."""
    found = dict(_stored(package.__name__, os.environ.get(VARIABLE, "")))
    found |= _registered.get(package.__name__, {})
    return dict(sorted(found.items()))


@cache
def _stored(folder: str, plugins: str) -> dict[str, Member]:
    package = sys.modules[folder]
    found: dict[str, Member] = {}
    for member in _all_entries(package):
        if found.get(member.name, member) is not member:
            raise InvalidInput(f"member {member.name!r}", "have a name of its own", "a second one")
        found[member.name] = member
    return found


def _all_entries(package: ModuleType) -> Iterator[Member]:
    kind = _kind(package)
    yield from _own(package)
    listed = {id(found): (module, found) for module, found in _tuples(kind.upper())}
    for plugin, entries in listed.values():  # a tuple that several modules import counts once
        for entry in entries:
            member = described(package, entry)
            yield member
            yield from _aliases(plugin, entry, member)
    for point in sorted(entry_points(group=f"fltheory.{kind}"), key=lambda point: point.name):
        try:
            loaded = point.load()
        except Exception as problem:
            raise InvalidInput(
                f"entry point {point.name} of fltheory.{kind}", "load", f"{problem}"[:200]
            ) from problem
        for entry in loaded if isinstance(loaded, tuple | list) else (loaded,):
            yield described(package, entry)


def _own(package: ModuleType) -> Iterator[Member]:
    for module in pkgutil.iter_modules(package.__path__):
        yield from getattr(
            importlib.import_module(f"{package.__name__}.{module.name}"), "MEMBERS", ()
        )


def is_own(package: ModuleType, name: str) -> bool:
    """Is it a member of the open folder itself, and not of a plug-in?"""
    return name in _own_names(package.__name__)


@cache
def _own_names(folder: str) -> frozenset[str]:
    return frozenset(member.name for member in _own(sys.modules[folder]))


def _tuples(name: str) -> Iterator[tuple[ModuleType, tuple[object, ...]]]:
    for module in reversed(plugin_modules()):
        found = getattr(module, name, None)
        if found is not None:
            yield module, found


def _aliases(plugin: ModuleType, entry: object, member: Member) -> Iterator[Member]:
    """The same member under module:Name, as the command line writes it."""
    for name, value in vars(plugin).items():
        alias = f"{plugin.__name__}:{name}"
        if (value is entry or value is member.makes) and alias != member.name:
            yield replace(member, name=alias)


def _kind(package: ModuleType) -> str:
    return package.__name__.rsplit(".", 1)[-1]


def find_member(package: ModuleType, name: str) -> Member:
    """The registered member of that name; an unknown one suggests its neighbours. Nothing is
    imported."""
    for known in (
        _registered.get(package.__name__, {}),
        _stored(package.__name__, os.environ.get(VARIABLE, "")),
    ):
        if isinstance(name, str) and name in known:
            return known[name]
    found, kind = members(package), _kind(package)
    if isinstance(name, str) and REFERENCE.match(name):  # a file may hold anything
        module = name.partition(":")[0]
        raise InvalidInput(
            kind.rstrip("s"),
            f"be registered: name it in {kind.upper()} of {module} and give --plugins {module}",
            repr(name)[:80],
        )
    near = get_close_matches(str(name)[:60], found, n=3) or list(found)
    raise InvalidInput(
        kind.rstrip("s"),
        f"be one that `fltheory list` names (near: {', '.join(near)})",
        repr(name)[:80],
    )


def import_member(package: ModuleType, text: str) -> Member:
    """The member that the command line names: a registered one, or `module:Name` (a class, an
    object or a Member), which is imported and registered under that text."""
    if text in members(package) or not REFERENCE.fullmatch(text):
        return find_member(package, text)
    member = replace(described(package, import_object(text)), name=text)
    return register(package, member)


def register(package: ModuleType, member: Member) -> Member:
    """Make a member known in this process; a later one replaces an earlier one that was registered
    so, but none that is stored."""
    if member.name in _stored(package.__name__, os.environ.get(VARIABLE, "")):
        raise InvalidInput(f"member {member.name!r}", "have a name of its own", "a second one")
    _registered.setdefault(package.__name__, {})[member.name] = member
    return member


def described(package: ModuleType, thing: object) -> Member:
    """A Member as it is; a class or an object as a Member whose name is `module:Qualname`, an
    object's with those fields that are not the defaults."""
    if isinstance(thing, Member):
        return thing
    make = thing if isinstance(thing, type) else type(thing)
    known = {f.name for f in fields(make)} if is_dataclass(make) else set()
    missing = [n for n in getattr(package, "ROLE", ()) if not (n in known or hasattr(make, n))]
    if missing:
        raise InvalidInput(
            f"{_kind(package).rstrip('s')} {make.__qualname__}",
            f"be a Member, or have {', '.join(package.ROLE)}",
            f"no {missing[0]}",
        )
    says = " ".join((make.__doc__ or make.__qualname__).split("\n\n")[0].split())
    common = Member(f"{make.__module__}:{make.__qualname__}", says, lambda settings: thing)
    common = replace(
        common, facts=getattr(make, "facts", common.facts), average=getattr(make, "average", None)
    )
    if isinstance(thing, type):
        needed = frozenset(f.name for f in init_fields(make) if default_of(f) is MISSING)
        return replace(common, build=lambda s: built(make, s.get), makes=make, needs=needed)
    told = ", ".join(f"{name}={value}" for name, value in changed_fields(thing).items())
    return replace(common, name=f"{common.name}({told})" if told else common.name)


def registered_name(package: ModuleType, thing: object) -> tuple[str, dict[str, Any]]:
    """The name of an object, and the settings from which the member of that name builds it again.

    An object that exactly one member builds gets that member's name; any other is registered under
    the name of its class if its fields are numbers, else under a name of its own.
    """
    if isinstance(thing, Member | type):
        member = described(package, thing)
        found = members(package).get(member.name)
        if found is not member and (found is None or found.makes is not member.makes):
            register(package, member)
        return member.name, {}
    settings = {n: value for n, value in changed_fields(thing).items() if is_numeric(value)}
    fitting = [m for m in members(package).values() if _builds(m, settings, thing)]
    if len({replace(m, name="") for m in fitting}) == 1:  # the others are aliases
        return min(fitting, key=lambda m: (":" in m.name, m.name)).name, settings
    by_class = described(package, type(thing))
    if _builds(by_class, settings, thing):
        return registered_name(package, type(thing))[0], settings
    return register(package, described(package, thing)).name, {}


def _builds(member: Member, settings: Mapping[str, Any], thing: object) -> bool:
    try:
        built = member.build(Settings(settings))
    except (InvalidInput, TypeError, ValueError, ArithmeticError, LookupError):
        return False
    return type(built) is type(thing) and same(built, thing)
