"""The user's learning task, and the kinds of evidence behind a number of the advice."""

from decimal import Decimal
from enum import Enum
from fractions import Fraction

from fltheory.claims.evidence import Verdict
from fltheory.core.checked import Checked, default, frozen
from fltheory.core.errors import InvalidInput
from fltheory.core.exact import exact
from fltheory.core.types import ExactLike

SMALLEST = Fraction(1, 10**12)
"""Smallest positive constant accepted, its inverse the largest: predictions use floats."""


class Basis(Enum):
    """The evidence behind a number; the value is the text shown to the reader."""

    PROVED = "proved"
    CERTIFIED = "certified"
    FOREVER = "proved for all rounds and clients"
    MEASURED = "measured on this log"
    STAND_IN = "rule of thumb: exact for a quadratic stand-in on this log"
    RULE = "rule of thumb"


def basis_of(verdict: Verdict | None) -> Basis:
    """The evidence that a claim of the ledger gives for any log.

    Only a proof carries over: certificates and tests are about other runs than this log.

    >>> basis_of(Verdict.PROVED), basis_of(Verdict.CERTIFIED)
    (<Basis.PROVED: 'proved'>, <Basis.RULE: 'rule of thumb'>)
    """
    return Basis.PROVED if verdict is Verdict.PROVED else Basis.RULE


MEANINGS = {
    "smoothness": (
        "Largest curvature L of the clients' losses: gradient descent diverges beyond step size"
        " 2/L."
    ),
    "strong_convexity": "Least curvature mu.",
    "noise": "Variance of a stochastic gradient, in units of the initial gap.",
    "heterogeneity": "Mean squared client gradient at the optimum, in the same units.",
    "target": "Loss gap to reach, as a part of the initial one.",
    "local_steps": "Gradient steps per delivery.",
    "round_seconds": "Length of a round, for tables and stretches of time.",
}
"""The constants that a user may give, with their meanings."""


@frozen
class LearningTask:
    """Constants of the learning task; losses are measured in units of the initial gap f(x_0) - f*.

    `noise` is the variance of a stochastic gradient, `heterogeneity` the mean squared client
    gradient at the optimum.
    """

    smoothness: Checked[ExactLike, Fraction] = default(1)
    strong_convexity: Checked[ExactLike, Fraction] = default(Fraction(1, 10))
    noise: Checked[ExactLike, Fraction] = default(Fraction(1, 10))
    heterogeneity: Checked[ExactLike, Fraction] = default(Fraction(1, 10))
    target: Checked[ExactLike, Fraction] = default(Fraction(1, 20))
    local_steps: int = 1

    def __post_init__(self) -> None:
        for name in ("smoothness", "strong_convexity", "noise", "heterogeneity", "target"):
            value = exact(getattr(self, name), name.replace("_", " "))
            if value < 0 or (value == 0 and name not in ("noise", "heterogeneity")):
                raise InvalidInput(name.replace("_", " "), "be positive", value)
            if value and not SMALLEST <= value <= 1 / SMALLEST:
                raise InvalidInput(
                    name.replace("_", " "),
                    f"lie between {float(SMALLEST):g} and {float(1 / SMALLEST):g}",
                    f"{Decimal(value.numerator) / value.denominator:.3g}",
                )
            object.__setattr__(self, name, value)
        if self.strong_convexity > self.smoothness:
            raise InvalidInput(
                "strong convexity",
                f"be at most the smoothness {self.smoothness}",
                self.strong_convexity,
            )
        if self.target >= 1:
            raise InvalidInput("target", "be below 1, the initial gap", self.target)
        if not 1 <= self.local_steps <= 1000:
            raise InvalidInput("local steps", "be from 1 to 1000", self.local_steps)

    def told_step(self, size: float) -> str:
        """A step size as a multiple of 1/L and as a number.

        The number is only as good as the given smoothness.

        >>> LearningTask(smoothness=4).told_step(1 / 8)
        '0.5/L = 0.125'
        """
        return f"{size * float(self.smoothness):.3g}/L = {size:.3g}"

    @property
    def condition_number(self) -> Fraction:
        return Fraction(self.smoothness / self.strong_convexity)
