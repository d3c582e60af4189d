"""Propositions 5.1 and 6.1: what no algorithm can beat, and for which availability."""

from dataclasses import replace

import sympy

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    LowerBound,
    Order,
    Source,
    SpecialCase,
    letter,
)
from fltheory.claims.condition import formula_assumption
from fltheory.papers.mifa.paper import (
    CLIENTS,
    CONVEX,
    GAP,
    ITERATES,
    MEAN_STALENESS,
    MEAN_WORST,
    NOISE,
    PAPER,
    ROUNDS,
    SMOOTH,
    STEPS,
)
from fltheory.papers.mifa.printed import located

RISK = letter("minimax_risk", positive=True)
GRADIENT_RISK = letter("minimax_squared_gradient", positive=True)
FIRST_MOMENT, SECOND_MOMENT = (
    letter("mean_gradient_norm", nonnegative=True),
    letter("mean_squared_norm", nonnegative=True),
)

MINIMAX = {
    "minimax_risk": (
        "least worst-case E f(w_T) - f* of any algorithm on this availability (or an upper bound"
        " on it)"
    )
}
GRADIENT_MINIMAX = {
    "minimax_squared_gradient": (
        "least worst-case E |grad f(w_T)|^2 of any zero-respecting algorithm (or an upper bound on"
        " it)"
    )
}
PERIODIC_CALLS = CLIENTS * STEPS * ROUNDS / (MEAN_WORST + 1)
"""Stochastic gradients when every device comes once in nubar + 1 rounds."""

ENOUGH_PERIODIC = replace(
    formula_assumption(
        "mifa.periodic-calls",
        "the number m = N K (T - 1)/(nubar + 1) of gradients is at least max(sigma^2/(L (f(w_0) -"
        " f*)), L (f(w_0) - f*)/sigma^2)",
        sympy.Le(NOISE**2, PERIODIC_CALLS * SMOOTH * GAP),
        sympy.Le(SMOOTH * GAP, PERIODIC_CALLS * NOISE**2),
    ),
    stated=False,
)

MOMENTS = {"mean_gradient_norm": "E |grad f(w_T)|", "mean_squared_norm": "E |grad f(w_T)|^2"}

