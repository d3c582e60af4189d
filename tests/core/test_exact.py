"""Numbers at the border, and the two ways of saying no."""

import math
from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory import InvalidInput, NotExact
from fltheory.core.exact import MAX_DIGITS, MAX_EXPONENT, exact, exacts, shares


@given(st.fractions())
def test_fractions_survive_every_way_of_writing_them(number):
    assert exact(number) == exact(str(number)) == exact(f" {number} ") == number
    assert exact(sympy.Rational(number.numerator, number.denominator)) == number
    assert isinstance(exact(number), F)


@given(st.integers(-(2**63), 2**63 - 1))
def test_whole_numbers_of_every_kind(number):
    assert (
        exact(number)
        == exact(np.int64(number))
        == exact(np.array(number))
        == exact(str(number))
        == number
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_means_its_shortest_decimal(number):
    result = exact(number)
    assert float(result) == number
    assert result == F(repr(number)) == exact(repr(number)) == exact(np.float64(number))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", F(3)),
        ("-1/4", F(-1, 4)),
        ("+.5", F(1, 2)),
        ("2.", F(2)),
        ("1e-3", F(1, 1000)),
        ("2.5E2", F(250)),
        ("6/4", F(3, 2)),
        ("-0", F(0)),
    ],
)
def test_texts_that_are_numbers(text, value):
    assert exact(text) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "x",
        "1/2/3",
        "1//2",
        "1e",
        "e5",
        "--1",
        "1_000",
        "0x10",
        "1+1",
        "1/2e3",
        "1.5/2",
        "nan",
        "inf",
        "-inf",
        "1 2",
        "1,5",
        "__import__('os')",
        None,
        [1],
        (1, 2),
        {},
        1j,
        Decimal(1),
        b"1",
        np.array([1, 2]),
        np.array([1]),
        np.longdouble(1),
        sympy.Symbol("x"),
        sympy.sqrt(2),
    ],
    ids=repr,
)
def test_what_is_not_a_number_is_refused_by_its_owner(value):
    with pytest.raises(
        InvalidInput, match=r"step size must be a number such as 3, 1/4 or 0\.25, got"
    ):
        exact(value, "step size")


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf")]
)
def test_numbers_must_be_finite(value):
    with pytest.raises(InvalidInput, match="number must be a finite number, got"):
        exact(value)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("1/0", "have a non-zero denominator, got '1/0'"),
        ("0/0", "have a non-zero denominator"),
        ("9" * (MAX_DIGITS + 1), f"have at most {MAX_DIGITS} characters, got '9{{57}}...'"),
        (f"1e{MAX_EXPONENT + 1}", f"have an exponent within {MAX_EXPONENT}, got '1e401'"),
        (f"1e-{MAX_EXPONENT + 1}", "have an exponent within"),
        ("1e99999", "be a number such as"),
    ],
)
def test_texts_that_would_cost_too_much_or_mean_nothing(text, rule):
    with pytest.raises(InvalidInput, match=f"number must {rule}"):
        exact(text)


def test_the_largest_texts_are_read():
    assert exact("9" * MAX_DIGITS) == 10**MAX_DIGITS - 1
    assert exact(f"1e{MAX_EXPONENT}") == 10**MAX_EXPONENT


def test_a_list_names_the_client_at_fault():
    assert exacts(["1/2", 0.25, 3]) == (F(1, 2), F(1, 4), F(3))
    with pytest.raises(InvalidInput, match="weight of client 2 must be a number"):
        exacts([1, 2, "x"], "weight")


@given(st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any))
def test_shares_are_kept_and_their_default_is_equal(parts):
    fractions = [F(part, sum(parts)) for part in parts]
    assert shares(fractions, len(parts)) == tuple(fractions)
    assert shares(None, len(parts)) == (F(1, len(parts)),) * len(parts)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["1/2", "1/3"], "importance must sum to 1, got 5/6"),
        (["3/2", "-1/2"], "importance of client 1 must be at least 0, got -1/2"),
        ([1], "importance must have one entry for each of 2 clients, got 1 entries"),
        (["1/2", "half"], "importance of client 1 must be a number"),
    ],
)
def test_bad_shares_are_refused(values, message):
    with pytest.raises(InvalidInput, match=message):
        shares(values, 2)


def test_errors_carry_their_parts_and_are_value_errors():
    error = InvalidInput("importance of client 3", "be at least 0", F(-1, 5))
    assert str(error) == "importance of client 3 must be at least 0, got -1/5"
    assert (error.owner, error.rule, error.value) == (
        "importance of client 3",
        "be at least 0",
        F(-1, 5),
    )
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(NotExact, ValueError)
