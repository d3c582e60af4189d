"""Section 5: what its experiments say that can be computed, and whether the theory covers them."""

import sympy

from fltheory.claims.claim import Authorship, Identity, LowerBound, SpecialCase, UpperBound
from fltheory.papers.fraboni.paper import LOCAL, N, W, claim, word
from fltheory.papers.fraboni.statements.bounds import LEARNING_RATE
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
        "Time-based weights are above 1 for the slowest client.",
        LowerBound(LARGEST_D, ONE),
    ),
    claim(
        "exp.weights.fast",
        "Section 5.2.2",
        "Time-based weights are at most 1 for the fastest client.",
        UpperBound(SMALLEST_D, ONE),
    ),
    claim(
        "exp.fig2",
        "Section 5.2.1 and Figure 2(a)",
        "On the federated problem, time-based weights end at a lower loss than identical ones.",
        UpperBound(TIME_LOSS, SAME_LOSS),
        note="Decided on quadratic surrogates, not on the paper's data.",
    ),
    claim(
        "exp.fig2.surrogate",
        "Section 5.2.1 and Figure 2(c)",
        "On the surrogate problem (6) of identical weights, identical weights end at the lower"
        " loss.",
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
        "The run of Figure 3 consists of whole balanced windows, as Theorem 3 asks.",
        UpperBound(W, N),
        note=(
            "With update times evenly spaced from 0.2 to 1 the window has about 8 10^10 rounds, the"
            " run about 5 10^5: Theorem 3 says nothing here."
        ),
    ),
    claim(
        "exp.fig3.step",
        "Figure 3 and Theorem 1",
        "For losses with L = 1, the learning rate 0.0005 of Figure 3 is one that Theorem 1 allows.",
        UpperBound(LOCAL, LEARNING_RATE),
        kind=Authorship.OURS,
        note="It would need L of at most about 0.12 with one local step and 0.005 with 25.",
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
        "For losses with L = 1, eta_l = 1/sqrt(KN) is a rate that Theorem 1 allows in the run of"
        " Figure 3.",
        UpperBound(LOCAL, LEARNING_RATE),
        kind=Authorship.OURS,
        note="It needs N >= 2.66 10^8 L^2; the run has 5.3 10^5 rounds.",
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