CLAIMS = located(
    Claim(
        id="mifa.prop5.1",
        source=Source(PAPER, "Proposition 5.1"),
        says=(
            "For each taubar = 0, 1/2, 1, 3/2, ... and all T - 1 that 2 taubar + 1 divides there is"
            " an availability with that taubar for which no algorithm beats c0 taubar sigma^2/(mu N"
            " K T) on all strongly convex problems; c0 = 1/6 will do."
        ),
        statement=LowerBound(
            RISK, MEAN_STALENESS * NOISE**2 / (6 * CONVEX * CLIENTS * STEPS * ITERATES)
        ),
        where=MINIMAX,
        note=(
            "Periodic availability attains it, with noise of two values; with Gaussian noise c0 = 1"
            " will do, and taubar + 1/2 for taubar, so also at taubar = 0, where the printed bound"
            " says nothing: prop5.1.corrected. It is not true of every"
            " availability: prop5.1.every."
        ),
        proof="docs/proofs/mifa.md#lower-bounds",
    ),
    Claim(
        id="mifa.prop5.1.every",
        source=Source(PAPER, "Proposition 5.1, for every availability"),
        says=(
            "Whatever the availability, no algorithm beats a universal multiple of taubar"
            " sigma^2/(mu N K T) on all strongly convex problems."
        ),
        statement=Order(MEAN_STALENESS * NOISE**2 / (CONVEX * CLIENTS * STEPS * ITERATES), RISK),
        where=MINIMAX,
        note=(
            "With B rounds on and B rounds off, averaging all gradients at w_1 beats it as B grows."
        ),
    ),
    Claim(
        id="mifa.prop5.1.corrected",
        source=Source(PAPER, "Proposition 5.1", kind=Authorship.OURS),
        says=(
            "When every device comes once in each period, the exact minimax risk of the Gaussian"
            " location problem is (taubar + 1/2) sigma^2/(mu N K R)."
        ),
        statement=Identity(
            RISK,
            (MEAN_STALENESS + sympy.Rational(1, 2))
            * NOISE**2
            / (CONVEX * CLIENTS * STEPS * ROUNDS),
        ),
        where=MINIMAX,
        corrects="mifa.prop5.1.every",
        special_cases=tuple(
            SpecialCase(
                f"period {period}, times mu N K R/sigma^2",
                {
                    "mean_staleness": f"{period - 1}/2",
                    "gradient_noise": 1,
                    "strong_convexity": 1,
                    "num_clients": 1,
                    "local_steps": 1,
                    "num_rounds": 1,
                },
                f"{period}/2",
            )
            for period in (1, 2, 5, 11)
        ),
    ),
    Claim(
        id="mifa.prop5.1.general",
        source=Source(PAPER, "Proposition 5.1, any availability", kind=Authorship.OURS),
        says=(
            "For every availability the minimax risk sigma^2/(2 mu K sum_t |A(t)|) is at most"
            " (taubar + 1/2) sigma^2/(mu N K R)."
        ),
        statement=LowerBound(
            (MEAN_STALENESS + sympy.Rational(1, 2))
            * NOISE**2
            / (CONVEX * CLIENTS * STEPS * ROUNDS),
            RISK,
        ),
        where=MINIMAX,
        corrects="mifa.prop5.1.every",
    ),
    Claim(
        id="mifa.prop5.1.matching",
        source=Source(PAPER, "Section 5, after Theorem 5.1"),
        says=(
            "The first term of Theorem 5.1 is minimax optimal by Proposition 5.1: it is of the"
            " order of that lower bound."
        ),
        statement=Order(
            (MEAN_STALENESS + 1) * NOISE**2 / (CONVEX * CLIENTS * STEPS * ITERATES),
            MEAN_STALENESS * NOISE**2 / (CONVEX * CLIENTS * STEPS * ITERATES),
        ),
        note=(
            "The lower bound vanishes with taubar, the upper bound does not: nothing is shown for"
            " devices that are nearly always active."
        ),
    ),
    Claim(
        id="mifa.prop5.1.optimality",
        source=Source(PAPER, "Section 5, after Theorem 5.1", kind=Authorship.OURS),
        says=(
            "MIFA's exact leading constant is 48/35 of the exact minimax risk, for periodic"
            " availability and also for full participation."
        ),
        statement=Identity(
            letter("leading_constant"), sympy.Rational(48, 35) * letter("minimax_constant")
        ),
        where={
            "leading_constant": (
                "limit of T (E f(wbar_T) - f*) of MIFA for periodic availability and L = mu"
            ),
            "minimax_constant": "R times the exact minimax risk there",
        },
        corrects="mifa.prop5.1.matching",
    ),
    Claim(
        id="mifa.prop6.1",
        source=Source(PAPER, "Proposition 6.1 (copy B)"),
        says=(
            "For some availability with that nubar no zero-respecting algorithm beats c0"
            " sqrt(nubar L sigma^2 (f(w_0) - f*)/(N K T)) on all smooth problems; c0 = 1.2e-4 will"
            " do."
        ),
        statement=LowerBound(
            GRADIENT_RISK,
            sympy.Rational(3, 25000)
            * sympy.sqrt(MEAN_WORST * SMOOTH * NOISE**2 * GAP / (CLIENTS * STEPS * ITERATES)),
        ),
        where=GRADIENT_MINIMAX,
        assumes=(ENOUGH_PERIODIC,),
        note=(
            "Periodic availability and the chain of prop6.1.corrected, whose Hessian constant grows"
            " with T. From the literature, not checked here: with a fixed Hessian constant it fails"
            " for large T. It is not true of every availability: prop6.1.every."
        ),
        proof="docs/proofs/mifa.md#lower-bounds",
    ),
    Claim(
        id="mifa.prop6.1.every",
        source=Source(PAPER, "Proposition 6.1, for every availability"),
        says=(
            "Whatever the availability, no zero-respecting algorithm beats a universal multiple of"
            " sqrt(nubar L sigma^2 (f(w_0) - f*)/(N K T)) on all smooth problems."
        ),
        statement=Order(
            sympy.sqrt(MEAN_WORST * SMOOTH * NOISE**2 * GAP / (CLIENTS * STEPS * ITERATES)),
            GRADIENT_RISK,
        ),
        where=GRADIENT_MINIMAX,
        note=(
            "B rounds on and B rounds off leave minibatch SGD with half of all gradients, whatever"
            " B."
        ),
    ),
    Claim(
        id="mifa.prop6.1.matching",
        source=Source(PAPER, "Section 6, after Proposition 6.1"),
        says=(
            "When sigma sqrt(f(w_0) - f*) is of the order of sigma^2 + f(w_0) - f*, the leading"
            " term of Theorem 6.1 is tight."
        ),
        statement=Order(
            sympy.sqrt((1 + MEAN_WORST) * SMOOTH / (ITERATES * STEPS * CLIENTS)) * (GAP + NOISE**2),
            sympy.sqrt(MEAN_WORST * SMOOTH * NOISE**2 * GAP / (CLIENTS * STEPS * ITERATES)),
        ),
        note="The lower bound vanishes with nubar, the upper bound does not.",
    ),
    Claim(
        id="mifa.prop6.1.middle",
        source=Source(PAPER, "Proposition 6.1, middle term in copy B"),
        says="The mean squared gradient norm is at least the square of the mean gradient norm.",
        statement=LowerBound(SECOND_MOMENT, FIRST_MOMENT**2),
        where=MOMENTS,
    ),
)
