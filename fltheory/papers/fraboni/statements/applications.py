"""Section 4 and Appendix C: the bounds of each scheme, derived from Theorem 3 by substitution;
other results."""

import sympy

from fltheory.claims.claim import Assumption, Authorship, Identity, Order, UpperBound
from fltheory.claims.condition import Condition
from fltheory.papers.fraboni.hypotheses import COVARIANCE, condition
from fltheory.papers.fraboni.paper import (
    ALPHA,
    BETA,
    LOCAL,
    NOISE,
    SERVER,
    STALENESS,
    START,
    B,
    K,
    L,
    N,
    W,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.application_bounds import (
    ASYNC,
    ASYNC_HORIZON,
    ASYNC_SUPPORTED,
    BIASED,
    BIASED_SUPPORTED,
    CENTRAL,
    EQ11,
    EQ13,
    EQ13_ALIKE,
    EQ13_CORRECTED,
    EQ15,
    EQ15_CORRECTED,
    EQ33,
    EQ34_CORRECTED,
    FIXED,
    FIXED_HORIZON,
    FIXED_SUPPORTED,
    ROOT,
    SAMPLED,
    SAMPLED_CORRECTED,
    SYNC,
    SYNC_HORIZON,
)

SHORT_STEPS = Assumption(
    "short-steps",
    "48 K L eta_l <= 1",
    Condition.of("48 K L eta_l <= 1", 48 * K * L * LOCAL <= 1),
)
"""The learning rate of Theorem 3, for one client."""

LIMITING = word(
    "limiting_gap",
    "mean gap of a sampled run in the long run, started at the optimum",
    nonnegative=True,
)
LIMITING_BOUND = word(
    "limiting_bound",
    "limit of the right side of thm1.best as N grows, for clients of equal importance that are"
    " sampled in every round",
    nonnegative=True,
)
MODEST_SERVER = condition("server-step", "eta_g <= 2", SERVER <= 2)
FULL_WEIGHT = condition(
    "full-weight", "alpha + beta >= 1: the weights add up to 1", sympy.Le(1, ALPHA + BETA)
)
FACTOR, DOUBLED = (
    word("factor", "alpha when m clients are sampled"),
    word("factor_at_double", "alpha when 2m clients are sampled"),
)

LOST = (
    "The substitution eta_l = 1/sqrt(KN) turns eta_l K (W-1) into sqrt(K/N) (W-1); the printed"
    " (W-1)/sqrt(KN) has lost a factor K."
)

CLAIMS = (
    claim(
        "eq11",
        "Section 4.2, eq. (11)",
        "Theorem 3 with the constants of synchronous FedAvg is of the order of eq. (11).",
        Order(SYNC, EQ11, hides="L"),
        assumes=(SYNC_HORIZON,),
        note=(
            "Of the right sides alone. Theorem 3 as printed fails for rough batches; for smooth"
            " ones thm3.learning_rate bounds the gap itself, in the same order: all rounds have one"
            " optimum here, so that Sigma_1 is Sigma and Sigma_2 is Sigma/M."
        ),
    ),
    claim(
        "eq13",
        "Section 4.3, eq. (13)",
        "Theorem 3 with the constants of asynchronous FedAvg is of the order of eq. (13).",
        Order(ASYNC, EQ13, hides="L and B"),
        assumes=(ASYNC_HORIZON,),
        note=LOST,
    ),
    claim(
        "eq13.heterogeneity",
        "Section 4.3, eq. (13)",
        "Eq. (13) shows how hardware heterogeneity enters Theorem 3.",
        Order(ASYNC, EQ13, hides="L and B"),
        assumes=(ASYNC_HORIZON,),
        note=(
            "The third and fourth terms grow as its third and sixth power, not as its first and"
            " third: rho is hidden."
        ),
    ),
    claim(
        "eq13.corrected",
        "Section 4.3, eq. (13) corrected",
        "For asynchronous FedAvg with equal importances and tau at most 2 M tau_M/tau_1 the right"
        " side of thm3.learning_rate is of this order in N, K, M, W, tau_M/tau_1 and Sigma_1.",
        Order(ASYNC_SUPPORTED, EQ13_CORRECTED, hides="L"),
        assumes=(ASYNC_HORIZON,),
        note=(
            "The paper has Sigma for Sigma_1, the noise at the rounds' optima, which is at most (4"
            " L R + 2 Sigma) tau_M/tau_1 here (eq32.optimum.corrected)."
        ),
        kind=Authorship.OURS,
        corrects="eq13",
    ),
    claim(
        "eq15",
        "Section 4.4, eq. (15)",
        "Theorem 3 with the constants of FedFix is of the order of eq. (15).",
        Order(FIXED, EQ15, hides="L and B"),
        assumes=(FIXED_HORIZON,),
        note=LOST,
    ),
    claim(
        "eq15.corrected",
        "Section 4.4, eq. (15) corrected",
        "For FedFix with equal importances the right side of thm3.learning_rate is of this order"
        " in N, K, W, the slowest cycle and the noise Sigma_1, Sigma_2 of the rounds.",
        Order(FIXED_SUPPORTED, EQ15_CORRECTED, hides="L"),
        assumes=(FIXED_HORIZON,),
        note=(
            "The paper has Sigma for Sigma_1 and ceil(tau_M/Delta t) Sigma/M for Sigma_2; where one"
            " client is alone in a round, Sigma_2 is as large as Sigma_1 (eq32.corrected)."
        ),
        kind=Authorship.OURS,
        corrects="eq15",
    ),
    claim(
        "app.centralized",
        "Appendix C.1",
        "Centralised learning has tau = 1.",
        Identity(STALENESS, sympy.S.One),
        note=(
            "By the paper's definition a client that is always heard has n - rho(n) = 0; tau = 1"
            " would add a delay term to eq. (33)."
        ),
    ),
    claim(
        "app.centralized.corrected",
        "Appendix C.1 corrected",
        "Centralised learning has tau = 0.",
        Identity(STALENESS, sympy.S.Zero),
        kind=Authorship.OURS,
        corrects="app.centralized",
    ),
    claim(
        "eq33",
        "Appendix C.1, eq. (33)",
        "Theorem 3 for one client with K local steps is of the order of eq. (33).",
        Order(CENTRAL, EQ33, hides="L"),
        note=(
            "For K > 1 the theorem also has eta_l^2 (K-1)^2 Sigma, which eq. (33) drops; eq. (33)"
            " follows for K = 1 and KN rounds."
        ),
    ),
    claim(
        "eq33.corrected",
        "Appendix C.1, eq. (33) corrected",
        "Theorem 3 for one client is of the order of eq. (33) plus eta_l^2 (K-1)^2 Sigma.",
        Order(CENTRAL, EQ33 + LOCAL**2 * (K - 1) ** 2 * NOISE, hides="L"),
        kind=Authorship.OURS,
        assumes=(SHORT_STEPS,),
        corrects="eq33",
    ),
    claim(
        "app.unbiased",
        "Appendix C.2",
        "With sampled clients the gap in the long run is of the order of the printed terms.",
        Order(LIMITING, SAMPLED, hides="L"),
        note=(
            "False: the beta term lacks a factor K, because the K local steps of a round share one"
            " random choice of clients (see thm1.sampling)."
        ),
    ),
    claim(
        "app.unbiased.corrected",
        "Appendix C.2 corrected",
        "With sampled clients of equal importance and server steps up to 2, the right side of"
        " thm1.best tends to that order with K beta in place of beta, as N grows.",
        Order(LIMITING_BOUND, SAMPLED_CORRECTED, hides="L"),
        assumes=(COVARIANCE, MODEST_SERVER, FULL_WEIGHT),
        kind=Authorship.OURS,
        corrects="app.unbiased",
    ),
    claim(
        "app.unbiased.alpha",
        "Appendix C.2",
        "With sampled clients alpha is proportional to m.",
        Identity(DOUBLED, 2 * FACTOR),
        note="False: it is 1 - 1/m for multinomial and M (m-1) / (m (M-1)) for uniform sampling.",
    ),
    claim(
        "app.unbiased.beta",
        "Appendix C.2",
        "With clients of equal importance, sampled uniformly or by importance, beta is at most 1.",
        UpperBound(BETA, sympy.S.One),
        note=(
            "It uses p_i = 1/M: one of twenty clients, sampled uniformly, with importance 0.99 has"
            " beta = 19.8. For every beta: thm1.best."
        ),
    ),
    claim(
        "app.biased",
        "Appendix C.3",
        "Selecting the clients with the highest loss gives beta = 0.",
        Identity(BETA, sympy.S.Zero),
        note=(
            "Only if the models are not random: with stochastic gradients the losses, and so the"
            " selection, are."
            " With a selection that is fixed in advance it is right, as in tab2.beta.fedfix."
        ),
    ),
    claim(
        "eq34",
        "Appendix C.3, eq. (34)",
        "Theorem 3 for biased sampling is of the order of eq. (11) plus eta (W-1) K.",
        Order(BIASED, EQ11 + ROOT * (W - 1) * K * B**2, hides="L"),
        assumes=(SYNC_HORIZON,),
        note=(
            "Eq. (11) has no R because all its rounds share one objective; here they do not, and"
            " the terms with R are missing."
        ),
    ),
    claim(
        "eq34.corrected",
        "Appendix C.3, eq. (34) corrected",
        "With the terms in R and the noise of the rounds, the right side of thm3.learning_rate for"
        " biased sampling of total weight 1 is of that order.",
        Order(BIASED_SUPPORTED, EQ34_CORRECTED, hides="L"),
        assumes=(SYNC_HORIZON,),
        kind=Authorship.OURS,
        corrects="eq34",
    ),
    claim(
        "lit",
        "Section 4.3, comparison with the literature",
        "For K = 1 and clients with the same data, so that W = 1 and R = 0, eq. (13) gives"
        " 1/sqrt(N) with M of the order of sqrt(N).",
        Order(EQ13, 1 / sympy.sqrt(N), hides="K, W, R, Sigma, tau_M/tau_1 and the start"),
        note="The fourth term, M^2/N, is then constant; M must be of the order of N^(1/4).",
    ),
    claim(
        "lit.corrected",
        "Section 4.3, comparison, corrected",
        "For K = 1 and clients with the same data, so that W = 1 and R = 0, eq. (13) gives"
        " 1/sqrt(N) with M of the order of N^(1/4).",
        Order(EQ13_ALIKE, 1 / sympy.sqrt(N), hides="Sigma, tau_M/tau_1 and the start"),
        kind=Authorship.OURS,
        corrects="lit",
        note="Where data differ, W is at least M (tab2.W.async.lower) which is too many.",
    ),
    claim(
        "lit.stich",
        "Section 4.3, comparison with the literature",
        "With eta_l = 1/(tau sqrt(KN)) the bound is of the order tau/N + 1/sqrt(N).",
        Order(
            START / (LOCAL * K * N) + LOCAL * NOISE,
            STALENESS / N + 1 / sympy.sqrt(N),
            hides="K, Sigma and the start",
        ),
        note="The first term alone is tau / sqrt(KN).",
    ),
    claim(
        "lit.zinkevich",
        "Section 4.3, comparison with the literature",
        "With W of the order tau and eta_l = 1/sqrt(tau N) the bound is of the order sqrt(tau/N).",
        Order(
            START / (LOCAL * K * N)
            + LOCAL * (W - 1)
            + LOCAL * NOISE
            + LOCAL**2 * STALENESS**2 * NOISE,
            sympy.sqrt(STALENESS / N),
            hides="K, W/tau, Sigma and the start",
        ),
    ),
)
