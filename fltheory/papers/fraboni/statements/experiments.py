"""Section 5: what its experiments say that can be computed, and whether the theory covers them."""

import sympy

from fltheory.claims.claim import Authorship, Identity, LowerBound, SpecialCase, UpperBound
from fltheory.papers.fraboni.hypotheses import LEARNING_RATE
from fltheory.papers.fraboni.paper import LOCAL, N, W, claim, word
from fltheory.papers.fraboni.statements.table2 import FASTEST, LARGEST_D, SLOWEST

CAPTION, TEXT = (
    word("caption_value", "the value in the figure's caption"),
    word("text_value", "the value in the text"),
)
FIXED = word(
    "fedfix_model", "model of FedFix with windows of half the update time, after 2n rounds"
)
OTHER = word(
    "other_model", "model of the scheme it is compared with, with server step 2, after n rounds"
)
TIME_LOSS = word("time_based_loss", "long-run mean of the loss with time-based weights (eq. 12)")
SAME_LOSS = word("identical_loss", "long-run mean of the same loss with identical weights")
SYNC_LOSS = word("sync_loss", "federated loss of synchronous FedAvg after the given time")
FIXED_LOSS = word("fedfix_loss", "federated loss of FedFix-0.5 after the same time")
ASYNC_LOSS = word("async_loss", "federated loss of asynchronous FedAvg after the same time")
SMALLEST_D = word("smallest_aggregation_weight", "min_i d_i", nonnegative=True)
ONE, FIVE = sympy.S.One, sympy.S(5)
ADMISSIBLE = {"local_steps": 1, "smoothness": 1, "server_step_size": 1, "max_staleness": 24}

CLAIMS = (
    claim(
        "exp.f80",
        "Section 5.1 and 5.2.1",
        "In the scenario F80 the fastest client is five times as fast as the slowest.",
        Identity(SLOWEST / FASTEST, FIVE),
    ),
    claim(
        "exp.weights",
        "Section 5.2.2",
        "With equal importances, time-based weights are at least 1 for the slowest client.",
        LowerBound(LARGEST_D, ONE),
    ),
    claim(
        "exp.weights.fast",
        "Section 5.2.2",
        "With equal importances, time-based weights are at most 1 for the fastest client.",
        UpperBound(SMALLEST_D, ONE),
    ),
    claim(
        "exp.fig2",
        "Section 5.2.1 and Figure 2(a)",
        "On the federated problem and for small steps, time-based weights end at a lower loss than"
        " identical ones, two quadratic clients of unequal speed.",
        UpperBound(TIME_LOSS, SAME_LOSS),
        note="Decided on quadratic surrogates, not on the paper's data.",
    ),
    claim(
        "exp.fig2.surrogate",
        "Section 5.2.1 and Figure 2(c)",
        "On the surrogate problem (6) of identical weights and for small steps, identical weights"
        " end at the lower loss, two quadratic clients of unequal speed.",
        UpperBound(SAME_LOSS, TIME_LOSS),
        note="Decided on quadratic surrogates, not on the paper's data.",
    ),
    claim(
        "exp.fig3.rate",
        "Figure 3 and Section 5.2.2",
        "Caption and text of Figure 3 give the same learning rate.",
        Identity(CAPTION, TEXT),
        note="The caption says 0.005, the text twice 0.0005.",
    ),
    claim(
        "exp.fig3",
        "Figure 3 and Theorem 3",
        "Theorem 3 bounds the run of Figure 3: it lasts for at least one of the balanced windows"
        " that the theorem needs.",
        UpperBound(W, N),
        note=(
            "With update times evenly spaced from 0.2 to 1 the window has about 8 10^10 rounds, the"
            " run about 5 10^5: Theorem 3 says nothing here."
        ),
    ),
    claim(
        "exp.fig3.step",
        "Figure 3 and Theorem 1",
        "For losses with L = 1, the learning rate 0.0005 of Figure 3 is above what Theorem 1"
        " allows.",
        LowerBound(LOCAL, LEARNING_RATE),
        kind=Authorship.OURS,
        note="Theorem 1 needs L of at most about 0.12 there with one local step, 0.005 with 25.",
        special_cases=(
            SpecialCase(
                "F80 with ten clients, one local step",
                ADMISSIBLE | {"largest_total_weight": "2.128058862"},
                "0.0000613",
            ),
        ),
    ),
    claim(
        "exp.rate",
        "Section 4.1 and Theorem 1",
        "For losses with L = 1 and one local step, eta_l = 1/sqrt(KN) is above what Theorem 1"
        " allows in the run of Figure 3.",
        LowerBound(LOCAL, LEARNING_RATE),
        kind=Authorship.OURS,
        note="Theorem 1 needs N >= 2.66 10^8 L^2; the run has 5.3 10^5 rounds.",
    ),
    claim(
        "exp.fig4.hardware",
        "Section 5.2.3, on Figure 4",
        "The scenario F0, in which synchronous FedAvg is said to win, has heterogeneous hardware.",
        LowerBound(word("times_differ", "1 if the update times of F0 differ, else 0"), ONE),
        note="A slip for homogeneous: with F0 all clients have identical hardware (Section 5.1).",
    ),
    claim(
        "exp.fig4.small_steps",
        "Section 5.2.3, on Figures 5 and 7",
        "After the same time, for small steps and from a start far from the optimum, FedFix-0.5 has"
        " a lower loss than synchronous FedAvg, for quadratic clients of F80.",
        UpperBound(FIXED_LOSS, SYNC_LOSS),
        note="On quadratics, not on the paper's data: in the same time it makes more rounds.",
    ),
    claim(
        "exp.fig4.small_steps.async",
        "Section 5.2.3, on Figures 5 and 7",
        "After the same time, for small steps and from a start far from the optimum, asynchronous"
        " FedAvg has a lower loss than FedFix-0.5, for quadratic clients of F80.",
        UpperBound(ASYNC_LOSS, FIXED_LOSS),
        note="On quadratics, not on the paper's data: in the same time it makes more rounds.",
    ),
    claim(
        "exp.sec523",
        "Section 5.2.3",
        "On equal hardware FedFix-0.5 behaves as asynchronous FedAvg with server learning rate 2.",
        Identity(FIXED, OTHER),
        note=(
            "All clients deliver together in every second window with doubled weights: that is"
            " synchronous FedAvg with server step 2."
        ),
    ),
    claim(
        "exp.sec523.corrected",
        "Section 5.2.3 corrected",
        "On equal hardware FedFix-0.5 is synchronous FedAvg with server learning rate 2.",
        Identity(FIXED, OTHER),
        kind=Authorship.OURS,
        corrects="exp.sec523",
    ),
)
