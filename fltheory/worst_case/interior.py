"""A primal-dual interior-point method that knows the structure: the system to solve has one row per constraint, however large the blocks.

Predictor and corrector steps in the direction of Helmberg, Kojima and Monteiro; constraints enter only when they are violated.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, eigvalsh, lu_factor, lu_solve, solve_triangular

from fltheory.worst_case.structure import Structure

ACCURACY, ACCEPTED = 1e-9, 2e-7
"""Relative gap that is aimed at, and the one from which on a value is given."""

NEAR = 1e-5
MOST_STEPS = 60
PATIENCE = (12, 2)
"""Steps without progress before giving up: far from the solution, and near it, where rounding is all that is left."""

MOST_ROUNDS = 6
ENTERING = 150
"""Most violated constraints that enter in one round."""


@dataclass(frozen=True)
class Point:
    """An iterate: Gram matrix, slack, values; multipliers and what they leave, which is positive definite."""

    gram: Any
    slack: Any
    values: Any
    multipliers: Any
    left: Any


@dataclass(frozen=True)
class Result:
    """`value` is what the multipliers prove; `error` the largest of gap, residuals and violation of dropped constraints."""

    value: float
    multipliers: Any
    error: float
    violation: float
    inner: Any
    """Multipliers of an earlier iterate, well inside, that prove a slightly larger bound."""


def solve_structured(problem: Structure, *, inner_gap: float = 2e-7) -> Result | None:
    """The worst case from a growing set of constraints; None if the method breaks down."""
    which = np.nonzero(problem.first)[0]
    best: Result | None = None
    for _ in range(MOST_ROUNDS):
        found = _solve(problem, which, inner_gap)
        if found is None:
            return best
        point, inner, error = found
        gains = problem.forms(point.gram, np.arange(len(problem.bounds))) + problem.values @ point.values - problem.bounds
        gains[which] = -np.inf
        scale = abs(float(problem.bounds[which] @ point.multipliers))
        violation = max(float(gains.max()), 0.0) / max(scale, 1e-12)
        full, inside = np.zeros((2, len(problem.bounds)))
        full[which], inside[which] = point.multipliers, inner
        best = Result(float(problem.bounds @ full), full, max(error, violation), violation, inside)
        if violation <= 100 * ACCURACY:
            return best
        worst = np.argsort(-gains)[:ENTERING]
        which = np.sort(np.concatenate([which, worst[gains[worst] > 0]]))
    return best


def _solve(problem: Structure, which: Any, inner_gap: float) -> tuple[Point, Any, float] | None:
    size, count = len(problem.objective), len(which)
    bounds, linear = problem.bounds[which], problem.values[which]
    point = Point(np.eye(size), np.ones(count), np.zeros(linear.shape[1]), np.ones(count), np.eye(size))
    best: tuple[float, Point] | None = None
    inner, degree, idle = point.multipliers, size + count, 0
    for _ in range(MOST_STEPS):
        gap = (np.vdot(point.gram, point.left) + point.slack @ point.multipliers)
        primal = bounds - problem.forms(point.gram, which) - linear @ point.values - point.slack
        dual = (problem.combine(point.multipliers, which) - problem.objective) * problem.same_block - point.left
        flows = problem.objective_values - linear.T @ point.multipliers
        scale = max(abs(bounds @ point.multipliers), 1e-12)
        residual = max(abs(primal).max(), abs(dual).max(), abs(flows).max() if len(flows) else 0.0)
        error = max(gap / scale, residual / (1 + scale))
        if best is None or error < 0.9 * best[0]:
            best, idle = (error, point), 0
        else:
            idle += 1
        if idle > PATIENCE[int(best[0] < NEAR)] or not np.isfinite(error):
            break
        if gap / scale > inner_gap:
            inner = point.multipliers
        if error < ACCURACY:
            break
        try:
            point = _step(problem, which, point, (primal, dual, flows), gap / degree)
        except (LinAlgError, np.linalg.LinAlgError, ValueError):
            break
    return None if best is None else (best[1], inner, best[0])


def _step(problem: Structure, which: Any, point: Point, residuals: Any, mean: float) -> Point:
    primal, dual, flows = residuals
    inverse = cho_solve(cho_factor(point.left), np.eye(len(point.left)))
    inverse = (inverse + inverse.T) / 2
    at, small, linear = problem.places[which], problem.small[which], problem.values[which]
    system = np.diag(point.slack / point.multipliers)
    for columns in problem.blocks:
        rows_of = problem.vectors[:, columns]
        touched = np.nonzero(rows_of.any(axis=1)[at].any(axis=1))[0]
        one, two = (rows_of @ matrix[np.ix_(columns, columns)] @ rows_of.T for matrix in (point.gram, inverse))
        system[np.ix_(touched, touched)] += _system(one, two, at[touched], small[touched])
    rows = linear.shape[1]
    whole = np.block([[system, -linear], [linear.T, np.zeros((rows, rows))]])
    whole[: len(which), : len(which)] += 1e-14 * np.diag(np.diag(system))
    factors = lu_factor(whole)

    def direction(target: float, second: Any, second_slack: Any) -> tuple[Any, ...]:
        centre = target * inverse - point.gram - _symmetric(point.gram @ dual @ inverse) - second
        side = problem.forms(centre, which) + target / point.multipliers - point.slack - second_slack - primal
        right = np.concatenate([side, flows])
        answer = lu_solve(factors, right)
        answer += lu_solve(factors, right - whole @ answer)
        change = answer[: len(which)]
        moved = problem.combine(change, which) + dual
        gram = (centre - _symmetric(point.gram @ (moved - dual) @ inverse)) * problem.same_block
        slack = target / point.multipliers - point.slack - second_slack - point.slack / point.multipliers * change
        return gram, slack, answer[len(which) :], change, moved

    zero = np.zeros_like(point.gram)
    guess = direction(0.0, zero, np.zeros_like(point.slack))
    reach = _reach(point, guess, 1.0)
    after = (np.vdot(point.gram + reach[0] * guess[0], point.left + reach[1] * guess[4])
             + (point.slack + reach[0] * guess[1]) @ (point.multipliers + reach[1] * guess[3]))
    degree = len(point.left) + len(which)
    target = mean * min(max((after / degree / mean) ** 3, 1e-6), 1.0)
    second = _symmetric(guess[0] @ guess[4] @ inverse) * problem.same_block
    final = direction(target, second, guess[1] * guess[3] / point.multipliers)
    length = _reach(point, final, 0.98)
    return Point(point.gram + length[0] * final[0], point.slack + length[0] * final[1], point.values + length[0] * final[2],
                 point.multipliers + length[1] * final[3], _symmetric(point.left + length[1] * final[4]))


def _system(one: Any, two: Any, at: Any, small: Any) -> Any:
    """M[k, l] = trace(A_k X A_l S^-1), from the products of vectors alone."""
    (count, width), flat = at.shape, at.ravel()
    left, right = (np.matmul(small, products[at]).reshape(count * width, -1)[:, flat] for products in (one, two))
    return (left * right.T).reshape(count, width, count, width).sum(axis=(1, 3))


def _reach(point: Point, move: tuple[Any, ...], part: float) -> tuple[float, float]:
    """How far primal and dual can go without leaving the cones."""
    primal = min(_ratio(point.slack, move[1]), _matrix_ratio(point.gram, move[0]))
    dual = min(_ratio(point.multipliers, move[3]), _matrix_ratio(point.left, move[4]))
    return min(1.0, part * primal), min(1.0, part * dual)


def _ratio(values: Any, move: Any) -> float:
    down = move < 0
    return float((values[down] / -move[down]).min()) if down.any() else np.inf


def _matrix_ratio(matrix: Any, move: Any) -> float:
    root = cholesky(matrix, lower=True)
    inner = solve_triangular(root, solve_triangular(root, _symmetric(move), lower=True).T, lower=True)
    lowest = float(eigvalsh(_symmetric(inner), subset_by_index=[0, 0])[0])
    return -1 / lowest if lowest < 0 else np.inf


def _symmetric(matrix: Any) -> Any:
    return (matrix + matrix.T) / 2
