"""The Huber loss, whose gradient is clipped: bounded gradients in rational arithmetic, with exact
constants."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import lcm

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, shares
from fltheory.core.ratio import ratio_of_integers
from fltheory.core.registry import Member, Settings
from fltheory.core.types import ExactLike, Vector
from fltheory.engine.arithmetic import RATIONAL, Arithmetic, Rows
from fltheory.problems.constants import Constants
from fltheory.problems.tables import (
    Shares,
    Table,
    TableLike,
    is_rational,
    noise_variance,
    table,
)


@frozen
class Clipped:
    """Losses with gradient clip(h_i (x - c_i), -b, b) in each coordinate: quadratic near the
    centre, linear far away (Huber), and rational.

    A negative curvature gives a loss of the opposite sign. All constants are exact, because they
    are attained at the ends of the quadratic pieces.

    >>> constants = Clipped(centres=(0, 4), bound=1).constants
    >>> constants.infimum, constants.optimum, constants.dissimilarity_squared
    (Fraction(3, 2), None, Fraction(1, 1))
    """

    centres: Checked[TableLike, Table]
    bound: Checked[ExactLike, Fraction]
    curvatures: Checked[TableLike | None, Table] = default(None)
    importance: Checked[Vector | None, Shares] = default(None)
    noise_squared: Checked[ExactLike, Fraction] = default(0)

    def __post_init__(self) -> None:
        centres = table(self.centres, "centre")
        same = tuple((Fraction(1),) * len(row) for row in centres)
        curvatures = same if self.curvatures is None else table(self.curvatures, "curvature")
        if [len(row) for row in curvatures] != [len(row) for row in centres]:
            raise InvalidInput(
                "curvatures",
                "have one entry for each client and coordinate of the centres",
                repr(self.curvatures),
            )
        for i, row in enumerate(curvatures):
            if 0 in row:
                raise InvalidInput(f"curvature of client {i}", "not be 0", 0)
        bound = exact(self.bound, "gradient bound")
        if bound <= 0:
            raise InvalidInput("gradient bound", "be above 0", bound)
        checked = {
            "centres": centres,
            "curvatures": curvatures,
            "bound": bound,
            "importance": shares(self.importance, len(centres)),
            "noise_squared": noise_variance(self.noise_squared),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def num_clients(self) -> int:
        return len(self.centres)

    @property
    def dimension(self) -> int:
        return len(self.centres[0])

    @property
    def affine(self) -> bool:
        """Gradients are not affine in the point."""
        return False

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> clip(h_i (x - c_i), -b, b)."""
        curvatures, centres = arithmetic.rows(self.curvatures), arithmetic.rows(self.centres)
        bound = arithmetic.rows([[self.bound]])
        return lambda rows: arithmetic.clip(curvatures * (rows - centres), bound)

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i: with u = h (x - c) and g = clip(u), each coordinate contributes (g
        u - g^2/2) / h."""
        curvatures, centres = arithmetic.rows(self.curvatures), arithmetic.rows(self.centres)
        bound = arithmetic.rows([[self.bound]])

        def losses(rows: Rows) -> Rows:
            ramps = curvatures * (rows - centres)
            clipped = arithmetic.clip(ramps, bound)
            return ((clipped * ramps - clipped**2 / 2) / curvatures).sum(axis=-1, keepdims=True)

        return losses

    @cached_property
    def constants(self) -> Constants:
        if not is_rational(self.centres, self.curvatures):
            return Constants(gradient_noise_squared=self.noise_squared)
        pieces = [_Coordinate.of(self, j) for j in range(self.dimension)]
        each = [piece.dissimilarity for piece in pieces]
        infima = [piece.infimum for piece in pieces if piece.infimum is not None]
        optimum = tuple(piece.optimum for piece in pieces if piece.optimum is not None)
        at_optimum = None
        if len(optimum) == self.dimension:
            at_optimum = (
                RATIONAL.rows(self.importance)
                @ self.gradients(RATIONAL)(RATIONAL.rows([optimum])) ** 2
            ).sum()
        return Constants(
            smoothness=max(abs(h) for row in self.curvatures for h in row),
            gradient_noise_squared=self.noise_squared,
            gradient_bound_squared=self.dimension * self.bound**2 + self.noise_squared,
            dissimilarity_squared=max(sum(own, Fraction(0)) for own in zip(*each, strict=True)),
            dissimilarity_at_optimum=at_optimum,
            optimum=optimum if len(optimum) == self.dimension else None,
            infimum=sum(infima, Fraction(0)) if len(infima) == self.dimension else None,
        )


@dataclass(frozen=True)
class _Coordinate:
    """One coordinate of a clipped problem: the least global loss, the point that alone attains it,
    and max over x of (f_i' - f')^2 for each client."""

    infimum: Fraction | None
    optimum: Fraction | None
    dissimilarity: Sequence[Fraction]

    @classmethod
    def of(cls, problem: Clipped, coordinate: int) -> "_Coordinate":
        """In whole numbers, at the ends of the pieces and one point beyond them on each side, from
        which on the slopes stay the same."""
        centres = [exact(row[coordinate]) for row in problem.centres]
        bends = [exact(row[coordinate]) for row in problem.curvatures]
        bound = exact(problem.bound)
        ends = {c + side * bound / h for c, h in zip(centres, bends, strict=True) for side in SIDES}
        points = sorted({min(ends) - 1, *ends, max(ends) + 1})
        unit = lcm(bound.denominator, *(x.denominator for x in (*points, *centres)))
        scale, whole = _common(bends)
        weight, weights = _common(problem.importance)
        places = [x.numerator * (unit // x.denominator) for x in points]
        middles = [c.numerator * (unit // c.denominator) for c in centres]
        most = bound.numerator * (unit // bound.denominator) * scale
        share, totals, losses = lcm(*whole), [0] * len(points), [0] * len(points)
        slopes = []
        for h, c, p in zip(whole, middles, weights, strict=True):
            ramps = [h * (x - c) for x in places]
            own = [max(-most, min(most, u)) for u in ramps]
            slopes.append(own)
            for k, (g, u) in enumerate(zip(own, ramps, strict=True)):
                totals[k] += p * g
                losses[k] += p * (2 * g * u - g * g) * (share // h)
        per_slope = weight * scale * unit
        apart = [max((weight * g - s) ** 2 for g, s in zip(r, totals, strict=True)) for r in slopes]
        dissimilarity = [ratio_of_integers(square, per_slope**2) for square in apart]
        if totals[0] > 0 or totals[-1] < 0:
            return cls(None, None, dissimilarity)
        per_loss = 2 * share * scale * unit * unit * weight
        found = [(ratio_of_integers(f, per_loss), x) for f, x in zip(losses, points, strict=True)]
        for k, (down, up) in enumerate(pairwise(totals)):
            if down < 0 < up:  # the slope is 0 within a piece, on which the loss is a parabola
                step = (points[k + 1] - points[k]) * ratio_of_integers(-down, up - down)
                least = found[k][0] + step * ratio_of_integers(down, 2 * per_slope)
                found.append((least, points[k] + step))
        infimum = min(found)[0]
        minima = [x for f, x in found if f == infimum]
        return cls(infimum, minima[0] if len(minima) == 1 else None, dissimilarity)


SIDES = (-1, 1)


def _common(numbers: Sequence[Fraction]) -> tuple[int, list[int]]:
    """Fractions over their least common denominator: it, and the numerators."""
    below = lcm(*(x.denominator for x in numbers))
    return below, [x.numerator * (below // x.denominator) for x in numbers]


def _build(settings: Settings) -> Clipped:
    return Clipped(
        settings.need("optima"),
        settings.get("gradient_bound", 1),
        settings.get("curvatures"),
        settings.get("importance"),
        settings.get("noise_squared", 0),
    )


MEMBERS = (
    Member(
        "clipped",
        "Huber loss: gradient h_i (x - c_i) clipped to a bound",
        _build,
        "--optima 0,1 --gradient-bound 1",
        Clipped,
    ),
)
