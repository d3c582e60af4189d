"""Theorem 4: FedLaAvg with C local steps per round; here num_rounds is the paper's R."""

import sympy

from fltheory.claims.claim import Assumption, Claim, Identity, Order, Severity, UpperBound, letter
from fltheory.papers.fedlaavg.paper import (
    BETA,
    GAMMA,
    GENERAL,
    MEAN_SQUARED,
    ROUND_WORDS,
    SELECTION,
    SERVER_WORDS,
    SHARE_WORDS,
    SIGMA,
    STALENESS_WORDS,
    STEP_BELOW_HALF,
    STEP_UP_TO_QUARTER,
    B,
    C,
    E,
    G,
    I,
    L,
    N,
    T,
    corrected,
    printed,
)
from fltheory.papers.fedlaavg.statements.corollary1 import SCALE, TAIL
from fltheory.papers.fedlaavg.statements.steps import WORDS, X, summed

END = X["mean_squared_end_gradient"]
STEPS_SQUARED = (GAMMA * C * L * G) ** 2
BOUND = (
    4 * GAMMA * SIGMA**2 * L / N
    + 2 * GAMMA * I * C * L * (G**2 + SIGMA**2) / sympy.sqrt(N)
    + (2 * I**2 / (1 - 2 * GAMMA * L) + 4 * I**2 + 4 * I + 2) * STEPS_SQUARED
    + 4 * B / (GAMMA * T * C)
)
STEP_SIZE = sympy.sqrt(BETA) * N ** sympy.Rational(1, 4) / (2 * L * C * sympy.sqrt(E * T))
TERMS = (
    2 * sympy.sqrt(BETA) * SIGMA**2 / (C * sympy.sqrt(E * T) * N ** sympy.Rational(3, 4))
    + I * sympy.sqrt(BETA) * (G**2 + SIGMA**2) / (sympy.sqrt(E * T) * N ** sympy.Rational(1, 4))
    + (4 * I**2 + 2 * I + 1) * BETA * sympy.sqrt(N) * G**2 / (2 * E * T)
    + 8 * L * B * SCALE
)
SHORT = (
    GAMMA * I * C * L * (G**2 + SIGMA**2) / sympy.sqrt(N)
    + I**2 * STEPS_SQUARED / (1 - 2 * GAMMA * L)
    + B / (GAMMA * T * C)
)
RATE = SCALE * (G**2 + SIGMA**2 + L * B)
PRINTED_RATE = (sympy.sqrt(E) * (G**2 + SIGMA**2) + B * L) / (
    sympy.sqrt(BETA * T) * N ** sympy.Rational(1, 4)
)

ASSUMES = (*GENERAL, STEP_BELOW_HALF)
RATE_STEP = Assumption(
    "fedlaavg.thm4.step",
    "gamma = beta^(1/2) N^(1/4)/(2 L C E^(1/2) R^(1/2)).",
    lambda scenario: None,
)
LONG = Assumption("fedlaavg.thm4.long", "R >= E N^(3/2)/beta.", lambda scenario: None)
AT_RATE = (*GENERAL, SELECTION, RATE_STEP, STEP_UP_TO_QUARTER)

