"""A paper and methods outside the package; what they register does not outlive a test."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fltheory.core import plugins, registry
from fltheory.papers import folders

HERE = Path(__file__).parent
collect_ignore = ["papers", "methods"]
"""They are read as plug-ins, not as tests."""


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Neither plug-ins nor papers from outside, and none left behind."""
    path, modules = list(sys.path), set(sys.modules)
    monkeypatch.setenv(plugins.VARIABLE, "")
    monkeypatch.setenv(folders.VARIABLE, "")
    monkeypatch.setattr(registry, "_registered", {})
    yield
    sys.path[:] = path
    plugins._load.cache_clear()
    for name in set(sys.modules) - modules:
        home = getattr(sys.modules[name], "__file__", None) or ""
        if not home.startswith((str(HERE.parents[1] / "fltheory"), sys.prefix, sys.base_prefix)):
            del sys.modules[name]


@pytest.fixture
def separate(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that finds neither the tests nor the checkout by itself."""
    kept = {k: v for k, v in os.environ.items() if k not in (plugins.VARIABLE, folders.VARIABLE)}
    return kept | {"OMP_NUM_THREADS": "1"}
