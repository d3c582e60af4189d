"""Fields of frozen dataclasses: which are not the defaults, and objects built from settings."""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from fractions import Fraction
from typing import Any, TypeVar

from fltheory.core.errors import InvalidInput, Missing
from fltheory.core.exact import exact

Made = TypeVar("Made")


def changed_fields(thing: object) -> dict[str, object]:
    """The fields of a frozen dataclass that are not the defaults.

    >>> from fltheory.core.checked import frozen
    >>> @frozen
    ... class Method:
    ...     weights: tuple[int, ...]
    ...     momentum: float = 0.5
    >>> changed_fields(Method((1, 2))), changed_fields(Method((1,), 0.25))
    ({'weights': (1, 2)}, {'weights': (1,), 'momentum': 0.25})
    """
    if not is_dataclass(thing) or isinstance(thing, type):
        return {}
    values = {f: getattr(thing, f.name) for f in init_fields(type(thing))}
    return {f.name: value for f, value in values.items() if not same(value, default_of(f))}


def init_fields(make: object) -> list[Field[object]]:
    """The fields of the constructor of a dataclass; none for other classes."""
    return [f for f in fields(make) if f.init] if is_dataclass(make) else []


def default_of(entry: Field[object]) -> object:
    """The default of a field, or MISSING."""
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def built(make: Callable[..., Made], get: Callable[[str], Any]) -> Made:
    """An object of a class: fields from the settings of the same names, the others in their order
    from the arguments that follow the name on the command line."""
    rest = list(get("arguments") or ())
    given = {}
    for entry in init_fields(make):
        value = get(entry.name)
        if value is None and rest:
            value = rest.pop(0)
        if value is not None:
            given[entry.name] = _numbers(value, entry.name.replace("_", " "))
        elif default_of(entry) is MISSING:
            raise Missing(entry.name.replace("_", " "), "this choice")
    if rest:
        raise InvalidInput(make.__qualname__, f"have {len(given)} arguments", f"{rest[0]!r} more")
    return make(**given)


def _numbers(value: object, owner: str) -> object:
    """Text as numbers, lists as tuples."""
    if isinstance(value, tuple | list):
        return tuple(_numbers(part, owner) for part in value)
    if not isinstance(value, str):
        return value
    number = exact(value, owner)
    return int(number) if number.denominator == 1 else number


def is_numeric(value: object) -> bool:
    """Whether a value is a number, or tuples of numbers."""
    if isinstance(value, tuple | list):
        return all(is_numeric(part) for part in value)
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def same(one: object, other: object) -> bool:
    """Whether two values are equal; values that cannot be compared are not."""
    try:
        return bool(one is other or one == other)
    except (TypeError, ValueError):  # arrays have no single answer
        return False
