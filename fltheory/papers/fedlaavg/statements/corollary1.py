"""Corollary 1: Theorem 3 at a step size that balances its terms, and the number of rounds that the
speedup needs."""

import sympy

from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    LowerBound,
    Order,
    Severity,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.papers.fedlaavg.paper import (
    BETA,
    GAMMA,
    GENERAL,
    LEMMA_1,
    MEAN_SQUARED,
    ONE_STEP,
    SELECTION,
    SHARE_WORDS,
    SIGMA,
    STALENESS_WORDS,
    STEP_UP_TO_QUARTER,
    B,
    E,
    G,
    I,
    K,
    L,
    N,
    T,
    corrected,
    printed,
)
from fltheory.papers.fedlaavg.statements.theorem3 import ASSUMES, AT_STEP, C_SQUARED, SMALL

STEP_SIZE = sympy.sqrt(BETA) * N ** sympy.Rational(1, 4) / (2 * L * sympy.sqrt(E * T))
SCALE = sympy.sqrt(E) / (sympy.sqrt(BETA) * N ** sympy.Rational(1, 4) * sympy.sqrt(T))
TAIL = E * G**2 * sympy.sqrt(N) / (T * BETA)
EXPLICIT = (
    SCALE * (2 * (G**2 + SIGMA**2) + 8 * L * B + 2 * BETA * SIGMA**2 / (sympy.sqrt(N) * E))
    + 8 * TAIL
)
SHORT = (
    GAMMA * I * L * (G**2 + SIGMA**2) / sympy.sqrt(N)
    + C_SQUARED / (1 - 2 * GAMMA * L)
    + B / (GAMMA * T)
)

RATE_STEP = Assumption(
    "fedlaavg.cor1.step",
    "gamma = beta^(1/2) N^(1/4)/(2 L E^(1/2) T^(1/2)).",
    lambda scenario: None,
)
LONG = Assumption("fedlaavg.cor1.long", "T >= E N^(3/2)/beta.", lambda scenario: None)
"""E and beta are those of availability and selection, of which a trace tells the outcome alone."""

COROLLARY = (*GENERAL, SELECTION, ONE_STEP, RATE_STEP, STEP_UP_TO_QUARTER)

