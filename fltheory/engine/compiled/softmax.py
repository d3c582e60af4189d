"""Local SGD on softmax regression as one compiled loop, in the space of samples or of weights."""

import numpy as np

from fltheory.core.types import Array, FloatArray, IntArray
from fltheory.engine.compiled.numba_ import compiled, compiled_sums

CLASSES, ROWS = 2, 4
"""Rows of logits and rows of the Gram matrix in one pass of the inner loop, so that their numbers
fit into the registers."""

TALL = 5
"""Rows of weights in one pass of the inner loops over features."""

_LEAST, _PER_LOG_2 = -700.0, float(1 / np.log(2))
_LOG_2_HIGH, _LOG_2_LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
_MAGIC = 2.0**52 + 1023
"""Added to an integer n, it leaves n + 1023, the exponent bits of 2^n, in the lowest bits."""


@compiled
def sample_steps(
    logits: Array,
    gathered: Array,
    labels: IntArray,
    gram: Array,
    orders: IntArray,
    minibatches: IntArray,
    size: float,
    shrink: float,
) -> None:
    """Apply all minibatches to the logits (runs, classes, samples) and sum the errors by sample, in
    place."""
    runs, classes, samples = logits.shape
    number, last = logits.dtype.type, minibatches.shape[0] - 1
    errors = np.zeros((classes, minibatches[:, 2].max() + ROWS), logits.dtype)
    rows = np.zeros((ROWS, samples), logits.dtype)
    scores = np.zeros(errors.shape)
    row, total = np.zeros(errors.shape[1]), np.zeros(errors.shape[1])
    for run in range(runs):
        # The true logits are scale * logits, so that weight decay needs no pass over them.
        scale = number(1)
        for k in range(last + 1):
            epoch, first, count = minibatches[k]
            chosen = orders[epoch, run, first : first + count]
            _errors(logits[run], scale, labels, chosen, errors, scores, row, total)
            scale *= shrink
            share = number(shrink ** (last - k)) / number(count)
            factor = -size / (scale * number(count))
            for r in range(classes):
                for q in range(count):
                    gathered[run, r, chosen[q]] += share * errors[r, q]
                    errors[r, q] *= factor
                errors[r, count : count + ROWS] = 0
            if k < last:
                _add_products(logits[run], errors, gram, chosen, rows)


@compiled
def _errors(
    logits: Array,
    scale: float,
    labels: IntArray,
    chosen: IntArray,
    errors: Array,
    scores: FloatArray,
    row: FloatArray,
    total: FloatArray,
) -> None:
    """softmax - one-hot target for the chosen samples; `scores`, `row` and `total` are work
    space."""
    classes, count = logits.shape[0], chosen.shape[0]
    for r in range(classes):
        for q in range(count):
            scores[r, q] = logits[r, chosen[q]]
    for q in range(count):
        row[q], total[q] = scores[0, q], 0.0
    for r in range(1, classes):
        for q in range(count):
            row[q] = scores[r, q] if scores[r, q] > row[q] else row[q]
    for r in range(classes):
        for q in range(count):
            scores[r, q] = scale * (scores[r, q] - row[q])
    for r in range(classes):
        _exponentials(scores[r, :count], row[:count])
        for q in range(count):
            total[q] += scores[r, q]
    for r in range(classes):
        for q in range(count):
            errors[r, q] = scores[r, q] / total[q]
    for q in range(count):
        errors[labels[chosen[q]], q] -= errors.dtype.type(1)


@compiled
def _exponentials(values: FloatArray, powers: FloatArray) -> None:
    """e^x for x <= 0 in place, without branches: 2^n times a polynomial on |r| <= ln(2)/2. NaN
    stays NaN."""
    for q in range(values.shape[0]):
        x = _LEAST if values[q] < _LEAST else values[q]
        n = np.floor(x * _PER_LOG_2 + 0.5)
        r = (x - n * _LOG_2_HIGH) - n * _LOG_2_LOW
        tail = 1 / 40320 + r * (
            1 / 362880
            + r * (1 / 3628800 + r * (1 / 39916800 + r * (1 / 479001600 + r / 6227020800)))
        )
        values[q] = 1.0 + r * (
            1.0
            + r
            * (
                1 / 2
                + r
                * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * tail)))))
            )
        )
        powers[q] = n + _MAGIC
    bits = powers.view(np.int64)
    for q in range(values.shape[0]):
        bits[q] = bits[q] << 52
    for q in range(values.shape[0]):
        values[q] *= powers[q]


