"""An adversary against Theorem 3: one client that skips a round after positive noise; exact second
moments, no sampling."""

from fractions import Fraction
from typing import NamedTuple


class LatestMoments(NamedTuple):
    """E[1; state], E[x; state] and E[x^2; state] of the model x in one state of the adversary."""

    mass: Fraction
    first: Fraction
    second: Fraction

    def mapped(self, chance: Fraction, factor: Fraction, shift: Fraction) -> "LatestMoments":
        """Moments of factor x + shift on the part of this state that is taken with a chance."""
        return LatestMoments(
            chance * self.mass,
            chance * (factor * self.first + shift * self.mass),
            chance
            * (factor**2 * self.second + 2 * factor * shift * self.first + shift**2 * self.mass),
        )

    def plus(self, other: "LatestMoments") -> "LatestMoments":
        return LatestMoments(*(a + b for a, b in zip(self, other, strict=True)))


def mean_squared_model(step_size: Fraction, num_rounds: int) -> Fraction:
    """(1/T) sum_{t=1}^T E (x^{t-1})^2 for gradient clip(x, -1, 1) with +-1 noise, x^0 = 0, one
    client.

    Available with noise -1: x -> x - gamma (x - 1), available again. With noise +1: x -> x - gamma
    (x + 1), then away for a round, in which the same gradient moves the model once more: with u = x
    + 1, u -> (1 - gamma) u and then u -> u - gamma u/(1 - gamma). So x stays in [-1, 1] for gamma
    <= 1/2, the clipping never acts, and all maps are affine.
    """
    here = LatestMoments(Fraction(1), Fraction(0), Fraction(0))
    away = LatestMoments(Fraction(0), Fraction(0), Fraction(0))
    half, keep = Fraction(1, 2), 1 - step_size
    again = 1 - step_size / keep
    total = Fraction(0)
    for _ in range(num_rounds):
        total += here.second + away.second
        after = here.mapped(half, keep, step_size).plus(away.mapped(Fraction(1), again, again - 1))
        here, away = after, here.mapped(half, keep, -step_size)
    return total / num_rounds
