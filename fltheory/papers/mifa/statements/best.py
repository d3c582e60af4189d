"""Theorem 5.1 in the forms that are proved on paper (docs/proofs): its own step sizes, a constant
step size, and convex losses, with a constant for each term."""

import sympy

from fltheory.claims.claim import (
    Assumption,
    Authorship,
    Claim,
    Source,
    UpperBound,
    letter,
)
from fltheory.claims.condition import formula_assumption
from fltheory.claims.scenario import Scenario
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    CLIENTS,
    CONVEX,
    CONVEXITY,
    DISTANCE,
    FIRST_ROUND,
    FRESH_NOISE,
    INITIAL_GAP,
    ITERATES,
    MAX_STALENESS,
    MEAN_STALENESS,
    MIFA_RUN,
    NOISE,
    OBLIVIOUS,
    OFFSET,
    PAPER,
    ROUNDS,
    SAMPLES,
    SLOW_GROWTH,
    SMOOTH,
    SMOOTHNESS,
    SPREAD,
    STEP_OFFSET,
    STEP_SIZES,
    STEPS,
)
from fltheory.papers.mifa.printed import located
from fltheory.papers.mifa.statements.strongly_convex import (
    A2,
    A3,
    FIRST_TERM,
    GAP_OF_AVERAGE,
    LATE_GAP,
)
from fltheory.traces.trace_statistics import known_staleness

PAGE = "docs/proofs/mifa.md"
"""The page with the proofs on paper."""

_R = sympy.Rational
MORE_STEPS = (STEPS - 1) / STEPS
"""q = (K - 1)/K: no drift with one local step."""
ROUND_STEP = symbol("local_step_size") * STEPS
"""h = K eta."""
NOISE_TIMES_AGE = (2 * MEAN_STALENESS + 1) * NOISE**2 / (CLIENTS * STEPS)

THEOREM_M5 = (
    _R(23, 100) * CONVEX * OFFSET**2 * DISTANCE**2 / ITERATES**2
    + 102 * NOISE_TIMES_AGE / (CONVEX * (ITERATES + OFFSET))
    + SMOOTH
    * (750 * MORE_STEPS**2 * SPREAD + 500 * MORE_STEPS * NOISE**2 / STEPS)
    / (CONVEX**2 * ITERATES**2)
)
CONDITION_OFFSET = sympy.Le(100 * SMOOTH / CONVEX, OFFSET)
THEOREM_M5_TERMS = 204 * FIRST_TERM + (1000 * (STEPS - 1) ** 2 * A2 + 2300 * A3) / (
    CONVEX**2 * ITERATES**2
)
"""The terms of the printed theorem, each with its own constant; its tau_max^2 A1 is not needed."""
CONDITION_PRINTED_OFFSET = sympy.Eq(
    OFFSET, sympy.Max(100, 40 * INITIAL_GAP) * (SMOOTH / CONVEX) ** _R(3, 2)
)

LAST_DISTANCE = letter("last_squared_distance", nonnegative=True)
THEOREM_M5K = (
    (1 - _R(3, 4) * ROUND_STEP * CONVEX) ** ROUNDS * DISTANCE**2
    + 6 * ROUND_STEP * (MAX_STALENESS + 1) * NOISE**2 / (CONVEX * CLIENTS * STEPS)
    + SMOOTH
    / CONVEX
    * ROUND_STEP**2
    * (11 * MORE_STEPS**2 * SPREAD + 7 * MORE_STEPS * NOISE**2 / STEPS)
)
MEAN_GAP = letter("mean_model_gap", nonnegative=True)
THEOREM_M5C = (
    DISTANCE**2 / (ROUND_STEP * ITERATES)
    + 3 * ROUND_STEP * NOISE_TIMES_AGE
    + ROUND_STEP**2 * SMOOTH * (4 * MORE_STEPS**2 * SPREAD + 3 * MORE_STEPS * NOISE**2 / STEPS)
)
CONDITION_STEP = sympy.Le(ROUND_STEP * SMOOTH, _R(1, 25))
CONDITION_STALE_STEP = sympy.Le(ROUND_STEP * SMOOTH * MAX_STALENESS, _R(1, 10))


def _slow_enough(scenario: Scenario) -> bool | None:
    """tau(t, i) <= (t + a) mu/(40 L) in every round t = 1, 2, ..."""
    constants, offset = scenario.problem.constants, scenario.parameters.get("step_offset")
    if constants.smoothness is None or constants.strong_convexity is None or offset is None:
        return None
    if not scenario.trace.delivers[0].all():
        return None
    condition = constants.smoothness / constants.strong_convexity
    return all(
        int(age) * 40 * condition <= t + offset
        for t, row in enumerate(known_staleness(scenario.trace), start=1)
        for age in row
    )


def _falling_steps(scenario: Scenario) -> bool | None:
    """eta_t = 4/(mu K (t + a)) with the offset of the scenario."""
    convexity = scenario.problem.constants.strong_convexity
    offset = scenario.parameters.get("step_offset")
    if convexity is None or offset is None:
        return None
    scale = convexity * int(scenario.trace.local_steps.max())
    return scenario.server_step_size == 1 and all(
        scenario.local_schedule(t) == 4 / (scale * (t + 1 + offset))
        for t in range(scenario.trace.num_rounds)
    )


