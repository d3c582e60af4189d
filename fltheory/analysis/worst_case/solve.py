"""Clarabel on the cone program, as it is or in its dual: a number with what it is worth, or a
sentence on why there is none."""

from typing import Any

import numpy as np
from scipy import sparse

from fltheory.analysis.worst_case.program import Program, triangles
from fltheory.analysis.worst_case.status import ACCEPTED, INFEASIBLE, UNBOUNDED, Solution, Status

try:
    import clarabel
except ImportError as problem:  # pragma: no cover - depends on the installation
    raise ImportError("worst cases need clarabel: pip install 'fltheory[worst-case]'") from problem

WANTED = 1e-10
"""Accuracy that the solver aims at."""

SMALLEST = 1e-12
"""Values below this are not told from zero."""

NEAR = 1e-4
"""Residuals below which a solver that gives up was on its way, and is called inaccurate rather than
failed."""


def solve(program: Program, *, most_iterations: int = 200) -> Solution:
    """The worst case with the multipliers that prove it: first by the dual, which is faster, then
    by the program itself."""
    first = solve_dual(program, most_iterations=most_iterations)
    if first.status is Status.NUMERICAL or first.why in (UNBOUNDED, INFEASIBLE):
        return first
    second = solve_primal(program, most_iterations=most_iterations)
    return second if second.status is not Status.FAILED else first


def solve_dual(program: Program, *, most_iterations: int = 200) -> Solution:
    """The smallest bound that multipliers prove: min sum_k b_k y_k, y >= 0, values cancel, sum_k
    y_k A_k - C semidefinite."""
    count = program.num_constraints
    found = _clarabel(
        program.bounds,
        [
            (
                program.values.T,
                program.objective_values,
                clarabel.ZeroConeT(program.values.shape[1]),
            ),
            (-sparse.identity(count), np.zeros(count), clarabel.NonnegativeConeT(count)),
            (-program.forms.T, -program.objective_form, _semidefinite(program)),
        ],
        most_iterations,
    )
    return _told(found, found.obj_val, found.x)


def solve_primal(program: Program, *, most_iterations: int = 200) -> Solution:
    """The largest metric over Gram matrices and values that satisfy every constraint."""
    entries, count = program.forms.shape[1], program.num_constraints
    none = sparse.csr_matrix((entries, program.values.shape[1]))
    found = _clarabel(
        -np.concatenate([program.objective_form, program.objective_values]),
        [
            (
                sparse.hstack([program.forms, program.values]),
                program.bounds,
                clarabel.NonnegativeConeT(count),
            ),
            (
                sparse.hstack([-sparse.identity(entries), none]),
                np.zeros(entries),
                _semidefinite(program),
            ),
        ],
        most_iterations,
    )
    return _told(found, -found.obj_val_dual, found.z[:count], swapped=True)


def solve_inside(program: Program, budget: float, *, most_iterations: int = 200) -> Solution:
    """Multipliers that prove `budget` with the largest margin, which is the value: all of them and
    all eigenvalues are at least that.

    The margin is kept below 1. A point that the solver is not sure of is passed on: an exact check
    judges it.
    """
    count = program.num_constraints
    identity = np.concatenate([triangles(np.eye(size)) for size in program.block_sizes])
    budgets = sparse.csr_matrix(np.array([[*program.bounds, 0.0], [*np.zeros(count), 1.0]]))
    at_least = sparse.vstack(
        [sparse.hstack([-sparse.identity(count), np.ones((count, 1))]), budgets]
    )
    found = _clarabel(
        np.append(np.zeros(count), -1.0),
        [
            (
                sparse.hstack([program.values.T, sparse.csr_matrix((program.values.shape[1], 1))]),
                program.objective_values,
                clarabel.ZeroConeT(program.values.shape[1]),
            ),
            (
                at_least,
                np.concatenate([np.zeros(count), [budget, 1.0]]),
                clarabel.NonnegativeConeT(count + 2),
            ),
            (
                sparse.hstack([-program.forms.T, identity[:, None]]),
                -program.objective_form,
                _semidefinite(program),
            ),
        ],
        most_iterations,
    )
    point = np.array(found.x)
    if not np.isfinite(point).all():
        return _told(found, np.nan, point)
    return Solution(Status.NUMERICAL, float(point[-1]), point[:-1])


def _semidefinite(program: Program) -> list[Any]:
    return [clarabel.PSDTriangleConeT(size) for size in program.block_sizes if size]


def _clarabel(costs: Any, parts: list[Any], most_iterations: int) -> Any:
    """min costs'y such that b - A y lies in the cone, for each part (A, b, cone)."""
    matrix = sparse.csc_matrix(sparse.vstack([rows for rows, _, _ in parts]))
    right = np.concatenate([side for _, side, _ in parts])
    cones = [
        cone for _, _, given in parts for cone in (given if isinstance(given, list) else [given])
    ]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = most_iterations
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = WANTED
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = settings.reduced_tol_feas = (
        ACCEPTED
    )
    quadratic = sparse.csc_matrix((len(costs), len(costs)))
    return clarabel.DefaultSolver(
        quadratic, np.asarray(costs, float), matrix, right, cones, settings
    ).solve()


def _told(found: Any, value: float, multipliers: Any, *, swapped: bool = False) -> Solution:
    """The solver's answer in our words; `swapped` tells that it was given the program itself, not
    its dual."""
    name, residual = str(found.status), max(found.r_prim, found.r_dual)
    if name in ("Solved", "AlmostSolved") and np.isfinite(value):
        error = max(residual, abs(found.obj_val - found.obj_val_dual) / max(abs(value), SMALLEST))
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
    if name in ("InsufficientProgress", "MaxIterations", "NumericalError") and residual < NEAR:
        return Solution(Status.INACCURATE, why=f"the solver stopped at residuals of {residual:.0e}")
    return Solution(
        Status.FAILED, why=f"the solver gave up ({name} after {found.iterations} iterations)"
    )
