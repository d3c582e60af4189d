"""Theorem 3 and Corollary 1: FedLaAvg on general smooth losses with bounded gradients."""

import sympy

from fltheory.claims.claim import (
    Claim,
    Identity,
    LowerBound,
    Severity,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.papers.fedlaavg.paper import (
    GAMMA,
    GENERAL,
    MEAN_SQUARED,
    ONE_STEP,
    SIGMA,
    STALENESS_WORDS,
    STEP_BELOW_HALF,
    STEP_UP_TO_HALF,
    WARM,
    B,
    G,
    I,
    L,
    N,
    T,
    corrected,
    printed,
    read,
)
from fltheory.papers.fedlaavg.statements.steps import ONE, summed

C_SQUARED = (GAMMA * I * L * G) ** 2
BOUND = (
    4 * GAMMA * SIGMA**2 * L / N
    + 2 * GAMMA * I * L * (G**2 + SIGMA**2) / sympy.sqrt(N)
    + 2 * C_SQUARED / (1 - 2 * GAMMA * L)
    + 4 * C_SQUARED
    + 4 * B / (GAMMA * T)
)
IMPROVED = (
    2 * B / (GAMMA * T)
    + GAMMA * I * L * (G**2 + SIGMA**2) / sympy.sqrt(N)
    + C_SQUARED
    + 2 * GAMMA * SIGMA**2 * L / N
)

ASSUMES = (*GENERAL, ONE_STEP, STEP_BELOW_HALF)
AT_STEP = {"bound_at_step_size": "the bound of Theorem 3 at the given step size"}

SMALL = {
    "num_clients": 4,
    "availability_window": 2,
    "num_rounds": 10**4,
    "participation_share": "1/2",
    "smoothness": 1,
    "gradient_bound": 1,
    "initial_loss_gap": 1,
    "gradient_noise": sympy.sqrt(2) / 2,
}
_PAPER = {
    "num_clients": 1000,
    "availability_window": 101,
    "participation_share": "1/10",
    "smoothness": 1,
    "gradient_bound": 1,
    "initial_loss_gap": 1,
    "gradient_noise": 1,
}


def _bound_at(says: str, values: dict[str, object], staleness: int, equals: str) -> SpecialCase:
    """Theorem 3's bound at Corollary 1's step size."""
    share, clients, window = (
        sympy.Rational(str(values[k]))
        for k in ("participation_share", "num_clients", "availability_window")
    )
    size = (
        sympy.sqrt(share)
        * clients ** sympy.Rational(1, 4)
        / (2 * sympy.sqrt(window * sympy.Integer(str(values["num_rounds"]))))
    )
    return SpecialCase(
        says, values | {"local_step_size": size, "staleness_bound": staleness}, equals
    )


CLAIMS = (
    Claim(
        id="fedlaavg.thm3",
        source=printed(
            "Theorem 3, eq. (33)",
            "(1/T) sum E|grad f(x^{t-1})|^2 <= 4 gamma sigma^2 L/N + 2 gamma I L(G^2 + "
            "sigma^2)/sqrt N + 2 gamma^2 I^2 L^2 G^2/(1 - 2 gamma L) + 4 gamma^2 I^2 L^2 G^2 + "
            "(4/(gamma T))(E f(x^0) - E f(x*))",
        ),
        says=(
            "FedLaAvg's mean squared gradient is bounded by noise, staleness and the initial loss"
            " gap over step size times rounds."
        ),
        statement=UpperBound(MEAN_SQUARED, BOUND),
        where=STALENESS_WORDS,
        assumes=ASSUMES,
        about=("fedlaavg",),
        special_cases=(
            _bound_at("N=4, K=2, E=2, T=10^4", SMALL, 3, "0.131491"),
            _bound_at(
                "the paper's N=1000, K=100, E=101, T=10^4",
                _PAPER | {"num_rounds": 10**4},
                1009,
                "5.35",
            ),
            _bound_at("the paper's setting, T=10^6", _PAPER | {"num_rounds": 10**6}, 1009, "0.104"),
            _bound_at(
                "the paper's setting, T=10^8", _PAPER | {"num_rounds": 10**8}, 1009, "0.00613"
            ),
        ),
        note=(
            "Printed for gamma <= 1/(2L), where it divides by zero: fedlaavg.thm3.boundary. The"
            " proof does not cover the rounds before all clients have taken part; the bound holds"
            " there too. Without the unstated hypothesis it is false: fedlaavg.thm3.adaptive. True,"
            " but fedlaavg.thm3star is better for small step sizes: linear speedup, no G after the"
            " start."
        ),
        proof="docs/proofs/fedlaavg.md#theorem-3",
    ),
    Claim(
        id="fedlaavg.thm3.adaptive",
        source=read(
            "Theorem 3 with Section 1: available clients may follow any time-varying distribution",
            (
                '"Any time-varying distribution" allows availability that reacts to the noise'
                " drawn so far."
            ),
            "Availability does not depend on the gradient noise: then it is fedlaavg.thm3.",
        ),
        says=(
            "The bound of Theorem 3 holds even if availability reacts to the gradient noise drawn"
            " so far."
        ),
        statement=UpperBound(MEAN_SQUARED, BOUND),
        where=STALENESS_WORDS,
        note=(
            "A client that skips one round after each positive noise keeps the positive noise in"
            " use twice as long."
        ),
        severity=Severity.READING,
    ),
    Claim(
        id="fedlaavg.thm3.chain",
        source=printed(
            "From eq. (31) and (32) to eq. (33)",
            "sum (32) over t, divide by T, substitute (31)",
        ),
        says=(
            "The bound of Theorem 3 is twice that of eq. (31) plus twice the staleness term of eq."
            " (32)."
        ),
        statement=Identity(BOUND, 2 * summed(ONE, I).right + 2 * C_SQUARED),
        where=STALENESS_WORDS,
    ),
    Claim(
        id="fedlaavg.thm3.boundary",
        source=printed(
            "Theorem 3: gamma <= 1/(2L)",
            "by setting gamma <= 1/(2L), with 2 gamma^2 I^2 L^2 G^2/(1 - 2 gamma L) in the bound",
        ),
        says=(
            "For every step size that Theorem 3 allows there is a number that the bound can use for"
            " 1/(1 - 2 gamma L)."
        ),
        statement=Identity(letter("factor") * (1 - 2 * GAMMA * L), ONE),
        where={"factor": "what stands for 1/(1 - 2 gamma L) in the bound"},
        note=(
            "Not at gamma = 1/(2L), where the bound is infinite, or 0/0 for I = 0: the step size"
            " must be below 1/(2L)."
        ),
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.thm3.improved",
        source=corrected("Theorem 3 with better constants, also at gamma = 1/(2L)"),
        says=(
            "From a warm start, half of Theorem 3's bound and less is enough, up to and including"
            " the step size 1/(2L)."
        ),
        statement=UpperBound(MEAN_SQUARED, IMPROVED),
        where=STALENESS_WORDS,
        assumes=(*GENERAL, ONE_STEP, STEP_UP_TO_HALF, WARM),
        about=("fedlaavg",),
        corrects="fedlaavg.thm3.boundary",
        proof="docs/proofs/fedlaavg.md#theorem-3",
    ),
    Claim(
        id="fedlaavg.thm3.improved.gap",
        source=corrected("Theorem 3 against its improvement"),
        says=(
            "Theorem 3's bound exceeds twice the improved one by 4 gamma^2 I^2 L^2 G^2 (1 - gamma"
            " L)/(1 - 2 gamma L)."
        ),
        statement=Identity(
            BOUND - 2 * IMPROVED, 4 * C_SQUARED * (1 - GAMMA * L) / (1 - 2 * GAMMA * L)
        ),
        where=STALENESS_WORDS,
    ),
    Claim(
        id="fedlaavg.thm3.informative",
        source=corrected("Theorem 3, when it says something"),
        says=(
            "Theorem 3's bound is at least 6 gamma^2 I^2 L^2 G^2, so it beats the trivial G^2 only"
            " if gamma I L < 1/sqrt 6 = 0.408."
        ),
        statement=LowerBound(letter("bound_of_theorem_3"), 6 * C_SQUARED),
        where=STALENESS_WORDS | {"bound_of_theorem_3": "right side of eq. (33)"},
        note=(
            "In the paper's experiments I = 1009 (E = 101), so with learning rate 0.01 it needs L <"
            " 0.0405."
        ),
    ),
    Claim(
        id="fedlaavg.thm3.fullpart",
        source=printed(
            "Section 4.2, full participation",
            "K = N, E = 1, gamma = sqrt N/(2L sqrt T), T >= N: 4 gamma sigma^2 L/N + (4/(gamma "
            "T))(E f(x^0) - E f(x*)) = O(1/sqrt(NT))",
        ),
        says=(
            "With full participation, T >= N and step size sqrt N/(2 L sqrt T), Theorem 3 gives (2"
            " sigma^2 + 8 L B)/sqrt(N T), a linear speedup."
        ),
        statement=Identity(
            letter("bound_at_step_size"), (2 * SIGMA**2 + 8 * L * B) / sympy.sqrt(N * T)
        ),
        where=AT_STEP,
        note=(
            "At T = N the step size is 1/(2L), where the term 2 gamma^2 I^2 L^2 G^2/(1 - 2 gamma L)"
            " of (33) reads 0/0; it counts as 0, and fedlaavg.thm3.improved covers that step size."
        ),
        special_cases=(
            SpecialCase(
                "N=4, T=100, unit constants",
                {
                    "num_clients": 4,
                    "num_rounds": 100,
                    "gradient_noise": 1,
                    "smoothness": 1,
                    "initial_loss_gap": 1,
                },
                "1/2",
            ),
        ),
    ),
)
