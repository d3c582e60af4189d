"""Methods on quadratics with additive Gaussian noise, as one compiled loop over rounds.

The noise has the keys of `fltheory.engine.noise.Gaussian`: the same seed gives the same normals, up
to rounding, in any batch. All functions that the loop calls are in this file (see numba_.py).
"""

import numpy as np

from fltheory.core.randomness import Purpose
from fltheory.core.types import BoolArray, FloatArray, IntArray, WordArray
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
    key: WordArray,
    index: np.uint64,
    clients: WordArray,
    places: WordArray,
    radii: WordArray,
    angles: WordArray,
    out: FloatArray,
) -> None:
    """Write one standard normal for each (client, place), for the seed with the two words `key`, in
    the round `index`.

    `radii` and `angles` are work space, two rows each.
    """
    count = out.shape[0]
    _fill_words(key, index, clients[:count], places[:count], radii, angles)
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


@compiled
def fill_job_normals(
    keys: WordArray, index: np.uint64, clients: WordArray, out: FloatArray
) -> None:
    """Write one standard normal for each (job, coordinate); every job has its own seed (two words)
    and client."""
    dimension = out.shape[1]
    who, places = np.zeros(dimension, np.uint64), np.arange(dimension).astype(np.uint64)
    radii, angles = np.zeros((2, dimension), np.uint64), np.zeros((2, dimension), np.uint64)
    for job in range(out.shape[0]):
        who[:] = clients[job]
        fill_normals(keys[job], index, who, places, radii, angles, out[job])


@compiled
def _fill_words(
    words: WordArray,
    index: np.uint64,
    clients: WordArray,
    places: WordArray,
    radii: WordArray,
    angles: WordArray,
) -> None:
    """Philox-4x32-10 as in `fltheory.core.randomness`; each word w or w >> 11 gets the exponent
    bits of 2^52, so that it can be read as a double."""
    for q in range(clients.shape[0]):
        a, b, c, d = places[q], clients[q], index, _PURPOSE
        key, other = words[0], words[1]
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


