"""The strategies that others use: what they draw is what they promise; a false bound is caught, a
true one is not."""

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from fltheory import InvalidInput, Quadratic, Trace
from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.claim import Assumption, Claim, Order, Paper, Source, UpperBound
from fltheory.claims.scenario import Scenario
from fltheory.core.vocabulary import symbol
from fltheory.testing import assert_bound_holds, clocks, problems, scenarios, traces

SMALL = Assumption(
    "toy.small",
    "the step size is at most 1/L",
    lambda s: s.local_step_size * s.problem.constants.smoothness <= 1 and s.local_step_size > 0,
)
EVERYONE = Assumption(
    "toy.everyone",
    "everybody takes one exact step in every round",
    lambda s: (
        bool(s.trace.delivers.all() and (s.trace.local_steps == 1).all())
        and s.problem.noise_squared == 0
    ),
)
CONVEX = Assumption(
    "toy.infimum", "the loss has a known infimum", lambda s: s.problem.constants.infimum is not None
)
PLAIN = Assumption("toy.plain", "the server step size is 1", lambda s: s.server_step_size == 1)


def descent_lemma(factor, *, about=("fedavg", "mifa")) -> Claim:
    """mean |grad f|^2 <= factor (f(x_0) - f*)/(step size * rounds): true with factor 2 for gradient
    descent."""
    right = factor * symbol("initial_loss_gap") / (symbol("local_step_size") * symbol("num_rounds"))
    return Claim(
        id="toy.descent",
        source=Source(Paper("toy", "A toy", "Nobody", 2026, "here"), "line 1"),
        says="Gradient descent makes the mean squared gradient small.",
        statement=UpperBound(symbol("mean_squared_gradient"), right),
        assumes=(SMALL, EVERYONE, CONVEX, PLAIN),
        about=about,
    )


@settings(
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=25
)
@given(scenarios(descent_lemma(2)))
def test_a_true_bound_holds(scenario):
    assert unmet(descent_lemma(2), scenario) == []
    assert_bound_holds(descent_lemma(2), scenario)


@pytest.mark.slow
def test_a_false_bound_is_caught_and_shrunk_to_one_round():
    """With factor 1 the bound fails in a single round wherever step size x curvature > 1/2, so no
    counterexample is shorter."""

    def broken(scenario) -> bool:
        try:
            assert_bound_holds(descent_lemma(1), scenario)
        except AssertionError:
            return True
        return False

    one_round = Scenario(
        "fedavg", Quadratic((1,), (0,)), Trace.fresh([[1]]), start=1, local_step_size="3/4"
    )
    assert broken(one_round)
    scenario = find(
        scenarios(descent_lemma(1)),
        broken,
        settings=settings(
            suppress_health_check=list(HealthCheck),
            max_examples=300,
            derandomize=True,
            database=None,
            phases=[Phase.generate, Phase.shrink],
        ),
    )
    assert unmet(descent_lemma(1), scenario) == []
    assert scenario.trace.num_rounds == 1


def test_inadmissible_scenarios_and_orders_are_refused():
    run = Scenario("fedavg", Quadratic((1,), (0,)), Trace.fresh([[1]]), start=1, local_step_size=3)
    with pytest.raises(InvalidInput, match=r"toy\.small"):
        assert_bound_holds(descent_lemma(2), run)
    order = Claim(
        id="toy.order",
        source=descent_lemma(2).source,
        says="A rate without any constant in it.",
        statement=Order(symbol("mean_squared_gradient"), 1 / symbol("num_rounds")),
    )
    with pytest.raises(InvalidInput, match="order"):
        assert_bound_holds(order, run)
    with pytest.raises(InvalidInput, match="name the algorithms"):
        find(scenarios(order), lambda scenario: True)


@given(traces(everyone_first=True, empty_rounds=False, max_delay=2))
def test_traces_are_what_was_asked_for(trace):
    assert trace.delivers[0].all()
    assert trace.delivers.any(axis=-1).all()
    assert trace.delays.max() <= 2


@pytest.mark.slow
@given(clocks())
def test_clocks_conserve_time(timed):
    assert all(duration >= 0 for duration in timed.durations)


@pytest.mark.slow
@given(st.data())
def test_problems_have_the_constants_that_they_promise(data):
    problem = data.draw(problems(noise=True))
    assert problem.constants.smoothness is not None
    assert problem.constants.gradient_noise_squared == problem.noise_squared
