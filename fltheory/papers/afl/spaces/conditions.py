"""Printed conditions of the paper as formulas, checked once more on every instance that a space
draws."""

from functools import partial

import sympy

from fltheory.claims.spaces.restated import condition
from fltheory.claims.spaces.restated import restated as recheck
from fltheory.papers.afl.paper import DELAY, LOCAL, PER_ROUND, STEP, K, L, M

DRIFT = K**2 * L**2 * LOCAL**2
MOVE = L * STEP + L**2 * STEP**2 * DELAY**2
SPREAD = (M - PER_ROUND) / (PER_ROUND * sympy.Max(M - 1, 1))

RESTATED = {
    "afl.short-work": condition(
        "(K - 1) (K L eta_L - 1) <= 0", (K - 1) * (K * L * LOCAL - 1), "<=", 0
    ),
    "afl.small-drift": condition(
        "6 (2K^2 - 3K + 1) L^2 eta_L^2 <= 1", 6 * (2 * K**2 - 3 * K + 1) * L**2 * LOCAL**2, "<=", 1
    ),
    "afl.thm3.iii": condition(
        "(iii) of Theorem 3",
        120 * DRIFT * DELAY + 4 * MOVE * SPREAD * (90 * DRIFT * DELAY + 3 * DELAY),
        "<",
        1,
    ),
    "afl.thm3c.ii": condition(
        "2 (1 - rho) (Lg + L^2 g^2 tau^2) <= 1", 2 * (1 - SPREAD) * MOVE, "<=", 1
    ),
    "afl.thm3c.iii": condition(
        "(iii) of Theorem 3 with tau + 1",
        (120 * DRIFT + 4 * MOVE * SPREAD * (90 * DRIFT + 3)) * (DELAY + 1),
        "<=",
        1,
    ),
    "afl.thm3star.a": condition(
        "(K - 1) (20 K^2 L^2 eta_L^2 (tau + 1) - 1) <= 0",
        (K - 1) * (20 * DRIFT * (DELAY + 1) - 1),
        "<=",
        0,
    ),
    "afl.thm3star.b": condition("6 L g (tau + 1) <= 1", 6 * L * STEP * (DELAY + 1), "<=", 1),
}
"""By the assumption's id."""

restated = partial(recheck, RESTATED)
