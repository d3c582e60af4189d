"""Printed conditions as formulas, checked once more on every instance that a space draws.

Most spaces make admissible instances by construction, and those that hold only values carry no run on which a claim's assumptions could
decide. So the conditions that are formulas in the claims' own symbols stand here a second time, and an instance that breaks one is rejected
whatever made it. Along a path they are looked at for a few scales.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import sympy

from fltheory.attack.source import SCALE, Source
from fltheory.attack.space import Draw, Space
from fltheory.checks.instances import Instance
from fltheory.claim_files import Condition
from fltheory.claims import Claim, evaluate
from fltheory.enclosure import as_expression
from fltheory.papers.afl.paper import DELAY, LOCAL, PER_ROUND, STEP, K, L, M
from fltheory.papers.fraboni.paper import RHO
from fltheory.papers.mifa.paper import OFFSET
from fltheory.vocabulary import symbol

SCALES = (1, 2, 1000)
"""Where a path is looked at."""

STALE, GAP, CONVEX, T = (symbol(name) for name in ("max_staleness", "initial_gap", "strong_convexity", "num_rounds"))
DRIFT = K**2 * L**2 * LOCAL**2
MOVE = L * STEP + L**2 * STEP**2 * DELAY**2
SPREAD = (M - PER_ROUND) / (PER_ROUND * sympy.Max(M - 1, 1))


def _condition(text: str, left: Any, sign: str, right: Any) -> tuple[Condition, ...]:
    return (Condition(text, sympy.S.Zero + left, sign, sympy.S.Zero + right),)


RESTATED: Mapping[str, tuple[Condition, ...]] = {
    "afl.short-work": _condition("(K - 1) (K L eta_L - 1) <= 0", (K - 1) * (K * L * LOCAL - 1), "<=", 0),
    "afl.small-drift": _condition("6 (2K^2 - 3K + 1) L^2 eta_L^2 <= 1", 6 * (2 * K**2 - 3 * K + 1) * L**2 * LOCAL**2, "<=", 1),
    "afl.thm3.iii": _condition("(iii) of Theorem 3", 120 * DRIFT * DELAY + 4 * MOVE * SPREAD * (90 * DRIFT * DELAY + 3 * DELAY), "<", 1),
    "afl.thm3c.ii": _condition("2 (1 - rho) (Lg + L^2 g^2 tau^2) <= 1", 2 * (1 - SPREAD) * MOVE, "<=", 1),
    "afl.thm3c.iii": _condition("(iii) of Theorem 3 with tau + 1",
                                (120 * DRIFT + 4 * MOVE * SPREAD * (90 * DRIFT + 3)) * (DELAY + 1), "<=", 1),
    "fedlaavg.bounded": _condition("sigma <= G", symbol("gradient_noise"), "<=", symbol("gradient_bound")),
    "fedlaavg.one_step": _condition("C = 1", K, "=", 1),
    "fedlaavg.step_below_half": _condition("gamma L < 1/2", LOCAL * L, "<", sympy.Rational(1, 2)),
    "fedlaavg.step_up_to_half": _condition("gamma L <= 1/2", LOCAL * L, "<=", sympy.Rational(1, 2)),
    "fedlaavg.step_up_to_quarter": _condition("gamma L <= 1/4", LOCAL * L, "<=", sympy.Rational(1, 4)),
    "learning-rate": (*_condition("48 K L eta_l <= 1", 48 * K * L * LOCAL, "<=", 1),
                      *_condition("144 K L rho^2 eta_g (tau + 1) eta_l <= 1", 144 * K * L * RHO**2 * STEP * (STALE + 1), "<=", 1)),
    "mifa.ass4": _condition("tau_max <= t0 + T/40", STALE, "<=", GAP + (T + 1) / 40),
    "mifa.steps": _condition("a^2 mu^3 = max(100, 40 t0)^2 L^3", OFFSET**2 * CONVEX**3, "=", sympy.Max(100, 40 * GAP) ** 2 * L**3),
}
"""By the assumption's id."""


def restated(spaces: Iterable[Space]) -> tuple[Space, ...]:
    """The same spaces, each instance checked once more."""
    return tuple(replace(space, draw=_rechecked(space.draw)) for space in spaces)


def _rechecked(draw: Draw) -> Draw:
    def drawn(source: Source, claim: Claim) -> Instance:
        instance = draw(source, claim)
        for name, holds in decided(claim, instance.values):
            source.require(holds, name)
        return instance

    return drawn


def decided(claim: Claim, values: Mapping[str, Any]) -> Iterator[tuple[str, bool | None]]:
    """Every printed condition of the claim that is a formula in symbols which have values: its name, and whether it holds."""
    for assumption in claim.assumes:
        for condition in RESTATED.get(assumption.id, ()) if assumption.stated else ():
            names = {s.name for s in condition.symbols}
            if names <= set(values):
                yield assumption.id, _holds(condition, {name: as_expression(values[name]) for name in names})


def _holds(condition: Condition, values: Mapping[str, sympy.Expr]) -> bool | None:
    if not any(value.has(SCALE) for value in values.values()):
        return condition(values)
    return all(condition({name: evaluate(value, {SCALE.name: scale}) for name, value in values.items()}) for scale in SCALES)
