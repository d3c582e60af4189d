"""Constants of the clients' losses that theorems use, exact for quadratic, tilted, clipped and
piecewise quadratic clients; what is not known is an error, never a guess."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from fltheory.core.errors import InvalidInput
from fltheory.engine.arithmetic import RATIONAL
from fltheory.problems.clipped import Clipped
from fltheory.problems.common_curvature import CommonCurvature
from fltheory.problems.piecewise import PiecewiseQuadratic
from fltheory.problems.quadratic import Quadratic

Pair = tuple[Fraction, Fraction]


def unknown(what: str) -> InvalidInput:
    """The error for a constant that is not known."""
    return InvalidInput(f"{what} of the problem", "be known for this claim", "unknown")


def curvatures(problem: Any) -> list[Pair]:
    """The least and the largest curvature of each client's loss."""
    if isinstance(problem, Quadratic):
        return [(min(row), max(row)) for row in problem.curvatures]
    if isinstance(problem, CommonCurvature):
        return [(problem.curvature, problem.curvature)] * problem.num_clients
    if isinstance(problem, Clipped):
        zero = Fraction(0)
        return [(min(zero, *row), max(zero, *row)) for row in problem.curvatures]
    if isinstance(problem, PiecewiseQuadratic):
        return [(min(row), max(row)) for row in problem.bends]
    raise unknown("curvature")


def global_curvatures(problem: Any) -> Pair:
    """The least and the largest curvature of the global loss."""
    if isinstance(problem, Quadratic):
        total = _averages(problem, problem.curvatures)
        return min(total), max(total)
    if isinstance(problem, CommonCurvature):
        return problem.curvature, problem.curvature
    if isinstance(problem, PiecewiseQuadratic):
        total = _averages(problem, problem.bends)
        return min(total), max(total)
    if isinstance(problem, Clipped) and problem.dimension == 1:
        points = ends_of_pieces(problem)
        slopes = [_global_slope(problem, x) for x in points]
        bends = [
            (b - a) / (y - x)
            for x, y, a, b in zip(points, points[1:], slopes, slopes[1:], strict=False)
        ]
        return min([Fraction(0), *bends]), max([Fraction(0), *bends])
    raise unknown("curvature of the global loss")


