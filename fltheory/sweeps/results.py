"""Results of cells as JSON text with a checksum."""

import hashlib
import json
from dataclasses import dataclass

from fltheory.core.errors import InvalidInput
from fltheory.core.types import JsonValue
from fltheory.sweeps.spec import Cell

MAX_CHARACTERS = 1 << 24
"""Longest result."""


@dataclass(frozen=True)
class Stored:
    """A finished cell with its result or its error."""

    cell: Cell
    result: JsonValue
    error: str | None
    seconds: float


def check_result(cell: Cell, result: JsonValue) -> str:
    """The JSON text of a result; refuse numbers that are not finite and texts that are too long."""
    try:
        text = json.dumps(result, allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise InvalidInput(
            f"result of cell {cell.key[:12]}", "be JSON with finite numbers", problem
        ) from None
    if len(text) > MAX_CHARACTERS:
        raise InvalidInput(
            f"result of cell {cell.key[:12]}",
            f"have at most {MAX_CHARACTERS} characters",
            len(text),
        )
    return text


def steady(result: JsonValue) -> JsonValue:
    """A result without its timings, which vary between runs."""
    if isinstance(result, dict):
        return {name: steady(value) for name, value in result.items() if name != "seconds"}
    return [steady(value) for value in result] if isinstance(result, list) else result


def checksum_of(key: object, text: object) -> str:
    """The SHA-256 digest of a stored text and of the cell that it answers, so that no result is
    taken for that of another cell."""
    return hashlib.sha256(f"{key} {text}".encode("utf-8", "replace")).hexdigest()
