"""Problems and settings as a scenario file holds them: names, text and lists."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

import fltheory.problems
from fltheory.core.errors import InvalidInput
from fltheory.core.fields import built, init_fields
from fltheory.core.registry import find_member, is_own, members, registered_name
from fltheory.core.types import JsonValue


def problem_fields(problem: object) -> tuple[str, tuple[str, ...]]:
    """The name of a problem's kind and of its fields; a kind that is not registered becomes so."""
    make = type(problem)
    kinds = {known: kind for kind, known in reversed(_problem_kinds().items())}
    if make not in kinds and is_dataclass(make):
        kinds[make] = registered_name(fltheory.problems, make)[0]
    if make not in kinds:
        raise InvalidInput(
            "problem of a scenario", "be one that can be written down", make.__name__
        )
    return kinds[make], tuple(entry.name for entry in init_fields(make))


def make_problem(kind: object, fields: Mapping[str, object]) -> Any:
    """A problem from the name of its kind and its fields."""
    kinds = _problem_kinds()
    if isinstance(kind, str) and kind not in kinds and ":" in kind:
        find_member(fltheory.problems, kind)  # says how to register it
    if not isinstance(kind, str) or kind not in kinds:
        raise InvalidInput("problem kind", f"be one of {', '.join(sorted(kinds))}", repr(kind)[:60])
    make = kinds[kind]
    unknown = set(fields) - set(make.__dataclass_fields__)
    if unknown:
        raise InvalidInput(
            f"fields of a {kind} problem",
            f"be among {', '.join(make.__dataclass_fields__)}",
            sorted(unknown)[:3],
        )
    if not is_own(fltheory.problems, kind):  # the package's own read numbers as text themselves
        return built(make, dict(fields).get)
    try:
        return make(**as_tuples(dict(fields)))
    except TypeError as problem:
        raise InvalidInput(f"fields of a {kind} problem", "be complete", problem) from None


def _problem_kinds() -> dict[str, Any]:
    """Problems that a scenario file may name: the registered ones that are plain frozen data."""
    return {
        name: member.makes
        for name, member in members(fltheory.problems).items()
        if member.makes is not None
    }


def as_text(value: object) -> JsonValue:
    """Numbers as exact text, for JSON."""
    if isinstance(value, dict):
        return {str(k): as_text(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [as_text(v) for v in value]
    return value if isinstance(value, bool | None) else str(value)


def as_tuples(value: Any) -> Any:
    """Lists of JSON as tuples."""
    if isinstance(value, dict):
        return {k: as_tuples(v) for k, v in value.items()}
    return tuple(as_tuples(v) for v in value) if isinstance(value, list) else value
