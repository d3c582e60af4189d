"""Patterns that the command line calls periodic go on for ever: seen on runs four times as long."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fltheory.core.errors import InvalidInput
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.availability.blocks import Blocks
from fltheory.traces.availability.round_robin import RoundRobin
from fltheory.traces.clocks import Asynchronous, Buffer, FixedWindow, Policy, Synchronous
from fltheory.traces.deliveries import FromAvailability, FromClock
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import repeats
from fltheory.traces.update_times import ExponentialTimes, FixedTimes


def goes_on(short: Trace, long: Trace) -> bool:
    """The period found on the short run holds to the end of the long one, which extends it."""
    found = repeats(short)
    assert found is not None
    warm_up, period = found
    rows = np.concatenate([long.delivers, long.delays, long.local_steps], axis=1)
    return long.first(short.num_rounds) == short and bool(
        (rows[warm_up + period :] == rows[warm_up:-period]).all()
    )


@st.composite
def models(draw: st.DrawFn) -> Alternating | Blocks | RoundRobin:
    clients = draw(st.integers(1, 5))
    lengths = st.integers(1, 7)
    return draw(
        st.one_of(
            st.builds(
                Alternating,
                st.just(clients),
                st.lists(lengths, min_size=1, max_size=clients).map(tuple),
            ),
            st.builds(
                Blocks,
                st.just(clients),
                st.lists(lengths, min_size=clients, max_size=clients),
                st.lists(st.integers(0, 4), min_size=clients, max_size=clients),
            ),
            st.builds(
                RoundRobin, st.just(clients), st.integers(1, 3), everyone_first=st.booleans()
            ),
        )
    )


@pytest.mark.slow
@given(model=models(), share=st.integers(1, 5), continuous=st.booleans())
def test_longest_absent_clients_of_a_periodic_model_repeat(
    model: Alternating | Blocks | RoundRobin, share: int, continuous: bool
) -> None:
    assume(model.declares.period is not None and model.declares.period <= 200)
    source = FromAvailability(
        model, min(share, model.num_clients), work="continuous" if continuous else "fresh"
    )
    short = source.periodic()
    assert goes_on(short, source.trace(4 * short.num_rounds))


times = st.lists(
    st.fractions(min_value=Fraction(1, 4), max_value=4, max_denominator=4), min_size=1, max_size=3
)
policies = st.one_of(
    st.just(Synchronous()),
    st.builds(Asynchronous, joint_ties=st.booleans()),
    st.builds(FixedWindow, st.fractions(min_value=Fraction(1, 2), max_value=3, max_denominator=3)),
    st.just(Buffer(1)),
    st.just(Buffer(2)),
)


@pytest.mark.slow
@given(update_times=times, policy=policies)
def test_clocks_with_fixed_times_repeat(update_times: list[Fraction], policy: Policy) -> None:
    if isinstance(policy, Buffer) and policy.size > len(update_times):
        policy = Buffer(len(update_times))
    source = FromClock(FixedTimes(update_times), policy, 1, 0)
    short = source.periodic()
    assert goes_on(short, source.trace(4 * short.num_rounds))


def test_a_long_common_pattern_is_not_cut_short() -> None:
    """For a hundred rounds two almost equal clients take turns; only then does the fast one
    overtake."""
    source = FromClock(FixedTimes([100, 101]), Asynchronous(), 1, 0)
    assert repeats(source.trace(60)) == (1, 2)
    assert repeats(source.periodic()) == (1, 201)


def test_random_times_have_no_period() -> None:
    with pytest.raises(InvalidInput, match="random update times"):
        FromClock(ExponentialTimes([1, 2]), Asynchronous(), 1, 0).periodic()
