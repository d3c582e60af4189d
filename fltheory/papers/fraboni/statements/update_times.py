"""Sections 4.1 and 4.4: random update times, and FedFix with windows as long as the slowest
client."""

import sympy

from fltheory.claims.claim import Authorship, Identity, UpperBound
from fltheory.papers.fraboni.paper import (
    DURATION,
    MEAN_WEIGHT,
    SHARE,
    STALENESS,
    TIME,
    M,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.table2 import SLOWEST
from fltheory.papers.fraboni.statements.table2_windows import CEILINGS

OTHER_TIME = word("other_update_time", "mean update time of another client", positive=True)
MEAN_ROUNDS = word(
    "mean_rounds", "E ceil(T_i / Delta t) for an exponential update time T_i", positive=True
)
MOST = word("most_deliverers", "largest number of clients that deliver in a round")

PARTICIPATION = 1 - sympy.exp(-DURATION / TIME)
TREATMENT = sympy.ceiling(TIME / DURATION) * PARTICIPATION

CLAIMS = (
    claim(
        "exponential.async",
        "Section 4.1",
        "With exponential update times eq. (12) gives each client its importance in every"
        " asynchronous round.",
        Identity(MEAN_WEIGHT, SHARE),
        note="Even in every single round, so that W = 1 and R = 0; but the delay is not bounded.",
    ),
    claim(
        "exponential.delay",
        "Section 4.1",
        "With exponential update times the asynchronous delay keeps the bound of fixed times.",
        UpperBound(STALENESS, CEILINGS),
        note="The delay has no bound: a client may lose any number of races.",
    ),
    claim(
        "exponential.fedfix",
        "Section 4.1",
        "With exponential update times eq. (14) treats all clients of equal importance alike.",
        Identity(TREATMENT, TREATMENT.xreplace({TIME: OTHER_TIME})),
        note="The weights must be p_i E ceil(T_i / Delta t) = p_i / (1 - exp(-Delta t / tau_i)).",
    ),
    claim(
        "exponential.fedfix.corrected",
        "Section 4.1 corrected",
        "An exponential update takes 1 / (1 - exp(-Delta t / tau_i)) windows on average.",
        Identity(MEAN_ROUNDS, 1 / PARTICIPATION),
        kind=Authorship.OURS,
        corrects="exponential.fedfix",
    ),
    claim(
        "fedfix.async",
        "Section 4.4, last lines",
        "FedFix is asynchronous FedAvg, one client per round, when Delta t >= tau_M.",
        Identity(MOST, sympy.S.One),
        note=(
            "A slip: Delta t >= tau_M gives synchronous FedAvg; asynchronous is Delta t much"
            " shorter than tau_1."
        ),
    ),
    claim(
        "fedfix.sync",
        "Section 4.4",
        "FedFix is synchronous FedAvg, all clients in every round, when Delta t >= tau_M.",
        Identity(MOST, M),
    ),
    claim(
        "fedfix.rate",
        "Section 4.4",
        "In a time that tau_M and Delta t divide, FedFix makes tau_M / Delta t times as many rounds"
        " as synchronous FedAvg.",
        Identity(
            word("fedfix_round_ratio", "rounds of FedFix per round of synchronous FedAvg"),
            SLOWEST / DURATION,
        ),
    ),
)
