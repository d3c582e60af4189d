"""One call builds a trace: the same as its parts put together by hand."""

from fractions import Fraction

import numpy as np
import pytest

from fltheory.core.errors import InvalidInput
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.build import availability_model, build_trace, clock_trace, split_model
from fltheory.traces.clocks import Asynchronous, simulate_clock
from fltheory.traces.delays import random_delays
from fltheory.traces.deliveries import FromAvailability
from fltheory.traces.selection import longest_absent, uniform, wait_for_sample
from fltheory.traces.trace import Trace
from fltheory.traces.update_times import ExponentialTimes

COINS = Bernoulli(("1/2", "1/3", "3/4", 1))


def test_text_model_and_table_give_the_same_trace() -> None:
    model = Alternating(2, (1, 3))
    by_text = build_trace("alternating:1,3", 8, num_clients=2, local_steps=(2, 1))
    assert by_text == build_trace(model, 8, local_steps=(2, 1))
    assert by_text == build_trace(model.matrix(8), 8, local_steps=(2, 1))
    assert by_text == Trace.fresh(model.matrix(8), local_steps=(2, 1))


@pytest.mark.parametrize(
    ("selection", "by_hand"),
    [
        ("longest-absent", lambda table: longest_absent(table, 2)),
        ("uniform", lambda table: uniform(table, 2, seed=5)),
        ("wait", lambda table: wait_for_sample(table, 2, seed=5)),
    ],
)
def test_selection_by_name_and_as_a_function(selection, by_hand) -> None:
    named = build_trace(COINS, 30, clients_per_round=2, selection=selection, seed=5)
    assert named == Trace.fresh(by_hand(COINS.matrix(30, seed=5)))
    assert named == build_trace(COINS, 30, selection=by_hand, seed=5)


def test_work_and_delays() -> None:
    matrix = COINS.matrix(20, seed=3)
    assert build_trace(COINS, 20, work="continuous", seed=3) == Trace.continuous(matrix)
    late = build_trace(COINS, 20, max_delay=3, seed=3)
    assert late == random_delays(Trace.fresh(matrix), 3, seed=3)
    assert late.delays.max() > 0


def test_clocks() -> None:
    fixed = clock_trace([1, "3/2"], 9, policy=Asynchronous(), local_steps=2)
    assert fixed == simulate_clock([1, "3/2"], Asynchronous(), num_rounds=9, local_steps=2)
    assert clock_trace([1, 2], 2).times == (Fraction(0), Fraction(2), Fraction(4))
    times = ExponentialTimes([1, 2])
    random = clock_trace(times, 9, policy=Asynchronous(), seed=4)
    assert random == simulate_clock(times, Asynchronous(), num_rounds=9, seed=4)
    assert random != clock_trace(times, 9, policy=Asynchronous(), seed=5)


def test_the_same_seed_gives_the_same_trace_and_a_longer_one_extends_it() -> None:
    short = build_trace(COINS, 10, clients_per_round=1, selection="uniform", max_delay=2, seed=7)
    long = build_trace(COINS, 25, clients_per_round=1, selection="uniform", max_delay=2, seed=7)
    assert long.first(10) == short


@pytest.mark.parametrize(
    ("given", "options", "says"),
    [
        ("alternatng:1,3", {"num_clients": 2}, "near: alternating"),
        ("nowhere:Model", {}, "name it in AVAILABILITY of nowhere"),
        ("always", {}, "num clients is required"),
        (Alternating(2, (1, 3)), {"num_clients": 3}, "be about 3 clients"),
        (Alternating(2, (1, 3)), {"selection": "uniform"}, "come with clients per round"),
        (Alternating(2, (1, 3)), {"selection": "best"}, "selection must be one of"),
        (Alternating(2, (1, 3)), {"work": "stale"}, "work must be one of fresh, continuous"),
        (
            Alternating(2, (1, 3)),
            {"selection": lambda table: table, "clients_per_round": 1},
            "be left out where the selection is a function",
        ),
        ([[1, 0], [1]], {}, "rows of equal length"),
        ([[1, 0]], {}, "at most the 1 recorded ones"),
    ],
)
def test_what_cannot_be_built_is_refused_by_rule(given, options, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        build_trace(given, 4, **options)


def test_memory_is_guarded() -> None:
    with pytest.raises(InvalidInput, match="rounds x clients must be at most"):
        build_trace("always", 10**6, num_clients=10**6)


def test_names_and_arguments_of_models() -> None:
    assert split_model("recorded:a:b.csv") == ("recorded", ("a:b.csv",))
    assert split_model("mine.models:Blinking") == ("mine.models:Blinking", ())
    assert split_model("mine:Blinking:1/2,3") == ("mine:Blinking", ("1/2", "3"))
    assert availability_model("alternating:1,3", {"num_clients": 2}) == Alternating(2, (1, 3))


def test_what_depends_on_the_seed_has_no_period() -> None:
    model = Alternating(2, (1, 3))
    assert FromAvailability(model).periodic().num_rounds >= 12
    for options in ({"max_delay": 1}, {"selection": lambda table: np.asarray(table)}):
        with pytest.raises(InvalidInput, match="repeat itself"):
            FromAvailability(model, **options).periodic()
