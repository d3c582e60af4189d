"""Claims that a proof assistant has checked, and the conditions of their theorems."""

import sympy

from fltheory.claims.checks.kernel import FormalTheorem
from fltheory.papers.fedlaavg.paper import GAMMA, C, L, T
from fltheory.papers.fedlaavg.statements import best_bounds as best

FORMAL = (
    FormalTheorem("fedlaavg.lem1", hypotheses="ebb3c0076589"),
    FormalTheorem("fedlaavg.lem2", hypotheses="35f5dd00f0a4"),
    FormalTheorem("fedlaavg.lem2.noise", hypotheses="e249901091d4"),
    FormalTheorem("fedlaavg.lem3", hypotheses="9b24794170d1"),
    FormalTheorem("fedlaavg.lem5", hypotheses="ebb3c0076589"),
    FormalTheorem("fedlaavg.lem6", hypotheses="35f5dd00f0a4"),
    FormalTheorem("fedlaavg.lem6.noise", hypotheses="e249901091d4"),
    FormalTheorem("fedlaavg.lem7", hypotheses="9b24794170d1"),
    FormalTheorem(
        "fedlaavg.thm2.corrected",
        "e3b0c44298fc",
        {"step": sympy.Eq(GAMMA, 1 / (2 * sympy.sqrt(T)))},
    ),
    FormalTheorem(
        "fedlaavg.thm3", hypotheses="22cbf2abaa79", conditions={"step": 2 * GAMMA * L < 1}
    ),
    FormalTheorem(
        "fedlaavg.thm3.improved", hypotheses="8ec1b76a7276", conditions={"step": 2 * GAMMA * L <= 1}
    ),
    FormalTheorem("fedlaavg.thm3star", "0c0acc35c523", {"step": best.CONDITION.subs(C, 1) <= 1}),
    FormalTheorem(
        "fedlaavg.thm3star.warm", "5715999f30a0", {"step": best.CONDITION.subs(C, 1) <= 1}
    ),
    FormalTheorem("fedlaavg.cor1star", "10cf9585aec1", {"step": best.BALANCED}),
    FormalTheorem("fedlaavg.thm4", "6745e898e5ca", {"step": 2 * GAMMA * L < 1}),
    FormalTheorem("fedlaavg.thm4.server", "6745e898e5ca", {"step": 2 * GAMMA * L < 1}),
    FormalTheorem("fedlaavg.thm4star", "fd7c23ec8ef2", {"step": best.CONDITION <= 1}),
)
CHECKS = tuple(formal.check() for formal in FORMAL)
