"""Read numbers exactly: every number becomes a Fraction once, when it enters the package."""

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from numbers import Rational
from typing import Any, Protocol, cast

from fltheory.core.errors import InvalidInput
from fltheory.core.ratio import Ratio, in_lowest_terms, ratio_of_integers

MAX_DIGITS = 4000
"""Longest number that is read from text; longer input is refused as an attack."""

MAX_EXPONENT = 400
"""Largest decimal exponent that is read from text, in absolute value."""

_NUMBER = re.compile(r"[+-]?(\d+(/\d+)?|(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d{1,4})?)")


def _known_ratio(value: Any) -> Ratio:
    """A fraction in lowest terms, or a whole number, as a fraction of the faster kind."""
    return in_lowest_terms(value.numerator, value.denominator)


class _ZeroDimensional(Protocol):
    """A NumPy scalar or an array without axes."""

    def item(self) -> object: ...


def exact(value: object, owner: str = "number") -> Fraction:
    """The rational number that `value` denotes; a float means its shortest decimal.

    >>> exact("3/4"), exact(0.1), exact("1e-3")
    (Fraction(3, 4), Fraction(1, 10), Fraction(1, 1000))
    """
    kind = type(value)
    if kind is Ratio:
        return cast(Ratio, value)
    if kind is int or kind is Fraction:
        return _known_ratio(value)
    if isinstance(value, Rational):
        return ratio_of_integers(int(value.numerator), int(value.denominator))
    scalar = getattr(value, "ndim", None) == 0
    plain = cast(_ZeroDimensional, value).item() if scalar else value
    if type(plain) is not type(value):  # it was a NumPy scalar
        return exact(plain, owner)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(owner, "be a finite number", value)
        return _known_ratio(Fraction(repr(value)))
    if isinstance(value, str):
        return _from_text(value.strip(), owner)
    raise InvalidInput(owner, "be a number such as 3, 1/4 or 0.25", repr(value))


def _from_text(text: str, owner: str) -> Fraction:
    shown = repr(text if len(text) <= 60 else text[:57] + "...")
    if len(text) > MAX_DIGITS:
        raise InvalidInput(owner, f"have at most {MAX_DIGITS} characters", shown)
    if not _NUMBER.fullmatch(text):
        raise InvalidInput(owner, "be a number such as 3, 1/4 or 0.25", shown)
    exponent = re.split("[eE]", text)[1:]
    if exponent and abs(int(exponent[0])) > MAX_EXPONENT:
        raise InvalidInput(owner, f"have an exponent within {MAX_EXPONENT}", shown)
    try:
        return _known_ratio(Fraction(text))
    except ZeroDivisionError:
        raise InvalidInput(owner, "have a non-zero denominator", shown) from None


def exacts(values: Iterable[object], owner: str = "number") -> tuple[Fraction, ...]:
    """Each value as a Fraction; an error names the client whose value is wrong.

    >>> exacts(["1/2", 2])
    (Fraction(1, 2), Fraction(2, 1))
    """
    if not isinstance(values, Iterable):
        raise InvalidInput(owner, "be a list of numbers", repr(values)[:60])
    return tuple(exact(value, f"{owner} of client {i}") for i, value in enumerate(values))


def shares(
    values: Iterable[object] | None, num_clients: int, owner: str = "importance"
) -> tuple[Fraction, ...]:
    """Non-negative weights that sum to one; None means equal weights.

    >>> shares(None, 2)
    (Fraction(1, 2), Fraction(1, 2))
    """
    if values is None:
        return (ratio_of_integers(1, num_clients),) * num_clients
    result = exacts(values, owner)
    if len(result) != num_clients:
        raise InvalidInput(
            owner, f"have one entry for each of {num_clients} clients", f"{len(result)} entries"
        )
    for i, share in enumerate(result):
        if share < 0:
            raise InvalidInput(f"{owner} of client {i}", "be at least 0", share)
    if sum(result) != 1:
        raise InvalidInput(owner, "sum to 1", sum(result))
    return result
