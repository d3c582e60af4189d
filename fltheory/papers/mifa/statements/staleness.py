"""Definition 5.1, the staleness statistics, and what the assumptions on availability and gradients
amount to."""

import sympy

from fltheory.claims.claim import (
    Authorship,
    Claim,
    Identity,
    LowerBound,
    Order,
    Source,
    SpecialCase,
    UpperBound,
    letter,
)
from fltheory.core.vocabulary import symbol
from fltheory.papers.mifa.paper import (
    CLIENTS,
    INITIAL_GAP,
    MAX_STALENESS,
    MEAN_STALENESS,
    MEAN_WORST,
    NOISE,
    PAPER,
    ROUNDS,
    SMOOTH,
    SPREAD,
    round_slope,
)
from fltheory.papers.mifa.printed import located

SLOPE, BETA = (
    letter("dissimilarity_slope", positive=True),
    letter("dissimilarity_offset", positive=True),
)
SQUARED_GRADIENT = letter("squared_gradient", nonnegative=True)

CLAIMS = located(
    Claim(
        id="mifa.def5.1",
        source=Source(PAPER, "Definition 5.1"),
        says=(
            "The number of inactive rounds is 0 for an active device and otherwise one more than in"
            " the round before."
        ),
        statement=Identity(symbol("staleness"), letter("counted_staleness")),
        where={
            "counted_staleness": "tau(t, i) by the recursion: 0 if active, else tau(t-1, i) + 1"
        },
        note="Undefined before a device's first activity, so theorems need tau(1, i) = 0.",
    ),
    Claim(
        id="mifa.taustats",
        source=Source(PAPER, "Section 5, taubar_T"),
        says=(
            "The average number of inactive rounds is the double sum over the T - 1 rounds and all"
            " devices over N(T - 1)."
        ),
        statement=Identity(MEAN_STALENESS, letter("total_staleness") / (CLIENTS * ROUNDS)),
        where={"total_staleness": "sum over t = 1..T-1 and i of tau(t, i), counted round by round"},
        special_cases=(
            SpecialCase(
                "a device active in rounds 1 and 4 of 6",
                {"total_staleness": 6, "num_clients": 2, "num_rounds": 6},
                "1/2",
            ),
        ),
    ),
    Claim(
        id="mifa.taustats.usage",
        source=Source(PAPER, "Section 5, origin of the factor taubar_T + 1", kind=Authorship.OURS),
        says=(
            "If g counts the rounds in which an update is used, the squares of all g sum to N R (2"
            " taubar + 1)."
        ),
        statement=Identity(letter("squared_usages"), CLIENTS * ROUNDS * (2 * MEAN_STALENESS + 1)),
        where={"squared_usages": "sum over devices and their active rounds of g^2"},
        special_cases=(
            SpecialCase(
                "a device active in rounds 1 and 4 of 6",
                {"mean_staleness": "1/2", "num_clients": 2, "num_rounds": 6},
                "24",
            ),
        ),
    ),
    Claim(
        id="mifa.taustats.active",
        source=Source(PAPER, "Section 5, after Proposition 5.1", kind=Authorship.OURS),
        says=(
            "The number of gradient evaluations of a device is at least R/(2 taubar + 1), with"
            " equality for equal gaps."
        ),
        statement=LowerBound(letter("active_rounds"), ROUNDS / (2 * MEAN_STALENESS + 1)),
        where={"active_rounds": "rounds in which a single device is active"},
    ),
    Claim(
        id="mifa.ass4",
        source=Source(PAPER, "Assumption 4"),
        says=(
            "The allowed growth of the absence is slow: b = 40 (L/mu)^1.5 is at least 40, so a"
            " slope of at most 1/40 per round."
        ),
        statement=LowerBound(round_slope(), sympy.Integer(40)),
        special_cases=(
            SpecialCase(
                "condition number 100",
                {"smoothness": 100, "strong_convexity": 1},
                "40000",
                side="left",
            ),
        ),
    ),
    Claim(
        id="mifa.ass4.growth",
        source=Source(PAPER, "Section 5, after Theorem 5.1"),
        says=(
            "Assumption 4 allows arbitrary availability sequences with tau_max = O(T): a constant"
            " t0 suffices for each of them."
        ),
        statement=Order(INITIAL_GAP, sympy.Integer(1)),
        note=(
            "False: activity in rounds 1, 2, 4, 8, ... has tau <= t/2 and needs a t0 that grows"
            " with T."
        ),
    ),
    Claim(
        id="mifa.ass4.growth.corrected",
        source=Source(PAPER, "Section 5, after Theorem 5.1", kind=Authorship.OURS),
        says=(
            "Assumption 4 with its slope of 1/40 is met by the adversary that is as absent as it"
            " permits, with a constant t0."
        ),
        statement=UpperBound(INITIAL_GAP, letter("allowed_gap", positive=True)),
        where={"allowed_gap": "the t0 that the adversary was given"},
        corrects="mifa.ass4.growth",
    ),
    Claim(
        id="mifa.ass6",
        source=Source(PAPER, "Assumption 6"),
        says=(
            "Noise that is bounded by delta has a variance of at most delta^2, so Assumption 6"
            " implies Assumption 2."
        ),
        statement=UpperBound(NOISE**2, letter("noise_bound", positive=True) ** 2),
        where={"noise_bound": "delta, bound on the noise of a gradient"},
    ),
    Claim(
        id="mifa.ass7",
        source=Source(PAPER, "Assumption 7"),
        says=(
            "With alpha below 1, bounded dissimilarity bounds the global gradient itself: |grad"
            " f|^2 <= beta/(1 - alpha)."
        ),
        statement=UpperBound(SQUARED_GRADIENT, BETA / (1 - SLOPE)),
        where={
            "squared_gradient": "|grad f(w)|^2",
            "dissimilarity_slope": "alpha < 1",
            "dissimilarity_offset": "beta",
        },
    ),
    Claim(
        id="mifa.ass8",
        source=Source(PAPER, "Assumption 8"),
        says=(
            "The average staleness over all rounds is at most the average of the devices' worst"
            " staleness."
        ),
        statement=UpperBound(MEAN_STALENESS, MEAN_WORST),
    ),
    Claim(
        id="mifa.ass8.max",
        source=Source(PAPER, "Assumption 8", kind=Authorship.OURS),
        says="The average of the devices' worst staleness is at most the worst of all.",
        statement=UpperBound(MEAN_WORST, MAX_STALENESS),
    ),
    Claim(
        id="mifa.D",
        source=Source(PAPER, "Section 5, definition of D"),
        says=(
            "The dissimilarity D is the mean squared client gradient at the optimum; two quadratic"
            " clients have it in closed form."
        ),
        statement=Identity(
            SPREAD,
            (
                letter("curvature_1")
                * letter("curvature_2")
                * (letter("centre_1") - letter("centre_2"))
                / (letter("curvature_1") + letter("curvature_2"))
            )
            ** 2,
        ),
        where={
            f"{kind}_{i}": f"{says} of client {i}'s loss"
            for kind, says in (("curvature", "curvature"), ("centre", "minimiser"))
            for i in (1, 2)
        },
        special_cases=(
            SpecialCase(
                "curvatures 1, 3 and minimisers 0, 1",
                {"curvature_1": 1, "curvature_2": 3, "centre_1": 0, "centre_2": 1},
                "9/16",
            ),
        ),
    ),
    Claim(
        id="mifa.ass.BGD",
        source=Source(PAPER, "Remark 5.1, B^2 = 2 and G^2 = 2D"),
        says=(
            "For convex smooth clients the mean squared client gradient is at most 4L (f - f*)"
            " + 2D."
        ),
        statement=UpperBound(
            letter("mean_squared_client_gradient"), 4 * SMOOTH * letter("loss_gap") + 2 * SPREAD
        ),
        where={
            "mean_squared_client_gradient": "(1/N) sum_i |grad f_i(w)|^2",
            "loss_gap": "f(w) - f*",
        },
    ),
)
