"""Optional packages: which extra of the distribution brings which, whether it is there, and how to
get it."""

import re
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

PACKAGES = {
    "tensor": "torch",
    "fast": "numba",
    "plot": "matplotlib",
    "worst-case": "clarabel",
    "testing": "hypothesis",
    "cluster": "distributed",
    "parquet": "pyarrow",
    "flower": "flwr",
}
"""The package behind each extra that code of this package imports."""


class MissingExtra(ImportError):
    """Something needs an optional package that is not installed; the message says how to get it."""

    def __init__(self, extra: str, what: str) -> None:
        super().__init__(f"{what} needs {PACKAGES[extra]}, which is not installed: {hint(extra)}")
        self.extra, self.what = extra, what

    def __reduce__(self) -> tuple[type["MissingExtra"], tuple[str, str]]:
        """So that a worker process can hand it over."""
        return MissingExtra, (self.extra, self.what)


def available(extra: str) -> bool:
    """Whether the package of an extra is installed; it is not imported.

    >>> available("worst-case") in (True, False)
    True
    """
    try:
        return find_spec(PACKAGES[extra]) is not None
    except ImportError:  # an import hook that refuses the package
        return False


def require(extra: str, what: str) -> None:
    """Refuse before work starts: `what` is the subject of the sentence.

    >>> require("testing", "fltheory.testing")  # nothing happens where Hypothesis is installed
    """
    if not available(extra):
        raise MissingExtra(extra, what)


def hint(extra: str) -> str:
    """A command that installs the package, whether fltheory came from an index, a wheel or a
    checkout.

    >>> hint("worst-case")
    "pip install 'clarabel<1,>=0.9' (the extra worst-case of fltheory)"
    """
    return f"pip install '{_requirement(extra)}' (the extra {extra} of fltheory)"


def _requirement(extra: str) -> str:
    """The package with the versions that the distribution's own metadata asks for."""
    try:
        lines = requires("fltheory") or []
    except PackageNotFoundError:  # the source tree on a path, not installed
        lines = []
    for line in lines:
        wanted, _, marker = line.partition(";")
        if wanted.startswith(PACKAGES[extra]) and re.search(rf"extra == ['\"]{extra}['\"]", marker):
            return wanted.strip()
    return PACKAGES[extra]
