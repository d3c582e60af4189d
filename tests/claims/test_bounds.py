"""Every bound about runs that is not refuted holds, in exact arithmetic, on scenarios drawn for it;
a refuted one can be broken so."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fltheory.claims.evidence import Verdict
from fltheory.ledger import lines as ledger
from fltheory.ledger import runner
from fltheory.papers import all_claims
from fltheory.testing import assert_bound_holds, scenarios

VERDICTS = ledger.verdicts(runner.recorded())
ABOUT_RUNS = [claim for claim in all_claims().values() if claim.about]
RARE = {
    "afl.cor3.explicit": "its step size is a root of the horizon, which random draws rarely meet"
}
STANDING = [
    claim
    for claim in ABOUT_RUNS
    if VERDICTS.get(claim.id) is not Verdict.REFUTED and claim.id not in RARE
]


def test_there_are_such_bounds_in_several_papers():
    assert len({claim.source.paper.key for claim in STANDING}) >= 2
    assert len(STANDING) >= 7


@pytest.mark.slow
@pytest.mark.parametrize("claim", STANDING, ids=lambda claim: claim.id)
def test_bound_holds_on_drawn_scenarios(claim):
    drawn = 0

    @settings(max_examples=20, suppress_health_check=list(HealthCheck))
    @given(scenarios(claim))
    def holds(scenario):
        nonlocal drawn
        drawn += 1
        assert_bound_holds(claim, scenario)

    holds()
    assert drawn >= 10


@pytest.mark.slow
@pytest.mark.parametrize("claim", STANDING, ids=lambda claim: claim.id)
def test_a_bound_cut_to_a_thousandth_does_not_hold(claim):
    """The same strategies find a scenario that breaks a bound which is far too small."""
    small = claim.planted(right=claim.statement.right / 1000)

    @settings(max_examples=200, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(st.data())
    def holds(data):
        assert_bound_holds(small, data.draw(scenarios(small)))

    with pytest.raises(AssertionError, match="contradicted"):
        holds()
