"""Solve a worst case as a chain of small blocks with Clarabel, and judge the answer by the whole
problem.

What Clarabel says of its accuracy is not used: its residuals are absolute, and values are small
after many rounds. The error is measured on the multipliers and on the Gram matrix of everything, so
that an answer is accepted only at full accuracy.
"""

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fltheory.analysis.worst_case.all_constraints import AllConstraints
from fltheory.analysis.worst_case.chain import ChainOfBlocks
from fltheory.analysis.worst_case.interior import EARLY_VIOLATION, InteriorResult
from fltheory.analysis.worst_case.program import triangle_size, triangles
from fltheory.analysis.worst_case.solve import SOLVED, minimise, nonnegative, semidefinite, zero
from fltheory.analysis.worst_case.solver_time import SolverTime
from fltheory.analysis.worst_case.status import ACCEPTED
from fltheory.core.types import FloatArray, IntArray

REQUESTED_ACCURACY, ATTEMPTS = 1e-12, 3
"""Accuracy requested of Clarabel, first in the units of the problem, then in those of the last
answer."""

SMALLEST_COORDINATE, SMALLEST_VALUE = 1e-4, 1e-3
"""Smallest unit of a coordinate, as part of the largest one of its link, and of a function value,
as part of the worst case."""

CLEARLY = 0.1
"""Omitted constraints enter if all other errors are below this part of their violation."""

MAX_ROUNDS, MAX_ENTERING = 4, 20
"""Maximum number of rounds with growing sets of constraints, and of those that enter in one."""


class Units(NamedTuple):
    """Units of the worst case, of the coordinates of each link, and of function values."""

    metric: float
    links: list[FloatArray]
    values: FloatArray


class ChainAnswer(NamedTuple):
    """Multipliers, Gram matrices of the links in their units, and function values."""

    multipliers: FloatArray
    grams: list[FloatArray]
    values: FloatArray
    units: Units


def solve_chain(
    everything: AllConstraints, *, most: float, time: SolverTime | None = None
) -> InteriorResult | None:
    """The worst case at full accuracy, or None if this way does not give it within about `most`
    seconds.

    Violated constraints enter round by round, as long as the chain takes at most half of that.
    """
    time = time or SolverTime()
    which = np.flatnonzero(everything.first)
    for count in range(1, MAX_ROUNDS + 1):
        chain = ChainOfBlocks.of(everything.only(which))
        if chain.seconds > (most if count == 1 else most / 2):
            return None
        time.tell(chain.seconds)
        time.watch(f"round {count}: a chain of {len(chain.sizes)} blocks")
        units: Units | None = None
        best: tuple[float, float, FloatArray] | None = None
        for _ in range(ATTEMPTS):
            answer = solved(chain, units, time.left)
            if answer is None:
                break
            found, accuracy, sides = judged(everything, chain, which, answer)
            if found.error <= ACCEPTED:
                return found
            if best is None or accuracy < best[0]:
                best = accuracy, found.violation, sides
            if found.violation > EARLY_VIOLATION and accuracy < CLEARLY * found.violation:
                break  # other units do not help
            units = _units(chain, answer)
        if best is None or best[0] > max(ACCEPTED, CLEARLY * best[1]):
            return None
        worst = np.argsort(-best[2])[:MAX_ENTERING]
        which = np.sort(np.concatenate([which, worst[best[2][worst] > 0]]))
    return None


