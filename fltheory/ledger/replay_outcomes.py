"""What ends a replay, and how values are told."""

from fltheory.core.enclosure import as_expression
from fltheory.core.expressions import MAX_BITS, bits
from fltheory.core.types import Scalar


class NotConfirmed(Exception):
    """The file is not an instance of the claim, or its values are not those computed again."""


class NotCheckable(Exception):
    """Nothing derives the meaning of the values from the claim."""


def short(value: Scalar | str | None) -> str:
    """A value in at most 80 characters."""
    if not isinstance(value, str | None) and (size := bits(as_expression(value))) > MAX_BITS:
        return f"a number of {size} bits"
    text = str(value)
    return text if len(text) <= 80 else f"{text[:60]}... ({len(text)} characters)"
