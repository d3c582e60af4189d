"""Rows over a common denominator behave as arrays of fractions, and exact runs do not change."""

from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import RATIONAL, FedAvg, Mifa, Quadratic, Trace, simulate
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.engine.arithmetic.common_rows import CommonRows, chosen, from_fractions
from fltheory.engine.arithmetic.integer import INTEGER
from fltheory.engine.simulate import states_of_run
from fltheory.engine.workers import ONE_GRADIENT

numbers = st.fractions(-5, 5, max_denominator=12)
shapes = st.sampled_from([(1, 1), (3, 1), (1, 2), (3, 2)])


@st.composite
def tables(draw: Any) -> Any:
    shape = draw(shapes)
    size = shape[0] * shape[1]
    found = np.empty(size, dtype=object)
    found[:] = draw(st.lists(numbers, min_size=size, max_size=size))
    return found.reshape(shape)


@pytest.mark.parametrize("operation", [add, sub, mul, eq, ne, lt, le, gt, ge])
@settings(max_examples=25)
@given(tables(), tables())
def test_operations_are_those_of_fractions(operation: Any, left: Any, right: Any) -> None:
    a, b = from_fractions(left), from_fractions(right)
    expected = operation(left, right)
    for found in (operation(a, b), operation(left, b), operation(a, right)):
        assert (np.asarray(found) == expected).all()
        assert found.shape == expected.shape
    for number in (3, Fraction(-2, 7)):
        assert (np.asarray(operation(a, number)) == operation(left, number)).all()


@settings(max_examples=25)
@given(tables(), numbers.filter(bool))
def test_quotients_powers_sums_and_parts(table: Any, number: Any) -> None:
    rows = from_fractions(table)
    assert (np.asarray(rows / number) == table / number).all()
    assert (np.asarray(rows / from_fractions(np.array([[number]]))) == table / number).all()
    assert (np.asarray(rows**3) == table**3).all()
    assert (np.asarray(rows**0) == table**0).all()
    assert (np.asarray(-rows) == -table).all()
    for axis in (-2, -1):
        summed = rows.sum(axis=axis, keepdims=True)
        assert (np.asarray(summed) == table.sum(axis=axis, keepdims=True)).all()
    assert (np.asarray(rows[..., :1, :]) == table[..., :1, :]).all()
    assert len(rows) == len(table)
    assert (np.maximum(rows, 0) == np.maximum(table, 0)).all()
    with pytest.raises(ZeroDivisionError):
        truediv(rows, 0)


@settings(max_examples=25)
@given(tables(), st.lists(st.booleans(), min_size=3, max_size=3))
def test_what_is_left_out_stays_out_and_is_never_chosen(table: Any, flags: Any) -> None:
    rows, mask = from_fractions(table), np.array(flags[: len(table)])[:, None]
    part = rows.only(mask) * 2 + rows
    assert part.partial == (not mask.all())
    assert (np.asarray(chosen(mask, part, rows)) == np.where(mask, 3 * table, table)).all()


def test_reduced_rows_are_the_same_over_the_least_denominator() -> None:
    rows = CommonRows((2, 1), [6 * 10**200, -4 * 10**200], 10**204, 10)
    assert rows.reduced().denominator == 5000
    assert (rows.reduced() == rows).all()


class Nonlinear:
    """Losses with gradients (x - c_i)^3 |x|/2, written with NumPy's functions and divisions."""

    num_clients, dimension, affine = 2, 1, False

    def gradients(self, arithmetic: Any) -> Any:
        centres = arithmetic.rows([[1], [Fraction(-1, 3)]])
        return lambda rows: np.abs(rows - centres) / 2 + (rows - centres) ** 3 / (1 + rows * rows)


TRACE = Trace.fresh([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1]], local_steps=2)


@pytest.mark.parametrize(
    "problem", [Quadratic((1, "3/2"), ("1/7", 0)), Nonlinear()], ids=["quadratic", "nonlinear"]
)
def test_runs_in_whole_numbers_are_the_runs_in_fractions(problem: Any) -> None:
    sizes: Any = {"start": "1/2", "local_step_size": lambda index: Fraction(1, index + 5)}
    plain = [
        state.server.model
        for state in states_of_run(Mifa(), problem, TRACE, arithmetic=RATIONAL, **sizes)
    ]
    fast = simulate(Mifa(), problem, TRACE, **sizes)
    assert (fast.models[:, None] == np.stack(plain)).all()
    assert all(type(x).__name__ == "Ratio" for x in fast.models.flat)
    assert isinstance(fast.final.server.updates, np.ndarray)


def test_absent_clients_are_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    products: list[int] = []
    original = CommonRows.__mul__

    def counted(self: Any, other: Any) -> Any:
        found = original(self, other)
        products.append(sum(number is None for number in found.numerators))
        return found

    monkeypatch.setattr(CommonRows, "__mul__", counted)
    steps: Any = {"start": 1, "local_step_size": "1/4", "fused": False}
    simulate(Mifa(), Quadratic((1, 2), (0, 1)), TRACE, **steps)
    assert max(products) == 1


def test_a_wrong_alignment_changes_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Quadratic((1, "3/2"), ("1/7", 0))
    right = simulate(Mifa(), problem, TRACE, start=1, local_step_size="1/4").models
    path = "fltheory.engine.arithmetic.common_rows.aligned"
    monkeypatch.setattr(path, lambda first, second, primes: (1, 1, first))
    wrong = simulate(Mifa(), problem, TRACE, start=1, local_step_size="1/4").models
    assert (right != wrong).any()


def test_shapes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        INTEGER.zeros((2, 1)) + INTEGER.rows([[1], [2], [3]])


LINES = Quadratic([(1, 0), ("1/3", -2), (4, "2/7")], [(0, 1), ("5/2", 0), (-1, 3)])
SIZES: Any = {
    "constant": "1/4",
    "falling": lambda t: Fraction(1, t + 3),
    "sometimes zero": lambda t: Fraction(t % 2, 5),
}


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("method", [Mifa(), FedAvg(), FedLaAvg(), FedAvg(worker=ONE_GRADIENT)])
def test_local_steps_at_once_are_those_one_by_one(method: Any, sizes: str) -> None:
    late = Trace.with_delays(
        [[1, 1, 1], [1, 0, 1], [0, 1, 1], [0, 0, 0], [1, 1, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 0], [1, 0, 0]],
        local_steps=[[2, 1, 1], [1, 1, 3], [1, 2, 1], [1, 1, 1], [4, 2, 2]],
    )
    for trace in (late, Trace.fresh(late.delivers, local_steps=3), Trace.fresh(late.delivers)):
        found, expected = (
            simulate(method, LINES, trace, start=1, local_step_size=SIZES[sizes], fused=fused)
            for fused in (True, False)
        )
        assert (found.models == expected.models).all()
        for one, other in zip(found.final.server, expected.final.server, strict=True):
            assert (one == other).all()
