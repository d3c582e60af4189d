"""Theorem 1 and Corollary 1: as printed, with explicit constants, and corrected."""

from fltheory.claims.claim import Authorship, Order, Severity, SpecialCase, UpperBound
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.hypotheses import (
    CERTAIN,
    FAIR,
    HYPOTHESES,
    PAGE,
    REPAIRED,
    condition,
)
from fltheory.papers.fraboni.paper import (
    ALPHA,
    GAP,
    LEAST_TOTAL,
    LOCAL,
    RHO,
    SPREAD,
    STALENESS,
    STEP,
    K,
    L,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.bounds import (
    CORRECTED,
    ORDER,
    ORDER_BEFORE_32,
    PRINTED,
)

RATES = (
    condition("local-rate", "eta_l <= 1/(48 K L)", 48 * K * L * LOCAL <= 1),
    condition(
        "server-rate",
        "eta_g eta_l <= 1/(144 rho^2 K L (tau + 1))",
        144 * RHO**2 * K * L * (STALENESS + 1) * STEP <= 1,
    ),
    condition("alpha-at-most-one", "alpha <= 1", ALPHA <= 1),
)
"""The learning rate of Theorem 1 and Assumption 5, of the formula alone."""

LOSS_GAP = symbol("mean_loss_gap")
GRADIENTS = word(
    "mean_step_gradient",
    "(1/NK) sum E|grad L(theta^{n,k})|^2, mean over rounds and local steps",
    nonnegative=True,
)


TURNS = {
    "local_step_size": "1/288",
    "server_step_size": 1,
    "local_steps": 1,
    "num_rounds": 1000,
    "max_staleness": 1,
    "smoothness": 1,
    "largest_total_weight": 1,
    "objective_spread": "1/2",
    "round_optimum_noise": 0,
    "round_optimum_noise_squared": 0,
    "initial_distance_squared": 1,
    "virtual_factor": 1,
    "shared_steps": 1,
    "mean_total_weight": 1,
    "balance_period": 2,
    "gradient_bound": 2,
}
AS_ONE, AS_SINGLES = (
    {"covariance_factor": 1, "variance_excess": 0},
    {"covariance_factor": 0, "variance_excess": 1},
)
GOLDEN = (
    SpecialCase("two clients in turn, alpha = 0, beta = 1", TURNS | AS_SINGLES, "0.809991"),
    SpecialCase("two clients in turn, alpha = 1, beta = 0", TURNS | AS_ONE, "0.831981"),
)
ALONE = PRINTED.subs(SPREAD, 0)

CLAIMS = (
    claim(
        "thm1",
        "Theorem 1, constants of A.4",
        "The mean gap of the rounds' own objectives is at most their spread plus four vanishing"
        " terms.",
        UpperBound(GAP, SPREAD + PRINTED),
        assumes=HYPOTHESES,
        special_cases=GOLDEN,
        note=(
            "What is true: thm1.best, or thm1.learning_rate with the printed learning rate."
            " Assumptions 1 to 3 speak of the mean losses, and the proof uses them for every batch:"
            " a client whose batches have curvature 1000 once in a thousand and 0 otherwise meets"
            " all assumptions with L = 1 and diverges. See also thm1.sampling and thm1.constants."
        ),
    ),
    claim(
        "thm1.sampling",
        "Theorem 1 and Appendix C.2",
        "Theorem 1 covers randomly sampled clients that take several local steps.",
        UpperBound(GAP, SPREAD + PRINTED),
        assumes=HYPOTHESES,
        note=(
            "False: one of two clients sampled per round, many local steps. The participants of a"
            " round are chosen once for all its K steps, so the variance beta enters K times (Lemma"
            " 2 loses that covariance); the printed beta term has no K."
        ),
    ),
    claim(
        "thm1.constants",
        "Theorem 1, constants of A.4",
        "With certain participation and smooth batches, Theorem 1 holds with its printed"
        " constants.",
        UpperBound(GAP, SPREAD + PRINTED),
        kind=Authorship.OURS,
        corrects="thm1",
        assumes=(*HYPOTHESES, CERTAIN),
        severity=Severity.THEOREM,
        note=(
            "False for a large server step and many local steps: the virtual models move by eta_g"
            " eta_l K in a round, which no printed term contains without delay. The factor kappa of"
            " thm1.best.certain repairs it."
        ),
    ),
    claim(
        "thm1.corrected",
        "Theorem 1 corrected",
        "Theorem 1 holds for smooth batches with the constants that its proof supports.",
        UpperBound(GAP, SPREAD + CORRECTED),
        kind=Authorship.OURS,
        corrects="thm1",
        assumes=HYPOTHESES,
        severity=Severity.HYPOTHESIS,
        note=(
            "A correction of ours that was wrong: one of a thousand clients with the same loss, one"
            " of them sampled per round and one of importance 0.999, meets all these assumptions"
            " and diverges. The condition 2 alpha + beta <= 12 rho is missing: see"
            " thm1.learning_rate, and thm1.best for what is needed."
        ),
        special_cases=GOLDEN,
    ),
    claim(
        "thm1.hidden_rho",
        "Theorem 1, last line",
        "The O(.) of Theorem 1 hides only numbers and the smoothness L.",
        Order(PRINTED, ORDER, hides="L"),
        assumes=RATES,
        note=(
            "False: it also hides powers of rho, the largest total weight of a round, up to rho^3."
            " See eq31.corrected."
        ),
    ),
    claim(
        "eq31",
        "Appendix A, eq. (31)",
        "The explicit bound is of the order of the four printed terms.",
        Order(PRINTED, ORDER_BEFORE_32, hides="L"),
        assumes=RATES,
        note="False as rho grows: powers of rho are hidden.",
    ),
    claim(
        "eq31.corrected",
        "Appendix A, eq. (31) corrected",
        "The explicit bound is of the order of rho^3 times the printed terms.",
        Order(PRINTED, RHO**3 * ORDER_BEFORE_32, hides="L"),
        assumes=RATES,
        kind=Authorship.OURS,
        corrects="eq31",
    ),
    claim(
        "cor1",
        "Corollary 1",
        "When every data type is represented fairly in each round, the federated loss itself is"
        " bounded by the four terms.",
        UpperBound(LOSS_GAP, ALONE),
        assumes=(*HYPOTHESES, FAIR),
        note=(
            "False when q(n) < 1: Theorem 1 bounds q(n) times the gap of the federated loss, and"
            " the corollary drops the factor."
        ),
    ),
    claim(
        "cor1.corrected",
        "Corollary 1 corrected",
        "Corollary 1 holds after division by the least total weight of a round.",
        UpperBound(LOSS_GAP, CORRECTED.subs(SPREAD, 0) / LEAST_TOTAL),
        kind=Authorship.OURS,
        corrects="cor1",
        assumes=(*REPAIRED, FAIR),
        proof=f"{PAGE}#corollary-1-and-theorem-2",
    ),
)
