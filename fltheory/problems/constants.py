"""Constants of a problem that theorems use; an unknown constant is None, never a guess."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Constants:
    """Exact constants of a problem; squares where a root would be irrational.

    - `smoothness`: L, every client's gradient is L-Lipschitz
    - `strong_convexity`: mu > 0, every client's loss is mu-strongly convex
    - `gradient_noise_squared`: sigma^2 = E |stochastic - exact gradient|^2 of each client
    - `gradient_bound_squared`: G^2 with E |stochastic gradient|^2 <= G^2 everywhere
    - `dissimilarity_squared`: sigma_G^2 with |grad f_i - grad f|^2 <= sigma_G^2 everywhere (AFL
      Assumption 3)
    - `dissimilarity_at_optimum`: D = (1/N) sum_i |grad f_i(x*)|^2 (MIFA Sec. 5)
    - `optimum`: x*, if it is unique
    - `infimum`: f* = inf f
    """

    smoothness: Fraction | None = None
    strong_convexity: Fraction | None = None
    gradient_noise_squared: Fraction | None = None
    gradient_bound_squared: Fraction | None = None
    dissimilarity_squared: Fraction | None = None
    dissimilarity_at_optimum: Fraction | None = None
    optimum: tuple[Fraction, ...] | None = None
    infimum: Fraction | None = None
