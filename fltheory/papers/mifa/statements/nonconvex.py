"""Section 6: Theorem 6.1 with its step size and thresholds, Remark 6.1, and the rate quoted in the
related work."""

import sympy

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    Order,
    Source,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.claims.condition import formula_assumption
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    ABSENCES,
    BOUNDED_NOISE,
    CLIENTS,
    CONSTANT_STEP,
    DISSIMILARITY,
    FIRST_ROUND,
    FRESH_NOISE,
    GAP,
    ITERATES,
    LONG_ENOUGH,
    MAX_STALENESS,
    MEAN_WORST,
    MIFA_RUN,
    NOISE,
    OBLIVIOUS,
    PAPER,
    QUADRATIC_CLIENTS,
    SAMPLES,
    SMOOTH,
    SMOOTHNESS,
    STEPS,
)
from fltheory.papers.mifa.printed import located

SLOPE, BETA = (
    letter("dissimilarity_slope", positive=True),
    letter("dissimilarity_offset", positive=True),
)
BEND, BOUND = (
    letter("hessian_smoothness", nonnegative=True),
    letter("noise_bound", nonnegative=True),
)
LETTERS = {
    "dissimilarity_slope": "alpha of |grad f_i|^2 <= alpha |grad f|^2 + beta_i",
    "dissimilarity_offset": "beta, mean of the beta_i",
    "hessian_smoothness": "rho, Lipschitz constant of every client's Hessian",
    "noise_bound": "delta, bound on the noise of a gradient",
    "max_staleness": "nu_max, the largest of the nu_i",
}

STEP_SIZE = sympy.sqrt(CLIENTS / (STEPS * ITERATES * SMOOTH * (1 + MEAN_WORST)))
LEADING_RATE = sympy.sqrt((1 + MEAN_WORST) * SMOOTH / (ITERATES * STEPS * CLIENTS))
CURVED = SMOOTH**2 + BEND * BOUND
A4 = (
    CLIENTS
    * STEPS
    * SMOOTH
    * (
        SLOPE * NOISE**2 * MEAN_WORST
        + NOISE**2 * MAX_STALENESS / sympy.sqrt(STEPS * CLIENTS)
        + NOISE * MAX_STALENESS * sympy.sqrt(BETA)
    )
    + CURVED * NOISE**2 * MAX_STALENESS / SMOOTH
)
A5 = (STEPS - 1) * CLIENTS * SMOOTH * (BETA + NOISE**2 / STEPS) / (MEAN_WORST + 1)
BOUND_OF_THEOREM = LEADING_RATE * (GAP + NOISE**2) + (A4 + A5) / ITERATES
THRESHOLD = sympy.Max(
    32 * SLOPE * SMOOTH * CLIENTS * STEPS,
    16 * SMOOTH * CLIENTS * STEPS,
    8 * STEPS * CLIENTS * MAX_STALENESS**2 * CURVED / SMOOTH,
)

EFFORT = letter("effort", positive=True)
CONDITION_PRINTED_STEP = sympy.Eq(symbol("local_step_size"), STEP_SIZE)
CONDITION_PRINTED_HORIZON = sympy.Le(THRESHOLD, ITERATES)
CONDITION_HORIZON = sympy.Le(THRESHOLD.subs(BEND, 0), ITERATES)
LONG_RUN = formula_assumption(
    "mifa.long",
    "T >= max(32 alpha L N K, 16 L N K, 8 K N nu_max^2 L): the thresholds with rho = 0",
    CONDITION_HORIZON,
)
THEOREM_M6_PRINTED_STEP = (
    LEADING_RATE * (sympy.Rational(103, 20) * GAP + 34 * NOISE**2)
    + sympy.Rational(46, 5) * A5 / ITERATES
)
"""Right side of the best form known at the printed step size: 5.15, 34 and 9.2."""

