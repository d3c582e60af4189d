"""The Huber loss, whose gradient is clipped: bounded gradients in rational arithmetic, with exact
constants."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, shares
from fltheory.core.registry import Member, Settings
from fltheory.core.types import Array, ExactLike, Vector
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
            dissimilarity_squared=max(np.sum([piece.dissimilarity for piece in pieces], axis=0)),
            dissimilarity_at_optimum=at_optimum,
            optimum=optimum if len(optimum) == self.dimension else None,
            infimum=sum(infima, Fraction(0)) if len(infima) == self.dimension else None,
        )


@dataclass(frozen=True)
class _Coordinate:
    """One coordinate of a clipped problem at the ends of its pieces: one row per point, one column
    per client.

    The points include one on each side beyond all pieces; the slopes stay the same from there on.
    """

    points: Array
    slopes: Array
    losses: Array
    importance: Array

    @classmethod
    def of(cls, problem: Clipped, coordinate: int) -> "_Coordinate":
        centres, curvatures = (
            [[row[coordinate]] for row in rows] for rows in (problem.centres, problem.curvatures)
        )
        alone = Clipped(centres, problem.bound, curvatures, problem.importance)
        importance = RATIONAL.rows(alone.importance)
        ends = {
            c + side * problem.bound / h
            for (c,), (h,) in zip(alone.centres, alone.curvatures, strict=True)
            for side in (-1, 1)
        }
        ordered = sorted({min(ends) - 1, *ends, max(ends) + 1})
        slopes = (
            alone.gradients(RATIONAL)(RATIONAL.rows(ordered)[:, None, None])[..., 0] @ importance
        )
        crossings = {
            left - down * (right - left) / (up - down)
            for left, right, down, up in zip(ordered, ordered[1:], slopes, slopes[1:], strict=False)
            if down * up < 0
        }
        points = RATIONAL.rows(sorted({*ordered, *crossings}))
        rows = points[:, None, None]
        return cls(
            points,
            alone.gradients(RATIONAL)(rows)[..., 0],
            alone.losses(RATIONAL)(rows)[..., 0],
            importance,
        )

    @cached_property
    def infimum(self) -> Fraction | None:
        """The least loss at an end of a piece or at a zero of the slope; None if the loss is
        unbounded below."""
        slopes = self.slopes @ self.importance
        return None if slopes[0] > 0 or slopes[-1] < 0 else min(self.losses @ self.importance)

    @cached_property
    def optimum(self) -> Fraction | None:
        """The minimiser, if it is unique."""
        least = self.points[self.losses @ self.importance == self.infimum]
        return least[0] if len(least) == 1 else None

    @property
    def dissimilarity(self) -> Array:
        """max over x of (f_i' - f')^2 for each client: piecewise linear slopes differ most at the
        end of a piece."""
        return np.max((self.slopes - (self.slopes @ self.importance)[:, None]) ** 2, axis=0)


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
