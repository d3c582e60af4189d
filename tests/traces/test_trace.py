"""Trace: what it refuses, what its constructors mean, and that values are values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fltheory import InvalidInput, Trace
from fltheory.traces.trace import last_true, rounds_since_received


@st.composite
def matrices(draw, *, batch=False):
    shape = (draw(st.integers(1, 8)), draw(st.integers(1, 4)))
    shape = (draw(st.integers(1, 3)), *shape) if batch else shape
    cells = draw(
        st.lists(st.booleans(), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
    )
    return np.array(cells).reshape(shape)


@st.composite
def traces(draw, *, batch=False):
    delivers = draw(matrices(batch=batch))
    rounds = np.arange(delivers.shape[-2])[:, None]
    delays = draw(st.integers(0, 5)) * (rounds + np.arange(delivers.shape[-1])) % (rounds + 1)
    steps = 1 + (draw(st.integers(0, 3)) * rounds + np.arange(delivers.shape[-1])) % 3
    return Trace.with_delays(delivers, delays, local_steps=steps)


def trace(delivers=((1, 1), (0, 1)), started_from=((0, 0), (1, 0)), local_steps=((2, 1), (0, 3))):
    return Trace(np.array(delivers), np.array(started_from), np.array(local_steps))


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (
            lambda: trace(started_from=((0, 0), (1, -1))),
            "started_from of client 1 in round 1 must be at least 0, got -1",
        ),
        (
            lambda: trace(started_from=((0, 1), (1, 0))),
            "started_from of client 1 in round 0 must not lie after its round, got 1",
        ),
        (
            lambda: trace(started_from=((0, 0), (0, 0))),
            (
                "^started_from of client 0 in round 1 must equal the round where nothing is"
                " delivered, got 0"
            ),
        ),
        (
            lambda: trace(local_steps=((0, 1), (0, 3))),
            (
                "local_steps of client 0 in round 0 must be at least 1 where the client delivers,"
                " got 0"
            ),
        ),
        (
            lambda: trace(local_steps=((2, 1), (4, 3))),
            "local_steps of client 0 in round 1 must be 0 where nothing is delivered, got 4",
        ),
        (
            lambda: trace(local_steps=((2, 1), (0, -3))),
            "local_steps of client 1 in round 1 must be at least 1 .*, got -3",
        ),
        (
            lambda: trace(started_from=((0.0, 0.0), (1.0, 0.0))),
            "started_from must hold whole numbers, got float64",
        ),
        (
            lambda: trace(local_steps=((True, True), (False, True))),
            "local_steps must hold whole numbers, got bool",
        ),
        (
            lambda: trace(started_from=((0, 0),)),
            r"started_from must have the shape \(2, 2\) of delivers, got \(1, 2\)",
        ),
        (lambda: trace(delivers=((1, 2), (0, 1))), "delivers must hold only true and false"),
        (
            lambda: trace(delivers=((1.0, 1.0), (0.0, 1.0))),
            "delivers must hold only true and false .* got float64 values",
        ),
        (
            lambda: trace(delivers=(("1", "1"), ("0", "1"))),
            "delivers must hold only true and false",
        ),
        (
            lambda: Trace.fresh(np.array([[1, float("nan")]])),
            "delivers must hold only true and false",
        ),
        (
            lambda: Trace.fresh([]),
            r"delivers must have at least one round and one client, got shape \(0,\)",
        ),
        (
            lambda: Trace.fresh([[], []]),
            r"delivers must have at least one round and one client, got shape \(2, 0\)",
        ),
        (
            lambda: Trace.fresh([True, False]),
            r"delivers must have at least one round and one client, got shape \(2,\)",
        ),
        (
            lambda: Trace.fresh([[1, 0], [1]]),
            "delivers must have rows of equal length, got ragged rows",
        ),
        (
            lambda: Trace([[1, 0], [1, 0]], [[0, 0], [1]], 1),
            r"started_from must have the shape \(2, 2\) of delivers, got ragged",
        ),
        (
            lambda: Trace.fresh([[1, 0]], local_steps=0),
            "local_steps of client 0 in round 0 must be at least 1 .*, got 0",
        ),
        (
            lambda: Trace.fresh([[1, 0]], local_steps=np.array(1.5)),
            "local_steps must hold whole numbers, got float64",
        ),
        (
            lambda: Trace.fresh([[1, 0]], local_steps=[1, 2, 3]),
            r"local_steps must fit the shape \(1, 2\) of delivers, got another shape",
        ),
        (
            lambda: Trace.fresh([[1, 0]], local_steps=[[1, 2], [3]]),
            r"local_steps must fit the shape \(1, 2\) of delivers",
        ),
        (
            lambda: Trace.fresh([[1, 0]]).with_local_steps([1, 2, 3]),
            r"local_steps must fit the shape \(1, 2\) of delivers",
        ),
        (
            lambda: Trace.with_delays([[1, 0]], [[0], [0]]),
            r"delays must fit the shape \(1, 2\) of delivers",
        ),
        (
            lambda: Trace.with_delays([[1, 0]], [[1, 0]]),
            "started_from of client 0 in round 0 must be at least 0, got -1",
        ),
        (
            lambda: Trace.with_delays([[1, 0]], [[-1, 0]]),
            "started_from of client 0 in round 0 must not lie after its round, got 1",
        ),
        (lambda: Trace.fresh([[1], [1]]).first(3), r"number of rounds must lie in \[1, 2\], got 3"),
        (lambda: Trace.fresh([[1], [1]]).first(0), r"number of rounds must lie in \[1, 2\], got 0"),
    ],
)
def test_bad_traces_are_refused_by_name(act, message):
    with pytest.raises(InvalidInput, match=message):
        act()


@pytest.mark.parametrize(
    "make", [Trace.fresh, Trace.continuous, lambda delivers: Trace.with_delays(delivers, 0)]
)
def test_every_constructor_refuses_what_is_no_matrix_and_takes_one_step_unless_told(make):
    with pytest.raises(InvalidInput, match=r"^delivers must have rows of equal length"):
        make([[1], [1, 0]])
    made = make([[1, 0], [1, 1], [0, 1]])
    assert made.local_steps.tolist() == [[1, 0], [1, 1], [0, 1]]
    assert (made.num_rounds, made.num_clients) == (3, 2)


def test_steps_and_delays_are_given_once_by_client_or_by_round_and_client():
    delivers = [[1, 0], [1, 1]]
    assert Trace.continuous(delivers, local_steps=[3, 5]).local_steps.tolist() == [[3, 0], [3, 5]]
    assert Trace.with_delays(
        delivers, [[0, 0], [1, 0]], local_steps=[[1, 2], [3, 4]]
    ).local_steps.tolist() == [[1, 0], [3, 4]]


def test_traces_serve_as_keys():
    one, other = Trace.fresh([[1, 0], [1, 1]]), Trace.fresh([[1, 1], [1, 0]])
    made = [
        one,
        other,
        one.with_local_steps(2),
        Trace.continuous([[0, 1], [1, 1]]),
        Trace.fresh([[1, 0, 1, 1]]),
    ]
    assert len({hash(trace) for trace in made}) == len(made)
    assert {one: "found"}[Trace.fresh([[1, 0], [1, 1]])] == "found"


def test_a_refusal_in_a_batch_names_client_and_round():
    with pytest.raises(InvalidInput, match="local_steps of client 1 in round 2 must be at least 1"):
        Trace.fresh(
            np.ones((2, 3, 2), bool), local_steps=np.array([[[1, 1]] * 3, [[1, 1], [1, 1], [1, 0]]])
        )


def test_a_trace_does_not_change_with_the_arrays_it_was_made_of():
    delivers = np.ones((2, 2), bool)
    steps = np.ones((2, 2), int)
    made = Trace.fresh(delivers, local_steps=steps)
    delivers[0, 0], steps[0, 0] = False, 9
    assert made == Trace.fresh(np.ones((2, 2), bool))
    for array in (made.delivers, made.started_from, made.local_steps):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 0
    with pytest.raises(AttributeError):
        made.delivers = delivers


@given(traces(), traces())
def test_equality_is_equality_of_contents(one, other):
    again = Trace(one.delivers.copy(), one.started_from.copy(), one.local_steps.copy())
    assert again == one
    assert hash(again) == hash(one)
    same = all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("delivers", "started_from", "local_steps")
    )
    assert (one == other) is same
    assert one != one.delivers.tolist()


@given(matrices())
def test_fresh_deliveries_start_from_the_newest_model(delivers):
    made = Trace.fresh(delivers, local_steps=2)
    assert (made.delays == 0).all()
    assert (made.local_steps == 2 * delivers).all()


@given(matrices())
def test_continuous_work_follows_the_papers_recursion(delivers):
    """rho_i(0) = 0; rho_i(n+1) = n+1 if i in S_n else rho_i(n)."""
    received = np.zeros(delivers.shape[1], int)
    made = Trace.continuous(delivers)
    ages = rounds_since_received(delivers)
    for n, row in enumerate(delivers):
        assert (ages[n] == n - received).all()
        assert (made.started_from[n] == np.where(row, received, n)).all()
        received = np.where(row, n + 1, received)


@given(matrices())
def test_last_true_is_the_last_true_row(delivers):
    result = last_true(delivers)
    for t, i in np.ndindex(*delivers.shape):
        assert result[t, i] == max((s for s in range(t + 1) if delivers[s, i]), default=-1)


@given(traces(batch=True))
def test_a_batch_is_its_members(batch):
    assert batch.batch_shape == (len(batch.delivers),)
    for b in range(len(batch.delivers)):
        single = Trace(batch.delivers[b], batch.started_from[b], batch.local_steps[b])
        assert (single.delays == batch.delays[b]).all()
        assert (single.num_rounds, single.num_clients, single.batch_shape) == (
            batch.num_rounds,
            batch.num_clients,
            (),
        )
        continuous = Trace.continuous(batch.delivers)
        assert (Trace.continuous(single.delivers).started_from == continuous.started_from[b]).all()


@given(traces(batch=True), st.data())
def test_first_rounds_are_a_prefix(made, data):
    rounds = data.draw(st.integers(1, made.num_rounds))
    part = made.first(rounds)
    assert part.num_rounds == rounds
    assert (part.started_from == made.started_from[..., :rounds, :]).all()


@given(traces(), st.integers(1, 5))
def test_other_local_steps_keep_the_deliveries(made, steps):
    changed = made.with_local_steps(steps)
    assert (changed.local_steps == steps * made.delivers).all()
    assert (changed.started_from == made.started_from).all()