def _averages(problem: Any, rows: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    return [
        sum((p * h for p, h in zip(problem.importance, column, strict=True)), Fraction(0))
        for column in zip(*rows, strict=True)
    ]


def slopes_at(problem: Any, point: Sequence[Fraction]) -> list[list[Fraction]]:
    """Every client's gradient at one point."""
    rows = RATIONAL.rows([list(point)] * problem.num_clients)
    return [[Fraction(g) for g in row] for row in problem.gradients(RATIONAL)(rows)]


def _global_slope(problem: Any, x: Fraction) -> Fraction:
    return _averages(problem, slopes_at(problem, [x]))[0]


def ends_of_pieces(problem: Any) -> list[Fraction]:
    """The points of the line between which all gradients are linear, and one beyond each end."""
    if isinstance(problem, PiecewiseQuadratic):
        ends = set(problem.knots)
    else:
        ends = {
            c + side * problem.bound / h
            for (c,), (h,) in zip(problem.centres, problem.curvatures, strict=True)
            for side in (-1, 1)
        }
    return sorted({min(ends) - 1, *ends, max(ends) + 1})


def steepest(problem: Any) -> Fraction:
    """The square of the clients' Lipschitz constant: the largest |grad f_i|^2 anywhere."""
    if isinstance(problem, Clipped):
        return problem.dimension * problem.bound**2
    if isinstance(problem, PiecewiseQuadratic) and not any(h for row in problem.ends for h in row):
        return max(g * g for row in problem.slopes for g in row)
    if isinstance(problem, CommonCurvature) and problem.curvature == 0:
        return max(sum((b * b for b in row), Fraction(0)) for row in problem.tilts)
    raise unknown("Lipschitz constant")


def pl_constant(problem: Any) -> Fraction:
    """The largest mu with |grad f|^2 >= 2 mu (f - f*) everywhere, which must be above 0.

    Along a piece of constant curvature g^2 / (f - f*) is monotone wherever g keeps its sign, so its
    infimum is attained at an end of a piece, or approached at infinity, where it is twice the
    curvature.
    """
    infimum = problem.constants.infimum
    if infimum is None:
        raise unknown("PL constant")
    if isinstance(problem, Quadratic):
        total = [h for h in _averages(problem, problem.curvatures) if h]
        if total:
            return min(total)
    if isinstance(problem, CommonCurvature) and problem.curvature > 0:
        return problem.curvature
    if isinstance(problem, PiecewiseQuadratic):
        mixed = _averages(problem, problem.bends)
        found = [mixed[0], mixed[-1]]
        for _, slope, loss in problem.at_knots:
            if loss > infimum:
                found.append(slope * slope / (2 * (loss - infimum)))
        found += [h for h in _around_minimum(problem) if h]
        if min(found) > 0:
            return min(found)
    raise unknown("PL constant")


def _around_minimum(problem: PiecewiseQuadratic) -> list[Fraction]:
    """Curvatures beside a minimum, to which the ratio tends there."""
    infimum, mixed = problem.infimum, _averages(problem, problem.bends)
    found = []
    for x, _, loss in problem.at_knots:
        if loss == infimum:
            right = sum(knot <= x for knot in problem.knots)
            left = sum(knot < x for knot in problem.knots)
            found += [mixed[left], mixed[right]]
    return found


def quasi_convex(problem: Any) -> bool:
    """Does the global loss never rise towards its minimum? Only then its slope changes its sign at
    most once, from minus to plus."""
    if isinstance(problem, PiecewiseQuadratic):
        slopes = [g for _, g, _ in problem.at_knots]
        rising = next((k for k, g in enumerate(slopes) if g > 0), len(slopes))
        return all(g >= 0 for g in slopes[rising:])
    return global_curvatures(problem)[0] >= 0


def client_minima(problem: Any) -> list[Fraction]:
    """inf f_i of each client."""
    if isinstance(problem, Quadratic | Clipped):
        if min(low for low, _ in curvatures(problem)) < 0:
            raise unknown("least loss of a client")
        return [Fraction(0)] * problem.num_clients
    if isinstance(problem, CommonCurvature):
        if problem.curvature <= 0 and any(b for row in problem.tilts for b in row):
            raise unknown("least loss of a client")
        return [
            -sum((b * b for b in row), Fraction(0)) / (2 * problem.curvature or 1)
            for row in problem.tilts
        ]
    if isinstance(problem, PiecewiseQuadratic):
        found = []
        for row, ends in zip(problem.slopes, problem.ends, strict=True):
            least = PiecewiseQuadratic(problem.knots, [row], [ends]).infimum
            if least is None:
                raise unknown("least loss of a client")
            found.append(least)
        return found
    raise unknown("least loss of a client")


def mean_dissimilarity(problem: Any) -> Fraction:
    """sup over x of sum_i p_i |grad f_i - grad f|^2."""
    if isinstance(problem, CommonCurvature) or (
        isinstance(problem, Quadratic)
        and all(row == problem.curvatures[0] for row in problem.curvatures)
    ):
        return _spread(problem, [Fraction(0)] * problem.dimension)
    if isinstance(problem, Clipped) and problem.dimension == 1:
        return max(_spread(problem, [x]) for x in ends_of_pieces(problem))
    if isinstance(problem, PiecewiseQuadratic):
        if any(row != problem.ends[0] for row in problem.ends):
            raise unknown("dissimilarity")
        return max(_spread(problem, [x]) for x in ends_of_pieces(problem))
    raise unknown("dissimilarity")


def dissimilarity(problem: Any) -> Fraction:
    """sup over x and clients of |grad f_i - grad f|^2."""
    known: Fraction | None = problem.constants.dissimilarity_squared
    if known is not None:
        return known
    if isinstance(problem, PiecewiseQuadratic) and all(
        row == problem.ends[0] for row in problem.ends
    ):
        found = Fraction(0)
        for x in ends_of_pieces(problem):
            rows = slopes_at(problem, [x])
            mean = _averages(problem, rows)[0]
            found = max(found, *((row[0] - mean) ** 2 for row in rows))
        return found
    raise unknown("dissimilarity")


def _spread(problem: Any, point: Sequence[Fraction]) -> Fraction:
    rows = slopes_at(problem, point)
    mean = _averages(problem, rows)
    return sum(
        (
            p * sum(((a - b) ** 2 for a, b in zip(row, mean, strict=True)), Fraction(0))
            for p, row in zip(problem.importance, rows, strict=True)
        ),
        Fraction(0),
    )


def relative_dissimilarity(problem: Any) -> Fraction:
    """B^2, the least with sum_i p_i |grad f_i|^2 <= B^2 |grad f|^2 everywhere; quadratic clients
    with one common optimum only."""
    if isinstance(problem, Quadratic) and all(row == problem.optima[0] for row in problem.optima):
        mean = _averages(problem, problem.curvatures)
        squares = _averages(problem, [[h * h for h in row] for row in problem.curvatures])
        if all(mean):
            return max(a / (b * b) for a, b in zip(squares, mean, strict=True))
    if isinstance(problem, CommonCurvature) and not any(b for r in problem.tilts for b in r):
        return Fraction(1)
    raise unknown("relative dissimilarity")


def minima_gap(problem: Any) -> Fraction:
    """f* minus the average of the clients' least losses."""
    if problem.constants.infimum is None:
        raise unknown("infimum")
    least = client_minima(problem)
    found: Fraction = problem.constants.infimum - sum(
        (p * x for p, x in zip(problem.importance, least, strict=True)), Fraction(0)
    )
    return found


def squared_gradient(problem: Any, point: Sequence[Fraction]) -> Fraction:
    """|grad f|^2 at a point."""
    rows = slopes_at(problem, point)
    return sum(
        (
            sum((p * g for p, g in zip(problem.importance, column, strict=True)), Fraction(0)) ** 2
            for column in zip(*rows, strict=True)
        ),
        Fraction(0),
    )
