"""One predictor-corrector step of the interior-point method, in the direction of Helmberg, Kojima
and Monteiro.

The linear system has one row per constraint, whatever the sizes of the blocks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg.lapack import dgetrf, dgetrs, dpotrf, dtrtri

from fltheory.analysis.worst_case.structure import Structure
from fltheory.core.types import BoolArray, FloatArray

REGULARISATION = 1e-13
"""Added to the diagonal of the system, which is scaled to 1, because it may be singular near the
solution."""

MAX_REFINEMENTS, REFINED_RESIDUAL = 4, 1e-13
"""Iterative refinement of the linear system: maximum number of steps, and the relative residual at
which it stops."""

MAX_STEP = 0.9
"""Part of the distance to the boundary of the cones that a step may go. On 20 cases that no
benchmark reports, 0.8, 0.9, 0.95 and 0.98 took 703, 678, 689 and 730 steps, and with 0.98 iterates
stuck to the boundary in two of them."""

Blocks = Sequence[FloatArray]
"""One symmetric matrix per block."""


@dataclass(frozen=True)
class Iterate:
    """Gram matrix, slacks and values; multipliers y and the positive definite remainder
    sum_k y_k A_k - C."""

    gram: Blocks
    slack: FloatArray
    values: FloatArray
    multipliers: FloatArray
    left: Blocks


class Residuals(NamedTuple):
    """By how much an iterate violates the constraints, the equation of the remainder, and the
    equations of the values."""

    primal: FloatArray
    dual: Blocks
    flows: FloatArray


class Move(NamedTuple):
    """The direction of a step, field by field as in an Iterate."""

    gram: Blocks
    slack: FloatArray
    values: FloatArray
    multipliers: FloatArray
    left: Blocks


def step(problem: Structure, point: Iterate, residuals: Residuals, mean: float) -> Iterate:
    """The next iterate; `mean` is the current mean complementarity. LinAlgError if the system is
    singular."""
    primal, dual, flows = residuals
    linear, bound = problem.values, ~problem.free
    inverse_multipliers = np.where(bound, 1 / np.where(bound, point.multipliers, 1.0), 0.0)
    ratio = point.slack * inverse_multipliers
    roots = [[_inverse_root(block) for block in blocks] for blocks in (point.gram, point.left)]
    inverse = [root.T @ root for root in roots[1]]
    system = problem.products(point.gram, inverse)
    system[np.diag_indices(len(system))] += ratio
    units = 1 / np.sqrt(np.diag(system))
    rows = linear.shape[1]
    scaled = units[:, None] * linear
    whole = np.block(
        [[system * units * units[:, None], -scaled], [scaled.T, np.zeros((rows, rows))]]
    )
    whole[np.diag_indices(len(primal))] += REGULARISATION
    factors, pivots, failed = dgetrf(whole, overwrite_a=True)
    if failed:
        raise LinAlgError("the system is singular")

    def scaled_move(blocks: Blocks) -> Blocks:
        return [
            _symmetric(x @ block @ w)
            for x, block, w in zip(point.gram, blocks, inverse, strict=True)
        ]

    def direction(target: float, second: Blocks, second_slack: FloatArray) -> Move:
        moved = scaled_move(dual)
        centre = [
            target * w - x - m - s
            for w, x, m, s in zip(inverse, point.gram, moved, second, strict=True)
        ]
        side = (
            problem.forms(centre)
            + target * inverse_multipliers
            - point.slack
            - second_slack
            - primal
        )
        change, values, left, right = np.zeros_like(side), np.zeros(rows), side, flows
        best = (np.inf, change, values)
        for _ in range(MAX_REFINEMENTS):
            # the residual is computed from the move itself, because the rounding of the system is
            # much larger
            answer = dgetrs(factors, pivots, np.concatenate([units * left, right]))[0]
            change, values = change + units * answer[: len(side)], values + answer[len(side) :]
            left = (
                side
                - problem.forms(scaled_move(problem.combine(change)))
                - ratio * change
                + linear @ values
            )
            right = flows - linear.T @ change
            size = abs(left).max() + abs(right).max(initial=0.0)
            if size >= best[0]:
                break
            best = (size, change, values)
            if size <= REFINED_RESIDUAL * abs(side).max():
                break
        _, change, values = best
        gone = scaled_move(problem.combine(change))
        gram = [c - g for c, g in zip(centre, gone, strict=True)]
        slack = target * inverse_multipliers - point.slack - second_slack - ratio * change
        left_move = [a + b for a, b in zip(problem.combine(change), dual, strict=True)]
        return Move(gram, slack, values, change, left_move)

    none = [np.zeros_like(block) for block in point.gram]
    guess = direction(0.0, none, np.zeros_like(point.slack))
    reach = _reach(point, roots, guess, 1.0, bound)
    after = inner_product(
        [x + reach[0] * m for x, m in zip(point.gram, guess.gram, strict=True)],
        [s + reach[1] * m for s, m in zip(point.left, guess.left, strict=True)],
    ) + (point.slack + reach[0] * guess.slack) @ (point.multipliers + reach[1] * guess.multipliers)
    degree = problem.size + bound.sum()
    target = mean * min(max((after / degree / mean) ** 3, 1e-6), 1.0)
    second = [
        _symmetric(m @ s @ w) for m, s, w in zip(guess.gram, guess.left, inverse, strict=True)
    ]
    final = direction(target, second, guess.slack * guess.multipliers * inverse_multipliers)
    length = _reach(point, roots, final, MAX_STEP, bound)
    return Iterate(
        [x + length[0] * m for x, m in zip(point.gram, final.gram, strict=True)],
        point.slack + length[0] * final.slack,
        point.values + length[0] * final.values,
        point.multipliers + length[1] * final.multipliers,
        [_symmetric(s + length[1] * m) for s, m in zip(point.left, final.left, strict=True)],
    )


def _reach(
    point: Iterate, roots: Sequence[Blocks], move: Move, part: float, bound: BoolArray
) -> tuple[float, float]:
    """Step lengths of primal and dual: that part of the distance to the boundary, at most 1."""
    primal = min(
        [
            _ratio(point.slack[bound], move.slack[bound]),
            *(_matrix_ratio(r, m) for r, m in zip(roots[0], move.gram, strict=True)),
        ]
    )
    dual = min(
        [
            _ratio(point.multipliers[bound], move.multipliers[bound]),
            *(_matrix_ratio(r, m) for r, m in zip(roots[1], move.left, strict=True)),
        ]
    )
    return min(1.0, part * primal), min(1.0, part * dual)


def _ratio(values: FloatArray, move: FloatArray) -> float:
    """The largest step that keeps all values non-negative."""
    down = move < 0
    return float((values[down] / -move[down]).min()) if down.any() else np.inf


def _matrix_ratio(root: FloatArray, move: FloatArray) -> float:
    """The largest step that keeps a matrix semidefinite; `root` is the inverse of its factor."""
    lowest = float(np.linalg.eigvalsh(root @ move @ root.T)[0]) if len(root) else 0.0
    return -1 / lowest if lowest < 0 else np.inf


def _inverse_root(matrix: FloatArray) -> FloatArray:
    """L^-1 of a positive definite matrix L L'."""
    root, failed = dpotrf(matrix, lower=True)
    if failed:
        raise LinAlgError("a matrix is not positive definite")
    inverse: FloatArray = dtrtri(root, lower=True)[0]
    return inverse


def inner_product(left: Blocks, right: Blocks) -> float:
    """The sum over blocks of <left, right>."""
    return sum(float(np.vdot(a, b)) for a, b in zip(left, right, strict=True))


def _symmetric(matrix: FloatArray) -> FloatArray:
    return (matrix + matrix.T) / 2
