"""Constants of a problem, or results of a run, that a check cannot do without; exact roots."""

from typing import TypeVar

import sympy

from fltheory.core.enclosure import as_expression
from fltheory.core.errors import InvalidInput
from fltheory.core.types import ExactLike, Formula

Found = TypeVar("Found")


def known(constant: Found | None) -> Found:
    """The constant, which must be known.

    >>> known(3)
    3
    """
    if constant is None:
        raise InvalidInput("constant of a check", "be known", "none")
    return constant


def exact_root(square: ExactLike | None) -> Formula:
    """The square root of an exact number, as a formula where it is irrational.

    >>> exact_root("9/4"), exact_root(2)
    (3/2, sqrt(2))
    """
    return sympy.sqrt(as_expression(known(square)))
