"""Small logs for the tests of fleets."""

from pathlib import Path

from hypothesis import strategies as st

tables = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1, max_size=9)
)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
