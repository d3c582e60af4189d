"""Section 2: clocks, Algorithm 1 and virtual models, each got in two independent ways."""

import sympy

from fltheory.claims.claim import Authorship, Identity, LowerBound
from fltheory.papers.fraboni.paper import (
    MEAN_WEIGHT,
    SERVER,
    SHARE,
    STALENESS,
    STEP,
    TIME,
    WEIGHT,
    W,
    claim,
    word,
)

FINISHED = word("delivery_time", "clock time of a client's delivery")
COUNT = word("deliveries", "how many deliveries the client has made by then")
REMAINING = word(
    "remaining_time", "time until a client's work is done, read off the queue of events"
)
SINCE = word("time_since_reception", "t^n - t^{rho_i(n)}")
ELAPSED = word("elapsed_time", "t^n, the sum of the durations of the first n rounds")
STAMP = word("time_of_model", "clock time at which model n was made")
ROUND = word("next_round", "n + 1")
DELIVERS = word("delivers", "1 if the client delivers in round n, else 0")
OLD = word("received_before", "rho_i(n)")
NEW = word(
    "received_after",
    "rho_i(n+1), the last model that was made in a round in which the client delivered",
)
DELIVERERS = word("deliverers", "number of clients that deliver in the round")
DONE = word("clients_done", "number of clients with T_i^n <= Delta t^n")
LEAST = word("least_deliverers", "smallest number of clients that deliver in a round")
MODEL, NEXT = word("model_now", "theta^n"), word("model_next", "theta^{n+1}")
CONTRIBUTION = word(
    "weighted_contributions", "sum_i omega_i(n) Delta_i(rho_i(n)), each contribution in closed form"
)
VIRTUAL, VIRTUAL_NEXT = word("virtual_model", "theta^{n,k}"), word("virtual_next", "theta^{n,k+1}")
SLOPES = word("weighted_gradients", "sum_i omega_i(n) g_i at the local models after k steps")
FINAL = word("final_model", "theta^N of Algorithm 1, from a trace")
REPLAYED = word("replayed_model", "theta^N of Algorithm 1, run client by client on a clock")
FREQUENCY = word("participation", "share of the rounds in which the client delivers")
LATEST = word("largest_age", "largest n - rho_i(n), counted on events")

CONDITION_COUNTED = sympy.Eq(
    WEIGHT, SHARE * W / word("deliveries_in_window", "deliveries of a client in a window")
)
"""Weights by counts of deliveries, which FedBuff may use."""

CLAIMS = (
    claim(
        "def.T",
        "Section 2.2",
        "With fixed update times, asynchronous deliveries of a client come at multiples of its"
        " update time.",
        Identity(FINISHED, COUNT * TIME),
    ),
    claim(
        "def.dt",
        "Section 2.2",
        "The durations of the rounds add up to the time of the model.",
        Identity(ELAPSED, STAMP),
    ),
    claim(
        "def.Tn",
        "Section 2.2",
        "The remaining time of a client is its update time minus the time since it received its"
        " model.",
        Identity(REMAINING, TIME - SINCE),
    ),
    claim(
        "def.rho",
        "Section 2.2",
        "A client that delivers receives the next model; the others keep the one they have.",
        Identity(NEW, DELIVERS * ROUND + (1 - DELIVERS) * OLD),
    ),
    claim(
        "def.S",
        "Algorithm 1, line 3",
        "The clients that deliver are those whose remaining time is at most the round's duration.",
        Identity(DELIVERERS, DONE),
        note=(
            "True for synchronous FedAvg, FedFix and for asynchronous FedAvg with joint rounds; see"
            " async.ties for the paper's other reading."
        ),
    ),
    claim(
        "def.agg",
        "Section 2.3, eq. (5)",
        "The model moves by eta_g times the weighted contributions, each from the model its client"
        " received.",
        Identity(NEXT, MODEL + SERVER * CONTRIBUTION),
    ),
    claim(
        "def.virtual",
        "Section 2.4",
        "Each local step moves the virtual model by minus eta_g eta_l times the weighted"
        " gradients.",
        Identity(VIRTUAL_NEXT, VIRTUAL - STEP * SLOPES),
    ),
    claim(
        "alg1",
        "Algorithm 1",
        "Algorithm 1 run client by client on a clock gives the same models as its trace of"
        " deliveries.",
        Identity(FINAL, REPLAYED),
    ),
    claim(
        "def.q",
        "Section 2.5",
        "With constant weights, a client's mean weight is its weight times the share of rounds in"
        " which it delivers.",
        Identity(MEAN_WEIGHT, WEIGHT * FREQUENCY),
    ),
    claim(
        "fedfix.empty",
        "Section 2.5, normalised weights",
        "In every round somebody delivers, so that normalised weights are defined.",
        LowerBound(LEAST, sympy.S.One),
        note=(
            "False for FedFix with windows shorter than the fastest client's time: such rounds have"
            " q(n) = 0, and q_i(n)/q(n) is 0/0."
        ),
    ),
    claim(
        "def.tau",
        "Assumption 4",
        "The largest staleness of a trace is the largest age of a model in use, counted on events.",
        Identity(STALENESS, LATEST),
    ),
    claim(
        "def.W",
        "Assumption 6",
        "In every aligned window of W rounds each client delivers equally often, and in no smaller"
        " one.",
        Identity(
            W, word("window_by_search", "smallest window found by trying all of them on a long run")
        ),
    ),
    claim(
        "fedbuff.weights",
        "Section 4.5",
        "FedBuff gives each client its importance with weights by counts of deliveries.",
        Identity(MEAN_WEIGHT, SHARE),
        kind=Authorship.OURS,
        note=(
            "The paper gives no formula for FedBuff's weights; d_i = p_i W / (deliveries of i in a"
            " window) is right for every repeating policy."
        ),
    ),
)
