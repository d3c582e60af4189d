"""Trivial bounds: what a method that never moves achieves, whatever the theorem."""

import sympy

from fltheory.claims.claim import Claim, UpperBound, evaluate
from fltheory.core.types import Values
from fltheory.core.vocabulary import symbol

_L, _GAP, _DISTANCE = (
    symbol(name) for name in ("smoothness", "initial_loss_gap", "initial_distance")
)

AT_THE_START: dict[str, sympy.Expr] = {
    "mean_squared_gradient": 2 * _L * _GAP,
    "min_squared_gradient": 2 * _L * _GAP,
    "mean_loss_gap": _L * _DISTANCE**2 / 2,
    "weighted_loss_gap": _L * _DISTANCE**2 / 2,
}
"""What an L-smooth loss allows at the start: |grad f(x_0)|^2 <= 2 L (f(x_0) - f*) and f(x_0) - f*
<= L |x_0 - x*|^2 / 2. A method that never moves keeps these values."""


def _at_the_start(left: sympy.Expr) -> sympy.Expr | None:
    """What a left side in one known quantity is at the start."""
    (measured, *others) = left.free_symbols or (None,)
    known = AT_THE_START.get(str(measured))
    return None if known is None or others else left.xreplace({measured: known})


def trivial_bound(claim: Claim, values: Values) -> sympy.Expr | None:
    """The trivial bound on the left side of a claim, or on a multiple of a known quantity that
    stands there, at the given values, if there is one.

    >>> from fltheory.papers import find_claim
    >>> trivial_bound(find_claim("afl.thm2"), {"smoothness": 1, "initial_loss_gap": "1/2"})
    1
    """
    if not isinstance(claim.statement, UpperBound):
        return None
    bound = claim.trivial if claim.trivial is not None else _at_the_start(claim.statement.left)
    if bound is None or any(s.name not in values for s in bound.free_symbols):
        return None
    return evaluate(bound, values)
