"""Spectral radius and Schur stability of polynomials with exact coefficients."""

from fractions import Fraction as F

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from fltheory.core.linear import is_schur_stable, spectral_radius


@pytest.mark.slow
@given(st.lists(st.fractions(-2, 2, max_denominator=6), min_size=1, max_size=5))
def test_schur_test_agrees_with_the_roots_away_from_the_circle(tail):
    polynomial = [F(1), *tail]
    moduli = np.abs(np.roots([float(c) for c in polynomial]))
    largest = max(moduli, default=0.0)
    if abs(largest - 1) > 1e-6:
        assert is_schur_stable(polynomial) == (largest < 1)
        assert spectral_radius(polynomial)[0] == pytest.approx(largest, abs=1e-4)


def test_radii_with_long_coefficients_are_estimated_without_factoring_them():
    long = F(10**400 + 69, 10**400 + 4)
    radius, exact = spectral_radius([F(1), -long, -long])
    assert exact is None
    assert radius == pytest.approx((1 + 5**0.5) / 2)
    assert spectral_radius([F(1), -long])[1] == sympy.Rational(long.numerator, long.denominator)
    uneven = [F(1), F(2) ** -1020 - F(10) ** 300, F(1, 3)]  # roots of about 1e300 and 3e-301
    assert spectral_radius(uneven)[0] == pytest.approx(1e300)
    assert spectral_radius([F(1), F(1, 10**500), F(1, 4)])[0] == pytest.approx(1 / 2)


def test_a_root_that_sympy_cannot_simplify_is_estimated(monkeypatch):
    def failing(factor):
        raise ValueError("39 is not a prime factor of 1234")

    monkeypatch.setattr("fltheory.core.linear._largest_modulus", failing)
    assert spectral_radius([F(1), F(-1), F(-1)]) == (pytest.approx((1 + 5**0.5) / 2), None)
