"""A paper and methods outside the package; their modules do not outlive a test."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
collect_ignore = ["papers", "methods"]
"""They are read as plug-ins, not as tests."""


@pytest.fixture(autouse=True)
def modules_end_with_the_test(tmp_path: Path) -> Iterator[None]:
    """No module of a temporary folder is left behind."""
    yield
    sys.path[:] = [path for path in sys.path if not path.startswith(str(tmp_path))]
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]
