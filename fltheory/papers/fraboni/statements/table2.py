"""Table 2 and Sections 4.2 to 4.4: weights, rounds, alpha and beta of the three waiting policies
with fixed times."""

import sympy

from fltheory.claims.claim import Authorship, Identity, SpecialCase, UpperBound
from fltheory.papers.fraboni.paper import (
    BETA,
    DURATION,
    MEAN_WEIGHT,
    SHARE,
    TIME,
    WEIGHT,
    M,
    N,
    claim,
    word,
)

RATES = word("sum_of_rates", "sum_j 1/tau_j over the clients", positive=True)
SLOWEST = word("slowest_time", "tau_M: the longest update time", positive=True)
FASTEST = word("fastest_time", "tau_1 (the paper's tau_0): the shortest update time", positive=True)
TRAINING = word("training_time", "T: clock time of the whole run", positive=True)
LARGEST_D = word("largest_aggregation_weight", "max_i d_i", nonnegative=True)
LARGEST_P = word("largest_importance", "max_i p_i", positive=True)
PAIR = word("pair_moment", "E omega_i omega_j of two clients")
FIRST = word("first_mean", "E omega_i of the first of them", nonnegative=True)
SECOND = word("second_mean", "E omega_j of the second", nonnegative=True)
LARGEST_GAP = word(
    "largest_remaining_time", "max_i T_i^n at the start of a round", nonnegative=True
)
LEAST_GAP = word("least_remaining_time", "min_i T_i^n at the start of a round", nonnegative=True)

ONCE, NONE = sympy.S.One, sympy.S.Zero
CONDITION_SYNC = sympy.Eq(WEIGHT, SHARE)
CONDITION_ASYNC = sympy.Eq(WEIGHT, RATES * TIME * SHARE)
CONDITION_FEDFIX = sympy.Eq(WEIGHT, sympy.ceiling(TIME / DURATION) * SHARE)
"""The weights that Table 2 gives."""
TWO_THREE_FIVE = {"sum_of_rates": "31/30", "common_multiple": 30, "importance": "1/3"}

CLAIMS = (
    claim(
        "tab2.d.sync",
        "Table 2, d_i, synchronous",
        "Synchronous FedAvg needs the importances as weights.",
        Identity(WEIGHT, SHARE),
    ),
    claim(
        "tab2.d.async",
        "Table 2, d_i, asynchronous",
        "Asynchronous FedAvg needs weights proportional to update time times importance.",
        Identity(WEIGHT, RATES * TIME * SHARE),
        special_cases=tuple(
            SpecialCase(
                f"update times 2, 3, 5: the client of time {t}",
                TWO_THREE_FIVE | {"update_time": t},
                d,
            )
            for t, d in ((2, "31/45"), (3, "31/30"), (5, "31/18"))
        ),
    ),
    claim(
        "tab2.d.fedfix",
        "Table 2, d_i, FedFix",
        "FedFix needs weights ceil(tau_i / Delta t) times importance.",
        Identity(WEIGHT, sympy.ceiling(TIME / DURATION) * SHARE),
    ),
    claim(
        "eq12",
        "Section 4.3, eq. (12)",
        "With time-based weights every window of asynchronous FedAvg gives each client its"
        " importance.",
        Identity(MEAN_WEIGHT, SHARE),
    ),
    claim(
        "eq14",
        "Section 4.4, eq. (14)",
        "With weights ceil(tau_i / Delta t) p_i every window of FedFix gives each client its"
        " importance.",
        Identity(MEAN_WEIGHT, SHARE),
    ),
    claim(
        "tab2.N.sync",
        "Table 2, N, synchronous",
        "In a time T that tau_M divides, synchronous FedAvg makes T / tau_M rounds.",
        Identity(N, TRAINING / SLOWEST),
    ),
    claim(
        "tab2.N.async",
        "Table 2, N, asynchronous",
        "In a time T that all tau_i divide, asynchronous FedAvg makes sum_i T / tau_i rounds.",
        Identity(N, TRAINING * RATES),
    ),
    claim(
        "tab2.N.fedfix",
        "Table 2, N, FedFix",
        "In a time T that Delta t divides, FedFix makes T / Delta t rounds.",
        Identity(N, TRAINING / DURATION),
    ),
    claim(
        "tab2.dt.sync",
        "Table 2, Delta t, synchronous",
        "A synchronous round lasts as long as the longest remaining work.",
        Identity(DURATION, LARGEST_GAP),
    ),
    claim(
        "tab2.dt.async",
        "Table 2, Delta t, asynchronous",
        "An asynchronous round lasts as long as the shortest remaining work.",
        Identity(DURATION, LEAST_GAP),
    ),
    claim(
        "tab2.alpha.sync",
        "Table 2, alpha = 1, synchronous",
        "With everybody in every round, Assumption 5 holds with alpha = 1.",
        Identity(PAIR, FIRST * SECOND),
    ),
    claim(
        "tab2.alpha.async",
        "Table 2, alpha = 0, asynchronous",
        "With single clients in every round, Assumption 5 holds with alpha = 0.",
        Identity(PAIR, NONE),
    ),
    claim(
        "tab2.alpha.fedfix",
        "Table 2, alpha = 1, FedFix",
        "With certain participation, Assumption 5 holds with alpha = 1.",
        Identity(PAIR, FIRST * SECOND),
    ),
    claim(
        "tab2.beta.sync",
        "Table 2, beta = 0, synchronous",
        "Synchronous FedAvg has beta = 0.",
        Identity(BETA, NONE),
    ),
    claim(
        "tab2.beta.async",
        "Table 2, beta, asynchronous",
        "Asynchronous FedAvg has beta = max d_i.",
        Identity(BETA, LARGEST_D),
    ),
    claim(
        "tab2.beta.fedfix",
        "Table 2, beta = 0, FedFix",
        "FedFix has beta = 0, taken over the clients that participate.",
        Identity(BETA, NONE),
    ),
    claim(
        "tab2.beta.bound",
        "Table 2, beta <= tau_M / tau_0",
        "With equal importances, as in Section 4.1, the largest asynchronous weight is at most"
        " tau_M / tau_1.",
        UpperBound(LARGEST_D, SLOWEST / FASTEST),
        note=(
            "It uses p_i = 1/M: two clients of equal speed with importances 0.9 and 0.1 have"
            " weights 1.8 and 0.2. See tab2.beta.bound.corrected."
        ),
    ),
    claim(
        "tab2.beta.bound.corrected",
        "Table 2, beta, for any importances",
        "The largest asynchronous weight is at most M max p_i tau_M / tau_1.",
        UpperBound(LARGEST_D, M * LARGEST_P * SLOWEST / FASTEST),
        kind=Authorship.OURS,
        corrects="tab2.beta.bound",
    ),
)
