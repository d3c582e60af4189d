"""Common denominators of many fractions, without a greatest common divisor of large numbers where
their prime factors are known.

The denominators of a run are products of the few small ones that enter it. `primes` is a number
that every prime factor of a denominator divides, or 0 if no small one is known.
"""

from collections.abc import Iterable
from math import gcd, lcm

MOST_BITS = 2048
"""Size up to which a product of prime factors is kept."""

CHUNK_BITS, FIRST_BITS = 512, 64
"""Size of the power of the known factors that is taken out at once, and first."""


def with_primes(first: int, second: int) -> int:
    """A number that has the prime factors of both, or 0 if it is large or unknown.

    >>> with_primes(4, 6), with_primes(6, 2), with_primes(0, 6)
    (12, 6, 0)
    """
    if first == second or second == 1:
        return first
    if first == 1 or not second:
        return second
    if not first:
        return 0
    both = lcm(first, second)
    return both if both.bit_length() <= MOST_BITS else 0


def aligned(first: int, second: int, primes: int) -> tuple[int, int, int]:
    """The least common multiple of two denominators, divided by the first, divided by the second,
    and itself.

    >>> aligned(4, 6, 0), aligned(2**200, 2**90 * 3, 6)[0]
    ((3, 2, 12), 3)
    """
    if first == second:
        return 1, 1, first
    if first == 1:
        return second, 1, second
    if second == 1:
        return 1, first, first
    if first.bit_length() < second.bit_length():
        to_second, to_first, common = aligned(second, first, primes)
        return to_first, to_second, common
    quotient, rest = divmod(first, second)
    if not rest:
        return 1, quotient, first
    lift = primes if first.bit_length() > CHUNK_BITS else 0
    while lift and lift.bit_length() <= CHUNK_BITS:  # second divides lift * first
        quotient, rest = divmod(first * lift, second)
        if not rest:
            shared = gcd(quotient, lift)
            lift //= shared
            return lift, quotient // shared, first * lift
        lift *= lift
    shared = gcd(first, second)
    lift = second // shared
    return lift, first // shared, first * lift


def shared_divisor(denominator: int, numerators: Iterable[int], primes: int) -> int:
    """The greatest common divisor of a denominator and all numerators.

    >>> shared_divisor(12, [4, 6], 6), shared_divisor(2**900, [2**899, 0], 2) == 2**899
    (2, True)
    """
    numbers = list(numerators)
    if not primes or denominator.bit_length() <= CHUNK_BITS:
        return gcd(denominator, *numbers)
    found, bits = 1, FIRST_BITS
    while gcd(primes, *numbers) != 1:
        part = gcd(primes ** max(1, bits // primes.bit_length()), denominator, *numbers)
        if part == 1:
            break
        found, denominator = found * part, denominator // part
        numbers = [number // part for number in numbers]
        bits = min(2 * bits, CHUNK_BITS)
    return found
