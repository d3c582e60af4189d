"""Printed conditions of the paper as formulas, checked once more on every instance that a space
draws."""

from functools import partial

import sympy

from fltheory.claims.spaces.restated import condition
from fltheory.claims.spaces.restated import restated as recheck
from fltheory.core.vocabulary import symbol

K, L, LOCAL = (symbol(name) for name in ("local_steps", "smoothness", "local_step_size"))

RESTATED = {
    "fedlaavg.bounded": condition(
        "sigma <= G", symbol("gradient_noise"), "<=", symbol("gradient_bound")
    ),
    "fedlaavg.one_step": condition("C = 1", K, "=", 1),
    "fedlaavg.step_below_half": condition("gamma L < 1/2", LOCAL * L, "<", sympy.Rational(1, 2)),
    "fedlaavg.step_up_to_half": condition("gamma L <= 1/2", LOCAL * L, "<=", sympy.Rational(1, 2)),
    "fedlaavg.step_up_to_quarter": condition(
        "gamma L <= 1/4", LOCAL * L, "<=", sympy.Rational(1, 4)
    ),
}
"""By the assumption's id."""

restated = partial(recheck, RESTATED)
