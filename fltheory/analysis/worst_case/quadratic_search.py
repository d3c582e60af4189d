"""A search for the worst quadratic member of a class: one coordinate, with curvature and optimum of
each client; the result is exact."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from fltheory.analysis.worst_case.encoding import Encoding, Term, ValueName
from fltheory.analysis.worst_case.instance import QuadraticInstance, quadratics
from fltheory.analysis.worst_case.lower import Witness, attained, scaled, with_smallest
from fltheory.analysis.worst_case.question import Metric
from fltheory.core.randomness import Purpose, uniforms
from fltheory.core.types import Array, FloatArray

INITIAL_INSTANCES, PARENTS, CHILDREN, GENERATIONS = 600, 15, 40, 25
"""Instances drawn at first; in each generation, the best are kept and varied so many times each."""

MAX_VECTORS = 100
"""Largest basis for which the search is run."""

CURVATURE_DENOMINATOR, OPTIMUM_DENOMINATOR = 1000, 10**6
"""Denominators of the exact instance."""


def best_quadratic(encoding: Encoding) -> Witness | None:
    """The largest metric over one-dimensional quadratic clients that a deterministic search finds,
    as an exact instance scaled to the conditions.

    >>> from fltheory import Trace
    >>> from fltheory.analysis.worst_case.case import Case
    >>> from fltheory.analysis.worst_case.function_classes import FunctionClass
    >>> from fltheory.analysis.worst_case.question import Conditions, Question
    >>> question = Question(FunctionClass(1), Conditions(distance_squared=1))
    >>> case = Case("fedavg", Trace.fresh([[1]]), question, "1/2")
    >>> best_quadratic(case.encode()).how  # h (1 - h/2)^2 / 2 is largest at 2/3
    'quadratic clients with curvatures 0.667'
    """
    found = best_clients(encoding)
    return None if found is None else _exact(encoding, *found)


def best_clients(encoding: Encoding) -> tuple[FloatArray, FloatArray] | None:
    """Curvatures and optima, each of shape (class, member), of the best quadratic clients that the
    search finds; the run starts at 1."""
    if len(encoding.recording.owners) > MAX_VECTORS:
        return None
    low, high = float(encoding.functions.lowest_curvature), float(encoding.functions.smoothness)
    shape = (len(encoding.recording.records), 2, INITIAL_INSTANCES)
    cells = np.arange(int(np.prod(shape)))
    kind, inside, places = (
        uniforms(0, Purpose.SEARCH, k, cells, 1).reshape(shape) for k in range(3)
    )
    curved = np.where(kind < 0.3, low, np.where(kind < 0.7, high, low + (high - low) * inside))
    optima = np.where(
        uniforms(0, Purpose.SEARCH, 3, np.arange(INITIAL_INSTANCES), 1) < 0.3, 0.0, 4 * places - 2
    )
    scores = _scores(encoding, curved, optima)
    for turn in range(GENERATIONS):
        best = np.argsort(-scores)[:PARENTS]
        parents = np.repeat(best, CHILDREN)
        size = (*shape[:2], len(parents))
        cells = np.arange(int(np.prod(size)))
        moves = [
            2 * uniforms(0, Purpose.SEARCH, 10 + 3 * turn + k, cells, 1).reshape(size) - 1
            for k in range(3)
        ]
        reach = 0.8**turn
        changed = (
            np.where(moves[2] < 0, moves[0], 0.0) * reach,
            np.where(moves[2] > -0.5, moves[1], 0.0) * reach,
        )
        curved = np.concatenate(
            [
                curved[..., best],
                np.clip(curved[..., parents] + (high - low) * changed[0], low, high),
            ],
            axis=-1,
        )
        optima = np.concatenate([optima[..., best], optima[..., parents] + changed[1]], axis=-1)
        scores = _scores(encoding, curved, optima)
    top = int(np.argmax(scores))
    return (curved[..., top], optima[..., top]) if np.isfinite(scores[top]) else None


def _scores(encoding: Encoding, curved: FloatArray, optima: FloatArray) -> FloatArray:
    """The metric of each instance, scaled to the conditions; minus infinity if the global loss has
    no minimum."""
    with np.errstate(all="ignore"):
        made = quadratics(encoding, curved, optima, np.ones(curved.shape[-1]))
        used = [
            (_total(encoding, made, c.terms, c.values), float(c.bound))
            for c in encoding.other_constraints()
            if c.bound > 0
        ]
        room = np.min([bound / np.maximum(x, 1e-300) for x, bound in used], axis=0)
        metric = _total(encoding, made, *encoding.objective())
        if encoding.metric is Metric.MIN_SQUARED_GRADIENT:
            metric = np.min(
                [
                    -_total(encoding, made, c.terms, {})
                    for c in encoding.other_constraints()
                    if c.kind == "minimum"
                ],
                axis=0,
            )
        shares = np.array([float(s) for s in encoding.recording.shares])[:, None]
        first_only = np.array([[c not in encoding.recording.blocks] for c in range(len(curved))])
        means = np.where(first_only, curved[:, 0], curved.mean(axis=1))
        good = ((shares * means).sum(axis=0) > 1e-6) & np.isfinite(metric * room) & (room < 1e12)
        return np.where(good, metric * room, -np.inf)


def _total(
    encoding: Encoding,
    made: QuadraticInstance,
    terms: Iterable[Term],
    values: Mapping[ValueName, Fraction],
) -> Array:
    """A sum of terms and values for each instance."""
    result = sum(
        (float(x) * made.losses[name] for name, x in values.items() if name),
        np.zeros(made.basis.shape[1]),
    )
    owners = np.array(encoding.recording.owners)
    for term in terms:
        rows = (
            encoding.vectors(term.block)[list(term.places)].astype(float)
            @ made.basis[owners == term.block]
        )
        result = result + np.einsum("ab,aj,bj->j", term.matrix.astype(float), rows, rows)
    return result


def _exact(encoding: Encoding, curved: FloatArray, optima: FloatArray) -> Witness | None:
    low, high = encoding.functions.lowest_curvature, encoding.functions.smoothness
    shape = (*curved.shape, 1)
    exact_curved = np.array(
        [min(max(_near(h, CURVATURE_DENOMINATOR), low), high) for h in curved.flat], dtype=object
    ).reshape(shape)
    if encoding.recording.has_optimum and not any(exact_curved.flat):
        return None  # rounded to flat losses, which have no single optimum
    exact_optima = np.array(
        [_near(c, OPTIMUM_DENOMINATOR) for c in optima.flat], dtype=object
    ).reshape(shape)
    made = quadratics(encoding, exact_curved, exact_optima, np.array([Fraction(1)], dtype=object))
    owners = np.array(encoding.recording.owners)
    rows = [made.basis[owners == block] for block in range(len(encoding.block_sizes))]
    grams, values = scaled(
        encoding,
        tuple(row @ row.T for row in rows),
        {name: loss[0] for name, loss in made.losses.items()},
        Fraction(1),
    )
    told = with_smallest(encoding, grams, values)
    metric = attained(encoding, grams, told)
    if metric is None:
        return None
    kinds = [slice(0, 2 if c in encoding.recording.blocks else 1) for c in range(len(curved))]
    told_curved = ", ".join(
        "/".join(str(float(h[0])) for h in exact_curved[c, part]) for c, part in enumerate(kinds)
    )
    return Witness(metric, grams, told, f"quadratic clients with curvatures {told_curved}")


def _near(x: float, denominator: int) -> Fraction:
    """The nearest multiple of 1 / denominator."""
    return Fraction(round(float(x) * denominator), denominator)
