"""Table 2 and Sections 4.2 to 4.4: staleness, windows, spread and total weight of the three waiting
policies with fixed times."""

import sympy

from fltheory.claims.claim import Authorship, Identity, LowerBound, SpecialCase, UpperBound
from fltheory.papers.fraboni.paper import DURATION, RHO, SHARE, SPREAD, STALENESS, M, W, claim, word
from fltheory.papers.fraboni.statements.table2 import (
    FASTEST,
    LARGEST_D,
    NONE,
    ONCE,
    RATES,
    SLOWEST,
    TWO_THREE_FIVE,
)

TOGETHER = word(
    "common_multiple", "nu: the least time that is a multiple of every update time", positive=True
)
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
RATIO = word(
    "round_ratio",
    "rounds of asynchronous FedAvg per round of synchronous FedAvg, in the same time",
    positive=True,
)
FINITE = word(
    "window_of_finite_run",
    "least window, repeated at least twice, of a run that stops",
    positive=True,
)
NORMALISED = word("normalised_mean_weight", "q_i over the sum of all q_j", nonnegative=True)

CLAIMS = (
    claim(
        "tab2.tau.sync",
        "Table 2, tau, synchronous",
        "Synchronous FedAvg has no delay.",
        Identity(STALENESS, NONE),
    ),
    claim(
        "tab2.tau.async.lower",
        "Table 2, tau = Omega(M)",
        "Within its first window asynchronous FedAvg has a delay of at least M - 1 rounds.",
        LowerBound(STALENESS, M - 1),
    ),
    claim(
        "tab2.tau.async",
        "Section 4.3, tau",
        "Asynchronous FedAvg has a delay of at most (M - 1) ceil(tau_M / tau_1) rounds, if clients"
        " that finish together always deliver in the same order.",
        UpperBound(STALENESS, (M - 1) * sympy.ceiling(SLOWEST / FASTEST)),
        note=(
            "Otherwise ties may cost more: two clients of equal speed that deliver in the order 1,"
            " 2, 2, 1, ... have delay 2."
        ),
    ),
    claim(
        "tab2.tau.async.sharp",
        "Section 4.3, tau",
        "While the slowest client works, each other one delivers at most ceil(tau_M / tau_j)"
        " times, if clients that finish together always deliver in the same order.",
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
        kind=Authorship.OURS,
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
            " In general: fedfix.tau.corrected."
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
        kind=Authorship.OURS,
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
        kind=Authorship.OURS,
    ),
    claim(
        "tab2.rho.async",
        "Table 2, rho (not printed), asynchronous",
        "The largest total weight of asynchronous FedAvg is the largest d_i, at least 1.",
        Identity(RHO, sympy.Max(1, LARGEST_D)),
        kind=Authorship.OURS,
    ),
    claim(
        "tab2.rho.fedfix",
        "Table 2, rho (not printed), FedFix",
        "With equal importances, the largest total weight of FedFix is the mean of the cycles.",
        Identity(RHO, MEAN_CYCLE),
        kind=Authorship.OURS,
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
        kind=Authorship.OURS,
    ),
)
