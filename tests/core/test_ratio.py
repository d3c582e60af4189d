"""The faster fractions have the values of fractions."""

import pickle
from fractions import Fraction
from itertools import product
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv

import numpy as np
import pytest

from fltheory import FedAvg, Quadratic, Trace, simulate
from fltheory.core.ratio import Ratio, ratio_of_integers

NUMBERS = [Fraction(a, b) for a, b in product((-7, -6, -1, 0, 1, 4, 9), (1, 2, 6, 15))]
OPERATIONS = (add, sub, mul, truediv, lt, le, gt, ge, eq, ne)


def ratio(x: Fraction) -> Ratio:
    return ratio_of_integers(x.numerator, x.denominator)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_agree_with_fractions(operation) -> None:
    for a, b in product(NUMBERS, NUMBERS):
        if operation is truediv and not b:
            with pytest.raises(ZeroDivisionError):
                operation(ratio(a), b)
            continue
        expected = operation(a, b)
        others = [b, ratio(b)] + ([int(b)] if b.denominator == 1 else [])
        for other in others:
            for left, right in ((ratio(a), other), (a, ratio(b))):
                found = operation(left, right)
                assert found == expected
                if not isinstance(found, bool):
                    assert (found.numerator, found.denominator) == expected.as_integer_ratio()


def test_the_rest_is_that_of_fractions() -> None:
    half = ratio_of_integers(-2, -4)
    assert (repr(half), str(half), float(half)) == ("Fraction(1, 2)", "1/2", 0.5)
    assert hash(half) == hash(Fraction(1, 2))
    assert half**3 == Fraction(1, 8)
    assert half**-1 == 2
    assert pickle.loads(pickle.dumps(half)) == half
    assert (abs(-half), +half, bool(half), bool(half - half)) == (half, half, True, False)
    assert 1 - half == half
    assert 1 / half == 2
    assert half + 0.5 == 1.0
    assert np.int64(3) * half == Fraction(3, 2)


def test_a_fraction_is_no_text_and_no_list() -> None:
    half = ratio_of_integers(1, 2)
    assert half != "1/2"
    assert half not in ("1", "0", None)
    with pytest.raises(TypeError):
        half < "1"  # noqa: B015


def test_models_of_exact_runs_are_fractions_of_this_kind() -> None:
    run = simulate(
        FedAvg(), Quadratic((2,), (1,)), Trace.fresh([[1]] * 3), start=0, local_step_size="1/4"
    )
    assert [str(x) for x in run.models[:, 0]] == ["0", "1/2", "3/4", "7/8"]
    assert all(isinstance(x, Fraction) for x in run.models.ravel())
