"""A primal-dual interior-point method that knows the structure: the system to solve has one row per
constraint, however large the blocks.

Predictor and corrector steps in the direction of Helmberg, Kojima and Monteiro; constraints enter
only when they are violated.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg.lapack import dgetrf, dgetrs, dpotrf, dtrtri

from fltheory.analysis.worst_case.structure import Structure

ACCURACY = 1e-9
"""Relative gap and residuals that are aimed at."""

ROUGH, BROKEN = 1e-2, 1e-3
"""Accuracy at which a round looks at what was left out, and the violation, relative to the value,
at which it ends early."""

MOST_STEPS = 80
PATIENCE, ENOUGH = (10, 2), 1e-8
"""Steps without progress before giving up: far from the solution, and once the error is below the
second number."""

SMALLEST = 1e-12
"""Values below this are not told from zero."""

REGULAR = 1e-13
"""Added to the diagonal of the system, which is scaled to 1: near the solution it may be
singular."""

REFINEMENTS, REFINED = 4, 1e-13
MOST_ROUNDS = 12
ENTERING = 200
"""Most violated constraints that enter in one round."""

FAR, RAY = 1e3, 1e-7
"""Metrics, in units of the start, from which on there may be no finite worst case; violation,
relative to its gain, below which a direction counts as one along which the metric grows without
end."""


@dataclass(frozen=True)
class Point:
    """An iterate: Gram matrix, slack, values; multipliers and what they leave, which is positive
    definite. Matrices are lists of blocks."""

    gram: Any
    slack: Any
    values: Any
    multipliers: Any
    left: Any


@dataclass(frozen=True)
class Result:
    """`value` is what the multipliers prove; `error` the largest of gap, residuals and violation of
    dropped constraints, of the value."""

    value: float
    multipliers: Any
    error: float
    violation: float
    inner: Any
    """Multipliers of an earlier iterate, well inside, that prove a slightly larger bound."""
    points: Any = ()
    """Gram matrix and values: the last ones, and those of the earlier iterate."""
    unbounded: bool = False


def solve_structured(problem: Structure, *, inner_gap: float = 2e-7) -> Result | None:
    """The worst case from a growing set of constraints; None if the method breaks down.

    A cutting-plane loop: what was left out is checked after each round, the most violated
    constraints enter, and the largest violation that remains is told and counts as an error.
    """
    which = np.flatnonzero(problem.first)
    best: Result | None = None
    for _ in range(MOST_ROUNDS):
        found = _solve(problem, which, inner_gap)
        if found is None:
            return best
        point, inner, error, ray = found
        gains, violation = _left_out(problem, which, point, ray)
        full, inside = np.zeros((2, len(problem.bounds)))
        full[which], inside[which] = point.multipliers, inner.multipliers
        back = problem.unit / problem.scales
        now = Result(
            float(problem.bounds @ full) * problem.unit,
            full * back,
            max(error, violation),
            violation,
            inside * back,
            ((point.gram, point.values), (inner.gram, inner.values)),
            ray and violation <= RAY,
        )
        if best is None or now.unbounded or now.error < best.error:
            best = now
        if now.unbounded or (violation <= 10 * ACCURACY and not ray):
            return best
        worst = np.argsort(-gains)[:ENTERING]
        which = np.sort(
            np.concatenate([which, worst[gains[worst] > ACCURACY * abs(now.value) / problem.unit]])
        )
    return best


def _left_out(problem: Structure, which: Any, point: Point, ray: bool = False) -> tuple[Any, float]:
    """By how much each constraint that is not there is violated (along a ray: grows), and the worst
    of them relative to the value."""
    gains = (
        problem.forms(point.gram) + problem.values @ point.values - (0 if ray else problem.bounds)
    )
    gains[which] = -np.inf
    scale = (
        _metric(problem, point) if ray else abs(float(problem.bounds[which] @ point.multipliers))
    )
    return gains, max(float(gains.max()), 0.0) / max(scale, SMALLEST)


def _metric(problem: Structure, point: Point) -> float:
    return sum(
        float(np.vdot(c, x)) for c, x in zip(problem.objective, point.gram, strict=True)
    ) + float(problem.objective_values @ point.values)


def _solve(
    everything: Structure, which: Any, inner_gap: float
) -> tuple[Point, Point, float, bool] | None:
    """The best iterate with some of the constraints, an earlier one, the error, and whether it
    shows a ray."""
    problem = everything.only(which)
    count, bounds, linear = len(problem.bounds), problem.bounds, problem.values
    eyes = [np.eye(len(block)) for block in problem.objective]
    there_is = np.where(problem.free, 0.0, 1.0)
    point = Point(eyes, there_is, np.zeros(linear.shape[1]), there_is, eyes)
    best: tuple[float, Point] | None = None
    inner, degree, idle, looked = point, problem.size + count - problem.free.sum(), 0, False
    for _ in range(MOST_STEPS):
        gap = _inner(point.gram, point.left) + point.slack @ point.multipliers
        there = problem.forms(point.gram) + linear @ point.values
        primal = bounds - there - point.slack
        dual = [
            sum_ - c - s
            for sum_, c, s in zip(
                problem.combine(point.multipliers), problem.objective, point.left, strict=True
            )
        ]
        flows = problem.objective_values - linear.T @ point.multipliers
        scale = max(abs(bounds @ point.multipliers), SMALLEST)
        lacking = max(
            abs(primal).max() / (1 + abs(bounds).max()),
            *(abs(block).max(initial=0.0) for block in dual),
            abs(flows).max(initial=0.0),
        )
        metric = _metric(problem, point)
        error = max(gap / scale, abs(bounds @ point.multipliers - metric) / scale, lacking)
        grown = np.where(problem.free, abs(there), there).max(initial=0.0)
        if metric > FAR and grown / metric < RAY / 10:
            return point, inner, error, True
        if best is None or error < 0.9 * best[0]:
            best, idle = (error, point), 0
        else:
            idle += 1
        if (idle > PATIENCE[int(best[0] < ENOUGH)] and metric < FAR) or not np.isfinite(error):
            break
        if error < ROUGH and not looked:
            looked = True
            if _left_out(everything, which, point)[1] > BROKEN:
                break
        if gap / scale > inner_gap:
            inner = point
        if error < ACCURACY:
            break
        try:
            with np.errstate(all="ignore"):
                point = _step(problem, point, (primal, dual, flows), gap / degree)
        except (
            LinAlgError
        ):  # a singular system ends the search; the error of the best iterate tells
            break
    return None if best is None else (best[1], inner, best[0], False)


def _step(problem: Structure, point: Point, residuals: Any, mean: float) -> Point:
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
    whole[np.diag_indices(len(primal))] += REGULAR
    factors, pivots, failed = dgetrf(whole, overwrite_a=True)
    if failed:
        raise LinAlgError("the system is singular")

    def scaled_move(blocks: Any) -> Any:
        return [
            _symmetric(x @ block @ w)
            for x, block, w in zip(point.gram, blocks, inverse, strict=True)
        ]

    def direction(target: float, second: Any, second_slack: Any) -> tuple[Any, ...]:
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
        for _ in range(
            REFINEMENTS
            # what is left is computed from the move itself: the system's own rounding is much larger
        ):
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
            if size <= REFINED * abs(side).max():
                break
        _, change, values = best
        gone = scaled_move(problem.combine(change))
        gram = [c - g for c, g in zip(centre, gone, strict=True)]
        slack = target * inverse_multipliers - point.slack - second_slack - ratio * change
        left_move = [a + b for a, b in zip(problem.combine(change), dual, strict=True)]
        return gram, slack, values, change, left_move

    none = [np.zeros_like(block) for block in point.gram]
    guess = direction(0.0, none, np.zeros_like(point.slack))
    reach = _reach(point, roots, guess, 1.0, bound)
    after = _inner(
        [x + reach[0] * m for x, m in zip(point.gram, guess[0], strict=True)],
        [s + reach[1] * m for s, m in zip(point.left, guess[4], strict=True)],
    ) + (point.slack + reach[0] * guess[1]) @ (point.multipliers + reach[1] * guess[3])
    degree = problem.size + bound.sum()
    target = mean * min(max((after / degree / mean) ** 3, 1e-6), 1.0)
    second = [_symmetric(m @ s @ w) for m, s, w in zip(guess[0], guess[4], inverse, strict=True)]
    final = direction(target, second, guess[1] * guess[3] * inverse_multipliers)
    length = _reach(point, roots, final, 0.98, bound)
    return Point(
        [x + length[0] * m for x, m in zip(point.gram, final[0], strict=True)],
        point.slack + length[0] * final[1],
        point.values + length[0] * final[2],
        point.multipliers + length[1] * final[3],
        [_symmetric(s + length[1] * m) for s, m in zip(point.left, final[4], strict=True)],
    )


def _reach(
    point: Point, roots: Any, move: tuple[Any, ...], part: float, bound: Any
) -> tuple[float, float]:
    """How far primal and dual can go without leaving the cones."""
    primal = min(
        [
            _ratio(point.slack[bound], move[1][bound]),
            *(_matrix_ratio(r, m) for r, m in zip(roots[0], move[0], strict=True)),
        ]
    )
    dual = min(
        [
            _ratio(point.multipliers[bound], move[3][bound]),
            *(_matrix_ratio(r, m) for r, m in zip(roots[1], move[4], strict=True)),
        ]
    )
    return min(1.0, part * primal), min(1.0, part * dual)


def _ratio(values: Any, move: Any) -> float:
    down = move < 0
    return float((values[down] / -move[down]).min()) if down.any() else np.inf


def _matrix_ratio(root: Any, move: Any) -> float:
    lowest = float(np.linalg.eigvalsh(root @ move @ root.T)[0]) if len(root) else 0.0
    return -1 / lowest if lowest < 0 else np.inf


def _inverse_root(matrix: Any) -> Any:
    """L^-1 for a matrix L L'; one that is not positive definite has none."""
    root, failed = dpotrf(matrix, lower=True)
    if failed:
        raise LinAlgError("a matrix is not positive definite")
    return dtrtri(root, lower=True)[0]


def _inner(left: Any, right: Any) -> float:
    return sum(float(np.vdot(a, b)) for a, b in zip(left, right, strict=True))


def _symmetric(matrix: Any) -> Any:
    return (matrix + matrix.T) / 2