@compiled
def _copy(target: Array, source: Array) -> None:
    for j in range(target.shape[0]):
        target[j] = source[j]


@compiled
def _add_products(out: Array, factors: Array, table: Array, chosen: IntArray, rows: Array) -> None:
    """out += factors @ table[chosen], four rows of the table at a time; factors are zero beyond the
    chosen rows."""
    for first in range(0, chosen.shape[0], ROWS):
        for q in range(min(ROWS, chosen.shape[0] - first)):
            _copy(rows[q], table[chosen[first + q]])
        for r in range(0, out.shape[0] - 1, CLASSES):
            _two_rows(
                out[r : r + 2],
                rows,
                factors[r, first : first + ROWS],
                factors[r + 1, first : first + ROWS],
            )
        if out.shape[0] % 2:
            _one_row(out[-1], rows, factors[out.shape[0] - 1, first : first + ROWS])


@compiled
def _two_rows(out: Array, rows: Array, first: Array, second: Array) -> None:
    a0, a1, a2, a3 = first[0], first[1], first[2], first[3]
    b0, b1, b2, b3 = second[0], second[1], second[2], second[3]
    for j in range(out.shape[1]):
        x0, x1, x2, x3 = rows[0, j], rows[1, j], rows[2, j], rows[3, j]
        out[0, j] = out[0, j] + a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
        out[1, j] = out[1, j] + b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3


@compiled
def _one_row(out: Array, rows: Array, first: Array) -> None:
    a0, a1, a2, a3 = first[0], first[1], first[2], first[3]
    for j in range(out.shape[0]):
        out[j] = out[j] + a0 * rows[0, j] + a1 * rows[1, j] + a2 * rows[2, j] + a3 * rows[3, j]


@compiled
def weight_steps(
    weights: Array,
    delivered: Array,
    features: Array,
    columns: IntArray,
    labels: IntArray,
    orders: IntArray,
    minibatches: IntArray,
    size: float,
    decay: float,
    kept: float,
) -> None:
    """Apply all minibatches to copies of the weights (runs, classes, features) and deliver the sums
    of gradients. `features` has the given columns only: the others are 0 for every sample, so their
    gradient is the weight decay alone, and its sum is `kept` times the weight."""
    runs, classes, wide = weights.shape
    number, most = weights.dtype.type, minibatches[:, 2].max()
    shape = (classes, columns.shape[0])
    local, total, gradient = (
        np.zeros(shape, weights.dtype),
        np.zeros(shape, weights.dtype),
        np.zeros(shape, weights.dtype),
    )
    logits = np.zeros((classes, most), weights.dtype)
    errors = np.zeros((classes, most + ROWS), weights.dtype)
    scores = np.zeros(errors.shape)
    row, norm = np.zeros(errors.shape[1]), np.zeros(errors.shape[1])
    for run in range(runs):
        for r in range(classes):
            for j in range(columns.shape[0]):
                local[r, j], total[r, j] = weights[run, r, columns[j]], 0
        for k in range(minibatches.shape[0]):
            epoch, first, count = minibatches[k]
            chosen = orders[epoch, run, first : first + count]
            _scores(logits, local, features, chosen)
            _errors(logits, number(1), labels[chosen], np.arange(count), errors, scores, row, norm)
            for r in range(classes):
                for q in range(count):
                    errors[r, q] /= number(count)
                for j in range(columns.shape[0]):
                    gradient[r, j] = decay * local[r, j]
            _add_outer(gradient, errors, features, chosen)
            for r in range(classes):
                for j in range(columns.shape[0]):
                    total[r, j] += gradient[r, j]
                    local[r, j] -= size * gradient[r, j]
        for r in range(classes):
            for j in range(wide):
                delivered[run, r, j] = kept * weights[run, r, j]
            for j in range(columns.shape[0]):
                delivered[run, r, columns[j]] = total[r, j]


