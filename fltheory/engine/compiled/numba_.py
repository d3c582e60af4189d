"""The one place that imports numba."""

from collections.abc import Callable
from typing import Any

from fltheory.core.extras import MissingExtra

try:
    import numba
except ImportError as problem:  # pragma: no cover - depends on the installation
    raise MissingExtra("fast", "a compiled run") from problem


def compiled(function: Callable[..., Any]) -> Any:
    """The function in machine code, made on first use and kept on disk. Sums are never reordered,
    so bits do not depend on shapes.

    What is kept on disk knows only its own file, so compiled functions call only those of the same
    file.
    """
    return numba.njit(cache=True, fastmath={"contract", "nsz"}, error_model="numpy", nogil=True)(
        function
    )