@compiled
def run_rounds(
    models: FloatArray,
    curvatures: FloatArray,
    optima: FloatArray,
    delivers: BoolArray,
    started: IntArray,
    steps: IntArray,
    local: FloatArray,
    server: FloatArray,
    keys: WordArray,
    noise: float,
    flags: tuple[bool, bool, bool, bool, bool],
    block: int,
) -> None:
    """Fill models (runs, rounds + 1, coordinates), whose round 0 is given, one block of rounds
    after the other and within it one run after the other.

    Traces have shape (1 or runs, rounds, clients). `flags`: the server keeps the latest delivery of
    every client; a delivery is weighted by the step size of its start; it is divided by its local
    steps; one normal is drawn for all local steps; all traces are on time with equal local steps.
    """
    keeps, own_size, per_step, at_once, even = flags
    runs, rounds, dimension = models.shape[0], models.shape[1] - 1, models.shape[2]
    clients, most = curvatures.shape[0], steps.max()
    memory = np.zeros((runs, clients, dimension))
    gains, spreads = np.zeros((block, clients, dimension)), np.zeros((block, clients, dimension))
    active = np.zeros(clients, np.int64)
    who = np.zeros(clients * dimension, np.uint64)
    places = np.zeros(clients * dimension, np.uint64)
    room = max(clients * dimension, most * dimension)
    radii, angles = np.zeros((2, room), np.uint64), np.zeros((2, room), np.uint64)
    normals = np.zeros(room)
    step_places = np.arange(most * dimension).astype(np.uint64)
    one_client = np.zeros(most * dimension, np.uint64)
    delivery, slots = np.zeros(dimension), np.zeros(block, np.int64)
    for begin in range(0, rounds, block):
        end = min(begin + block, rounds)
        if even:
            for t in range(begin, end):
                same = t > begin and local[t] == local[t - 1]
                slots[t - begin] = slots[t - begin - 1] if same else t - begin
                if not same:
                    _fill_gains(
                        gains[t - begin], spreads[t - begin], curvatures, local[t], most, noise > 0
                    )
        for run in range(runs):
            row, key = run if delivers.shape[0] > 1 else 0, keys[run]
            for t in range(begin, end):
                count = 0
                for i in range(clients):
                    active[count] = i
                    count += delivers[row, t, i]
                if noise > 0 and at_once:
                    for q in range(count):
                        for j in range(dimension):
                            who[q * dimension + j], places[q * dimension + j] = active[q], j
                    drawn = normals[: count * dimension]
                    fill_normals(key, np.uint64(t), who, places, radii, angles, drawn)
                following = models[run, t + 1]
                following[:] = 0
                for q in range(count):
                    i = active[q]
                    origin, taken = started[row, t, i], steps[row, t, i]
                    model, size = models[run, origin], local[origin]
                    if noise > 0 and not at_once:
                        one_client[:] = i
                        drawn = normals[: taken * dimension]
                        fill_normals(
                            key, np.uint64(t), one_client, step_places, radii, angles, drawn
                        )
                        _step_by_step(
                            model, curvatures[i], optima[i], size, taken, noise, normals, delivery
                        )
                    else:
                        if not even:
                            _fill_gains(
                                gains[0, i : i + 1],
                                spreads[0, i : i + 1],
                                curvatures[i : i + 1],
                                size,
                                taken,
                                noise > 0,
                            )
                        place = slots[t - begin]
                        for j in range(dimension):
                            delivery[j] = gains[place, i, j] * (model[j] - optima[i, j])
                        if noise > 0:
                            for j in range(dimension):
                                delivery[j] += (
                                    noise * spreads[place, i, j] * normals[q * dimension + j]
                                )
                    weight = _weight(own_size, per_step, size, taken)
                    target = memory[run, i] if keeps else following
                    for j in range(dimension):
                        target[j] = weight * delivery[j] + (0.0 if keeps else target[j])
                if keeps:
                    for i in range(clients):
                        for j in range(dimension):
                            following[j] += memory[run, i, j]
                parts = clients if keeps else max(count, 1)
                factor = server[t] * (1.0 if own_size else local[t]) / parts
                for j in range(dimension):
                    following[j] = models[run, t, j] - factor * following[j]


@compiled
def _weight(own_size: bool, per_step: bool, size: float, taken: int) -> float:
    return (size if own_size else 1.0) / (taken if per_step else 1.0)


@compiled
def _fill_gains(
    gains: FloatArray,
    spreads: FloatArray,
    curvatures: FloatArray,
    size: float,
    taken: int,
    noisy: bool,
) -> None:
    """h (1 + r + ... + r^{K-1}) and the root of 1 + r^2 + ... + r^{2(K-1)}, r = 1 - size * h, for
    every curvature h."""
    for i in range(curvatures.shape[0]):
        for j in range(curvatures.shape[1]):
            shrink = 1.0 - size * curvatures[i, j]
            gain = 0.0
            for _ in range(taken):
                gain = 1.0 + shrink * gain
            gains[i, j] = gain * curvatures[i, j]
    if noisy:
        for i in range(curvatures.shape[0]):
            for j in range(curvatures.shape[1]):
                shrink, spread = (1.0 - size * curvatures[i, j]) ** 2, 0.0
                for _ in range(taken):
                    spread = 1.0 + shrink * spread
                spreads[i, j] = np.sqrt(spread)


@compiled
def _step_by_step(
    model: FloatArray,
    curvatures: FloatArray,
    optima: FloatArray,
    size: float,
    taken: int,
    noise: float,
    normals: FloatArray,
    delivery: FloatArray,
) -> None:
    """The sum of noisy gradients along the local path."""
    for j in range(model.shape[0]):
        local, total = model[j], 0.0
        for k in range(taken):
            gradient = curvatures[j] * (local - optima[j]) + noise * normals[k * model.shape[0] + j]
            local, total = local - size * gradient, total + gradient
        delivery[j] = total
