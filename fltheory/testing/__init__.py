"""Property-based testing of convergence theorems, for this project and for others (needs the extra
`testing`).

State a claim, say which scenarios it speaks of, and let Hypothesis look for one that breaks it:

    from hypothesis import given
    from fltheory.testing import assert_bound_holds, scenarios

    @given(scenarios(MY_CLAIM))
    def test_my_bound(scenario):
        assert_bound_holds(MY_CLAIM, scenario)

All numbers are exact; a failure prints the scenario, both sides, and shrinks to a small one.
"""

from fltheory.core.extras import require
from fltheory.testing.bounds import assert_bound_holds

require("testing", "fltheory.testing")

from fltheory.testing.strategies import (  # noqa: E402
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
    "clocks",
    "problems",
    "scenarios",
    "traces",
    "update_times",
]
