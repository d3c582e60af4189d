"""Common denominators are least, whatever is known about the prime factors."""

from math import gcd, lcm

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fltheory.core.denominators import MOST_BITS, aligned, shared_divisor, with_primes

powers = st.tuples(*[st.integers(0, 400)] * 3)


def number(exponents: tuple[int, int, int]) -> int:
    two, three, seven = exponents
    return int(2**two * 3**three * 7**seven)


@pytest.mark.parametrize("primes", [0, 42, 84])
@settings(max_examples=40)
@given(powers, powers)
def test_two_denominators_have_a_least_common_multiple(primes, first, second) -> None:
    one, other = number(first), number(second)
    to_one, to_other, common = aligned(one, other, primes)
    assert common == one * to_one == other * to_other == lcm(one, other)


@pytest.mark.parametrize("primes", [0, 42, 84])
@settings(max_examples=40)
@given(powers, powers, st.integers(-(10**9), 10**9))
def test_the_shared_divisor_is_the_greatest(primes, below, above, factor) -> None:
    denominator, numerators = number(below), [number(above) * factor, 0, 6 * number(above)]
    assert shared_divisor(denominator, numerators, primes) == gcd(denominator, *numerators)


def test_a_missing_prime_factor_is_noticed() -> None:
    """The promise that `primes` makes matters: without the 7 a divisor is not found."""
    denominator, numerators = 2**600 * 7**3, [7]
    assert shared_divisor(denominator, numerators, 14) == 7
    assert shared_divisor(denominator, numerators, 2) == 1


def test_large_products_of_primes_are_not_kept() -> None:
    assert with_primes(1 << MOST_BITS, 3) == 0
    assert with_primes(0, 3) == with_primes(3, 0) == 0
    assert with_primes(1, 3) == with_primes(3, 1) == with_primes(3, 3) == 3
