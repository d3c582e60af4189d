"""Fixtures of teaching."""

from collections.abc import Iterator
from typing import Any

import pytest

from fltheory.teaching.page import page
from tests.teaching.page_tabs import Tab, address_of, new_tab


@pytest.fixture(scope="session")
def home() -> str:
    return address_of(page())


@pytest.fixture
def tab(browser: Any, home: str) -> Iterator[Tab]:
    """A tab that must not complain, nor ask for anything but its own file (and pictures that it
    makes itself)."""
    opened = new_tab(browser, home)
    yield opened
    outside = [
        url
        for url in opened.requests
        if not url.startswith((home, "about:", "data:image/svg+xml", "data:,", "blob:"))
    ]
    assert (opened.complaints, outside) == ([], [])
