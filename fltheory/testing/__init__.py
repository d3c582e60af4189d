"""Tests of convergence theorems, methods and papers, for this project and for others.

State a claim, say which scenarios it speaks of, and let Hypothesis (the extra `testing`) look for
one that breaks it:

    from hypothesis import given
    from fltheory.testing import assert_bound_holds, scenarios

    @given(scenarios(MY_CLAIM))
    def test_my_bound(scenario):
        assert_bound_holds(MY_CLAIM, scenario)

All numbers are exact; a failure prints the scenario, both sides, and shrinks to a small one.
`check_algorithm` and `check_paper` test a method or a paper of your own without Hypothesis.
"""

from typing import TYPE_CHECKING

from fltheory.core.extras import require
from fltheory.testing.bounds import assert_bound_holds
from fltheory.testing.contracts import check_algorithm, check_paper

if TYPE_CHECKING:
    from fltheory.testing.strategies import (
        arrival_processes,
        clocks,
        problems,
        scenarios,
        traces,
        update_times,
    )

__all__ = [
    "arrival_processes",
    "assert_bound_holds",
    "check_algorithm",
    "check_paper",
    "clocks",
    "problems",
    "scenarios",
    "traces",
    "update_times",
]


def __getattr__(name: str) -> object:
    """The strategies, which need Hypothesis, are loaded when they are asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require("testing", f"fltheory.testing.{name}")
    from fltheory.testing import strategies

    return getattr(strategies, name)
