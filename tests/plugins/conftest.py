"""A paper and methods outside the package; what they register does not outlive a test."""

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
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Neither plug-ins nor papers from outside, and none of a temporary folder left behind."""
    monkeypatch.setenv(plugins.VARIABLE, "")
    monkeypatch.setenv(folders.VARIABLE, "")
    monkeypatch.setattr(registry, "_registered", {})
    yield
    sys.path[:] = [path for path in sys.path if not path.startswith(str(tmp_path))]
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