def solved(chain: ChainOfBlocks, units: Units | None, seconds: float = inf) -> ChainAnswer | None:
    """What Clarabel finds, in units of the problem or in given ones; None if it did not solve."""
    problem, sizes = chain.problem, chain.sizes
    count, given = len(problem.bounds), units is not None
    units = units or Units(1.0, [np.ones(size) for size in sizes], np.ones(problem.values.shape[1]))
    forms, metric, potentials = _forms(chain, units)
    values = sparse.csr_matrix(problem.values * units.values)
    costs = problem.bounds
    if given:  # multipliers and potentials are scaled too
        size = np.sqrt(_squares(forms) + _squares(values.T) + costs**2)
        each = 1 / np.where(size > 0, size, 1.0)
        forms, values, costs = forms.multiply(each), values.T.multiply(each).T, costs * each
        other = np.sqrt(_squares(potentials))
        potentials = potentials.multiply(1 / np.where(other > 0, other, 1.0))
    else:
        each = np.ones(count)
    bound = np.flatnonzero(~problem.free)
    none = [
        sparse.csr_matrix((rows, potentials.shape[1])) for rows in (values.shape[1], len(bound))
    ]
    found = minimise(
        np.concatenate([costs, np.zeros(potentials.shape[1])]),
        [
            (
                sparse.hstack([values.T, none[0]]),
                problem.objective_values * units.values / units.metric,
                zero(values.shape[1]),
            ),
            (
                sparse.hstack([-sparse.identity(count, format="csr")[bound], none[1]]),
                np.zeros(len(bound)),
                nonnegative(len(bound)),
            ),
            (sparse.hstack([-forms, potentials]), -metric / units.metric, semidefinite(sizes)),
        ],
        seconds=seconds,
        accuracy=REQUESTED_ACCURACY,
        equilibrate=False,
    )
    dual = np.array(found.z)
    if str(found.status) not in SOLVED or not np.isfinite(dual).all():
        return None
    grams, begin = [], values.shape[1] + len(bound)
    for wide in sizes:
        rows, columns = np.tril_indices(wide)
        gram = np.zeros((wide, wide))
        gram[rows, columns] = dual[begin : begin + len(rows)] * np.where(
            rows == columns, 1, np.sqrt(0.5)
        )
        grams.append(gram + np.tril(gram, -1).T)
        begin += len(rows)
    multipliers = np.array(found.x)[:count] * each * units.metric
    multipliers[bound] = np.maximum(multipliers[bound], 0.0)
    return ChainAnswer(multipliers, grams, -dual[: values.shape[1]] * units.values, units)


def _squares(matrix: sparse.spmatrix) -> FloatArray:
    """The squared length of every column."""
    return np.asarray(matrix.multiply(matrix).sum(axis=0)).ravel()


def _forms(
    chain: ChainOfBlocks, units: Units
) -> tuple[sparse.csc_matrix, FloatArray, sparse.csc_matrix]:
    """In the triangles of all links: every constraint and the metric, and the potentials of the
    states, which enter where a state is left and leave where it is needed."""
    problem, counted = chain.problem, 0
    forms: list[tuple[IntArray, IntArray, FloatArray]] = []
    potentials: list[tuple[IntArray, IntArray, FloatArray]] = []
    metric = np.zeros(sum(triangle_size(size) for size in chain.sizes))
    begin = k = 0
    for part, links, squares in zip(problem.parts, chain.links, problem.squares, strict=True):
        for number, link in enumerate(links):
            unit, here = units.links[k], link.pieces
            left, right, square = (
                link.coordinates(rows[here]) * unit for rows in (part.left, part.right, part.square)
            )
            total = _products(left, right) + part.factors[here, None] * _products(square, square)
            forms.append(_entries(total, begin, problem.owner[part.pieces[here]]))
            for factor, row in link.squares(squares):
                metric[begin : begin + triangle_size(link.size)] += (
                    factor * _products(row * unit, row * unit)[0]
                )
            if len(link.onward) and number + 1 < len(links):
                after = link.onward * unit / units.links[k + 1][: len(link.onward), None]
                rows, columns = np.tril_indices(len(after))
                total = _products(after[rows], after[columns])
                total *= np.where(rows == columns, 1, np.sqrt(2))[:, None]
                own = counted + np.arange(len(rows))
                potentials.append(_entries(total, begin, own))
                following = begin + triangle_size(link.size)
                potentials.append((following + np.arange(len(own)), own, -np.ones(len(own))))
                counted += len(own)
            begin, k = begin + triangle_size(link.size), k + 1
    return (
        _matrix(forms, begin, len(problem.bounds)),
        metric,
        _matrix(potentials, begin, counted),
    )


