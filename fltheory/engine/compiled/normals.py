"""Standard normal numbers by key, in compiled code: those of `fltheory.core.randomness`, up to
rounding, in blocks that stay in the cache."""

import numpy as np

from fltheory.core.randomness import Purpose
from fltheory.core.types import FloatArray, IntArray, WordArray
from fltheory.engine.compiled.numba_ import compiled

_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (np.uint64(0x9E3779B9), np.uint64(0xBB67AE85))
_WORD, _HALF, _SHIFT = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(11)
_PURPOSE = np.uint64(int(Purpose.GRADIENT_NOISE))
_MAGIC, _MAGIC_VALUE = np.uint64(0x4330000000000000), 2.0**52
_MANTISSA, _ONE, _TO_EXPONENT = (
    np.uint64(0x000FFFFFFFFFFFFF),
    np.uint64(0x3FF0000000000000),
    np.uint64(52),
)
_LOG_2, _ROOT_2 = float(np.log(2)), float(np.sqrt(2))


@compiled
def fill_normals(
    keys: WordArray,
    rounds: WordArray,
    clients: WordArray,
    places: WordArray,
    radii: WordArray,
    angles: WordArray,
    out: FloatArray,
) -> None:
    """Write one standard normal for each (seed, round, client, place); `keys` has a row for each of
    the two words of a seed.

    `radii` and `angles` are work space, two rows each.
    """
    count = out.shape[0]
    _fill_words(keys, rounds[:count], clients[:count], places[:count], radii, angles)
    radius, angle = radii.view(np.float64), angles.view(np.float64)
    for q in range(count):  # two parts of 26 and 27 bits as doubles, by the bits of 2^52 + n
        radius[0, q] = (
            (radius[0, q] - _MAGIC_VALUE) * 2.0**21 + (radius[1, q] - _MAGIC_VALUE) + 1.0
        ) * 2.0**-53
        angle[0, q] = (
            (angle[0, q] - _MAGIC_VALUE) * 2.0**21 + (angle[1, q] - _MAGIC_VALUE)
        ) * 2.0**-53
    for q in range(count):
        radii[1, q] = (radii[0, q] & _MANTISSA) | _ONE
        radii[0, q] = (radii[0, q] >> _TO_EXPONENT) | _MAGIC
    for q in range(count):
        power, mantissa = radius[0, q] - _MAGIC_VALUE - 1023.0, radius[1, q]
        large = mantissa > _ROOT_2
        mantissa = mantissa * 0.5 if large else mantissa
        power = power + 1.0 if large else power
        f = (mantissa - 1.0) / (mantissa + 1.0)
        s = f * f
        series = 1 / 13 + s * (1 / 15 + s * (1 / 17 + s * (1 / 19 + s * (1 / 21))))
        series = 1.0 + s * (
            1 / 3 + s * (1 / 5 + s * (1 / 7 + s * (1 / 9 + s * (1 / 11 + s * series))))
        )
        logarithm = power * _LOG_2 + 2.0 * f * series
        quarter = np.floor(4.0 * angle[0, q] + 0.5)
        a = (4.0 * angle[0, q] - quarter) * (np.pi / 2)
        b = a * a
        sine = 1 / 362880 + b * (-1 / 39916800 + b * (1 / 6227020800 - b / 1307674368000))
        sine = a * (1.0 + b * (-1 / 6 + b * (1 / 120 + b * (-1 / 5040 + b * sine))))
        cosine = -1 / 3628800 + b * (1 / 479001600 + b * (-1 / 87178291200 + b / 20922789888000))
        cosine = 1.0 + b * (-1 / 2 + b * (1 / 24 + b * (-1 / 720 + b * (1 / 40320 + b * cosine))))
        turned = sine if (quarter == 1.0) | (quarter == 3.0) else cosine
        turned = -turned if (quarter == 1.0) | (quarter == 2.0) else turned
        out[q] = np.sqrt(-2.0 * logarithm) * turned


CHUNK = 1024
"""Normals that are drawn at once: their work space stays in the cache."""


@compiled
def fill_delivery_normals(
    keys: WordArray, rounds: IntArray, clients: IntArray, out: FloatArray
) -> None:
    """Write out[q, r, j]: the normal of place j for delivery q (its round and client) in the run
    with the key r."""
    deliveries, runs, size = out.shape
    flat, total = out.reshape(deliveries * runs * size), deliveries * runs * size
    words = np.zeros((5, CHUNK), np.uint64)
    radii, angles = np.zeros((2, CHUNK), np.uint64), np.zeros((2, CHUNK), np.uint64)
    q, r, j = 0, 0, 0
    for first in range(0, total, CHUNK):
        count = min(CHUNK, total - first)
        for p in range(count):
            words[0, p], words[1, p] = keys[r, 0], keys[r, 1]
            words[2, p], words[3, p], words[4, p] = rounds[q], clients[q], j
            j += 1
            if j == size:
                j, r = 0, r + 1
                if r == runs:
                    r, q = 0, q + 1
        drawn = flat[first : first + count]
        fill_normals(words[:2], words[2], words[3], words[4], radii, angles, drawn)


@compiled
def fill_job_normals(
    keys: WordArray, index: np.uint64, clients: WordArray, out: FloatArray
) -> None:
    """Write one standard normal for each (job, coordinate) of a round; every job has its own seed
    (two words) and client."""
    jobs, dimension = out.shape
    flat, total = out.reshape(jobs * dimension), jobs * dimension
    words = np.zeros((5, CHUNK), np.uint64)
    words[2, :] = index
    radii, angles = np.zeros((2, CHUNK), np.uint64), np.zeros((2, CHUNK), np.uint64)
    job, j = 0, 0
    for first in range(0, total, CHUNK):
        count = min(CHUNK, total - first)
        for p in range(count):
            words[0, p], words[1, p] = keys[job, 0], keys[job, 1]
            words[3, p], words[4, p] = clients[job], j
            j += 1
            if j == dimension:
                j, job = 0, job + 1
        drawn = flat[first : first + count]
        fill_normals(words[:2], words[2], words[3], words[4], radii, angles, drawn)


@compiled
def _fill_words(
    keys: WordArray,
    rounds: WordArray,
    clients: WordArray,
    places: WordArray,
    radii: WordArray,
    angles: WordArray,
) -> None:
    """Philox-4x32-10 as in `fltheory.core.randomness`; each word w or w >> 11 gets the exponent
    bits of 2^52, so that it can be read as a double."""
    for q in range(clients.shape[0]):
        a, b, c, d = places[q], clients[q], rounds[q], _PURPOSE
        key, other = keys[0, q], keys[1, q]
        for _ in range(10):
            first, second = a * _MULTIPLIERS[0], c * _MULTIPLIERS[1]
            a, b, c, d = (
                (second >> _HALF) ^ b ^ key,
                second & _WORD,
                (first >> _HALF) ^ d ^ other,
                first & _WORD,
            )
            key, other = (key + _KEY_STEPS[0]) & _WORD, (other + _KEY_STEPS[1]) & _WORD
        radii[0, q] = a | _MAGIC
        radii[1, q] = (b >> _SHIFT) | _MAGIC
        angles[0, q] = c | _MAGIC
        angles[1, q] = (d >> _SHIFT) | _MAGIC
