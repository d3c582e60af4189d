"""Strict reading of certificate fields: short fractions, indices, lists, multipliers."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm

from fltheory.core.errors import InvalidInput

MAX_CHARACTERS = 3000
"""Maximum length of a number in a file."""

MAX_BITS = 40_000
"""Maximum length of the common denominator of all numbers of a file."""

Name = tuple[str, tuple[int, ...]]
"""A constraint: its kind, and the numbers that identify it within that kind."""

_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")


def short_fraction(value: object, owner: str) -> Fraction:
    """The number that a text such as "-3/4" denotes; only digits, one sign and one bar are allowed.

    >>> short_fraction("-3/4", "factor")
    Fraction(-3, 4)
    """
    if not isinstance(value, str) or len(value) > MAX_CHARACTERS or not _FRACTION.fullmatch(value):
        rule = f"be a fraction such as 3/4, of at most {MAX_CHARACTERS} characters"
        raise InvalidInput(owner, rule, shown(value))
    try:
        return Fraction(value)
    except ZeroDivisionError:
        raise InvalidInput(owner, "have a non-zero denominator", shown(value)) from None


def index(value: object, owner: str, below: int | None = None) -> int:
    """A whole number from 0 on, below a limit if one is given; True and False are refused."""
    if type(value) is not int or value < 0 or (below is not None and value >= below):
        limit = "" if below is None else f", below {below}"
        raise InvalidInput(owner, f"be a whole number of at least 0{limit}", shown(value))
    return value


def items(value: object, owner: str, count: int | None = None) -> list[object]:
    """The entries of a list, which must have `count` entries if that is given."""
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise InvalidInput(
            owner, "be a list" + ("" if count is None else f" of {count}"), shown(value)
        )
    return value


def fields(value: object, owner: str) -> Mapping[str, object]:
    """The entries of a JSON object."""
    if not isinstance(value, dict):
        raise InvalidInput(owner, "be an object with named fields", shown(value))
    return value


def shown(value: object) -> str:
    """The beginning of a bad value, for an error message."""
    return repr(value[:50] if isinstance(value, str | list) else value)[:60]


def same(left: object, right: object) -> bool:
    """Whether two JSON values are equal and of the same type: 1, 1.0 and true differ.

    >>> same({"a": [1, "x"]}, {"a": [1, "x"]}), same([1], [True])
    (True, False)
    """
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and left == right


def same_fields(data: Mapping[str, object], again: Mapping[str, object], rule: str) -> None:
    """Refuse a file in which a field differs from its recomputed value."""
    for name, value in again.items():
        if name not in data or not same(data[name], value):
            raise InvalidInput(f"{name} in a certificate", rule, "something else")


def multipliers_of(value: object) -> dict[Name, Fraction]:
    """Multipliers by constraint, from a list of [kind, about, y]; no duplicates, none below 0.

    >>> multipliers_of([["gap", [], "1/2"]])
    {('gap', ()): Fraction(1, 2)}
    """
    found: dict[Name, Fraction] = {}
    for entry in items(value, "multipliers of a certificate"):
        kind, about, text = items(entry, "multiplier of a certificate", 3)
        if not isinstance(kind, str):
            raise InvalidInput("kind of a multiplier", "be a text", shown(kind))
        owner = f"what a multiplier of kind {shown(kind)} is about"
        name = kind, tuple(index(k, owner) for k in items(about, owner))
        if name in found:
            raise InvalidInput(f"multiplier {told(name)}", "occur once", "another one")
        found[name] = short_fraction(text, f"multiplier {told(name)}")
        if found[name] < 0:
            raise InvalidInput(f"multiplier {told(name)}", "be at least 0", text)
    return found


def told(name: Name) -> str:
    """A constraint's name for an error message."""
    kind, about = name
    return f"{shown(kind)} about {shown(list(about))}"


def short_together(numbers: Iterable[Fraction]) -> int:
    """The common denominator of all numbers; at most MAX_BITS long.

    >>> short_together([Fraction(1, 4), Fraction(1, 6)])
    12
    """
    common = 1
    for x in numbers:
        common = lcm(common, x.denominator)
        if common.bit_length() > MAX_BITS:
            rule = f"have a common denominator of at most {MAX_BITS} bits"
            raise InvalidInput("numbers of a certificate", rule, "a longer one")
    return common
