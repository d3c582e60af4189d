"""Classes of smooth functions and their interpolation conditions (Taylor, Hendrickx and Glineur
2017)."""

from fractions import Fraction

import numpy as np

from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import Array, ExactLike


@frozen
class FunctionClass:
    """All functions whose curvature lies in [strong_convexity, smoothness]; with convex=False, in
    [-smoothness, smoothness].

    >>> FunctionClass(1, "1/10").lowest_curvature, FunctionClass(2, convex=False).lowest_curvature
    (Fraction(1, 10), Fraction(-2, 1))
    """

    smoothness: Checked[ExactLike, Fraction]
    strong_convexity: Checked[ExactLike, Fraction] = default(0)
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
        """The lower end of the range of curvatures."""
        return self.strong_convexity if self.convex else -self.smoothness

    def form(self) -> Array:
        """The matrix Q of f_j - f_i + v'Qv <= 0 with v = (x_i, x_j, g_i, g_j), for each pair of
        points of one function.

        f_i >= f_j + <g_j, d> + c (|e|^2/L + m |d|^2 - 2 (m/L) <e, d>) with d = x_i - x_j,
        e = g_i - g_j and c = 1/(2 (1 - m/L)), for curvatures in [m, L]. These conditions for all
        pairs are necessary and sufficient for such a function to exist.

        >>> for row in FunctionClass(1).form():
        ...     print(*row)
        0 0 0 1/2
        0 0 0 -1/2
        0 0 1/2 -1/2
        1/2 -1/2 -1/2 1/2
        """
        low, high = self.lowest_curvature, self.smoothness
        scale = 1 / (2 * (1 - low / high))
        zero, one = Fraction(0), Fraction(1)
        step, change = np.array([one, -one, zero, zero]), np.array([zero, zero, one, -one])
        later = np.array([zero, zero, zero, one])

        def product(left: Array, right: Array) -> Array:
            return (np.outer(left, right) + np.outer(right, left)) / 2

        parts = (
            product(change, change) / high
            + low * product(step, step)
            - 2 * low / high * product(change, step)
        )
        return product(later, step) + scale * parts
