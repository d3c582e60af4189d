"""Read untrusted files within limits on size, nesting and digits.

Every reader of such files starts here or streams with limits of its own;
`tests/campaigns/readers.py` lists all readers.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import NoReturn

from fltheory.core.errors import InvalidInput
from fltheory.core.types import JsonValue

MAX_NESTING = 100
MAX_DIGITS = 1000
"""Longest integer in JSON; exact numbers are written as text."""
MAX_DOTS = 20
SHOWN_CHARACTERS = 80
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)""" + f"{{{MAX_DOTS + 1}}}"
)
"""A key with too many dots; possessive and only at the start of a word, so linear in the text."""


def first_bytes(path: Path, most: int) -> bytes:
    """The first `most` bytes of a file, or all of a shorter one."""
    with path.open("rb") as stream:
        return stream.read(most)


def bounded_bytes(path: Path, most: int, owner: str = "") -> bytes:
    """The content of a file of at most `most` bytes; a larger or endless file is refused after that
    many bytes."""
    data = first_bytes(path, most + 1)
    if len(data) > most:
        raise InvalidInput(
            owner or f"file {path.name}", f"have at most {most} bytes", "a larger file"
        )
    return data


def bounded_text(path: Path, most: int, owner: str = "") -> str:
    """The text of a UTF-8 file, without a byte order mark."""
    try:
        return bounded_bytes(path, most, owner).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(
            owner or f"file {path.name}", "be text in UTF-8", "other bytes"
        ) from None


def bounded_json(path: Path, most: int, owner: str = "", *, digits: int = MAX_DIGITS) -> JsonValue:
    """The JSON value in a file; numbers are finite and nesting is bounded."""
    return parse_json(bounded_text(path, most, owner), owner or f"file {path.name}", digits=digits)


def parse_json(text: str, owner: str, *, digits: int = MAX_DIGITS) -> JsonValue:
    """A JSON value from text.

    >>> parse_json('[1, {"x": "1/2"}]', "example")
    [1, {'x': '1/2'}]
    >>> try:
    ...     parse_json("[NaN]", "example")
    ... except InvalidInput as problem:
    ...     print(problem)
    example must be JSON with finite numbers of at most 1000 digits, got 'NaN'
    """

    def refuse(number: str) -> NoReturn:
        raise InvalidInput(
            owner,
            f"be JSON with finite numbers of at most {digits} digits",
            repr(number[:SHOWN_CHARACTERS]),
        )

    def whole(number: str) -> int:
        return int(number) if len(number) <= digits else refuse(number)

    def real(number: str) -> float:
        value = float(number)
        return value if abs(value) < float("inf") else refuse(number)

    def once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        table = dict(pairs)
        if len(table) < len(pairs):
            raise InvalidInput(owner, "have each key of an object once", "a key twice")
        return table

    try:
        found = json.loads(
            text,
            parse_int=whole,
            parse_float=real,
            parse_constant=refuse,
            object_pairs_hook=once,
        )
    except json.JSONDecodeError as problem:
        raise InvalidInput(owner, "be JSON", str(problem)[:SHOWN_CHARACTERS]) from None
    except RecursionError:
        raise _too_deep(owner, "JSON") from None
    if _depth_exceeds(found, MAX_NESTING):
        raise _too_deep(owner, "JSON")
    return found


def bounded_toml(path: Path, most: int, owner: str = "") -> dict[str, object]:
    """The table in a TOML file."""
    return parse_toml(bounded_text(path, most, owner), owner or f"file {path.name}")


def parse_toml(text: str, owner: str) -> dict[str, object]:
    """A table from TOML text; keys with many dots are refused, because the parser's time grows with
    the square of their number.

    >>> parse_toml('x = [1, 2]', "example")
    {'x': [1, 2]}
    """
    if _LONG_KEY.search(text):
        raise InvalidInput(owner, f"be TOML with at most {MAX_DOTS} dots in a key", "a longer one")
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise _too_deep(owner, "TOML") from None
    except ValueError as problem:  # malformed, or a number or a date that Python refuses
        raise InvalidInput(owner, "be TOML", str(problem)[:SHOWN_CHARACTERS]) from None
    if _depth_exceeds(found, MAX_NESTING):
        raise _too_deep(owner, "TOML")
    return found


def _too_deep(owner: str, format: str) -> InvalidInput:
    return InvalidInput(
        owner, f"be {format} that is nested at most {MAX_NESTING} deep", "a deeper one"
    )


def _depth_exceeds(value: object, most: int) -> bool:
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(most):
        if not level:
            return False
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
    return bool(level)
