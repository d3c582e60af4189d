"""Quadratic clients with any curvatures and optima: f_i(x) = sum_j h_ij/2 (x_j - c_ij)^2."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from fltheory.arithmetic import Arithmetic, Rows
from fltheory.errors import InvalidInput
from fltheory.exact import exact, exacts, shares
from fltheory.members import Member, Settings
from fltheory.problems.constants import Constants

Table = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Quadratic:
    """f_i(x) = sum_j h_ij/2 (x_j - c_ij)^2; f = sum_i p_i f_i; gradients carry additive noise of variance `noise_squared`.

    One number per client means one coordinate. Curvatures and optima may be sympy expressions; then there are no constants.

    >>> problem = Quadratic(curvatures=(1, 3), optima=(0, 1))
    >>> problem.constants.optimum, problem.constants.dissimilarity_at_optimum
    ((Fraction(3, 4),), Fraction(9, 16))
    """

    curvatures: Any
    optima: Any
    importance: Any = None
    noise_squared: Any = 0

    def __post_init__(self) -> None:
        curvatures, optima = table(self.curvatures, "curvature"), table(self.optima, "optimum")
        if len(curvatures) != len(optima):
            raise InvalidInput("optima", f"have one entry for each of {len(curvatures)} clients", f"{len(optima)} entries")
        widths = {len(row) for row in (*curvatures, *optima)}
        if len(widths) != 1:
            raise InvalidInput("curvatures and optima", "have the same number of coordinates", sorted(widths))
        noise = exact(self.noise_squared, "noise variance")
        if noise < 0:
            raise InvalidInput("noise variance", "be at least 0", noise)
        checked = {"curvatures": curvatures, "optima": optima, "noise_squared": noise,
                   "importance": shares(self.importance, len(curvatures))}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def num_clients(self) -> int:
        return len(self.curvatures)

    @property
    def dimension(self) -> int:
        return len(self.curvatures[0])

    def gradients(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> h_i (x - c_i)."""
        curvatures, optima = arithmetic.rows(self.curvatures), arithmetic.rows(self.optima)
        return lambda rows: curvatures * (rows - optima)

    def losses(self, arithmetic: Arithmetic) -> Callable[[Rows], Rows]:
        """Row i -> f_i at row i, one number."""
        curvatures, optima = arithmetic.rows(self.curvatures), arithmetic.rows(self.optima)
        return lambda rows: (curvatures * (rows - optima) ** 2).sum(axis=-1, keepdims=True) / 2

    @cached_property
    def constants(self) -> Constants:
        weights, curvatures, optima = (np.array(x, dtype=object) for x in (self.importance, self.curvatures, self.optima))
        if not all(isinstance(x, Fraction) for x in (*curvatures.ravel(), *optima.ravel())):
            return Constants(gradient_noise_squared=self.noise_squared)
        weights = weights[:, None]
        total = (weights * curvatures).sum(axis=0)
        least = min(curvatures.ravel())
        same = all((row == curvatures[0]).all() for row in curvatures)
        tilts = curvatures * optima
        dissimilarity = max(((tilts - (weights * tilts).sum(axis=0)) ** 2).sum(axis=1)) if same else None
        optimum = infimum = at_optimum = None
        if all(total > 0):
            point = (weights * tilts).sum(axis=0) / total
            optimum = tuple(point)
            at_optimum = (weights * (curvatures * (point - optima)) ** 2).sum()
            infimum = (weights * curvatures * (point - optima) ** 2).sum() / 2
        return Constants(
            smoothness=max(abs(curvatures).ravel()),
            strong_convexity=least if least > 0 else None,
            gradient_noise_squared=self.noise_squared,
            dissimilarity_squared=dissimilarity,
            dissimilarity_at_optimum=at_optimum,
            optimum=optimum,
            infimum=infimum,
        )


def table(values: Any, owner: str) -> Table:
    """One row per client; a single number per client is a row of one coordinate. Symbols pass as they are."""
    if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
        raise InvalidInput(f"{owner} list", "have at least one client", repr(values))
    rows = [row if _is_row(row) else (row,) for row in values]
    return tuple(
        tuple(x if hasattr(x, "free_symbols") else exact(x, f"{owner} of client {i}") for x in row) for i, row in enumerate(rows)
    )


def _is_row(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str)


def _build(settings: Settings) -> Quadratic:
    optima = exacts(settings.need("optima"), "optimum")
    curvatures = settings.get("curvatures", (1,) * len(optima))
    return Quadratic(curvatures, optima, settings.get("importance"), settings.get("noise_squared", 0))


MEMBERS = (Member("quadratic", "f_i(x) = h_i/2 (x - c_i)^2 with any curvatures and optima", _build, "--curvatures 2,2 --optima 0,1"),)
