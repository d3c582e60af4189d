"""Solve the cone program or its dual with Clarabel: a number with its accuracy, or the reason why
there is none."""

from collections.abc import Callable, Sequence
from math import inf
from typing import TypeAlias

import numpy as np
from scipy import sparse

from fltheory.analysis.worst_case.program import Program, triangles
from fltheory.analysis.worst_case.status import ACCEPTED, INFEASIBLE, UNBOUNDED, Solution, Status
from fltheory.core.extras import MissingExtra
from fltheory.core.types import Array

try:
    import clarabel
except ImportError as problem:  # pragma: no cover - depends on the installation
    raise MissingExtra("worst-case", "a worst case") from problem

TARGET_ACCURACY = 1e-10
"""Accuracy that is requested from the solver."""

SMALLEST_VALUE = 1e-12
"""Values below this are treated as zero in relative errors."""

INACCURATE_RESIDUAL = 1e-4
"""If the solver stops early with residuals below this, the status is inaccurate, not failed."""


Cone: TypeAlias = clarabel.ZeroConeT | clarabel.NonnegativeConeT | clarabel.PSDTriangleConeT
SOLVED = ("Solved", "AlmostSolved")
"""Clarabel's names for a solution; no other status gives a number."""

Part = tuple[sparse.spmatrix, Array, Cone | list[Cone]]
"""Rows A, right side b and the cone (or cones) of b - A y."""


def solve(
    program: Program, *, most_iterations: int = 200, limit: Callable[[], float] = lambda: inf
) -> Solution:
    """The worst case with its multipliers: by the dual, which is faster, or else by the primal.

    `limit` tells how many seconds are left.
    """
    first = solve_dual(program, most_iterations=most_iterations, seconds=limit())
    if first.status is Status.NUMERICAL or first.why in (UNBOUNDED, INFEASIBLE):
        return first
    left = limit()
    if left <= 0:
        return first
    second = solve_primal(program, most_iterations=most_iterations, seconds=left)
    return second if second.status is not Status.FAILED else first


def solve_dual(program: Program, *, most_iterations: int = 200, seconds: float = inf) -> Solution:
    """The smallest bound that multipliers prove: minimise sum_k b_k y_k over y >= 0 such that the
    values cancel and sum_k y_k A_k - C is semidefinite."""
    count = program.num_constraints
    found = minimise(
        program.bounds,
        [
            (
                program.values.T,
                program.objective_values,
                zero(program.values.shape[1]),
            ),
            (-sparse.identity(count), np.zeros(count), nonnegative(count)),
            (-program.forms.T, -program.objective_form, semidefinite(program.block_sizes)),
        ],
        most_iterations,
        seconds,
    )
    return _told(found, found.obj_val, found.x)


def solve_primal(program: Program, *, most_iterations: int = 200, seconds: float = inf) -> Solution:
    """The largest metric over Gram matrices and values that satisfy every constraint."""
    entries, count = program.forms.shape[1], program.num_constraints
    none = sparse.csr_matrix((entries, program.values.shape[1]))
    found = minimise(
        -np.concatenate([program.objective_form, program.objective_values]),
        [
            (
                sparse.hstack([program.forms, program.values]),
                program.bounds,
                nonnegative(count),
            ),
            (
                sparse.hstack([-sparse.identity(entries), none]),
                np.zeros(entries),
                semidefinite(program.block_sizes),
            ),
        ],
        most_iterations,
        seconds,
    )
    return _told(found, -found.obj_val_dual, found.z[:count], swapped=True)