SQUARED_GRADIENT = symbol("min_squared_gradient")
HYPOTHESES = (
    MIFA_RUN,
    SMOOTHNESS,
    FRESH_NOISE,
    QUADRATIC_CLIENTS,
    BOUNDED_NOISE,
    DISSIMILARITY,
    ABSENCES,
    FIRST_ROUND,
    CONSTANT_STEP,
    LONG_ENOUGH,
)
NEEDED = (MIFA_RUN, SMOOTHNESS, FRESH_NOISE, DISSIMILARITY, FIRST_ROUND, CONSTANT_STEP)
UNIT = {
    "num_clients": 4,
    "local_steps": 2,
    "smoothness": 1,
    "dissimilarity_slope": "1/2",
    "dissimilarity_offset": 1,
    "gradient_noise": 1,
    "noise_bound": 1,
    "hessian_smoothness": 1,
    "mean_client_max_staleness": 4,
    "max_staleness": 4,
    "num_rounds": 2047,
}

CLAIMS = located(
    Claim(
        id="mifa.thm6.1",
        source=Source(PAPER, "Theorem 6.1"),
        says=(
            "On smooth non-convex losses MIFA's smallest expected squared gradient is of order"
            " sqrt((1 + nubar) L/(T K N)) (f(w_1) - f* + sigma^2) plus terms of order 1/T."
        ),
        statement=Order(SQUARED_GRADIENT, BOUND_OF_THEOREM),
        assumes=(*HYPOTHESES, OBLIVIOUS, SAMPLES),
        where=LETTERS,
        note=(
            "With explicit constants and fewer terms: thm6.1.corrected, and better thm6.1.best. For"
            " availability that reacts to the noise see thm6.1.adaptive."
        ),
        proof="docs/proofs/mifa.md#theorem-61-with-its-own-step-size",
    ),
    Claim(
        id="mifa.thm6.1.corrected",
        source=Source(PAPER, "Theorem 6.1", kind=Authorship.OURS),
        says=(
            "If availability does not depend on the gradient noise, Theorem 6.1 holds with the"
            " constants 5.15, 34 and 9.2, without the term A4 and without Assumptions 5 and 6."
        ),
        statement=UpperBound(SQUARED_GRADIENT, THEOREM_M6_PRINTED_STEP),
        assumes=(*NEEDED, LONG_RUN, OBLIVIOUS, SAMPLES),
        where=LETTERS,
        corrects="mifa.thm6.1",
        note=(
            "A consequence of thm6.1.best at the printed step size; the thresholds are those of the"
            " paper with rho = 0. The paper's appendix with its constants is not at hand."
        ),
        proof="docs/proofs/mifa.md#theorem-61-with-its-own-step-size",
    ),
    Claim(
        id="mifa.thm6.1.balance",
        source=Source(PAPER, "Theorem 6.1, step size", kind=Authorship.OURS),
        says=(
            "The step size balances progress and noise: (f(w_1) - f*)/(eta K T) is the leading rate"
            " times the initial gap."
        ),
        statement=Identity(
            GAP / (symbol("local_step_size") * STEPS * ITERATES), LEADING_RATE * GAP
        ),
        special_cases=(
            SpecialCase(
                "leading rate at N = 4, K = 2, L = 1, nu = 4, T = 2048",
                UNIT | {"initial_loss_gap": 1},
                "0.017469",
            ),
        ),
    ),
    Claim(
        id="mifa.thm6.1.noise",
        source=Source(PAPER, "Theorem 6.1, step size", kind=Authorship.OURS),
        says=(
            "With that step size the noise term L eta sigma^2 (1 + nubar)/N is the leading rate"
            " times sigma^2."
        ),
        statement=Identity(
            SMOOTH * symbol("local_step_size") * NOISE**2 * (1 + MEAN_WORST) / CLIENTS,
            LEADING_RATE * NOISE**2,
        ),
    ),
    Claim(
        id="mifa.thm6.1.drift",
        source=Source(PAPER, "Theorem 6.1, A5", kind=Authorship.OURS),
        says=(
            "The term A5/T is the drift of the local steps, eta^2 L^2 K (K - 1)(beta + sigma^2/K)."
        ),
        statement=Identity(
            symbol("local_step_size") ** 2
            * SMOOTH**2
            * STEPS
            * (STEPS - 1)
            * (BETA + NOISE**2 / STEPS),
            A5 / ITERATES,
        ),
        where={"dissimilarity_offset": LETTERS["dissimilarity_offset"]},
        special_cases=(
            SpecialCase("A5/T at N = 4, K = 2, nu = 4, T = 2048", UNIT, "0.0005859375"),
        ),
    ),
    Claim(
        id="mifa.thm6.1.threshold",
        source=Source(PAPER, "Theorem 6.1, thresholds", kind=Authorship.OURS),
        says="The second threshold T >= 16 L N K means (eta K L)^2 <= 1/16, for every staleness.",
        statement=UpperBound(
            (symbol("local_step_size") * STEPS * SMOOTH) ** 2, sympy.Rational(1, 16)
        ),
    ),
    Claim(
        id="mifa.thm6.1.stale_threshold",
        source=Source(PAPER, "Theorem 6.1, thresholds", kind=Authorship.OURS),
        says=(
            "At the third threshold, eta^2 K^2 nu_max^2 (L^2 + rho delta) equals 1/(8 (1 + nubar))."
        ),
        statement=Identity(
            symbol("local_step_size") ** 2 * STEPS**2 * MAX_STALENESS**2 * CURVED,
            1 / (8 * (1 + MEAN_WORST)),
        ),
        where={
            name: LETTERS[name] for name in ("hessian_smoothness", "noise_bound", "max_staleness")
        },
    ),
    Claim(
        id="mifa.thm6.1.quadratic",
        source=Source(PAPER, "Theorem 6.1, quadratics without noise", kind=Authorship.OURS),
        says=(
            "On a quadratic without noise and staleness, R = T - 1 rounds leave a squared gradient"
            " of at most (T/R)/e times the leading term: 2 y e^(-2y) <= 1/e for y = eta K L R."
        ),
        statement=UpperBound(sympy.log(2 * EFFORT) + 1, 2 * EFFORT),
        where={
            "effort": (
                "y = eta K L (T - 1); the squared gradient is L^2 |w_1 - w*|^2 (1 - eta L)^(2 K (T"
                " - 1)), at most T/(T - 1) 2 y exp(-2 y) times the leading term"
            )
        },
    ),
    Claim(
        id="mifa.rem6.1",
        source=Source(PAPER, "Remark 6.1"),
        says=(
            "With everybody always active, Theorem 6.1 gives sqrt(L/(T K N)) (f(w_1) - f* +"
            " sigma^2) + (K-1) N L (beta + sigma^2/K)/T."
        ),
        statement=Identity(
            letter("bound_of_theorem"),
            sympy.sqrt(SMOOTH / (ITERATES * STEPS * CLIENTS)) * (GAP + NOISE**2)
            + (STEPS - 1) * CLIENTS * SMOOTH * (BETA + NOISE**2 / STEPS) / ITERATES,
        ),
        where={
            "bound_of_theorem": "right side of Theorem 6.1 with all nu_i = 0",
            "dissimilarity_offset": LETTERS["dissimilarity_offset"],
        },
        note="That this matches Theorem 1 of its reference [42] is not checked here.",
    ),
    Claim(
        id="mifa.related.rate",
        source=Source(PAPER, "Section 2, comparison with an independent work"),
        says=(
            "MIFA's smallest expected squared gradient is at most a constant times sqrt(nubar/(N K"
            " T)) sigma^2."
        ),
        statement=UpperBound(
            SQUARED_GRADIENT,
            letter("constant", positive=True)
            * sympy.sqrt(MEAN_WORST / (CLIENTS * STEPS * ITERATES))
            * NOISE**2,
        ),
        where={"constant": "whatever the rate hides"},
        note=(
            "A misprint: with everybody active the right side is 0. The introduction has nubar + 1,"
            " Theorem 6.1 also f(w_1) - f*."
        ),
    ),
    Claim(
        id="mifa.intro.nonconvex",
        source=Source(PAPER, "Section 1, contributions"),
        says=(
            "The rate sqrt((nubar + 1)/(N K T)) of the introduction is the leading term of Theorem"
            " 6.1 without its constants."
        ),
        statement=Identity(
            letter("leading_term"),
            sympy.sqrt((MEAN_WORST + 1) / (CLIENTS * STEPS))
            * sympy.sqrt(SMOOTH)
            * (GAP + NOISE**2),
        ),
        where={"leading_term": "limit of sqrt(T) times the bound of Theorem 6.1 as T grows"},
    ),
)
