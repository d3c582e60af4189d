"""One browser for all tests of the page, closed at the end; one tree of commands for all tests of
the command line."""

import os
import shutil
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import typer.testing

import fltheory.cli

BROWSER_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# A process builds the commands once; tests that share a process need not build them again.
vars(fltheory.cli)["make_app"] = cache(fltheory.cli.make_app)
vars(typer.testing)["_get_command"] = cache(typer.main.get_command)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser; a test that asks for it is skipped where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install 'fltheory[browser]'"
    )
    program = (
        os.environ.get("FLTHEORY_BROWSER")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
    )
    if program is None:
        pytest.skip("no browser: install chromium, or name one in FLTHEORY_BROWSER")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=BROWSER_FLAGS)
        yield opened
        opened.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser, directly or through a fixture."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
