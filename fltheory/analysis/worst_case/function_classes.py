"""Classes of functions, and when points, gradients and values belong to one of them (Taylor,
Hendrickx and Glineur 2017)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact


@dataclass(frozen=True)
class FunctionClass:
    """All functions whose curvature lies in [strong_convexity, smoothness]; with convex=False, in
    [-smoothness, smoothness].

    >>> FunctionClass(1, "1/10").lowest_curvature, FunctionClass(2, convex=False).lowest_curvature
    (Fraction(1, 10), Fraction(-2, 1))
    """

    smoothness: Any
    strong_convexity: Any = 0
    convex: bool = True

    def __post_init__(self) -> None:
        smoothness, convexity = (
            exact(self.smoothness, "smoothness"),
            exact(self.strong_convexity, "strong convexity"),
        )
        if smoothness <= 0:
            raise InvalidInput("smoothness", "be above 0", smoothness)
        if not 0 <= convexity < smoothness:
            raise InvalidInput(
                "strong convexity", f"lie in [0, {smoothness}), below the smoothness", convexity
            )
        if convexity and not self.convex:
            raise InvalidInput(
                "strong convexity", "be left out for functions that need not be convex", convexity
            )
        object.__setattr__(self, "smoothness", smoothness)
        object.__setattr__(self, "strong_convexity", convexity)

    @property
    def lowest_curvature(self) -> Fraction:
        return self.strong_convexity if self.convex else -self.smoothness

    def form(self) -> Any:
        """The matrix Q of f_j - f_i + v'Qv <= 0 with v = (x_i, x_j, g_i, g_j), for each pair of
        points of one function.

        f_i >= f_j + <g_j, x_i-x_j> + c (|g_i-g_j|^2/L + m |x_i-x_j|^2 - 2 (m/L) <g_i-g_j,
        x_i-x_j>), c = 1/(2(1-m/L)), for curvatures in [m, L]: necessary and sufficient for such a
        function to exist.

        >>> [[str(entry) for entry in row] for row in FunctionClass(1).form()]
        [['0', '0', '0', '1/2'], ['0', '0', '0', '-1/2'], ['0', '0', '1/2', '-1/2'], ['1/2', '-1/2', '-1/2', '1/2']]
        """
        low, high = self.lowest_curvature, self.smoothness
        scale = 1 / (2 * (1 - low / high))
        zero, one = Fraction(0), Fraction(1)
        step, change = np.array([one, -one, zero, zero]), np.array([zero, zero, one, -one])
        later = np.array([zero, zero, zero, one])

        def product(left: Any, right: Any) -> Any:
            return (np.outer(left, right) + np.outer(right, left)) / 2

        parts = (
            product(change, change) / high
            + low * product(step, step)
            - 2 * low / high * product(change, step)
        )
        return product(later, step) + scale * parts
