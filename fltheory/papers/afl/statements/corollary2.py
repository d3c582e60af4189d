"""Corollary 2 and Remark 4: Theorem 3 at the printed step sizes (Sec. 4.1)."""

import sympy

from fltheory.claims.claim import Claim, Identity, Order
from fltheory.papers.afl.paper import (
    APART,
    DELAY,
    ERROR,
    GAP,
    NOISE,
    PER_ROUND,
    SETTING,
    K,
    L,
    T,
    printed,
    read,
    repaired,
)
from fltheory.papers.afl.statements.error_ball import RATE
from fltheory.papers.afl.statements.uniform_arrivals import (
    AFA,
    BOUND,
    COROLLARY2_G,
    COROLLARY2_L,
    FEDAVG,
    FIXED_WORK,
    LEADING,
    LONG,
    PLACES,
    RATIO,
    ROOT,
    UNIFORM,
)

CLAIMS = (
    Claim(
        "afl.cor2",
        printed(
            "Corollary 2",
            "eta_L = 1/sqrt(T), eta = sqrt(m): O(1/(m^(1/2) T^(1/2))) + O(tau^2/T) + O(K^2/T) + "
            "O(K^2/(m^(1/2) T^(3/2))) + O(K^2 tau^2/T^2)",
        ),
        "With eta_L = 1/sqrt(T) and eta = sqrt(m) the rate is "
        "O(1/sqrt(mT)) + O(tau^2/T) + O(K^2/T) + O(K^2/(sqrt(m) T^(3/2))) + O(K^2 tau^2/T^2), for"
        " fixed L, sigma_L, sigma_G and f_0 - f*.",
        Order(
            ERROR,
            1 / sympy.sqrt(PER_ROUND * T)
            + DELAY**2 / T
            + K**2 / T
            + K**2 / (ROOT * T ** sympy.Rational(3, 2))
            + K**2 * DELAY**2 / T**2,
            hides="L, sigma_L, sigma_G and f_0 - f*",
        ),
        assumes=(*SETTING, UNIFORM, FIXED_WORK, RATE, LONG),
        where=PLACES,
        note=(
            "It follows from afl.thm3star, not from eq. (3), which is false as printed; the T from"
            " which on it holds is not stated. With constants: afl.cor2.explicit."
        ),
    ),
    Claim(
        "afl.cor2.substituted",
        repaired("Corollary 2"),
        "Putting the corollary's step sizes into eq. (3) gives these explicit constants.",
        Identity(
            BOUND,
            4 * GAP / (ROOT * sympy.sqrt(T))
            + 4 * COROLLARY2_L * NOISE**2
            + 4 * COROLLARY2_G * APART**2,
        ),
        where=PLACES,
    ),
    Claim(
        "afl.rem4",
        printed(
            "Remark 4",
            "this rate does not depend on tau and K after sufficiently many rounds T",
        ),
        "As T grows the leading term of the rate depends neither on K nor on tau.",
        Identity(
            LEADING,
            4 * GAP
            + sympy.Rational(15, 2) * L * NOISE**2
            + sympy.Rational(45, 2) * L * RATIO * APART**2,
        ),
        where=PLACES,
        note=(
            "The algorithm AsySG-con that it names is of Lian et al. 2015; the paper cites their"
            " work of 2018."
        ),
    ),
    Claim(
        "afl.rem4.fedavg",
        read(
            "Remark 4",
            '"Becomes the generalized FedAvg with two-sided learning rates" lets the two server'
            " step sizes differ: AFA-CD's is K times FedAvg's, because it averages over the local"
            " steps.",
            "With the same two step sizes the two differ as soon as K >= 2.",
        ),
        "With tau = 0 and K local steps everywhere AFA-CD with K times the server step size is"
        " FedAvg with two-sided step sizes.",
        Identity(AFA, FEDAVG),
        where=PLACES,
    ),
)
