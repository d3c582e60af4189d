"""The only module that imports numba."""

from collections.abc import Callable
from typing import TypeVar

from fltheory.core.extras import MissingExtra

try:
    import numba
except ImportError as problem:  # pragma: no cover - depends on the installation
    raise MissingExtra("fast", "a compiled run") from problem

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """The function in machine code, compiled on first use and cached on disk. Sums are never
    reordered, so bits do not depend on shapes.

    The cache notices changes in its own file only, so compiled functions call only functions of the
    same file.
    """
    return _compiled(function, {"contract", "nsz"})


def compiled_sums(function: Function) -> Function:
    """The same, but sums may be reordered to use vector registers: bits depend on the lengths of
    the sums, so these must not depend on who is computed beside."""
    return _compiled(function, {"contract", "nsz", "reassoc"})


def _compiled(function: Function, allowed: set[str]) -> Function:
    decorate = numba.njit(cache=True, fastmath=allowed, error_model="numpy", nogil=True)
    made: Function = decorate(function)
    return made
