"""Theorem 2: FedLaAvg on Example 1, its explicit bound and the steps of its proof."""

import sympy

from fltheory.claims.claim import (
    Assumption,
    Claim,
    Identity,
    Order,
    Severity,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.papers.fedlaavg.paper import (
    EXACT,
    EXAMPLE,
    GAMMA,
    MEAN_SQUARED,
    STALENESS_WORDS,
    B,
    I,
    T,
    corrected,
    printed,
)

START = letter("start")
OPTIMUM = letter("optimum")
APART = letter("distance_of_optima", nonnegative=True)
NOW, NEXT = letter("model_before"), letter("model_after")
FIRST, SECOND = letter("first_latest_model"), letter("second_latest_model")
G_PRINTED = sympy.Max(2 * (START - OPTIMUM), APART)
G_RIGHT = sympy.Max(2 * sympy.Abs(START - OPTIMUM), APART)

WORDS = {
    "start": "x^0",
    "optimum": "x* = (e1 + e2)/2",
    "distance_of_optima": "|e1 - e2|",
    "model_before": "x^{t-1}",
    "model_after": "x^t",
}
LATEST = WORDS | {
    "first_latest_model": "x^{T_1^t}, as printed",
    "second_latest_model": "x^{T_2^t}, as printed",
}
POINTS = WORDS | {
    "first_latest_model": "x^{T_1^t - 1}, the point of client 1's latest gradient",
    "second_latest_model": "x^{T_2^t - 1}, the point of client 2's latest gradient",
}
STEP = Assumption("fedlaavg.thm2.step-size", "gamma = 1/(2 sqrt T).", lambda scenario: None)
EXAMPLE_STALENESS = {"staleness_bound": "I = max(t1, t2)"}


def bound(largest_gradient: sympy.Expr) -> sympy.Expr:
    """(f(x^0) - f*)/sqrt(T) + I^2 G^2/(4T)."""
    return B / sympy.sqrt(T) + I**2 * largest_gradient**2 / (4 * T)


def _step(largest_gradient: sympy.Expr) -> UpperBound:
    """Decrease in one round plus twice gamma times the squared distance, against the staleness
    term."""
    return UpperBound(
        (NEXT - OPTIMUM) ** 2 - (NOW - OPTIMUM) ** 2 + 2 * GAMMA * (NOW - OPTIMUM) ** 2,
        2 * GAMMA**3 * I**2 * largest_gradient**2,
    )


GRADIENT_NORM = (
    "G is read as the largest gradient norm, as the paper explains it; the formula for it has lost"
    " an absolute value (fedlaavg.thm2.explicit)."
)

_CASE = {
    "start": 2,
    "optimum": "1/2",
    "distance_of_optima": 1,
    "initial_loss_gap": "9/4",
    "num_rounds": 16,
    "staleness_bound": 3,
}

CLAIMS = (
    Claim(
        id="fedlaavg.thm2",
        source=printed(
            "Theorem 2",
            "gamma = 1/(2 sqrt T), xhat = argmin f(x^t): (xhat - x*)^2 = O(1/sqrt T)",
        ),
        says=(
            "On Example 1, FedLaAvg with step size 1/(2 sqrt T) comes within O(1/sqrt T) of the"
            " optimum, on average over the models and so with the best of them."
        ),
        statement=Order(MEAN_SQUARED / 4, 1 / sympy.sqrt(T), hides="e_1, e_2, x^0, t_1 and t_2"),
        where={},
        assumes=(EXAMPLE, EXACT, STEP),
        note=(
            "Here grad f = 2 (x - x*), so a quarter of a squared gradient is a squared distance."
            " With constants: fedlaavg.thm2.corrected. The true error falls much faster,"
            " geometrically once the blocks repeat."
        ),
        proof="docs/proofs/fedlaavg.md#theorem-2-corrected",
    ),
    Claim(
        id="fedlaavg.thm2.explicit",
        source=printed(
            "Theorem 2, explicit bound at the end of its proof",
            "G = max{2(x^0 - x*), |e_1 - e_2|}: (1/T) sum (x^{t-1} - x*)^2 <= (f(x^0) - "
            "f(x*))/sqrt T + I^2 G^2/(4T)",
        ),
        says=(
            "On Example 1, FedLaAvg with step size 1/(2 sqrt T) has mean squared distance to the"
            " optimum at most B/sqrt T + I^2 G^2/(4T)."
        ),
        statement=UpperBound(MEAN_SQUARED / 4, bound(G_PRINTED)),
        where=WORDS | EXAMPLE_STALENESS,
        note=(
            "grad f = 2 (x - x*), so the mean squared distance is a quarter of the mean squared"
            " gradient. In the proof G = max(2 (x^0 - x*), |e1 - e2|) has lost an absolute value,"
            " so that the bound fails for a start to the left of the optimum; the theorem's order"
            " O(1/sqrt T) is true (fedlaavg.thm2)."
        ),
        special_cases=(SpecialCase("t1=1, t2=3, e=(0, 1), x0=2, T=16", _CASE, "117/64"),),
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.thm2.corrected",
        source=corrected("Theorem 2, explicit bound with G = max(2 |x^0 - x*|, |e1 - e2|)"),
        says=(
            "On Example 1, FedLaAvg with step size 1/(2 sqrt T) has mean squared distance to the"
            " optimum at most B/sqrt T + I^2 G^2/(4T)."
        ),
        statement=UpperBound(MEAN_SQUARED / 4, bound(G_RIGHT)),
        where=WORDS | EXAMPLE_STALENESS,
        corrects="fedlaavg.thm2.explicit",
        special_cases=(SpecialCase("t1=1, t2=3, e=(0, 1), x0=2, T=16", _CASE, "117/64"),),
        proof="docs/proofs/fedlaavg.md#theorem-2-corrected",
    ),
    Claim(
        id="fedlaavg.thm2.best",
        source=printed(
            "Theorem 2, last display",
            "(xhat - x*)^2 <= (1/T) sum (x^{t-1} - x*)^2",
        ),
        says=(
            "The best model of the run is at most as far from the optimum as the models are on"
            " average."
        ),
        statement=UpperBound(letter("best_squared_distance"), MEAN_SQUARED / 4),
        where={"best_squared_distance": "least (x^t - x*)^2 over t = 0..T"},
    ),
    Claim(
        id="fedlaavg.thm2.eq6",
        source=printed(
            "Eq. (6)",
            "x^t - x^{t-1} = -gamma (x^{T_1^t} + x^{T_2^t} - 2x*)",
        ),
        says="Each round moves the model by -gamma (x^{T_1} + x^{T_2} - 2 x*).",
        statement=Identity(NEXT - NOW, -GAMMA * (FIRST + SECOND - 2 * OPTIMUM)),
        where=LATEST,
        note=(
            "The gradient of round T_i was taken at x^{T_i - 1}, and a client not yet heard from"
            " contributes 0, not a gradient at x^0."
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        id="fedlaavg.thm2.eq6.corrected",
        source=corrected("Eq. (6) with x^{T_i - 1}, once both clients have taken part"),
        says=(
            "Once both clients are known, each round moves the model by -gamma (x^{T_1 - 1} +"
            " x^{T_2 - 1} - 2 x*)."
        ),
        statement=Identity(NEXT - NOW, -GAMMA * (FIRST + SECOND - 2 * OPTIMUM)),
        where=POINTS,
        corrects="fedlaavg.thm2.eq6",
    ),
    Claim(
        id="fedlaavg.thm2.eq8",
        source=printed(
            "Eq. (8)",
            "f(x^t) - f(x^{t-1}) <= -2 gamma (x^{t-1} - x*)^2 + (gamma/2)(2x^{t-1} - x^{T_1^t} - "
            "x^{T_2^t})^2",
        ),
        says=(
            "One round changes the squared distance by at most -2 gamma (x^{t-1} - x*)^2 plus"
            " gamma/2 times the squared staleness error."
        ),
        statement=UpperBound(
            (NEXT - OPTIMUM) ** 2 - (NOW - OPTIMUM) ** 2,
            -2 * GAMMA * (NOW - OPTIMUM) ** 2 + GAMMA / 2 * (2 * NOW - FIRST - SECOND) ** 2,
        ),
        where=LATEST,
        note="Pure algebra from eq. (6) for 0 < gamma <= 1/2, whatever the two latest models are.",
    ),
    Claim(
        id="fedlaavg.thm2.eq9",
        source=printed(
            "Eq. (9)",
            "-G/2 <= x^t - x* <= G/2 for all t >= 0, G the largest gradient norm during the "
            "training process",
        ),
        says="FedLaAvg's models on Example 1 stay within G/2 of the optimum.",
        statement=UpperBound(sympy.Abs(NOW - OPTIMUM), G_RIGHT / 2),
        where=WORDS,
        note=GRADIENT_NORM,
    ),
    Claim(
        id="fedlaavg.thm2.eq10",
        source=printed(
            "Eq. (10)",
            "-gamma G <= x^t - x^{t-1} <= gamma G",
        ),
        says="No round of FedLaAvg on Example 1 moves the model by more than gamma G.",
        statement=UpperBound(sympy.Abs(NEXT - NOW), GAMMA * G_RIGHT),
        where=WORDS,
        note=GRADIENT_NORM,
    ),
    Claim(
        id="fedlaavg.thm2.eq11",
        source=printed(
            "Eq. (11)",
            "-gamma I G <= x^{t-1} - x^{T_i^t} <= gamma I G, i = 1, 2",
        ),
        says="The model differs from x^{T_i} by at most gamma I G.",
        statement=UpperBound(sympy.Abs(NOW - FIRST), GAMMA * I * G_RIGHT),
        where=LATEST | EXAMPLE_STALENESS,
        note=GRADIENT_NORM,
    ),
    Claim(
        id="fedlaavg.thm2.eq11.corrected",
        source=corrected("Eq. (11) with x^{T_i - 1} and G = max(2 |x^0 - x*|, |e1 - e2|)"),
        says="The model differs from the point of a client's latest gradient by at most gamma I G.",
        statement=UpperBound(sympy.Abs(NOW - FIRST), GAMMA * I * G_RIGHT),
        where=POINTS | EXAMPLE_STALENESS,
        note="Where the gradients in use were taken; eq. (11) has the models one step later.",
    ),
    Claim(
        id="fedlaavg.thm2.step",
        source=printed(
            "Inequality after eq. (11)",
            "f(x^t) - f(x^{t-1}) <= -2 gamma (x^{t-1} - x*)^2 + 2 gamma^3 I^2 G^2",
        ),
        says=(
            "Every round decreases the squared distance by 2 gamma (x^{t-1} - x*)^2, up to 2"
            " gamma^3 I^2 G^2."
        ),
        statement=_step(G_RIGHT),
        where=WORDS | EXAMPLE_STALENESS,
        note=(
            "False in the first block, where client 2's gradient is not known: t1=t2=1, e=(1, -1),"
            " x0=1, gamma=1/4, t=1."
        ),
        severity=Severity.HYPOTHESIS,
    ),
    Claim(
        id="fedlaavg.thm2.step.corrected",
        source=corrected(
            "Inequality after eq. (11), after the first block, with G = max(2 |x^0 - x*|, |e1 -"
            " e2|)"
        ),
        says=(
            "Once both clients are known, each round decreases the squared distance by 2 gamma"
            " (x^{t-1} - x*)^2, up to 2 gamma^3 I^2 G^2."
        ),
        statement=_step(G_RIGHT),
        where=WORDS | STALENESS_WORDS | EXAMPLE_STALENESS,
        corrects="fedlaavg.thm2.step",
    ),
)