def _products(left: FloatArray, right: FloatArray) -> FloatArray:
    """The triangles of the symmetric products of rows."""
    matrices = left[:, :, None] * right[:, None, :]
    return triangles((matrices + matrices.transpose(0, 2, 1)) / 2)


def _entries(
    table: FloatArray, begin: int, columns: IntArray
) -> tuple[IntArray, IntArray, FloatArray]:
    """The entries that are not zero, as (row, column, number): rows of the table become columns."""
    which, places = np.nonzero(table)
    return begin + places, columns[which], table[which, places]


def _matrix(
    entries: list[tuple[IntArray, IntArray, FloatArray]], rows: int, columns: int
) -> sparse.csc_matrix:
    """A sparse matrix from entries, which are added."""
    if not entries:
        return sparse.csc_matrix((rows, columns))
    at, to, numbers = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    return sparse.csc_matrix((numbers, (at, to)), shape=(rows, columns))


def judged(
    everything: AllConstraints, chain: ChainOfBlocks, which: IntArray, answer: ChainAnswer
) -> tuple[InteriorResult, float, FloatArray]:
    """The answer with its error, the part of it that is not the violation of omitted constraints,
    and the violation of each of these.

    With multipliers y, Gram matrix X and values f, the error is the largest of the gap; of what
    equations and eigenvalues of y that are not zero or below it are worth at X and f; of what
    violated constraints are worth at y; and of the violation of omitted constraints: all relative
    to the value.
    """
    problem, values = chain.problem, answer.values
    grams = chain.completed(answer.grams, answer.units.links)
    value = float(problem.bounds @ answer.multipliers)
    flows = problem.objective_values - problem.values.T @ answer.multipliers
    remainder = [
        sum_ - c
        for sum_, c in zip(problem.combine(answer.multipliers), problem.objective, strict=True)
    ]
    metric = problem.objective_values @ values + sum(
        float(np.vdot(c, x)) for c, x in zip(problem.objective, grams, strict=True)
    )
    upper = float(abs(flows) @ abs(values)) + _negative(remainder, grams)
    sides = everything.left_sides(grams, values) - everything.bounds
    broken = np.where(problem.free, abs(sides[which]), np.maximum(sides[which], 0.0))
    lower = float(broken @ abs(answer.multipliers)) + _negative(grams, remainder)
    sides[which] = -np.inf
    scale = max(abs(value), np.finfo(float).tiny)
    violation = max(float(sides.max()), 0.0) / scale
    accuracy = max(float(abs(value - metric)), upper, lower) / scale
    full = np.zeros(len(everything.bounds))
    full[which] = answer.multipliers * everything.unit / problem.scales
    error = max(accuracy, violation)
    found = InteriorResult(value * everything.unit, full, error, violation, full)
    return found, accuracy, sides


def _negative(matrices: Sequence[FloatArray], others: Sequence[FloatArray]) -> float:
    """What the negative parts of matrices are worth against other matrices."""
    total = 0.0
    for one, other in zip(matrices, others, strict=True):
        values, vectors = np.linalg.eigh(one)
        worth = np.einsum("ik,ik->k", vectors, other @ vectors)
        total += float(np.maximum(-values, 0.0) @ abs(worth))
    return total


def _units(chain: ChainOfBlocks, answer: ChainAnswer) -> Units:
    """Units in which the numbers of an answer are about 1."""
    lengths = []
    for gram, unit in zip(answer.grams, answer.units.links, strict=True):
        squared = np.maximum(np.diag(gram), 0.0) * unit**2
        least = max(float(squared.max(initial=0.0)) * SMALLEST_COORDINATE**2, 1e-30)
        lengths.append(np.sqrt(np.maximum(squared, least)))
    metric = abs(float(chain.problem.bounds @ answer.multipliers)) or 1.0
    return Units(metric, lengths, np.maximum(abs(answer.values), SMALLEST_VALUE * metric))
