"""Public functions refuse arguments of a type that their signature does not name."""

import os
from collections.abc import Callable, Sequence
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np

from fltheory.core.errors import InvalidInput

Given = ParamSpec("Given")
Found = TypeVar("Found")

WIDER: dict[type, tuple[type, ...]] = {
    int: (int, Integral),
    float: (float, Real),
    bool: (bool, np.bool_),
    Path: (Path, os.PathLike),
    Sequence: (Sequence, np.ndarray),
}
"""What counts as a type beside the type itself; a text is no sequence, see `fits`."""


def refusing_wrong_types(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """The function, which names an argument of a wrong type before it starts to work.

    What a signature leaves open (formulas, elements of sequences) the function itself checks.

    >>> @refusing_wrong_types
    ... def mean(values: Sequence[float], *, digits: int | None = None) -> float:
    ...     return round(sum(values) / len(values), digits)
    >>> mean([1, 2], digits=1)
    1.5
    >>> mean([1, 2], digits="one")
    Traceback (most recent call last):
    fltheory.core.errors.InvalidInput: digits must be of type int, got 'one' (str)
    """

    @wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        told, kinds = _types_of(function)
        try:
            given = told.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python's own words for arguments that do not fit
        for name, value in given.items():
            several = told.parameters[name].kind is Parameter.VAR_POSITIONAL
            for one in value if several else (value,):
                if name in kinds and not fits(one, kinds[name]):
                    shown = f"{repr(one)[:60]} ({type(one).__name__})"
                    raise InvalidInput(name.replace("_", " "), _rule(kinds[name]), shown)
        return function(*args, **kwargs)

    return called


@cache
def _types_of(function: Callable[..., object]) -> tuple[Signature, dict[str, tuple[type, ...]]]:
    told = signature(function)
    kinds = {name: named_types(p.annotation) for name, p in told.parameters.items()}
    return told, {name: types for name, types in kinds.items() if types is not None}


def _rule(kinds: tuple[type, ...]) -> str:
    if len(kinds) == 1 and (role := promised(kinds[0])):
        return f"have {', '.join(role)}"
    return f"be of type {' or '.join(kind.__name__ for kind in kinds if kind is not NoneType)}"


def fits(value: object, kinds: tuple[type, ...]) -> bool:
    """Is the value of one of these types, or has it what one of these protocols promises? Text is
    a sequence, and a truth value a whole number, only where they are named.

    >>> fits(2, (float,)), fits("ab", (Sequence,)), fits([1], (Sequence,)), fits(True, (int,))
    (True, False, True, False)
    """
    for kind in kinds:
        if role := promised(kind):
            if set(role) <= set(dir(value)):
                return True
        elif isinstance(value, WIDER.get(kind, (kind,))):
            loose = {Sequence: (str, bytes), int: (bool,)}.get(kind, ())
            if not isinstance(value, loose):
                return True
    return False


@cache
def promised(kind: type) -> tuple[str, ...]:
    """The public names of a protocol; nothing for other types."""
    if not getattr(kind, "_is_protocol", False):
        return ()
    classes = [one for one in kind.__mro__ if getattr(one, "_is_protocol", False)]
    names = {
        name for one in classes for name in (*vars(one), *vars(one).get("__annotations__", ()))
    }
    return tuple(sorted(name for name in names if not name.startswith("_")))


def named_types(annotation: object) -> tuple[type, ...] | None:
    """The types that an annotation names; None if it admits what cannot be told by its type.

    >>> named_types(str | None), named_types(Literal["a", "b"]), named_types("later")
    ((<class 'str'>, <class 'NoneType'>), (<class 'str'>,), None)
    """
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        parts = [named_types(part) for part in get_args(annotation)]
        if any(part is None for part in parts):
            return None
        return tuple(dict.fromkeys(kind for part in parts for kind in part or ()))
    if origin is Literal:
        return tuple(dict.fromkeys(type(part) for part in get_args(annotation)))
    if annotation is None:
        return (NoneType,)
    kind = origin or annotation
    if not isinstance(kind, type) or kind in (object, Parameter.empty):
        return None
    return (kind,)