@compiled_sums
def _scores(logits: Array, weights: Array, features: Array, chosen: IntArray) -> None:
    """logits = weights @ features[chosen]', two samples and five classes at a time."""
    classes, count = weights.shape[0], chosen.shape[0]
    tall = classes - classes % TALL
    for q in range(0, count, 2):
        other = min(q + 1, count - 1)
        x, y = features[chosen[q]], features[chosen[other]]
        for r in range(0, tall, TALL):
            a, b, c, d, e = (
                weights[r],
                weights[r + 1],
                weights[r + 2],
                weights[r + 3],
                weights[r + 4],
            )
            a0 = b0 = c0 = d0 = e0 = a1 = b1 = c1 = d1 = e1 = weights.dtype.type(0)
            for j in range(x.shape[0]):
                u, v = x[j], y[j]
                a0 += a[j] * u
                b0 += b[j] * u
                c0 += c[j] * u
                d0 += d[j] * u
                e0 += e[j] * u
                a1 += a[j] * v
                b1 += b[j] * v
                c1 += c[j] * v
                d1 += d[j] * v
                e1 += e[j] * v
            logits[r, q], logits[r, other] = a0, a1
            logits[r + 1, q], logits[r + 1, other] = b0, b1
            logits[r + 2, q], logits[r + 2, other] = c0, c1
            logits[r + 3, q], logits[r + 3, other] = d0, d1
            logits[r + 4, q], logits[r + 4, other] = e0, e1
        for r in range(tall, classes):
            a = weights[r]
            a0 = a1 = weights.dtype.type(0)
            for j in range(x.shape[0]):
                a0 += a[j] * x[j]
                a1 += a[j] * y[j]
            logits[r, q], logits[r, other] = a0, a1


@compiled
def _add_outer(out: Array, errors: Array, features: Array, chosen: IntArray) -> None:
    """out += errors @ features[chosen], four samples and five classes at a time."""
    classes, count = out.shape[0], chosen.shape[0]
    tall = classes - classes % TALL
    for r in range(classes):
        errors[r, count : count + ROWS] = 0
    for q in range(0, count, ROWS):
        x, y = features[chosen[q]], features[chosen[min(q + 1, count - 1)]]
        z, w = features[chosen[min(q + 2, count - 1)]], features[chosen[min(q + 3, count - 1)]]
        for r in range(0, tall, TALL):
            _five_rows(out[r : r + TALL], x, y, z, w, errors[r : r + TALL, q : q + ROWS])
        for r in range(tall, classes):
            a0, a1, a2, a3 = errors[r, q], errors[r, q + 1], errors[r, q + 2], errors[r, q + 3]
            for j in range(out.shape[1]):
                out[r, j] += a0 * x[j] + a1 * y[j] + a2 * z[j] + a3 * w[j]


@compiled
def _five_rows(out: Array, x: Array, y: Array, z: Array, w: Array, factors: Array) -> None:
    a0, a1, a2, a3 = factors[0, 0], factors[0, 1], factors[0, 2], factors[0, 3]
    b0, b1, b2, b3 = factors[1, 0], factors[1, 1], factors[1, 2], factors[1, 3]
    c0, c1, c2, c3 = factors[2, 0], factors[2, 1], factors[2, 2], factors[2, 3]
    d0, d1, d2, d3 = factors[3, 0], factors[3, 1], factors[3, 2], factors[3, 3]
    e0, e1, e2, e3 = factors[4, 0], factors[4, 1], factors[4, 2], factors[4, 3]
    a, b, c, d, e = out[0], out[1], out[2], out[3], out[4]
    for j in range(x.shape[0]):
        s, t, u, v = x[j], y[j], z[j], w[j]
        a[j] += a0 * s + a1 * t + a2 * u + a3 * v
        b[j] += b0 * s + b1 * t + b2 * u + b3 * v
        c[j] += c0 * s + c1 * t + c2 * u + c3 * v
        d[j] += d0 * s + d1 * t + d2 * u + d3 * v
        e[j] += e0 * s + e1 * t + e2 * u + e3 * v
