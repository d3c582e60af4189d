"""Availability models: one contract for every member, promises over their whole range, and planted
liars."""

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fltheory.traces.availability
from fltheory.core.errors import InvalidInput
from fltheory.core.registry import Settings, members
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.availability.always import Always
from fltheory.traces.availability.base import Availability, Declared, cyclic, violations
from fltheory.traces.availability.bernoulli import Bernoulli
from fltheory.traces.availability.blocks import Blocks
from fltheory.traces.availability.diurnal import Diurnal
from fltheory.traces.availability.doubling import Doubling
from fltheory.traces.availability.linear_gaps import LinearGaps
from fltheory.traces.availability.recorded import write_recorded
from fltheory.traces.availability.round_robin import RoundRobin
from fltheory.traces.availability.time_of_day import TimeOfDay
from fltheory.traces.availability.within_window import WithinWindow
from fltheory.traces.trace_statistics import availability_window

MEMBERS = members(fltheory.traces.availability)
ROUNDS = 60
F = Fraction


class Built:
    """Builds members from the command-line form that they show, for the two clients that all of
    these forms fit."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "seen.csv"
        write_recorded(self.file, Bernoulli(("1/2", "1/3")).matrix(ROUNDS, seed=9))

    def arguments(self, name: str) -> tuple[str, ...]:
        written = (
            MEMBERS[name]
            .usage.removeprefix(name)
            .removeprefix(":")
            .replace("FILE.csv", str(self.file))
        )
        return tuple(part for part in written.split(",") if part)

    def __call__(
        self, name: str, arguments: tuple[str, ...] | None = None, num_clients: Any = 2
    ) -> Availability:
        given = self.arguments(name) if arguments is None else arguments
        return MEMBERS[name].build(Settings({"arguments": given, "num_clients": num_clients}))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("availability"))


every_member = pytest.mark.parametrize("name", MEMBERS)


def test_the_known_models_are_there() -> None:
    assert set(MEMBERS) >= {
        "always",
        "bernoulli",
        "label-correlated",
        "alternating",
        "diurnal",
        "time-of-day",
        "round-robin",
        "blocks",
        "within-window",
        "linear-gaps",
        "doubling",
        "recorded",
    }


@every_member
def test_shape(name: str, built: Built) -> None:
    model = built(name)
    matrix = model.matrix(ROUNDS)
    assert model.num_clients == 2
    assert matrix.shape == (ROUNDS, 2)
    assert matrix.dtype == np.bool_


@every_member
def test_reproducible_from_its_seed_and_never_shared(name: str, built: Built) -> None:
    model = built(name)
    first = model.matrix(ROUNDS, seed=3)
    first_copy = first.copy()
    first[:] = ~first
    assert np.array_equal(model.matrix(ROUNDS, seed=3), first_copy)


@every_member
def test_a_longer_matrix_extends_a_shorter_one(name: str, built: Built) -> None:
    model = built(name)
    for cut in (1, 2, 17, ROUNDS - 1):
        assert np.array_equal(model.matrix(cut, seed=4), model.matrix(ROUNDS, seed=4)[:cut])


@every_member
def test_keeps_its_promises(name: str, built: Built) -> None:
    model = built(name)
    for seed in range(5):
        assert violations(model.declares, model.matrix(ROUNDS, seed=seed)) == []


@every_member
@pytest.mark.parametrize("num_rounds", [0, -1, "2.5", "many", 10**9])
def test_bad_number_of_rounds_is_refused(name: str, num_rounds: Any, built: Built) -> None:
    with pytest.raises(InvalidInput, match="rounds"):
        built(name).matrix(num_rounds)


@every_member
@pytest.mark.parametrize("num_clients", [0, -3, "1/2"])
def test_bad_number_of_clients_is_refused(name: str, num_clients: Any, built: Built) -> None:
    with pytest.raises(InvalidInput):
        built(name, num_clients=num_clients)


@every_member
@pytest.mark.parametrize("bad", ["nonsense", "-1", "nan", "", "1/0", "1e300"])
def test_bad_arguments_are_refused(name: str, bad: str, built: Built) -> None:
    good = built.arguments(name)
    for i in range(len(good)):
        with pytest.raises(InvalidInput):
            built(name, (*good[:i], bad, *good[i + 1 :]))
    with pytest.raises(InvalidInput):
        built(name, (*good, bad, bad, bad))


def test_seeds_differ_where_there_is_chance() -> None:
    model = Bernoulli(("1/2",) * 4)
    assert not np.array_equal(model.matrix(ROUNDS, seed=1), model.matrix(ROUNDS, seed=2))


# What a model declares, over its whole range.

few, size = st.integers(1, 6), st.integers(1, 7)
fractions = st.fractions(0, 3, max_denominator=12)


@st.composite
def day_models(draw: st.DrawFn) -> TimeOfDay:
    rounds, clients = draw(st.integers(1, 30)), draw(few)
    hours = draw(
        st.fractions(F(24, rounds), 24, max_denominator=60).filter(
            lambda h: h * rounds >= 24 and h <= 24
        )
    )
    starts = draw(
        st.none()
        | st.lists(st.fractions(0, 23, max_denominator=9), min_size=clients, max_size=clients)
    )
    return TimeOfDay(clients, rounds, hours, starts)


periodic_models = st.one_of(
    st.builds(Always, few),
    st.lists(few, min_size=1, max_size=4).flatmap(
        lambda d: st.builds(Alternating, st.integers(len(d), 7), st.just(tuple(d)))
    ),
    st.integers(2, 5).flatmap(
        lambda g: st.builds(Diurnal, st.integers(g, 9), few, st.integers(1, g - 1), st.just(g))
    ),
    st.builds(RoundRobin, size, few, st.booleans()),
    few.flatmap(
        lambda n: st.builds(
            Blocks, st.just(n), st.lists(few, min_size=n, max_size=n), st.integers(0, 5)
        )
    ),
    st.builds(WithinWindow, size, few, st.booleans()),
    day_models(),
)
models = periodic_models | st.one_of(
    st.builds(Doubling, few),
    st.builds(LinearGaps, few, fractions, st.fractions(0, F(9, 10), max_denominator=40)),
    st.builds(
        Bernoulli,
        st.lists(st.fractions(F(1, 20), 1, max_denominator=20), min_size=1, max_size=5),
        st.booleans(),
    ),
)


@given(models, st.integers(1, 120), st.integers(0, 2**64 - 1), st.data())
def test_promises_and_prefixes_over_the_whole_range(
    model: Availability, rounds: int, seed: int, data: st.DataObject
) -> None:
    matrix = model.matrix(rounds, seed=seed)
    assert violations(model.declares, matrix) == []
    cut = data.draw(st.integers(1, rounds))
    assert np.array_equal(model.matrix(cut, seed=seed), matrix[:cut])


@given(periodic_models)
def test_the_declared_window_is_the_smallest(model: Availability) -> None:
    declared = model.declares
    assert declared.period is not None
    assert (
        availability_window(model.matrix(declared.warm_up + 2 * declared.period))
        == declared.availability_window
    )


@pytest.mark.slow
@given(few, fractions, st.fractions(0, F(9, 10), max_denominator=40))
def test_linear_gaps_are_as_long_as_permitted(clients: int, gap: Fraction, slope: Fraction) -> None:
    times = np.flatnonzero(LinearGaps(clients, gap, slope).matrix(200)[:, 0]) + 1
    for before, t in pairwise(times):
        assert int(t - before) > gap + slope * int(t), "one more absence would have been permitted"
        assert int(t - 1 - before) <= gap + slope * int(t - 1)


LIARS = [
    (
        Declared(everyone_first=True),
        [[1, 0], [1, 1]],
        "client 1 is not available in the first round",
    ),
    (Declared(someone_always=True), [[1, 1], [0, 0]], "nobody is available in round 1"),
    (
        Declared(availability_window=2),
        [[1], [0], [0], [1]],
        "the availability window is 3, declared 2",
    ),
    (Declared(availability_window=1), [[0], [1]], "the availability window is 2, declared 1"),
    (
        Declared(initial_gap=F(1), gap_slope=F(1, 4)),
        [[1], [0], [0]],
        "rounds since available reach 2 in round 2, declared 1 + 1/4 * 3",
    ),
    (
        Declared(initial_gap=F(9), gap_slope=F(0)),
        [[1, 0], [0, 1]],
        "client 1 has not been available by round 0",
    ),
    (Declared(period=2), [[1], [0], [0]], "round 0 differs from round 2, declared period 2"),
    (
        Declared(period=2, warm_up=1),
        [[0], [1], [1], [0], [1]],
        "round 1 differs from round 3, declared period 2",
    ),
]


@pytest.mark.parametrize(("declared", "matrix", "sentence"), LIARS)
def test_a_planted_liar_is_caught(
    declared: Declared, matrix: list[list[int]], sentence: str
) -> None:
    (found,) = violations(declared, matrix)
    assert sentence in found


def test_one_round_less_and_the_liar_is_honest() -> None:
    for declared, matrix, _ in LIARS[2:3] + LIARS[4:5] + LIARS[6:]:
        assert violations(declared, matrix[:-1] if len(matrix) < 4 else matrix[:2]) == []


def test_half_a_promise_is_refused() -> None:
    with pytest.raises(InvalidInput, match="declared together"):
        Declared(initial_gap=F(1))
    with pytest.raises(InvalidInput, match="warm-up"):
        Declared(warm_up=2)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(1, 9), st.integers(0, 30))
def test_cyclic_is_its_formula(start: int, length: int, period: int, t: int) -> None:
    assert cyclic(t + 1, [start], [length], [period])[t, 0] == ((t - start) % period < length)
