"""The steps of local SGD on softmax regression in the space of samples, as one compiled loop."""

from typing import Any

import numpy as np

from fltheory.compiled.numba_ import compiled

CLASSES, ROWS = 2, 4
"""Rows of logits and rows of the Gram matrix that one pass of the inner loop takes: their numbers fit the registers."""


@compiled
def sample_steps(logits: Any, gathered: Any, labels: Any, gram: Any, orders: Any, minibatches: Any, size: Any, shrink: Any) -> None:
    """Move the logits (runs, classes, samples) through all minibatches and gather the errors by sample, in place."""
    runs, classes, samples = logits.shape
    number, last = logits.dtype.type, minibatches.shape[0] - 1
    errors = np.zeros((classes, minibatches[:, 2].max() + ROWS), logits.dtype)
    rows = np.zeros((ROWS, samples), logits.dtype)
    for run in range(runs):
        scale = number(1)  # the true logits are scale * logits, so that weight decay costs no pass over them
        for k in range(last + 1):
            epoch, first, count = minibatches[k]
            chosen = orders[epoch, run, first : first + count]
            _errors(logits[run], scale, labels, chosen, errors)
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
def _errors(logits: Any, scale: Any, labels: Any, chosen: Any, errors: Any) -> None:
    """softmax - one-hot target for the chosen samples."""
    classes = logits.shape[0]
    for q in range(chosen.shape[0]):
        sample = chosen[q]
        largest = logits[0, sample]
        for r in range(1, classes):
            largest = max(largest, logits[r, sample])
        total = errors.dtype.type(0)
        for r in range(classes):
            errors[r, q] = np.exp(scale * (logits[r, sample] - largest))
            total += errors[r, q]
        for r in range(classes):
            errors[r, q] /= total
        errors[labels[sample], q] -= errors.dtype.type(1)


@compiled
def _copy(target: Any, source: Any) -> None:
    for j in range(target.shape[0]):
        target[j] = source[j]


@compiled
def _add_products(out: Any, factors: Any, table: Any, chosen: Any, rows: Any) -> None:
    """out += factors @ table[chosen], four rows of the table at a time; factors are zero beyond the chosen ones."""
    for first in range(0, chosen.shape[0], ROWS):
        for q in range(min(ROWS, chosen.shape[0] - first)):
            _copy(rows[q], table[chosen[first + q]])
        for r in range(0, out.shape[0] - 1, CLASSES):
            _two_rows(out[r : r + 2], rows, factors[r, first : first + ROWS], factors[r + 1, first : first + ROWS])
        if out.shape[0] % 2:
            _one_row(out[-1], rows, factors[out.shape[0] - 1, first : first + ROWS])


@compiled
def _two_rows(out: Any, rows: Any, first: Any, second: Any) -> None:
    a0, a1, a2, a3 = first[0], first[1], first[2], first[3]
    b0, b1, b2, b3 = second[0], second[1], second[2], second[3]
    for j in range(out.shape[1]):
        x0, x1, x2, x3 = rows[0, j], rows[1, j], rows[2, j], rows[3, j]
        out[0, j] = out[0, j] + a0 * x0 + a1 * x1 + a2 * x2 + a3 * x3
        out[1, j] = out[1, j] + b0 * x0 + b1 * x1 + b2 * x2 + b3 * x3


@compiled
def _one_row(out: Any, rows: Any, first: Any) -> None:
    a0, a1, a2, a3 = first[0], first[1], first[2], first[3]
    for j in range(out.shape[0]):
        out[j] = out[j] + a0 * rows[0, j] + a1 * rows[1, j] + a2 * rows[2, j] + a3 * rows[3, j]
