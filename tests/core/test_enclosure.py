"""Exact comparison and formulas in files."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from fltheory import InvalidInput, NotExact
from fltheory.core.enclosure import Comparison, compare, interval
from fltheory.core.expressions import MAX_DEPTH, from_lists, to_lists

small = st.fractions(-5, 5, max_denominator=20)


@given(small, small)
def test_rationals_compare_as_fractions(a, b):
    assert compare(a, b) is (
        Comparison.BELOW if a < b else Comparison.ABOVE if a > b else Comparison.EQUAL
    )


@given(st.integers(1, 60), st.integers(1, 60), st.fractions(0, 9, max_denominator=50))
def test_roots_compare_by_their_squares(a, b, c):
    number = sympy.sqrt(a) + sympy.sqrt(b)
    rest = c * c - (a + b)  # number^2 = a + b + 2 sqrt(ab)
    if rest >= 0 and rest * rest == 4 * a * b:
        assert compare(number, c) is Comparison.EQUAL
    else:
        assert compare(number, c) is (
            Comparison.ABOVE if rest < 0 or rest * rest < 4 * a * b else Comparison.BELOW
        )


def test_equality_of_irrationals_needs_a_proof_of_zero():
    assert (
        compare(sympy.sqrt(5 + 2 * sympy.sqrt(6)), sympy.sqrt(2) + sympy.sqrt(3))
        is Comparison.EQUAL
    )
    assert compare(sympy.exp(1), sympy.Rational(2718281828459045235, 10**18)) is Comparison.ABOVE
    assert compare(sympy.oo, 5) is Comparison.ABOVE


def test_intervals_enclose():
    for expression in (
        sympy.sqrt(2),
        sympy.exp(sympy.Rational(1, 3)),
        sympy.log(7),
        sympy.Rational(1, 3) ** sympy.Rational(2, 3),
        sympy.Max(sympy.sqrt(3), 1),
        sympy.pi,
        1 / sympy.sqrt(7),
    ):
        low, high = interval(expression, 30)
        with mp.workdps(60):
            assert low <= mp.mpf(str(sympy.N(expression, 55))) <= high
            assert 0 < high - low < 1e-30


def test_floats_and_unknown_functions_are_refused():
    with pytest.raises(NotExact):
        compare(0.5, 1)
    with pytest.raises(NotExact):
        compare(sympy.Float(0.5) * sympy.sqrt(2), 1)
    with pytest.raises(NotExact):
        compare(sympy.zeta(3), 1)


X, Y = sympy.symbols("x y")


@pytest.mark.parametrize(
    "expression",
    [
        X,
        X + Y / 3,
        X**2 * sympy.sqrt(Y),
        sympy.exp(X) - sympy.log(Y),
        sympy.Max(X, 1) * sympy.Min(Y, 2),
        abs(X),
        sympy.Rational(-7, 3),
        sympy.ceiling(X / Y),
        sympy.E,
    ],
)
def test_formulas_survive_a_file(expression):
    assert sympy.simplify(from_lists(to_lists(expression)) - expression) == 0


@pytest.mark.parametrize(
    "hostile",
    [
        ["import", "os"],
        {"symbol": "x", "more": 1},
        ["+"],
        [],
        None,
        7,
        1.5,
        "__import__('os')",
        ["^", "2", "100000"],
        ["^", "2"],
        ["^", "10", ["*", "100", "100000"]],
        "9" * 5000,
        "1e999999999",
    ],
)
def test_hostile_formulas_are_refused(hostile):
    with pytest.raises(InvalidInput):
        from_lists(hostile)


def test_deep_formulas_are_refused():
    deep = "1"
    for _ in range(MAX_DEPTH + 5):
        deep = ["abs", deep]
    with pytest.raises(InvalidInput, match="depth"):
        from_lists(deep)


@pytest.mark.parametrize(
    "hostile",
    [
        ["^", ["^", "9", "999"], "999"],
        ["^", "2", ["^", "10", "400"]],
        ["^", "2", ["^", "2", "1/2"]],
        ["^", "1/2", "-20000"],
        ["*", *(["^", "9", "999"],) * 9],
    ],
)
def test_numbers_of_too_many_digits_are_refused_before_they_are_computed(hostile):
    with pytest.raises(InvalidInput, match="bits"):
        from_lists(hostile)


@pytest.mark.parametrize(
    "written",
    [
        ["^", "9", "999"],
        ["^", "10", "-900"],
        ["^", "2", "1/2"],
        ["^", {"symbol": "x"}, {"symbol": "y"}],
    ],
)
def test_powers_of_usual_size_are_read(written):
    assert from_lists(written).is_Pow or from_lists(written).is_Rational