def _constant(scenario: Scenario) -> bool:
    return not isinstance(scenario.local_step_size, tuple) and scenario.server_step_size == 1


def _convex_clients(scenario: Scenario) -> bool | None:
    curvatures = getattr(scenario.problem, "curvatures", None)
    return None if curvatures is None else all(h >= 0 for row in curvatures for h in row)


STALE = Assumption(
    "mifa.slow", "tau(t, i) <= (t + a) mu/(40 L) in every round t <= T - 1", _slow_enough
)
FALLING = Assumption("mifa.falling", "eta_t = 4/(mu K (t + a))", _falling_steps)
FIXED = Assumption("mifa.fixed", "the step size h/K is the same in all rounds", _constant)
CONVEX_ONLY = Assumption("mifa.convex", "every client's loss is convex", _convex_clients)
FAR_OFFSET = formula_assumption("mifa.offset", "a >= 100 L/mu", CONDITION_OFFSET)
SHORT = formula_assumption("mifa.short", "h L <= 1/25", CONDITION_STEP)
SHORT_STALE = formula_assumption("mifa.short-stale", "h L tau_max <= 1/10", CONDITION_STALE_STEP)

RUN = (MIFA_RUN, SMOOTHNESS, FRESH_NOISE, FIRST_ROUND, OBLIVIOUS, SAMPLES)
STRONG = (*RUN, CONVEXITY)


def best(
    name: str, place: str, says: str, left: sympy.Expr, right: sympy.Expr, *,
    assumes: tuple[Assumption, ...], section: str, note: str = "",
    corrects: str = "mifa.thm5.1", trivial: sympy.Expr | None = None, to_cite: bool = False,
    **where: str,
) -> Claim:  # fmt: skip
    """A claim of ours with a proof on paper."""
    return Claim(
        id=f"mifa.{name}",
        source=Source(PAPER, place, kind=Authorship.OURS),
        says=says,
        statement=UpperBound(left, right),
        assumes=assumes,
        where=where,
        corrects=corrects,
        note=note,
        proof=f"{PAGE}#{section}",
        trivial=trivial,
        to_cite=to_cite,
    )


CLAIMS = located(
    best(
        "thm5.1.best",
        "Theorem 5.1, best form known",
        "On strongly convex losses MIFA's weighted average is within the start, (2 taubar + 1)"
        " times the noise and the local drift of the optimum, for every offset a >= 100 L/mu and"
        " staleness up to (t + a) mu/(40 L).",
        GAP_OF_AVERAGE,
        THEOREM_M5,
        assumes=(*STRONG, FALLING, FAR_OFFSET, STALE),
        section="theorem-51",
        to_cite=True,
        note=(
            "The form to cite: no term in tau_max, and with one local step none in D. The printed"
            " power (L/mu)^1.5 in the offset is more than is needed. On paper, with a finer account"
            " of the noise within a job, the constants 9/50, 80, 570 and 380 are enough."
        ),
        **STEP_OFFSET,
    ),
    best(
        "thm5.1.terms",
        "Theorem 5.1, its own terms",
        "With the printed step sizes and t0 at least 1, the terms of Theorem 5.1 bound the gap with"
        " the constants 204, 0, 1000 and 2300.",
        GAP_OF_AVERAGE,
        THEOREM_M5_TERMS,
        assumes=(*STRONG, SLOW_GROWTH, STEP_SIZES, LATE_GAP),
        section="theorem-51-with-its-own-terms",
        note=(
            "The term tau_max^2 A1 is not needed. A consequence of thm5.1.best. On paper the"
            " constants 160, 760 and 1800 are enough."
        ),
    ),
    best(
        "thm5.1.constant_step",
        "Theorem 5.1 for a constant step size",
        "With a constant step size MIFA's last model comes linearly as near to the optimum as the"
        " noise, the largest staleness and the local drift allow.",
        LAST_DISTANCE,
        THEOREM_M5K,
        assumes=(*STRONG, FIXED, SHORT, SHORT_STALE),
        section="constant-step-sizes",
        note="Not in the paper.",
        trivial=DISTANCE**2,
        last_squared_distance="E |w_T - w*|^2",
    ),
    best(
        "thm5.1.convex",
        "Theorem 5.1 for convex losses",
        "On convex losses with a constant step size, the mean gap of MIFA's models is at most the"
        " start over h T, (2 taubar + 1) times the noise, and the local drift.",
        MEAN_GAP,
        THEOREM_M5C,
        assumes=(*RUN, CONVEX_ONLY, FIXED, SHORT, SHORT_STALE),
        section="convex-losses",
        note="Not in the paper.",
        trivial=SMOOTH * DISTANCE**2 / 2,
        mean_model_gap="mean over t <= T of E f(w_t) - f*",
    ),
)
