"""Local SGD on softmax regression in the space of samples, as one compiled loop."""

import numpy as np

from fltheory.core.types import Array, FloatArray, IntArray
from fltheory.engine.compiled.numba_ import compiled

CLASSES, ROWS = 2, 4
"""Rows of logits and rows of the Gram matrix in one pass of the inner loop, so that their numbers
fit into the registers."""

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
