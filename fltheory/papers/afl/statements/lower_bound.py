"""Theorem 1, a lower bound for all algorithms under general arrivals, and what is true of it."""

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
from fltheory.papers.afl.paper import APART, M, printed, read, repaired

OUTPUT_ERROR, WORST_ERROR = letter("output_error"), letter("worst_error")
OMEGA = letter("omega_constant", positive=True)
HALF_GAP = letter("half_gap", positive=True)
SLIP = letter("slip")
EVER = letter("ever_participating", integer=True, positive=True)
MEAN_ERROR, SEEN, BIAS = letter("mean_of_two_errors"), letter("seen_gradient"), letter("bias")
APARTNESS = letter("gradient_distance")
UNSEEN = APART * sympy.Min(1, (M - EVER) / EVER)

PLACES = {
    "output_error": "E |grad f(xhat)|^2 at the algorithm's output",
    "worst_error": (
        "larger of the two values of E |grad f(xhat)|^2 on two instances that the participating"
        " workers cannot tell apart"
    ),
    "omega_constant": "c, the constant hidden in Omega, however small",
    "half_gap": "G in f_1 = (x+G)^2, f_2 = (x-G)^2",
    "slip": "epsilon, the error of an algorithm that minimises f_1",
    "ever_participating": "s, the number of workers that ever participate",
    "mean_of_two_errors": "average of |grad f(xhat)|^2 over the two instances",
    "seen_gradient": "gradient at xhat of the loss that all participating workers share",
    "bias": "|grad f - average gradient of the participating workers|",
    "gradient_distance": "|grad f_i(x) - grad f(x)|",
}


def _ratio(clients: int, ever: int, value: str) -> SpecialCase:
    return SpecialCase(
        f"{ever} of {clients} workers ever participate",
        {"num_clients": clients, "ever_participating": ever, "dissimilarity": 1},
        value,
    )


CLAIMS = (
    Claim(
        "afl.thm1",
        printed(
            "Theorem 1",
            "for any sigma_G there exist losses and participation such that the output of any "
            "randomized FL algorithm has E|grad f(xhat)|^2 = Omega(sigma_G^2)",
        ),
        "There are losses and arrivals for which the output of every randomized algorithm has"
        " squared gradient Omega(sigma_G^2).",
        LowerBound(OUTPUT_ERROR, OMEGA * APART**2),
        where=PLACES,
        note=(
            "The order of the quantifiers is wrong: a constant algorithm is admissible, and inf"
            " |grad f|^2 = 0 for every smooth f that is bounded below. The proof only treats"
            " algorithms that minimise worker 1's loss."
        ),
        severity=Severity.THEOREM,
    ),
    Claim(
        "afl.thm1.distance",
        printed(
            "Theorem 1, proof",
            "f_1 = (x+G)^2, f_2 = (x-G)^2: |grad f_i(x) - grad f(x)|^2 <= 4G^2 = sigma_G^2",
        ),
        "In the construction both workers' gradients differ from the global one by exactly 2G"
        " everywhere.",
        Identity(APARTNESS**2, 4 * HALF_GAP**2),
        where=PLACES,
    ),
    Claim(
        "afl.thm1.value",
        printed(
            "Theorem 1, proof",
            "any decent algorithm would return xhat = -G + epsilon, so E|grad f(xhat)|^2 = "
            "Omega(sigma_G^2)",
        ),
        "An algorithm that ends at -G + epsilon, near worker 1's optimum, has squared gradient"
        " 4 (G -"
        " epsilon)^2.",
        Identity(OUTPUT_ERROR, 4 * (HALF_GAP - SLIP) ** 2),
        where=PLACES,
        special_cases=(
            SpecialCase("no slip", {"half_gap": 1, "slip": 0}, "4"),
            SpecialCase("at f's optimum", {"half_gap": 1, "slip": 1}, "0"),
        ),
    ),
    Claim(
        "afl.thm1c",
        repaired("Theorem 1"),
        "Whatever an algorithm does, on one of two instances its squared gradient is at least"
        " sigma_G^2 min(1, (M-s)/s)^2.",
        LowerBound(WORST_ERROR, UNSEEN**2),
        where=PLACES,
        corrects="afl.thm1",
        special_cases=(
            _ratio(2, 1, "1"),
            _ratio(3, 2, "1/4"),
            _ratio(4, 3, "1/9"),
            _ratio(10, 5, "1"),
            _ratio(10, 8, "1/16"),
            _ratio(7, 7, "0"),
        ),
        proof="docs/proofs/afl.md#theorem-1-corrected",
    ),
    Claim(
        "afl.thm1c.identity",
        repaired("Theorem 1"),
        "On the two instances the squared gradients average to that of the seen loss plus sigma_G^2"
        " min(1, (M-s)/s)^2, at every point.",
        Identity(MEAN_ERROR, SEEN**2 + APART**2 * ((M - EVER) / sympy.Max(EVER, M - EVER)) ** 2),
        where=PLACES,
        corrects="afl.thm1",
    ),
    Claim(
        "afl.thm1c.admissible",
        repaired("Theorem 1"),
        "Both instances satisfy Assumption 3 with sigma_G.",
        UpperBound(APARTNESS, APART),
        where=PLACES,
        proof="docs/proofs/afl.md#theorem-1-corrected",
    ),
    Claim(
        "afl.thm1c.upper",
        repaired("Theorem 1"),
        "The gradient averaged over the participating workers is within sigma_G min(1, (M-s)/s) of"
        " the global one, so the bound is attained.",
        UpperBound(BIAS, UNSEEN),
        where=PLACES,
        corrects="afl.thm1",
        proof="docs/proofs/afl.md#theorem-1-corrected",
    ),
    Claim(
        "afl.rem1",
        read(
            "Remark 1",
            "For every algorithm there are losses and arrivals on which it does not converge.",
            "There are losses on which no algorithm converges: false, as Theorem 1 is.",
        ),
        "No algorithm converges to a stationary point under general arrivals, if one of two workers"
        " may never participate.",
        LowerBound(WORST_ERROR, APART**2),
        where=PLACES,
        note="True in the minimax sense of afl.thm1c, for two workers of which one participates.",
    ),
)
