"""Printed conditions of the paper as formulas, checked once more on every instance that a space
draws."""

from functools import partial

import sympy

from fltheory.claims.spaces.restated import condition
from fltheory.claims.spaces.restated import restated as recheck
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import OFFSET

STALE, GAP, CONVEX, T, L = (
    symbol(name)
    for name in ("max_staleness", "initial_gap", "strong_convexity", "num_rounds", "smoothness")
)

RESTATED = {
    "mifa.ass4": condition("tau_max <= t0 + T/40", STALE, "<=", GAP + (T + 1) / 40),
    "mifa.steps": condition(
        "a^2 mu^3 = max(100, 40 t0)^2 L^3",
        OFFSET**2 * CONVEX**3,
        "=",
        sympy.Max(100, 40 * GAP) ** 2 * L**3,
    ),
    "mifa.t0": condition("t0 >= 1", 1, "<=", GAP),
}
"""By the assumption's id."""

restated = partial(recheck, RESTATED)
