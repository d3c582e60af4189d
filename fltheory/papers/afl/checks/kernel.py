"""Theorems that a proof assistant has checked: AFA-CD and AFA-CS under general arrivals."""

import sympy

from fltheory.claims.checks.kernel import FormalTheorem
from fltheory.papers.afl.paper import K
from fltheory.papers.afl.statements import best_bounds as best
from fltheory.papers.afl.statements import best_corollaries as corollaries
from fltheory.papers.afl.statements import error_ball as ball
from fltheory.papers.afl.statements import general_arrivals as general
from fltheory.papers.afl.statements import lemmas, memory
from fltheory.papers.afl.statements import uniform_arrivals as uniform

FORMAL = (
    FormalTheorem("afl.thm1c", "e3b0c44298fc"),
    FormalTheorem("afl.thm1c.admissible", "e3b0c44298fc"),
    FormalTheorem("afl.thm1c.upper", "e3b0c44298fc"),
    FormalTheorem("afl.thm2c", "9fb2744afae5", {"a": general.DRIFT_A, "b": general.STEP_B}),
    FormalTheorem(
        "afl.thm2.half", "aeff25412b43", {"a": general.DRIFT_A, "b": general.STEP_HALF_B}
    ),
    FormalTheorem("afl.thm2.simple", "3a961ce52df0", {"b": general.STEP_SGD}),
    FormalTheorem("afl.thm2star", "7130058df099", {"a": best.DRIFT_2, "b": best.STEP_2}),
    FormalTheorem("afl.thm2.onestep", "8b811df29ab2", {"b": best.SINGLE_STEP}),
    FormalTheorem("afl.thm3star", "50c592e31bbe", {"a": best.DRIFT_3, "b": best.STEP_3}),
    FormalTheorem(
        "afl.thm4",
        "3a4b1a63cc25",
        {
            "four": memory.SMALL_STEP_PRINTED,
            "series": memory.SMALL_SERIES,
            "seven": memory.NOISE_BELOW_MOVES,
        },
    ),
    FormalTheorem(
        "afl.thm4c", "a57b66cecb22", {"four": memory.SMALL_STEP, "series": memory.SMALL_SERIES}
    ),
    FormalTheorem("afl.thm4star", "ba8c6a37e147", {"a": best.DRIFT_4, "b": best.STEP_4}),
    FormalTheorem("afl.cor3star", "40a700bca936", {"one": sympy.Eq(K, 1), "step": best.BALANCED}),
    FormalTheorem(
        "afl.cor1.explicit",
        "964f497b8813",
        {"steps": ball.RATE_STEPS, "drift": ball.LONG_DRIFT, "horizon": ball.LONG_STEP},
    ),
    FormalTheorem(
        "afl.cor2.explicit",
        "d7fb3cacf9f7",
        {"steps": ball.RATE_STEPS, "drift": uniform.LONG_DRIFT, "horizon": uniform.LONG_STEP},
    ),
    FormalTheorem(
        "afl.cor3.explicit",
        "b4e9a091e22b",
        {
            "steps": corollaries.RATE_STEPS3,
            "drift": corollaries.LONG_DRIFT3,
            "horizon": corollaries.LONG_STEP3,
        },
    ),
    FormalTheorem("afl.lem1", "b52eee974e0d"),
    FormalTheorem("afl.lem1.sharp", "b52eee974e0d"),
    FormalTheorem("afl.lem2c", "5f7b258a4e5b", {"short": lemmas.SHORT_STEPS}),
    FormalTheorem("afl.a4c", "5f7b258a4e5b", {"short": lemmas.SHORT_STEPS}),
    FormalTheorem("afl.thm2.a12c", "e3b0c44298fc"),
)
CHECKS = tuple(formal.check() for formal in FORMAL)
