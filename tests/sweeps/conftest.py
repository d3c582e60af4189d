"""Fixtures of sweeps."""

from pathlib import Path

import pytest

from tests.sweeps.grids import GRID


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "grid.toml"
    path.write_text(GRID)
    return path
