"""Files of other people, read whole: never more bytes than a bound, never deeper or longer than a
parser can bear.

Every reader of such files begins here, or streams with bounds of its own;
`tests/campaigns/readers.py` lists them all.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from fltheory.core.errors import InvalidInput

MAX_NESTING = 100
MAX_DIGITS = 1000
"""Longest whole number in JSON; exact numbers are text."""
MAX_DOTS = 20
SHOWN = 80
_LONG_KEY = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+)""" + f"{{{MAX_DOTS + 1}}}"
)
"""Possessive and at the beginning of a word only: linear in the text."""


def first_bytes(path: Path, most: int) -> bytes:
    """The beginning of a file, at most so many bytes."""
    with path.open("rb") as stream:
        return stream.read(most)


def bounded_bytes(path: Path, most: int, owner: str = "") -> bytes:
    """The content of a file of at most so many bytes; of a larger one (or one without end) no more
    is read."""
    data = first_bytes(path, most + 1)
    if len(data) > most:
        raise InvalidInput(
            owner or f"file {path.name}", f"have at most {most} bytes", "a larger file"
        )
    return data


def bounded_text(path: Path, most: int, owner: str = "") -> str:
    """The text of a file in UTF-8, without the mark that some programs put before it."""
    try:
        return bounded_bytes(path, most, owner).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(
            owner or f"file {path.name}", "be text in UTF-8", "other bytes"
        ) from None


def bounded_json(path: Path, most: int, owner: str = "", *, digits: int = MAX_DIGITS) -> Any:
    """The JSON value in a file; numbers are finite, nesting is bounded."""
    return parse_json(bounded_text(path, most, owner), owner or f"file {path.name}", digits=digits)


def parse_json(text: str, owner: str, *, digits: int = MAX_DIGITS) -> Any:
    """A JSON value from text.

    >>> parse_json('[1, {"x": "1/2"}]', "example")
    [1, {'x': '1/2'}]
    >>> parse_json('[NaN]', "example")
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: example must be JSON with finite numbers of at most 1000 digits, got 'NaN'
    """

    def refuse(number: str) -> Any:
        raise InvalidInput(
            owner, f"be JSON with finite numbers of at most {digits} digits", repr(number[:SHOWN])
        )

    def whole(number: str) -> int:
        return int(number) if len(number) <= digits else refuse(number)

    def real(number: str) -> float:
        value = float(number)
        return value if abs(value) < float("inf") else refuse(number)

    try:
        found = json.loads(text, parse_int=whole, parse_float=real, parse_constant=refuse)
    except json.JSONDecodeError as problem:
        raise InvalidInput(owner, "be JSON", str(problem)[:SHOWN]) from None
    except RecursionError:
        raise InvalidInput(
            owner, f"be JSON that is nested at most {MAX_NESTING} deep", "a deeper one"
        ) from None
    if _depth_exceeds(found, MAX_NESTING):
        raise InvalidInput(
            owner, f"be JSON that is nested at most {MAX_NESTING} deep", "a deeper one"
        )
    return found


def bounded_toml(path: Path, most: int, owner: str = "") -> dict[str, Any]:
    """The table in a TOML file."""
    return parse_toml(bounded_text(path, most, owner), owner or f"file {path.name}")


def parse_toml(text: str, owner: str) -> dict[str, Any]:
    """A table from TOML text; a key with many dots is refused, since the parser's time grows with
    their square.

    >>> parse_toml('x = [1, 2]', "example")
    {'x': [1, 2]}
    """
    if _LONG_KEY.search(text):
        raise InvalidInput(owner, f"be TOML with at most {MAX_DOTS} dots in a key", "a longer one")
    try:
        found = tomllib.loads(text)
    except RecursionError:
        raise InvalidInput(
            owner, f"be TOML that is nested at most {MAX_NESTING} deep", "a deeper one"
        ) from None
    except ValueError as problem:  # malformed, or a number or a date that Python refuses
        raise InvalidInput(owner, "be TOML", str(problem)[:SHOWN]) from None
    if _depth_exceeds(found, MAX_NESTING):
        raise InvalidInput(
            owner, f"be TOML that is nested at most {MAX_NESTING} deep", "a deeper one"
        )
    return found


def _depth_exceeds(value: Any, most: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, dict | list)
        ]
    return bool(level)
