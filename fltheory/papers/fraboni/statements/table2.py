"""Table 2 and Sections 4.2 to 4.4: weights, rounds, windows, staleness and spread of the three
waiting policies with fixed times."""

import sympy

from fltheory.claims.claim import Identity, LowerBound, SpecialCase, UpperBound
from fltheory.papers.fraboni.paper import (
    BETA,
    DURATION,
    MEAN_WEIGHT,
    RHO,
    SHARE,
    SPREAD,
    STALENESS,
    TIME,
    WEIGHT,
    M,
    N,
    W,
    claim,
    word,
)

RATES = word("sum_of_rates", "sum_j 1/tau_j over the clients", positive=True)
TOGETHER = word(
    "common_multiple", "nu: the least time that is a multiple of every update time", positive=True
)
SLOWEST = word("slowest_time", "tau_M: the longest update time", positive=True)
FASTEST = word("fastest_time", "tau_1 (the paper's tau_0): the shortest update time", positive=True)
TRAINING = word("training_time", "T: clock time of the whole run", positive=True)
LARGEST_D = word("largest_aggregation_weight", "max_i d_i", nonnegative=True)
LARGEST_P = word("largest_importance", "max_i p_i", positive=True)
CEILINGS = word(
    "sum_of_ceilings", "sum over the other clients of ceil(tau_M / tau_j)", nonnegative=True
)
CYCLES = word("cycle_multiple", "least common multiple of ceil(tau_i / Delta t)", positive=True)
MEAN_CYCLE = word("mean_cycle", "mean over clients of ceil(tau_i / Delta t)", positive=True)
CONFLICT = word(
    "mean_conflict",
    "sum_i p_i (L_i(theta*) - L_i(theta_i*)): what the clients lose at the common optimum",
    nonnegative=True,
)
PAIR = word("pair_moment", "E omega_i omega_j of two clients")
FIRST = word("first_mean", "E omega_i of the first of them", nonnegative=True)
SECOND = word("second_mean", "E omega_j of the second", nonnegative=True)
RATIO = word(
    "round_ratio",
    "rounds of asynchronous FedAvg per round of synchronous FedAvg, in the same time",
    positive=True,
)
LARGEST_GAP = word(
    "largest_remaining_time", "max_i T_i^n at the start of a round", nonnegative=True
)
LEAST_GAP = word("least_remaining_time", "min_i T_i^n at the start of a round", nonnegative=True)
FINITE = word(
    "window_of_finite_run",
    "least window, repeated at least twice, of a run that stops",
    positive=True,
)
NORMALISED = word("normalised_mean_weight", "q_i over the sum of all q_j", nonnegative=True)
ONCE, NONE = sympy.S.One, sympy.S.Zero
ASYNC, FEDFIX = "Section 4.3", "Section 4.4"
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
        "In time T synchronous FedAvg makes T / tau_M rounds.",
        Identity(N, TRAINING / SLOWEST),
    ),
    claim(
        "tab2.N.async",
        "Table 2, N, asynchronous",
        "In time T asynchronous FedAvg makes sum_i T / tau_i rounds.",
        Identity(N, TRAINING * RATES),
    ),
    claim(
        "tab2.N.fedfix",
        "Table 2, N, FedFix",
        "In time T FedFix makes T / Delta t rounds.",
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
        "The largest asynchronous weight is at most tau_M / tau_1.",
        UpperBound(LARGEST_D, SLOWEST / FASTEST),
        note=(
            "Needs equal importances: two clients of equal speed with importances 0.9 and 0.1 have"
            " weights 1.8 and 0.2."
        ),
    ),
    claim(
        "tab2.beta.bound.corrected",
        "Table 2, beta, corrected",
        "The largest asynchronous weight is at most M max p_i tau_M / tau_1.",
        UpperBound(LARGEST_D, M * LARGEST_P * SLOWEST / FASTEST),
        printed=False,
        corrects="tab2.beta.bound",
    ),
    claim(
        "tab2.tau.sync",
        "Table 2, tau, synchronous",
        "Synchronous FedAvg has no delay.",
        Identity(STALENESS, NONE),
    ),
    claim(
        "tab2.tau.async.lower",
        "Table 2, tau = Omega(M)",
        "Asynchronous FedAvg has a delay of at least M - 1 rounds.",
        LowerBound(STALENESS, M - 1),
    ),
    claim(
        "tab2.tau.async",
        "Section 4.3, tau",
        "Asynchronous FedAvg has a delay of at most (M - 1) ceil(tau_M / tau_1) rounds.",
        UpperBound(STALENESS, (M - 1) * sympy.ceiling(SLOWEST / FASTEST)),
    ),
    claim(
        "tab2.tau.async.sharp",
        "Section 4.3, tau",
        "While the slowest client works, each other one delivers at most ceil(tau_M / tau_j)"
        " times.",
        UpperBound(STALENESS, CEILINGS),
    ),
    claim(
        "fedfix.tau",
        "Section 4.4, tau",
        "FedFix has the delay ceil(tau_M / Delta t).",
        Identity(STALENESS, sympy.ceiling(SLOWEST / DURATION)),
        note=(
            "By the paper's own definition n - rho_i(n) it is one less; for Delta t >= tau_M it is"
            " 0, as Table 2 says."
        ),
    ),
    claim(
        "fedfix.tau.corrected",
        "Section 4.4, tau corrected",
        "FedFix has the delay ceil(tau_M / Delta t) - 1.",
        Identity(STALENESS, sympy.ceiling(SLOWEST / DURATION) - 1),
        printed=False,
        corrects="fedfix.tau",
    ),
    claim(
        "fedfix.tau.bound",
        "Table 2, tau, FedFix",
        "The delay of FedFix is at most floor(tau_M / tau_1).",
        UpperBound(STALENESS, sympy.floor(SLOWEST / FASTEST)),
        note=(
            "Only for Delta t >= tau_1; two equal clients with windows of a tenth of their time"
            " have delay 9."
        ),
    ),
    claim(
        "tab2.W.sync",
        "Table 2, W, synchronous",
        "Synchronous FedAvg is balanced in every round.",
        Identity(W, ONCE),
    ),
    claim(
        "tab2.W.async",
        "Section 4.3, W",
        "The smallest window of asynchronous FedAvg is sum_i nu / tau_i.",
        Identity(W, TOGETHER * RATES),
        special_cases=(
            SpecialCase("update times 2, 3, 5", TWO_THREE_FIVE, "31"),
            SpecialCase(
                "update times 1, 1, 1, 5", {"sum_of_rates": "16/5", "common_multiple": 5}, "16"
            ),
        ),
    ),
    claim(
        "tab2.W.async.lower",
        "Section 4.3, W = Omega(M)",
        "The window of asynchronous FedAvg has at least M rounds.",
        LowerBound(W, M),
    ),
    claim(
        "tab2.W.async.upper",
        "Section 4.3, upper bound on W",
        "With whole update times, the asynchronous window is at most M tau_M^(M-1).",
        UpperBound(W, M * SLOWEST ** (M - 1)),
    ),
    claim(
        "tab2.W.async.table",
        "Table 2, upper bound on W",
        "With whole update times, the asynchronous window is at most M tau_M^M.",
        UpperBound(W, M * SLOWEST**M),
    ),
    claim(
        "tab2.W.fedfix",
        "Section 4.4, W",
        "The smallest window of FedFix is the least common multiple of ceil(tau_i / Delta t).",
        Identity(W, CYCLES),
    ),
    claim(
        "tab2.W.fedfix.upper",
        "Section 4.4, W",
        "The FedFix window is at most ceil(tau_M / Delta t)^M.",
        UpperBound(W, sympy.ceiling(SLOWEST / DURATION) ** M),
        printed=False,
        corrects="tab2.W.fedfix.table",
    ),
    claim(
        "tab2.W.fedfix.table",
        "Table 2, upper bound on W, FedFix",
        "The FedFix window is at most M ceil(tau_M / tau_1)^M.",
        UpperBound(W, M * sympy.ceiling(SLOWEST / FASTEST) ** M),
        note="Only for Delta t >= tau_1: shorter windows make longer cycles.",
    ),
    claim(
        "W.finite",
        "Section 4.3, smallest window",
        "No run of asynchronous FedAvg admits a window shorter than sum_i nu / tau_i.",
        LowerBound(FINITE, TOGETHER * RATES),
        note="True for runs without end; a run that stops can be balanced in shorter windows.",
    ),
    claim(
        "tab2.R.sync",
        "Table 2, R, synchronous",
        "Synchronous FedAvg has the same objective in every round.",
        Identity(SPREAD, NONE),
    ),
    claim(
        "tab2.R.async",
        "Section 4.3, R",
        "The spread of asynchronous FedAvg is what the clients lose at the common optimum.",
        Identity(SPREAD, CONFLICT),
    ),
    claim(
        "tab2.R.fedfix",
        "Section 4.4, R",
        "The spread of FedFix is at most that of asynchronous FedAvg.",
        UpperBound(SPREAD, CONFLICT),
    ),
    claim(
        "tab2.rho.sync",
        "Table 2, rho (not printed), synchronous",
        "Synchronous FedAvg has total weight 1 in every round.",
        Identity(RHO, ONCE),
        printed=False,
    ),
    claim(
        "tab2.rho.async",
        "Table 2, rho (not printed), asynchronous",
        "The largest total weight of asynchronous FedAvg is the largest d_i, at least 1.",
        Identity(RHO, sympy.Max(1, LARGEST_D)),
        printed=False,
    ),
    claim(
        "tab2.rho.fedfix",
        "Table 2, rho (not printed), FedFix",
        "With equal importances, the largest total weight of FedFix is the mean of the cycles.",
        Identity(RHO, MEAN_CYCLE),
        printed=False,
    ),
    claim(
        "async.ratio",
        "Section 4.3",
        "In the same time asynchronous FedAvg makes at least M times as many rounds as synchronous"
        " FedAvg.",
        LowerBound(RATIO, M),
    ),
    claim(
        "async.ties",
        "Section 2.3, eq. (4) and Section 4.3",
        "With S_n as in Algorithm 1, the window of asynchronous FedAvg is sum_i nu / tau_i.",
        Identity(W, TOGETHER * RATES),
        note=(
            "S_n = {i: T_i^n <= Delta t^n} takes clients that finish together in one round, so two"
            " equal clients have W = 1, not 2. The paper's W, N, tau >= M - 1, alpha = 0 and 'M"
            " times more rounds' need clients that finish together to deliver one after the other."
        ),
    ),
    claim(
        "async.ties.weights",
        "Section 4.3, eq. (12) with joint rounds",
        "Also with joint rounds eq. (12) gives mean weights proportional to the importances.",
        Identity(NORMALISED, SHARE),
        printed=False,
    ),
)
