"""Corollaries 2 and 3 with constants and the horizons that their step sizes need: Theorems 3*
and 4* at the printed step sizes."""

import sympy

from fltheory.claims.claim import Assumption, Claim, Order, UpperBound, letter
from fltheory.claims.scenario import Scenario
from fltheory.papers.afl.paper import (
    AGE,
    APART,
    ERROR,
    FEWEST,
    GAP,
    LOCAL,
    NOISE,
    PER_ROUND,
    SERVER,
    WHERE,
    K,
    L,
    M,
    T,
    in_full,
    read,
    repaired,
    step_sizes,
)
from fltheory.papers.afl.statements.best_bounds import OURS, PROOF_PAGE
from fltheory.papers.afl.statements.error_ball import RATE
from fltheory.papers.afl.statements.memory import REMEMBERED, memory_ages
from fltheory.papers.afl.statements.speedup import RATE3
from fltheory.papers.afl.statements.uniform_arrivals import FIXED_WORK, LONG, UNIFORM

MOVED = (K - 1) * L**2 / T
COROLLARY2 = (
    (4 * GAP + sympy.Rational(15, 2) * L * NOISE**2) / sympy.sqrt(PER_ROUND * T)
    + sympy.Rational(45, 2)
    * L
    * (M - PER_ROUND)
    / (sympy.Max(M - 1, 1) * sympy.sqrt(PER_ROUND * T))
    * APART**2
    + sympy.Rational(40, 3) * MOVED * NOISE**2
    + sympy.Rational(80, 9) * MOVED * (2 * K - 1) * APART**2
)
COROLLARY3 = (
    (4 * GAP + 7 * L * (AGE + 1) * NOISE**2 / FEWEST) / sympy.sqrt(M * T)
    + 8 * MOVED * NOISE**2
    + sympy.Rational(16, 3) * MOVED * (2 * K - 1) * APART**2
)


def _long_with_memory(scenario: Scenario) -> bool:
    smoothness, _, _, steps, _ = step_sizes(scenario)
    rounds, age = scenario.trace.num_rounds, memory_ages(scenario)[1] + 1
    drift = steps == 1 or 12 * (steps * smoothness) ** 2 * age <= rounds
    return bool(drift and 16 * smoothness**2 * scenario.trace.num_clients * age**2 <= rounds)


LEADING, FRESH_BOUND = letter("leading_term"), letter("bound_with_fresh_memory")
RATES = WHERE | {
    "leading_term": "leading term of afl.cor2.explicit for large T, a bound on AFA-CD's error",
    "bound_with_fresh_memory": "right side of afl.cor3.explicit at tau = 0 and K = 1",
}

RATE_STEPS3 = sympy.And(sympy.Eq(LOCAL, 1 / sympy.sqrt(T)), sympy.Eq(SERVER, sympy.sqrt(M)))
LONG_DRIFT3 = sympy.Or(sympy.Eq(K, 1), 12 * K**2 * L**2 * (AGE + 1) <= T)
LONG_STEP3 = 16 * L**2 * M * (AGE + 1) ** 2 <= T
"""The assumptions below, as relations between expressions."""

LONG3 = Assumption(
    "afl.cor3.horizon",
    "T is at least 16 L^2 M (tau + 1)^2, and at least 12 K^2 L^2 (tau + 1) unless K = 1",
    _long_with_memory,
)

CLAIMS = (
    Claim(
        "afl.cor2.explicit",
        repaired("Corollary 2"),
        "Under uniform arrivals, with eta_L = 1/sqrt(T) and eta = sqrt(m), from T = 36 L^2 m (tau +"
        " 1)^2 and 20 K^2 L^2 (tau + 1) on, AFA-CD's mean squared gradient is at most constants"
        " times 1/sqrt(mT) plus constants times K^2/T; no term in tau remains.",
        UpperBound(ERROR, COROLLARY2),
        assumes=(*OURS, *in_full(UNIFORM, FIXED_WORK), RATE, *in_full(LONG)),
        where=WHERE,
        corrects="afl.cor2",
        to_cite=True,
        note="Theorem 3* at the corollary's step sizes: it implies the printed order.",
        proof=f"{PROOF_PAGE}#theorem-3-star",
    ),
    Claim(
        "afl.cor3.explicit",
        repaired("Corollary 3"),
        "With eta_L = 1/sqrt(T) and eta = sqrt(M), from T = 16 L^2 M (tau + 1)^2 and 12 K^2 L^2"
        " (tau + 1) on, AFA-CS's mean squared gradient is at most (4 (f_0 - f*) + 7 L (tau + 1)"
        " sigma_L^2/K_min)/sqrt(MT) plus drift of the order K^2/T.",
        UpperBound(ERROR, COROLLARY3),
        assumes=(*OURS, *in_full(REMEMBERED), RATE3, LONG3),
        where=WHERE,
        corrects="afl.cor3",
        about=("afa-cs",),
        note=(
            "What is true at the printed step sizes: the printed order with tau + 1 times the"
            " noise. Cite afl.cor3star where the step size may be chosen."
        ),
        proof=f"{PROOF_PAGE}#theorem-4-star",
    ),
    Claim(
        "afl.rem4.faster",
        read(
            "Remark 4, comparison with Yang et al. 2021",
            "The bound on AFA-CD is smaller in order than sqrt(K)/sqrt(mT), for large T.",
            "In the bound sigma_L^2/m does not shrink with K, so against 1/sqrt(mKT), the rate of"
            " SGD with as many samples, it is slower by sqrt(K).",
        ),
        "For large T the bound on AFA-CD is O(1/sqrt(mT)), whatever K is, and so smaller in order"
        " than O(sqrt(K)/sqrt(mT)).",
        Order(
            LEADING,
            sympy.sqrt(K) / sympy.sqrt(PER_ROUND * T),
            hides="L, sigma_L, sigma_G and f_0 - f*",
        ),
        where=RATES,
        note=(
            "What the cited papers prove is not checked here. From T of the order K^4 m on the term"
            " in K^2/T is the smaller one."
        ),
    ),
    Claim(
        "afl.rem7.rate",
        read(
            "Remark 7, comparison with LASG",
            "In the setting that the remark names, K = 1 and tau = 0: every entry of the memory is"
            " fresh. There is noise, for without it the order 1/sqrt(T) is not needed.",
            "With lazy workers the noise is tau + 1 times as large (afl.cor3.explicit); if one of M"
            " arrives per round, nothing is gained in M (afl.rem7).",
        ),
        "With K = 1 and tau = 0 the bound on AFA-CS is O(1/sqrt(MT)).",
        Order(FRESH_BOUND, 1 / sympy.sqrt(M * T), hides="L, sigma_L and f_0 - f*"),
        where=RATES,
    ),
)