CLAIMS = (
    Claim(
        id="fedlaavg.thm4",
        source=printed(
            "Theorem 4, eq. (52)",
            "(1/R) sum E|grad f(x^{rC-1})|^2 <= 4 gamma sigma^2 L/N + 2 gamma ICL(G^2 + "
            "sigma^2)/sqrt N + (2I^2/(1 - 2 gamma L) + 4I^2 + 4I + 2) gamma^2 C^2 L^2 G^2 + "
            "(4/(gamma RC))(E f(x^0) - E f(x*))",
        ),
        says=(
            "With C local steps, the mean squared gradient at the models x^{rC-1} is bounded by"
            " noise, staleness, drift and the loss gap."
        ),
        statement=UpperBound(END, BOUND),
        where=WORDS | ROUND_WORDS,
        assumes=ASSUMES,
        note=(
            "Eq. (52) is the theorem with its constants. Of the two orders that it displays the"
            " first is true (fedlaavg.thm4.rate), and the second has lost a factor sqrt(E)"
            " (fedlaavg.eq55, fedlaavg.eq55.corrected)."
            " Its proof rests on eq. (46), which is false; another proof gives the same bound."
            " x^{rC-1} is a model of the proof only for C > 1: for the server's models cite"
            " fedlaavg.thm4.server, for linear speedup fedlaavg.thm4star."
        ),
        proof="docs/proofs/fedlaavg.md#theorem-4",
    ),
    Claim(
        id="fedlaavg.thm4.server",
        source=corrected("Theorem 4, eq. (52), for the server's own models"),
        says=(
            "The bound of Theorem 4 also holds for the models x^{(r-1)C} that the server holds"
            " before each round."
        ),
        statement=UpperBound(MEAN_SQUARED, BOUND),
        where=STALENESS_WORDS | SERVER_WORDS,
        assumes=ASSUMES,
        about=("fedlaavg",),
        to_cite=True,
        note="The form to cite of eq. (52): x^{rC-1} is a model of the proof only, for C > 1.",
        proof="docs/proofs/fedlaavg.md#theorem-4",
    ),
    Claim(
        id="fedlaavg.thm4.chain",
        source=printed(
            "From eq. (50) and (51) to eq. (52)",
            "sum (51), divide by R, substitute (50)",
        ),
        says=(
            "The arithmetic is right: the bound of Theorem 4 is twice that of eq. (50) plus twice"
            " the staleness term of eq. (51)."
        ),
        statement=Identity(BOUND, 2 * summed(C, I * C).right + 2 * (I + 1) ** 2 * STEPS_SQUARED),
        where=STALENESS_WORDS | ROUND_WORDS,
        note="Eq. (50) itself is false (fedlaavg.eq50); the theorem holds by another proof.",
    ),
    Claim(
        id="fedlaavg.thm4.rate",
        source=printed(
            "Theorem 4, eq. (54)",
            "gamma = beta^(1/2) N^(1/4)/(2LC E^(1/2) R^(1/2)) <= 1/(4L): O(E^(1/2)(G^2 + sigma^2 "
            "+ BL)/(beta^(1/2) N^(1/4) R^(1/2)) + E G^2 N^(1/2)/(beta R))",
        ),
        says=(
            "With step size sqrt(beta) N^(1/4)/(2LC sqrt(E R)), the mean squared gradient is of"
            " order sqrt(E)/(N^(1/4) sqrt R) plus 1/R."
        ),
        statement=Order(END, RATE + TAIL),
        where=WORDS | SHARE_WORDS | ROUND_WORDS,
        assumes=AT_RATE,
    ),
    Claim(
        id="fedlaavg.thm4.explicit",
        source=corrected("Theorem 4 at its step size, term by term"),
        says=(
            "At Theorem 4's step size, if it is at most 1/(4L), its bound is at most four terms of"
            " which only the variance term depends on C."
        ),
        statement=UpperBound(letter("bound_at_step_size"), TERMS),
        where={"bound_at_step_size": "the bound of Theorem 4 at the given step size"}
        | STALENESS_WORDS
        | SHARE_WORDS
        | ROUND_WORDS,
    ),
    Claim(
        id="fedlaavg.thm4.eq53",
        source=printed(
            "Eq. (53)",
            "(1/R) sum E|grad f(x^{rC-1})|^2 = O(gamma ICL(G^2 + sigma^2)/sqrt N + I^2 gamma^2 "
            "C^2 L^2 G^2/(1 - 2 gamma L) + B/(gamma RC))",
        ),
        says=(
            "The bound of Theorem 4 keeps its order without the variance term and the terms of"
            " lower degree in I."
        ),
        statement=Order(END, SHORT),
        where=WORDS | ROUND_WORDS,
        assumes=ASSUMES,
        note="False for full participation (I = 0), where noise and client drift remain.",
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        id="fedlaavg.thm4.eq53.corrected",
        source=corrected("Eq. (53) with the variance term and (I + 1)^2 for I^2"),
        says="Theorem 4 in order form needs the variance term, and I + 1 for I in the drift term.",
        statement=Order(END, SHORT + GAMMA * SIGMA**2 * L / N + (I + 1) ** 2 * STEPS_SQUARED),
        where=WORDS | ROUND_WORDS,
        assumes=ASSUMES,
        corrects="fedlaavg.thm4.eq53",
    ),
    Claim(
        id="fedlaavg.eq55",
        source=printed(
            "Theorem 4, second display, and eq. (55)",
            "R > E N^(3/2)/beta: O((E^(1/2)(G^2 + sigma^2) + BL)/(beta^(1/2) N^(1/4) R^(1/2)))",
        ),
        says=(
            "From R = E N^(3/2)/beta on, the mean squared gradient is of order (sqrt(E) (G^2 +"
            " sigma^2) + B L)/(sqrt(beta R) N^(1/4))."
        ),
        statement=Order(END, PRINTED_RATE),
        where=WORDS | SHARE_WORDS | ROUND_WORDS,
        assumes=(*AT_RATE, LONG),
        note="The factor E^(1/2) of B L is lost on the way from eq. (54).",
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.eq55.corrected",
        source=corrected("Eq. (55) with E^(1/2) (G^2 + sigma^2 + B L)"),
        says=(
            "From R = E N^(3/2)/beta on, the mean squared gradient is of order sqrt(E) (G^2 +"
            " sigma^2 + B L)/(sqrt(beta R) N^(1/4))."
        ),
        statement=Order(END, RATE),
        where=WORDS | SHARE_WORDS | ROUND_WORDS,
        assumes=(*AT_RATE, LONG),
        corrects="fedlaavg.eq55",
    ),
)
