"""Lower bounds on a worst case: exact inner products and values that satisfy every constraint, so
that such functions exist."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

import numpy as np

from fltheory.analysis.worst_case.all_constraints import AllConstraints
from fltheory.analysis.worst_case.encoding import Coefficients, Encoding, Term, ValueName
from fltheory.analysis.worst_case.instance import quadratics
from fltheory.analysis.worst_case.interior import InteriorResult, solve_structured
from fltheory.analysis.worst_case.question import Metric
from fltheory.core.randomness import Purpose, uniforms
from fltheory.core.semidefinite import is_semidefinite
from fltheory.core.types import Array, FloatArray

INTERIOR_SHARES = tuple(Fraction(1, 10**digits) for digits in (8, 7, 6, 5, 4, 3))
"""Shares of an interior point in a mixture with the solver's point, tried in turn."""

DENOMINATOR = 10**18
"""Denominator of rounded numbers."""

DIAGONAL_LIFT = 1e-13
"""Part of its trace that is added to the diagonal of a Gram matrix, against rounding."""

MAX_CONSTRAINTS = 600
"""Largest number of constraints with which the solver is run again, with all of them."""

MAX_BLOCK = 70
"""Largest block for which a lower bound is computed."""

Values = Mapping[ValueName, Fraction]
Grams = tuple[Array, ...]
"""The Gram matrix of each block, in fractions."""


@dataclass(frozen=True)
class Witness:
    """Exact Gram matrices of the blocks and values of the records; `metric` is the metric that they
    attain, `how` says where they come from."""

    metric: Fraction
    grams: Grams
    values: Values
    how: str


def attained(encoding: Encoding, grams: Grams, values: Values) -> Fraction | None:
    """The metric of Gram matrices and values if the matrices are semidefinite and every constraint
    holds exactly, otherwise None."""
    products = []
    for block, gram in enumerate(grams):
        whole = lcm(*(x.denominator for x in gram.flat)) if gram.size else 1
        integers = [[int(x * whole) for x in row] for row in gram]
        if not is_semidefinite(integers):
            return None
        rows = encoding.vectors(block)
        scale = lcm(*(Fraction(x).denominator for x in rows.flat)) if rows.size else 1
        vectors = np.array([[int(x * scale) for x in row] for row in rows], dtype=object).reshape(
            rows.shape
        )
        inner = vectors @ np.array(integers, dtype=object).reshape(gram.shape) @ vectors.T
        products.append((inner, Fraction(1, scale * scale * whole)))

    def total(terms: Iterable[Term], told: Values) -> Fraction:
        result = sum((x * values.get(name, Fraction(0)) for name, x in told.items()), Fraction(0))
        for term in terms:
            inner, factor = products[term.block]
            result += factor * (term.matrix * inner[np.ix_(term.places, term.places)]).sum()
        return result

    for constraint in encoding.constraints():
        if total(constraint.terms, constraint.values) > constraint.bound:
            return None
    return total(*encoding.objective())


def extracted(encoding: Encoding, problem: AllConstraints, found: InteriorResult) -> Witness | None:
    """The solver's worst function, moved slightly inside and rounded.

    By the interpolation theorem such functions exist.
    """
    if max(encoding.block_sizes) > MAX_BLOCK:
        return None
    inside = well_inside(encoding)
    witness = _moved(encoding, problem, found, inside)
    if witness is None and len(problem.bounds) <= MAX_CONSTRAINTS:
        # omitted constraints are slightly violated, so all of them are used
        again = solve_structured(replace(problem, first=np.ones(len(problem.bounds), bool)))
        witness = None if again is None else _moved(encoding, problem, again, inside)
    return witness


def _moved(
    encoding: Encoding,
    problem: AllConstraints,
    found: InteriorResult,
    inside: tuple[Grams, Coefficients],
) -> Witness | None:
    """The first mixture with an interior point that satisfies every constraint."""
    inner_grams, inner_values = inside
    for share in INTERIOR_SHARES:
        for gram, values in found.points:
            grams, told = problem.recovered(encoding, gram, values)
            mixed = tuple(
                _rounded(outer) * (1 - share) + inner * share
                for outer, inner in zip(grams, inner_grams, strict=True)
            )
            both = {
                name: _fraction(told.get(name, 0.0)) * (1 - share) + x * share
                for name, x in inner_values.items()
            }
            both = with_smallest(encoding, mixed, both)
            metric = attained(encoding, mixed, both)
            if metric is not None:
                return Witness(
                    metric,
                    mixed,
                    both,
                    f"the worst function that the solver found, moved inside by {share} and"
                    " rounded",
                )
    return None


def _fraction(x: float) -> Fraction:
    return Fraction(round(Fraction(float(x)) * DENOMINATOR), DENOMINATOR)


def _rounded(matrix: FloatArray) -> Array:
    """The symmetric part in fractions, because mirrored floats may differ in the last bit."""
    found = [[_fraction(x) for x in row] for row in (matrix + matrix.T) / 2]
    return np.array(found, dtype=object).reshape(matrix.shape)


def well_inside(encoding: Encoding) -> tuple[Grams, Coefficients]:
    """A point with slack in every constraint: quadratics with different curvatures in every
    coordinate, scaled to half of the conditions."""
    recording, functions = encoding.recording, encoding.functions
    low, high = max(float(functions.lowest_curvature), 0.0), float(functions.smoothness)
    shape = (len(recording.records), 2, 2 * len(recording.owners))
    cells = np.arange(int(np.prod(shape)))
    curvatures, optima = (uniforms(0, Purpose.SEARCH, k, cells).reshape(shape) for k in range(2))
    start = 4 * uniforms(0, Purpose.SEARCH, 2, np.arange(shape[2])) - 2
    made = quadratics(
        encoding, low + (high - low) * (0.02 + 0.9 * curvatures**3), 2 * optima - 1, start
    )
    owners = np.array(recording.owners)
    rows = [made.basis[owners == block] for block in range(len(encoding.block_sizes))]
    grams = tuple(
        _rounded(row @ row.T + DIAGONAL_LIFT * np.trace(row @ row.T) * np.eye(len(row)))
        for row in rows
    )
    return scaled(
        encoding,
        grams,
        {name: _fraction(loss.sum()) for name, loss in made.losses.items()},
        Fraction(1, 2),
    )


def scaled(
    encoding: Encoding, grams: Grams, values: Values, part: Fraction
) -> tuple[Grams, Coefficients]:
    """Gram matrices and values, scaled until the tightest condition reaches that part of its
    bound."""
    room = []
    for constraint in encoding.other_constraints():
        if constraint.bound > 0:
            used = sum((x * values[name] for name, x in constraint.values.items()), Fraction(0))
            used += sum((_form(encoding, term, grams) for term in constraint.terms), Fraction(0))
            if used > 0:
                room.append(constraint.bound / used)
    factor = part * min(room)
    return tuple(gram * factor for gram in grams), {name: x * factor for name, x in values.items()}


def _form(encoding: Encoding, term: Term, grams: Grams) -> Fraction:
    rows = encoding.vectors(term.block)[list(term.places)]
    return (term.matrix * (rows @ grams[term.block] @ rows.T)).sum()


def with_smallest(encoding: Encoding, grams: Grams, values: Values) -> Coefficients:
    """The values, with the smallest squared gradient as large as the constraints allow if it is the
    metric."""
    if encoding.metric is not Metric.MIN_SQUARED_GRADIENT:
        return dict(values)
    return {
        **values,
        (): min(
            -_form(encoding, c.terms[0], grams)
            for c in encoding.other_constraints()
            if c.kind == "minimum"
        ),
    }
