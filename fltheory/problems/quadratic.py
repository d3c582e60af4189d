"""Quadratic clients with any curvatures and optima: f_i(x) = sum_j h_ij/2 (x_j - c_ij)^2."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property

import numpy as np

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import shares
from fltheory.core.registry import Member, Settings
from fltheory.core.types import ExactLike, Vector
from fltheory.engine.arithmetic import Arithmetic, Rows
from fltheory.engine.local_work.exact_steps import exact_steps
from fltheory.engine.workers import LocalWork
from fltheory.problems.constants import Constants
from fltheory.problems.tables import (
    Shares,
    Table,
    TableLike,
    all_equal,
    is_rational,
    noise_variance,
    table,
)


@frozen
class Quadratic:
    """f_i(x) = sum_j h_ij/2 (x_j - c_ij)^2 and f = sum_i p_i f_i; gradients have additive noise of
    variance `noise_squared`.

    One number per client means one coordinate. Curvatures and optima may be sympy expressions; then
    the constants are not known.

    >>> problem = Quadratic(curvatures=(1, 3), optima=(0, 1))
    >>> problem.constants.optimum, problem.constants.dissimilarity_at_optimum
    ((Fraction(3, 4),), Fraction(9, 16))
    """

    curvatures: Checked[TableLike, Table]
    optima: Checked[TableLike, Table]
    importance: Checked[Vector | None, Shares] = default(None)
    noise_squared: Checked[ExactLike, Fraction] = default(0)

    def __post_init__(self) -> None:
        curvatures, optima = table(self.curvatures, "curvature"), table(self.optima, "optimum")
        if len(curvatures) != len(optima):
            raise InvalidInput(
                "optima",
                f"have one entry for each of {len(curvatures)} clients",
                f"{len(optima)} entries",
            )
        if len(curvatures[0]) != len(optima[0]):
            raise InvalidInput(
                "curvatures and optima",
                "have the same number of coordinates",
                [len(curvatures[0]), len(optima[0])],
            )
        checked = {
            "curvatures": curvatures,
            "optima": optima,
            "noise_squared": noise_variance(self.noise_squared),
            "importance": shares(self.importance, len(curvatures)),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def num_clients(self) -> int:
        return len(self.curvatures)

    @property
    def dimension(self) -> int:
        return len(self.curvatures[0])

    @property
    def affine(self) -> bool:
        """Gradients are affine in the point."""
        return True

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> h_i (x - c_i)."""
        curvatures, optima = arithmetic.rows(self.curvatures), arithmetic.rows(self.optima)
        return lambda rows: curvatures * (rows - optima)

    def steps_at_once(self, arithmetic: Arithmetic) -> LocalWork | None:
        """K exact steps of local SGD in closed form, where that is faster."""
        return exact_steps(self.curvatures, self.optima, arithmetic)

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number."""
        curvatures, optima = arithmetic.rows(self.curvatures), arithmetic.rows(self.optima)
        return lambda rows: (curvatures * (rows - optima) ** 2).sum(axis=-1, keepdims=True) / 2

    def equally_weighted(self) -> "Quadratic":
        """The same global loss with equal importance: f_i -> p_i N f_i (FedLaAvg Sec. 2). Exact
        gradients only.

        >>> problem = Quadratic(curvatures=(2, 2), optima=(0, 1), importance=("3/4", "1/4"))
        >>> problem.equally_weighted().curvatures
        ((Fraction(3, 1),), (Fraction(1, 1),))
        """
        if self.noise_squared:
            raise InvalidInput(
                "noise variance",
                "be 0 to rescale the losses, because this would rescale the noise unevenly",
                self.noise_squared,
            )
        scales = [share * self.num_clients for share in self.importance]
        return Quadratic(
            [[scale * h for h in row] for scale, row in zip(scales, self.curvatures, strict=True)],
            self.optima,
        )

    @cached_property
    def constants(self) -> Constants:
        if not is_rational(self.curvatures, self.optima):
            return Constants(gradient_noise_squared=self.noise_squared)
        weights, curvatures, optima = (
            np.array(x, dtype=object) for x in (self.importance, self.curvatures, self.optima)
        )
        weights = weights[:, None]
        total, every = (weights * curvatures).sum(axis=0), list(curvatures.flat)
        tilts = curvatures * optima
        apart = ((tilts - (weights * tilts).sum(axis=0)) ** 2).sum(axis=1)
        optimum = infimum = at_optimum = None
        if all(total > 0):
            point = (weights * tilts).sum(axis=0) / total
            optimum = tuple(point)
            at_optimum = (weights * (curvatures * (point - optima)) ** 2).sum()
            infimum = (weights * curvatures * (point - optima) ** 2).sum() / 2
        return Constants(
            smoothness=max(abs(h) for h in every),
            strong_convexity=min(every) if min(every) > 0 else None,
            gradient_noise_squared=self.noise_squared,
            dissimilarity_squared=max(apart) if all_equal(self.curvatures) else None,
            dissimilarity_at_optimum=at_optimum,
            optimum=optimum,
            infimum=infimum,
        )


def _build(settings: Settings) -> Quadratic:
    optima = table(settings.need("optima"), "optimum")
    curvatures = settings.get("curvatures", [[1] * len(optima[0])] * len(optima))
    return Quadratic(
        curvatures, optima, settings.get("importance"), settings.get("noise_squared", 0)
    )


MEMBERS = (
    Member(
        "quadratic",
        "f_i(x) = h_i/2 (x - c_i)^2 with any curvatures and optima",
        _build,
        "--curvatures 2,2 --optima 0,1",
        Quadratic,
    ),
)
