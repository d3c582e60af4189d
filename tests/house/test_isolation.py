"""What one test registers is unknown to the next."""

import pytest

import fltheory.algorithms
from fltheory import FedAvg
from fltheory.core.registry import Member, members, register


@pytest.mark.parametrize("time", ["first", "second"])
def test_a_member_of_one_test_is_unknown_to_the_next(time: str) -> None:
    left_over = Member("left-over", "Registered by a test.", lambda settings: FedAvg())
    assert left_over.name not in members(fltheory.algorithms)
    register(fltheory.algorithms, left_over)
    assert left_over.name in members(fltheory.algorithms)


def test_doctests_are_isolated_too(pytestconfig: pytest.Config) -> None:
    """The fixture that undoes what is registered is that of the whole repository."""
    folder = pytestconfig.rootpath
    assert "only_the_package_is_registered" in (folder / "conftest.py").read_text(encoding="utf-8")
