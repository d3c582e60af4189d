"""What holds for every test and doctest: one Hypothesis profile (no clock, no luck), a quiet
garbage collector, and members that are registered for one test alone."""

import gc
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

from fltheory.core import plugins, registry
from fltheory.papers import folders

NEEDS_FLOWER = (
    "fltheory/flower/strategies.py",
    "fltheory/flower/log_writer.py",
    "docs/flower/__main__.py",
    "docs/flower/clients.py",
)
collect_ignore = [] if find_spec("flwr") is not None else [*NEEDS_FLOWER]
settings.register_profile(
    "exact", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("exact")
gc.set_threshold(100_000, 50, 50)  # formulas are many small objects: seldom search for cycles


@pytest.fixture(autouse=True)
def only_the_package_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test has registered, in Python, in a doctest or by the options of a command, is
    unknown."""
    monkeypatch.setattr(registry, "_registered", {})
    for variable in (plugins.VARIABLE, folders.VARIABLE):
        monkeypatch.setenv(variable, "")


def pytest_collection_finish() -> None:
    """What was imported stays: it need not be searched for cycles again and again."""
    gc.freeze()
