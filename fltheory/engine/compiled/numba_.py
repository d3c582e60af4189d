"""The one place that imports numba."""

from collections.abc import Callable
from typing import Any

try:
    import numba
except ImportError as problem:  # pragma: no cover - depends on the installation
    raise ImportError("compiled loops need numba: pip install 'fltheory[fast]'") from problem


def compiled(function: Callable[..., Any]) -> Any:
    """The function in machine code, made on first use and kept on disk. Sums are never reordered,
    so bits do not depend on shapes.

    What is kept on disk knows only its own file, so compiled functions call only those of the same
    file.
    """
    return numba.njit(cache=True, fastmath={"contract", "nsz"}, error_model="numpy", nogil=True)(
        function
    )
