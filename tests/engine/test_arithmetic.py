"""The arithmetics agree with one another, operation by operation, and exact ones refuse what they
cannot write down."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory import (
    FLOAT,
    RATIONAL,
    FedAvg,
    InvalidInput,
    Mifa,
    NotExact,
    Quadratic,
    Trace,
    named_arithmetic,
)
from fltheory.engine.arithmetic import mean, total
from fltheory.engine.simulate import simulate

HALF = Fraction(1, 2)
NAMES = ("rational", "float", "symbolic", "tensor")
each = pytest.mark.parametrize("name", NAMES)
entries = st.lists(st.fractions(-5, 5, max_denominator=9), min_size=6, max_size=6)


def plain(name: str, rows: Any) -> Any:
    """Any arithmetic's rows as floats."""
    return np.asarray(named_arithmetic(name).export(rows)).astype(float)


@each
def test_an_arithmetic_knows_its_name(name: str) -> None:
    assert named_arithmetic(name).name == name


def test_an_unknown_arithmetic_is_refused() -> None:
    with pytest.raises(
        InvalidInput,
        match="arithmetic must be one of rational, float, symbolic, tensor, got 'decimal'",
    ):
        named_arithmetic("decimal")


@each
@settings(max_examples=15)
@given(entries, entries, st.lists(st.booleans(), min_size=3, max_size=3))
def test_operations_agree_with_fractions(name: str, first: Any, second: Any, flags: Any) -> None:
    arithmetic = named_arithmetic(name)
    left, right = np.array(first).reshape(3, 2), np.array(second).reshape(3, 2)
    a, b, flags = arithmetic.rows(left), arithmetic.rows(right), np.array(flags)[:, None]
    bound = arithmetic.rows([[Fraction(1, 2)]])
    pairs = [
        (a + b, left + right),
        (a * b - a / 3, left * right - left / 3),
        (total(a), left.sum(axis=0, keepdims=True)),
        (mean(a), left.sum(axis=0, keepdims=True) / 3),
        (arithmetic.where(arithmetic.mask(flags), a, b), np.where(flags, left, right)),
        (arithmetic.clip(a, bound), np.vectorize(lambda x: min(max(x, -HALF), HALF))(left)),
        (arithmetic.tidy(a), left),
        (arithmetic.stack([a, b]), np.stack([left, right])),
        (a + arithmetic.zeros((3, 2)), left),
    ]
    for got, expected in pairs:
        assert plain(name, got) == pytest.approx(
            np.array(expected, dtype=float), rel=1e-14, abs=1e-14
        )


@each
def test_a_ratio_with_nothing_below_is_zero(name: str) -> None:
    ratio = named_arithmetic(name).ratio(np.array([[1], [0], [1]]), np.array([[0], [2], [4]]))
    assert plain(name, ratio).ravel().tolist() == [0, 0, 0.25]


@each
def test_text_is_a_number_and_never_code(name: str) -> None:
    arithmetic = named_arithmetic(name)
    assert plain(name, arithmetic.rows([["1/4", "0.5"], [2, Fraction(1, 8)]])).tolist() == [
        [0.25, 0.5],
        [2, 0.125],
    ]
    with pytest.raises(InvalidInput, match="be a number such as"):
        arithmetic.rows([["__import__('os')"]])


@pytest.mark.parametrize("name", ["float", "symbolic", "tensor"])
def test_sine_and_cosine(name: str) -> None:
    arithmetic = named_arithmetic(name)
    angles = arithmetic.rows([[Fraction(1, 3), 0]])
    assert plain(name, arithmetic.sin(angles)) == pytest.approx(np.sin([[1 / 3, 0]]))
    assert plain(name, arithmetic.cos(angles)) == pytest.approx(np.cos([[1 / 3, 0]]))


@pytest.mark.parametrize("function", ["sin", "cos"])
def test_fractions_have_no_exact_sine(function: str) -> None:
    with pytest.raises(NotExact, match="use float or symbolic arithmetic"):
        getattr(RATIONAL, function)(RATIONAL.rows([[1]]))


def test_exact_zeros_are_exact() -> None:
    assert isinstance(RATIONAL.zeros((1, 1))[0, 0], Fraction)
    assert named_arithmetic("symbolic").zeros((1, 1))[0, 0] is sympy.S.Zero


def test_a_symbolic_run_holds_for_every_step_size() -> None:
    """MIFA with everyone is FedAvg for all step sizes, curvatures and optima at once."""
    step, height, centre = sympy.symbols("step height centre", positive=True)
    problem = Quadratic(curvatures=(height, 1), optima=(0, centre))
    everyone = Trace.fresh([[1, 1]] * 2, local_steps=2)
    methods: tuple[Any, ...] = (FedAvg(), Mifa())
    first, second = (
        simulate(
            algorithm,
            problem,
            everyone,
            start=1,
            local_step_size=step,
            arithmetic=named_arithmetic("symbolic"),
        ).last[0]
        for algorithm in methods
    )
    assert first == second
    values = {step: sympy.Rational(1, 5), height: 2, centre: 3}
    exact = simulate(
        FedAvg(),
        Quadratic(curvatures=(2, 1), optima=(0, 3)),
        everyone,
        start=1,
        local_step_size="1/5",
    ).last[0]
    assert first.subs(values) == sympy.Rational(exact.numerator, exact.denominator)


def test_starts_may_be_a_batch() -> None:
    problem, trace = Quadratic(curvatures=(1, 2), optima=(0, 1)), Trace.fresh([[1, 0], [0, 1]])
    starts = [Fraction(0), Fraction(1, 3), Fraction(-2)]
    batch = simulate(
        Mifa(), problem, trace, start=np.array(starts).reshape(3, 1, 1), local_step_size="1/4"
    ).models
    assert (
        batch
        == np.stack(
            [
                simulate(Mifa(), problem, trace, start=x, local_step_size="1/4").models
                for x in starts
            ]
        )
    ).all()


def test_a_tensor_run_takes_numpy_starts() -> None:
    problem, trace = Quadratic(curvatures=(1, 2), optima=(0, 1)), Trace.fresh([[1, 0], [0, 1]])
    start = np.ones((5, 1, 1))
    runs = [
        simulate(
            Mifa(), problem, trace, start=start, local_step_size="1/4", arithmetic=arithmetic
        ).models
        for arithmetic in (FLOAT, named_arithmetic("tensor"))
    ]
    assert runs[0].shape == (5, 3, 1)
    assert runs[0] == pytest.approx(runs[1], rel=1e-14)
