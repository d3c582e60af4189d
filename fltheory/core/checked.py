"""Frozen dataclasses whose constructor accepts more than their fields keep.

A user writes `Quadratic(curvatures=("1/2", 2), ...)`; after `__post_init__` the field holds a
table of Fractions. `Checked[Given, Kept]` tells a type checker both halves, and nothing at run
time:

    @frozen
    class Window:
        duration: Checked[ExactLike, Fraction] = default(1)

        def __post_init__(self) -> None:
            object.__setattr__(self, "duration", exact(self.duration, "window"))
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, dataclass_transform, overload

from fltheory.core.errors import InvalidInput

Given = TypeVar("Given", contravariant=True)
Kept = TypeVar("Kept", covariant=True)
Class = TypeVar("Class")


class Checked(Generic[Given, Kept]):
    """The type of a field: the constructor accepts `Given`, the attribute is `Kept`."""

    if TYPE_CHECKING:

        def __get__(self, owner: object, kind: type) -> Kept: ...

        def __set__(self, owner: object, value: Given) -> None: ...


def default(value: object) -> Any:
    """The default of a checked field, as a user would give it."""
    return value


def check_kind(owner: str, value: object, kind: type) -> None:
    """Refuse a value of another type, where an error deep inside would say less.

    >>> check_kind("trace", [[1, 0]], dict)
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: trace must be of type dict, got [[1, 0]] (list)
    """
    if not isinstance(value, kind):
        shown = f"{repr(value)[:60]} ({type(value).__name__})"
        raise InvalidInput(owner, f"be of type {kind.__name__}", shown)


@overload
@dataclass_transform(frozen_default=True)
def frozen(kind: type[Class], /) -> type[Class]:
    """`@frozen` on a class."""


@overload
@dataclass_transform(frozen_default=True)
def frozen(*, eq: bool = True) -> Callable[[type[Class]], type[Class]]:
    """`@frozen(eq=False)` on a class."""


def frozen(
    kind: type[Class] | None = None, /, *, eq: bool = True
) -> type[Class] | Callable[[type[Class]], type[Class]]:
    """`dataclass(frozen=True)` for classes with checked fields.

    >>> @frozen
    ... class Window:
    ...     duration: Checked[str | int, int] = default("1")
    ...
    ...     def __post_init__(self) -> None:
    ...         object.__setattr__(self, "duration", int(self.duration))
    >>> Window(), Window("3").duration + 1
    (Window(duration=1), 4)
    """
    decorate = dataclass(frozen=True, eq=eq)
    return decorate if kind is None else decorate(kind)