def solve_inside(
    program: Program, budget: float, *, most_iterations: int = 200, seconds: float = inf
) -> Solution:
    """Multipliers that prove `budget` with the largest margin: all of them and all eigenvalues are
    at least the margin, which is the returned value.

    The margin is kept below 1. Inaccurate points are returned too, because an exact check follows.
    """
    count = program.num_constraints
    identity = np.concatenate([triangles(np.eye(size)) for size in program.block_sizes])
    budgets = sparse.csr_matrix(np.array([[*program.bounds, 0.0], [*np.zeros(count), 1.0]]))
    at_least = sparse.vstack(
        [sparse.hstack([-sparse.identity(count), np.ones((count, 1))]), budgets]
    )
    found = minimise(
        np.append(np.zeros(count), -1.0),
        [
            (
                sparse.hstack([program.values.T, sparse.csr_matrix((program.values.shape[1], 1))]),
                program.objective_values,
                zero(program.values.shape[1]),
            ),
            (
                at_least,
                np.concatenate([np.zeros(count), [budget, 1.0]]),
                nonnegative(count + 2),
            ),
            (
                sparse.hstack([-program.forms.T, identity[:, None]]),
                -program.objective_form,
                semidefinite(program.block_sizes),
            ),
        ],
        most_iterations,
        seconds,
    )
    point = np.array(found.x)
    if not np.isfinite(point).all():
        return _told(found, np.nan, point)
    return Solution(Status.NUMERICAL, float(point[-1]), point[:-1])


def zero(count: int) -> Cone:
    """So many zeros."""
    return clarabel.ZeroConeT(count)


def nonnegative(count: int) -> Cone:
    """So many numbers that are at least 0."""
    return clarabel.NonnegativeConeT(count)


def semidefinite(sizes: Sequence[int]) -> list[Cone]:
    """The triangles of semidefinite matrices."""
    return [clarabel.PSDTriangleConeT(size) for size in sizes if size]


def minimise(
    costs: Array,
    parts: Sequence[Part],
    most_iterations: int = 200,
    seconds: float = inf,
    *,
    accuracy: float = TARGET_ACCURACY,
    equilibrate: bool = True,
) -> clarabel.DefaultSolution:
    """Minimise costs'y such that b - A y lies in the cone, for each part (A, b, cone).

    With `equilibrate`, Clarabel scales the rows itself.
    """
    matrix = sparse.csc_matrix(sparse.vstack([rows for rows, _, _ in parts]))
    right = np.concatenate([side for _, side, _ in parts])
    cones = [
        cone for _, _, given in parts for cone in (given if isinstance(given, list) else [given])
    ]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = most_iterations
    settings.time_limit = max(seconds, 0.0)
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = accuracy
    settings.equilibrate_enable = equilibrate
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = settings.reduced_tol_feas = (
        ACCEPTED
    )
    quadratic = sparse.csc_matrix((len(costs), len(costs)))
    return clarabel.DefaultSolver(
        quadratic, np.asarray(costs, float), matrix, right, cones, settings
    ).solve()


def _told(
    found: clarabel.DefaultSolution,
    value: float,
    multipliers: Sequence[float] | Array,
    *,
    swapped: bool = False,
) -> Solution:
    """The solver's answer as a Solution; `swapped` says that it solved the primal, not the dual."""
    name, residual = str(found.status), max(found.r_prim, found.r_dual)
    if name in SOLVED and np.isfinite(value):
        error = max(
            residual, abs(found.obj_val - found.obj_val_dual) / max(abs(value), SMALLEST_VALUE)
        )
        if error <= ACCEPTED:
            return Solution(Status.NUMERICAL, float(value), np.array(multipliers), error=error)
        return Solution(
            Status.INACCURATE,
            why=f"the solver stopped at a relative error of {error:.0e}",
            error=error,
        )
    if name.removeprefix("Almost") in ("PrimalInfeasible", "DualInfeasible"):
        return Solution(
            Status.FAILED, why=UNBOUNDED if ("Primal" in name) != swapped else INFEASIBLE
        )
    if name == "MaxTime":
        return Solution(Status.INACCURATE, why="the time that was allowed is over")
    if (
        name in ("InsufficientProgress", "MaxIterations", "NumericalError")
        and residual < INACCURATE_RESIDUAL
    ):
        return Solution(Status.INACCURATE, why=f"the solver stopped at residuals of {residual:.0e}")
    return Solution(
        Status.FAILED, why=f"the solver gave up ({name} after {found.iterations} iterations)"
    )
