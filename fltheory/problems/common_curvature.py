"""Clients that differ only by a linear term: f_i(x) = h/2 |x|^2 + <b_i, x>, so that the distance
between their gradients is bounded."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact, shares
from fltheory.core.registry import Member, Settings
from fltheory.core.types import ExactLike, Vector
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.problems.constants import Constants
from fltheory.problems.tables import Shares, Table, TableLike, noise_variance, table


@frozen
class CommonCurvature:
    """f_i(x) = h/2 |x|^2 + <b_i, x> with sum_i p_i b_i = 0, so f = h/2 |x|^2 and |grad f_i - grad
    f| = |b_i| everywhere.

    The curvature h is any number, including 0 (flat) and negative numbers (concave); these problems
    satisfy Assumption 3 of AFL with equality.

    >>> CommonCurvature(curvature=-1, tilts=(1, 2, -3)).constants.dissimilarity_squared
    Fraction(9, 1)
    """

    curvature: Checked[ExactLike, Fraction]
    tilts: Checked[TableLike, Table]
    importance: Checked[Vector | None, Shares] = default(None)
    noise_squared: Checked[ExactLike, Fraction] = default(0)

    def __post_init__(self) -> None:
        tilts = table(self.tilts, "tilt")
        importance = shares(self.importance, len(tilts))
        for j, column in enumerate(zip(*tilts, strict=True)):
            centre = sum(share * tilt for share, tilt in zip(importance, column, strict=True))
            if centre != 0:
                raise InvalidInput(
                    f"importance-weighted sum of the tilts in coordinate {j}", "be 0", centre
                )
        checked = {
            "curvature": exact(self.curvature, "curvature"),
            "tilts": tilts,
            "importance": importance,
            "noise_squared": noise_variance(self.noise_squared),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def num_clients(self) -> int:
        return len(self.tilts)

    @property
    def dimension(self) -> int:
        return len(self.tilts[0])

    @property
    def affine(self) -> bool:
        """Gradients are affine in the point."""
        return True

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> h x + b_i."""
        curvature, tilts = arithmetic.rows([[self.curvature]]), arithmetic.rows(self.tilts)
        return lambda rows: curvature * rows + tilts

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number."""
        curvature, tilts = arithmetic.rows([[self.curvature]]), arithmetic.rows(self.tilts)
        return lambda rows: (curvature * rows**2 / 2 + tilts * rows).sum(axis=-1, keepdims=True)

    @cached_property
    def constants(self) -> Constants:
        tilts_squared = [sum((tilt**2 for tilt in row), Fraction(0)) for row in self.tilts]
        convex = self.curvature > 0
        return Constants(
            smoothness=abs(self.curvature),
            strong_convexity=self.curvature if convex else None,
            gradient_noise_squared=self.noise_squared,
            gradient_bound_squared=(
                max(tilts_squared) + self.noise_squared if self.curvature == 0 else None
            ),
            dissimilarity_squared=max(tilts_squared),
            dissimilarity_at_optimum=(
                sum(
                    (p * b for p, b in zip(self.importance, tilts_squared, strict=True)),
                    Fraction(0),
                )
                if convex
                else None
            ),
            optimum=(Fraction(0),) * self.dimension if convex else None,
            infimum=Fraction(0) if self.curvature >= 0 else None,
        )


def _build(settings: Settings) -> CommonCurvature:
    curvatures = {exact(h, "curvature") for h in settings.get("curvatures", (1,))}
    if len(curvatures) != 1:
        raise InvalidInput(
            "curvatures", "be one common number", ", ".join(map(str, sorted(curvatures)))
        )
    return CommonCurvature(
        curvatures.pop(),
        settings.need("tilts"),
        settings.get("importance"),
        settings.get("noise_squared", 0),
    )


MEMBERS = (
    Member(
        "common-curvature",
        "f_i(x) = h/2 x^2 + b_i x: bounded dissimilarity",
        _build,
        "--curvatures 1 --tilts 1,-1",
        CommonCurvature,
    ),
)
