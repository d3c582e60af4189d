"""Printed conditions of the paper as formulas, checked once more on every instance that a space
draws."""

from functools import partial

from fltheory.claims.condition import Condition
from fltheory.claims.spaces.restated import condition
from fltheory.claims.spaces.restated import restated as recheck
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.hypotheses import CONDITION_VARIANCE
from fltheory.papers.fraboni.paper import RHO
from fltheory.papers.fraboni.statements.examples import CONDITION_STABLE, CONDITION_STABLE_FRESH

K, L, LOCAL = (symbol(name) for name in ("local_steps", "smoothness", "local_step_size"))
STEP, STALE = symbol("server_step_size") * LOCAL, symbol("max_staleness")

RESTATED = {
    "learning-rate": (
        *condition("48 K L eta_l <= 1", 48 * K * L * LOCAL, "<=", 1),
        *condition(
            "144 K L rho^2 eta_g (tau + 1) eta_l <= 1",
            144 * K * L * RHO**2 * STEP * (STALE + 1),
            "<=",
            1,
        ),
    ),
    "ex2.stable": tuple(Condition.of("ex2.stable", one) for one in CONDITION_STABLE),
    "ex2.stable-fresh": tuple(
        Condition.of("ex2.stable-fresh", one) for one in CONDITION_STABLE_FRESH
    ),
    "small-variance": (Condition.of("2 alpha + beta <= 12 rho", CONDITION_VARIANCE),),
}
"""By the assumption's id."""

restated = partial(recheck, RESTATED)
