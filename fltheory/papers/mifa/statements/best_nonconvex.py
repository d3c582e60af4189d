"""Theorem 6.1 in the forms that are proved on paper (docs/proofs), and the lower bound of
Proposition 6.1 for a number of gradients."""

import sympy

from fltheory.claims.claim import Authorship, Claim, LowerBound, Source, letter
from fltheory.claims.condition import formula_assumption
from fltheory.papers.mifa.paper import (
    DISSIMILARITY,
    GAP,
    ITERATES,
    MAX_STALENESS,
    MEAN_WORST,
    NOISE,
    PAPER,
    SMOOTH,
    STEPS,
)
from fltheory.papers.mifa.printed import located
from fltheory.papers.mifa.statements.best import (
    FIXED,
    MORE_STEPS,
    NOISE_TIMES_AGE,
    PAGE,
    ROUND_STEP,
    RUN,
    best,
)
from fltheory.papers.mifa.statements.nonconvex import BETA, LETTERS, SLOPE

_R = sympy.Rational
MEAN_SQUARE = letter("mean_squared_gradient_of_models", nonnegative=True)
MODELS = {"mean_squared_gradient_of_models": "(1/T) sum E|grad f(w_t)|^2, mean over t <= T"}

THEOREM_M6 = (
    _R(103, 20) * GAP / (ROUND_STEP * ITERATES)
    + 17 * ROUND_STEP * SMOOTH * NOISE_TIMES_AGE
    + _R(46, 5) * ROUND_STEP**2 * SMOOTH**2 * (MORE_STEPS**2 * BETA + MORE_STEPS * NOISE**2 / STEPS)
)
THEOREM_M6_ONE_STEP = 4 * GAP / (ROUND_STEP * ITERATES) + 7 * ROUND_STEP * SMOOTH * NOISE_TIMES_AGE
"""For one local step, K = 1."""
CONDITION_I = sympy.Le(4 * ROUND_STEP * SMOOTH, 1)
CONDITION_II = sympy.Le(8 * ROUND_STEP**2 * SMOOTH**2 * MAX_STALENESS**2, 1)
CONDITION_III = sympy.Le(32 * SLOPE * ROUND_STEP**2 * SMOOTH**2 * (1 + MEAN_WORST), 1)
CONDITION_ONE_STEP = sympy.Eq(STEPS, 1, evaluate=False)

SHORT = formula_assumption("mifa.i", "(i) 4 h L <= 1", CONDITION_I)
SHORT_STALE = formula_assumption("mifa.ii", "(ii) 8 h^2 L^2 tau_max^2 <= 1", CONDITION_II)
SHORT_ALIKE = formula_assumption(
    "mifa.iii", "(iii) 32 alpha h^2 L^2 (1 + nubar) <= 1", CONDITION_III
)
ONE_STEP = formula_assumption("mifa.one-step", "K = 1", CONDITION_ONE_STEP)

CALLS = letter("gradient_calls", integer=True, positive=True)
HARD = letter("hard_squared_gradient", nonnegative=True)
LOWER_BOUND_6 = _R(3, 25000) * sympy.sqrt(SMOOTH * GAP * NOISE**2 / CALLS)
CONDITION_CALLS = (
    sympy.Le(NOISE**2, CALLS * SMOOTH * GAP),
    sympy.Le(SMOOTH * GAP, CALLS * NOISE**2),
)
ENOUGH_CALLS = formula_assumption(
    "mifa.calls",
    "m >= max(sigma^2/(L (f(w_0) - f*)), L (f(w_0) - f*)/sigma^2)",
    *CONDITION_CALLS,
)

CLAIMS = located(
    best(
        "thm6.1.best",
        "Theorem 6.1, best form known",
        "On smooth losses with a constant step size, the mean squared gradient of MIFA's models is"
        " at most the initial gap over h T, (2 taubar + 1) times the noise, and the local drift.",
        MEAN_SQUARE,
        THEOREM_M6,
        assumes=(*RUN, DISSIMILARITY, FIXED, SHORT, SHORT_STALE, SHORT_ALIKE),
        section="theorem-61",
        corrects="mifa.thm6.1",
        to_cite=True,
        note=(
            "The form to cite: Assumptions 5 and 6 (Hessian, bounded noise) and the whole term A4"
            " are not needed."
        ),
        trivial=2 * SMOOTH * GAP,
        **MODELS,
        dissimilarity_offset=LETTERS["dissimilarity_offset"],
    ),
    best(
        "thm6.1.best.one_step",
        "Theorem 6.1, best form known, one local step",
        "With one local step the same holds with the constants 4 and 7, without any assumption on"
        " how the clients differ.",
        MEAN_SQUARE,
        THEOREM_M6_ONE_STEP,
        assumes=(*RUN, FIXED, ONE_STEP, SHORT, SHORT_STALE),
        section="theorem-61",
        corrects="mifa.thm6.1",
        to_cite=True,
        note="The form to cite for one local step.",
        trivial=2 * SMOOTH * GAP,
        **MODELS,
    ),
    Claim(
        id="mifa.prop6.1.corrected",
        source=Source(PAPER, "Proposition 6.1, by the number of gradients", kind=Authorship.OURS),
        says=(
            "For every zero-respecting algorithm that calls m stochastic gradients there is a"
            " smooth problem on which its squared mean gradient norm is at least 1.2e-4 sqrt(L (f -"
            " f*) sigma^2/m)."
        ),
        statement=LowerBound(HARD, LOWER_BOUND_6),
        assumes=(ENOUGH_CALLS,),
        where={
            "gradient_calls": "m: stochastic gradients called, K times the sum of |A(t)|",
            "hard_squared_gradient": (
                "square of the largest precision eps that the chain of m calls does not reach"
            ),
        },
        corrects="mifa.prop6.1.every",
        note=(
            "The proof cites four facts about the chain of Carmon et al.; its Hessian constant and"
            " its noise grow with m, so it says nothing about Theorem 6.1 with fixed rho and"
            " delta. It is the match of thm6.1.best.one_step."
        ),
        proof=f"{PAGE}#lower-bounds",
    ),
)