CLAIMS = (
    Claim(
        id="fedlaavg.cor1",
        source=printed(
            "Corollary 1",
            "gamma = beta^(1/2) N^(1/4)/(2 L E^(1/2) T^(1/2)) <= 1/(4L): O(E^(1/2)(G^2 + sigma^2 "
            "+ LB)/(N^(1/4) T^(1/2) beta^(1/2)) + E G^2 N^(1/2)/(T beta))",
        ),
        says=(
            "With step size sqrt(beta) N^(1/4)/(2 L sqrt(E T)), the mean squared gradient is of"
            " order sqrt(E)/(N^(1/4) sqrt T) plus 1/T."
        ),
        statement=Order(MEAN_SQUARED, SCALE * (G**2 + SIGMA**2 + L * B) + TAIL),
        where=SHARE_WORDS,
        assumes=COROLLARY,
        note=(
            "The second display, from T = E N^(3/2)/beta on, is fedlaavg.cor1.speedup, true as"
            " well; with linear speedup in N: fedlaavg.cor1star."
        ),
        proof="docs/proofs/fedlaavg.md#theorem-3",
    ),
    Claim(
        id="fedlaavg.cor1.explicit",
        source=corrected("Corollary 1 with constants"),
        says=(
            "At Corollary 1's step size, if it is at most 1/(4L) and I <= 2E/beta, Theorem 3's"
            " bound is at most the corollary's terms with constants 2, 8, 2 and 8."
        ),
        statement=UpperBound(letter("bound_at_step_size"), EXPLICIT),
        where=AT_STEP | SHARE_WORDS,
        special_cases=(SpecialCase("N=4, K=2, E=2, T=10^4", SMALL, "0.163731"),),
        proof="docs/proofs/fedlaavg.md#theorem-3",
    ),
    Claim(
        id="fedlaavg.cor1.threshold",
        source=printed(
            "Corollary 1: T >= E N^(3/2)/beta",
            "when T >= E N^(3/2)/beta, the second term is dropped",
        ),
        says=(
            "From T = E N^(3/2)/beta rounds on, the second term of Corollary 1 is at most the G^2"
            " part of the first."
        ),
        statement=UpperBound(TAIL, SCALE * G**2),
        where=SHARE_WORDS,
    ),
    Claim(
        id="fedlaavg.cor1.rounds",
        source=corrected("Corollary 1, the number of rounds that its speedup needs"),
        says=(
            "The second term of Corollary 1 equals the G^2 part of the first at exactly T = E"
            " N^(3/2)/beta rounds."
        ),
        statement=Identity(
            letter("balancing_rounds", positive=True), E * N ** sympy.Rational(3, 2) / BETA
        ),
        where=SHARE_WORDS
        | {"balancing_rounds": "T at which the second term equals the G^2 part of the first"},
        special_cases=(
            SpecialCase(
                "the paper's experiments",
                {"availability_window": 101, "num_clients": 1000, "participation_share": "1/10"},
                "31939004.368",
            ),
        ),
    ),
    Claim(
        id="fedlaavg.cor1.speedup",
        source=printed(
            "Corollary 1, sublinear speedup, eq. (36)",
            "T >= E N^(3/2)/beta: O(E^(1/2)(G^2 + sigma^2 + LB)/(N^(1/4) T^(1/2) beta^(1/2))) = "
            "O(E^(1/2)/(N^(1/4) T^(1/2)))",
        ),
        says=(
            "From T = E N^(3/2)/beta rounds on, the mean squared gradient is of order"
            " E^(1/2)/(N^(1/4) T^(1/2))."
        ),
        statement=Order(MEAN_SQUARED, SCALE * (G**2 + SIGMA**2 + L * B)),
        where=SHARE_WORDS,
        assumes=(*COROLLARY, LONG),
        proof="docs/proofs/fedlaavg.md#theorem-3",
    ),
    Claim(
        id="fedlaavg.cor1.eq34",
        source=printed(
            "Eq. (34)",
            "(1/T) sum E|grad f(x^{t-1})|^2 = O(gamma I L(G^2 + sigma^2)/sqrt N + gamma^2 I^2 "
            "L^2 G^2/(1 - 2 gamma L) + B/(gamma T))",
        ),
        says=(
            "The bound of Theorem 3 keeps its order when the variance term 4 gamma sigma^2 L/N is"
            " dropped."
        ),
        statement=Order(MEAN_SQUARED, SHORT),
        where=STALENESS_WORDS,
        assumes=ASSUMES,
        note=(
            "True for I >= 1; false for full participation, where nothing else accounts for the"
            " noise. Eq. (35) is not affected."
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        id="fedlaavg.cor1.eq34.corrected",
        source=corrected("Eq. (34) with the variance term"),
        says="Theorem 3 in order form needs the variance term gamma sigma^2 L/N.",
        statement=Order(MEAN_SQUARED, SHORT + GAMMA * SIGMA**2 * L / N),
        where=STALENESS_WORDS,
        assumes=ASSUMES,
        corrects="fedlaavg.cor1.eq34",
    ),
    Claim(
        id="fedlaavg.cor1.staleness",
        source=printed(
            "Proof of Corollary 1: from Lemma 1, I = ceil(N/K) E",
            "from Lemma 1, I = ceil(N/K) E = O(E/beta)",
        ),
        says="The staleness bound of Lemma 1 is ceil(N/K) E.",
        statement=Identity(letter("reached_staleness", integer=True), sympy.ceiling(N / K) * E),
        where={
            "reached_staleness": "largest staleness that is reached over all availability and ties"
        },
        note="A slip without consequences: it is ceil(N/K) E - 1.",
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.cor1.order",
        source=printed(
            "Proof of Corollary 1: I = O(E/beta)",
            "from Lemma 1, I = ceil(N/K) E = O(E/beta)",
        ),
        says="Lemma 1's staleness bound is at most 2 E/beta.",
        statement=UpperBound(LEMMA_1, 2 * E * N / K),
        where={},
    ),
    Claim(
        id="fedlaavg.cor1.half",
        source=printed(
            "Proof of Corollary 1: 1 - 2 gamma L > 1/2",
            "gamma <= 1/(4L), and thus 1 - 2 gamma L > 1/2",
        ),
        says="For step sizes up to 1/(4L) the factor 1 - 2 gamma L is at least one half.",
        statement=LowerBound(1 - 2 * GAMMA * L, sympy.Rational(1, 2)),
        where={},
        note="The paper writes > where = is possible, at gamma = 1/(4L).",
    ),
)
