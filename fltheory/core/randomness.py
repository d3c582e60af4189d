"""Counter-based randomness: a draw depends on (seed, purpose, round, client, index) and on nothing
else.

The generator is Philox-4x32-10: ten rounds of multiply and exchange over a 128-bit counter. It uses
wrapping 64-bit integers only, so the same code serves NumPy arrays and torch tensors, and the same
key gives the same bits for every batching, chunking and number of processes.
"""

from collections.abc import Callable, Sequence
from enum import IntEnum
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.types import Array, BoolArray, FloatArray, IntArray, Whole

Key: TypeAlias = tuple[int, int] | tuple[Array, Array]
"""The two 32-bit words of a seed, or two arrays of such words."""

_WORD = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_SEED_BITS = 64


class Purpose(IntEnum):
    """What a draw is used for; two purposes never share a stream."""

    AVAILABILITY = 1
    SELECTION = 2
    TIES = 3
    UPDATE_TIME = 4
    DELAY = 5
    LOCAL_STEPS = 6
    GRADIENT_NOISE = 7
    MINIBATCH = 8
    START = 9
    SEARCH = 10
    ATTACK = 11
    PARTITION = 12


Product: TypeAlias = Callable[[Array, int], tuple[Array, Array]]
"""(words of 32 bits, a constant of 32 bits) -> the high and the low word of their product."""


def wrapping_product(words: Array, factor: int) -> tuple[Array, Array]:
    """The product modulo 2^64 in one signed multiplication, which NumPy and torch let wrap.

    >>> [int(part[0]) for part in wrapping_product(np.array([7 << 29]), 5 << 29)]
    [2348810240, 0]
    """
    product = words * factor
    return (product >> 32) & _WORD, product & _WORD


def split_product(words: Array, factor: int) -> tuple[Array, Array]:
    """The same from two products of at most 48 bits: compilers that fuse operations may take for
    granted that nothing wraps.

    >>> [int(part[0]) for part in split_product(np.array([7 << 29]), 5 << 29)]
    [2348810240, 0]
    """
    upper = words * (factor >> 16)
    lower = words * (factor & 0xFFFF) + ((upper & 0xFFFF) << 16)
    return (upper >> 16) + (lower >> 32), lower & _WORD


def philox(
    key: Key, counter: Sequence[Array], *, product: Product = wrapping_product
) -> list[Array]:
    """Four random 32-bit words for each 128-bit counter, which is given as four broadcastable int64
    arrays of 32-bit words."""
    words: list[Array] = list(counter)
    keys: list[int | Array] = list(key)
    for _ in range(_ROUNDS):
        high, low = zip(
            *(product(words[k], factor) for k, factor in zip((0, 2), _MULTIPLIERS, strict=True)),
            strict=True,
        )
        words = [high[1] ^ words[1] ^ keys[0], low[1], high[0] ^ words[3] ^ keys[1], low[0]]
        keys = [(k + step) & _WORD for k, step in zip(keys, _KEY_STEPS, strict=True)]
    return words


def key_words(seed: Whole) -> Key:
    """The two words of a seed, or two arrays of them for an array of seeds.

    >>> key_words((3 << 32) + 7)
    (7, 3)
    """
    seeds = np.asarray(seed, dtype=object)
    for one in seeds.flat:
        if not (isinstance(one, int | np.integer) and 0 <= one < 1 << _SEED_BITS):
            raise InvalidInput("seed", f"be a whole number in [0, 2^{_SEED_BITS})", one)
    if seeds.ndim == 0:
        return int(seeds.item()) & _WORD, int(seeds.item()) >> 32
    return (seeds & _WORD).astype(np.int64), (seeds >> 32).astype(np.int64)


def checked_counter(rounds: Whole, clients: Whole, index: Whole) -> list[IntArray]:
    """Index, client and round in the order of the counter, checked but not yet broadcast."""
    for name, part in (("round", rounds), ("client", clients), ("index", index)):
        if np.any(np.less(np.asarray(part), 0) | np.greater(np.asarray(part), _WORD)):
            raise InvalidInput(f"{name} of a draw", "lie in [0, 2^32)", part)
    return [np.atleast_1d(np.asarray(part, np.int64)) for part in (index, clients, rounds)]


def random_words(
    seed: Whole, purpose: Purpose, rounds: Whole, clients: Whole, index: Whole = 0
) -> list[Array]:
    """Four random 32-bit words for each (round, client, index) after broadcasting; an array of
    seeds is broadcast with them."""
    counter = np.broadcast_arrays(*checked_counter(rounds, clients, index))
    return philox(key_words(seed), [*counter, np.full_like(counter[0], int(purpose))])


def random_integers(
    seed: Whole, purpose: Purpose, rounds: Whole, clients: Whole, index: Whole = 0
) -> IntArray:
    """Uniform integers in [0, 2^53)."""
    words = random_words(seed, purpose, rounds, clients, index)
    return np.asarray((words[0] << 21) | (words[1] >> 11), np.int64)


def uniforms(
    seed: Whole, purpose: Purpose, rounds: Whole, clients: Whole, index: Whole = 0
) -> FloatArray:
    """Uniform numbers in [0, 1), multiples of 2^-53.

    >>> first = uniforms(7, Purpose.SELECTION, rounds=[0, 1], clients=0)
    >>> bool(first[1] == uniforms(7, Purpose.SELECTION, rounds=1, clients=0)[0])
    True
    """
    return np.asarray(random_integers(seed, purpose, rounds, clients, index) * 2.0**-53, np.float64)


def normals(
    seed: Whole, purpose: Purpose, rounds: Whole, clients: Whole, index: Whole = 0
) -> FloatArray:
    """Standard normal numbers, by the method of Box and Muller."""
    words = random_words(seed, purpose, rounds, clients, index)
    radius = ((words[0] << 21 | words[1] >> 11) + 1) * 2.0**-53
    angle = (words[2] << 21 | words[3] >> 11) * 2.0**-53
    return np.asarray(np.sqrt(-2 * np.log(radius)) * np.cos(2 * np.pi * angle), np.float64)


def happens(
    probabilities: Sequence[Fraction], seed: int, purpose: Purpose, rounds: Whole, clients: Whole
) -> BoolArray:
    """True with each client's probability, rounded up to a multiple of 2^-53."""
    thresholds = np.array(
        [-((-p.numerator << 53) // p.denominator) for p in probabilities], np.int64
    )
    return random_integers(seed, purpose, rounds, clients) < thresholds


def below(
    bounds: Whole, seed: Whole, purpose: Purpose, rounds: Whole, clients: Whole, index: Whole = 0
) -> IntArray:
    """Uniform integers in [0, bound) for each bound, with a bias below bound / 2^53."""
    draws = uniforms(seed, purpose, rounds, clients, index)
    return np.floor(draws * np.asarray(bounds)).astype(np.int64)
