"""Theorems 1 and 3 and their corollaries: as printed, with explicit constants, and corrected."""

from typing import Any

import sympy

from fltheory.claims.claim import (
    Assumption,
    Identity,
    LowerBound,
    Order,
    SpecialCase,
    UpperBound,
    evaluate,
)
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.paper import (
    GAP,
    INDEPENDENT,
    LEAST_TOTAL,
    LOCAL,
    MEAN_TOTAL,
    RHO,
    SAMPLEWISE,
    SPREAD,
    STALENESS,
    STEP,
    THEOREM1,
    TOTAL,
    B,
    K,
    L,
    W,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.bounds import (
    CORRECTED,
    LEARNING_RATE,
    ORDER,
    ORDER_BEFORE_32,
    PRINTED,
    WINDOW_TERM,
)
from fltheory.traces.trace_statistics import pull_delays

LOSS_GAP = symbol("mean_loss_gap")
OBJECTIVE_GAP = word(
    "mean_objective_gap",
    "mean over rounds and local steps of E Lbar(theta^{n,k}) - Lbar(its optimum)",
    nonnegative=True,
)
GRADIENTS = word(
    "mean_step_gradient",
    "mean over rounds and local steps of E |grad L(theta^{n,k})|^2",
    nonnegative=True,
)
CHI = word(
    "mean_mismatch",
    "chi^2 = sum_j (r_j - s_j)^2 / s_j of the mean normalised weights",
    nonnegative=True,
)
CONFLICT = word(
    "optimum_conflict", "Lbar(its optimum) - sum_j s_j F_j(its own optimum)", nonnegative=True
)
RISE = word("client_loss_rise", "E L_i(theta^{n+1}) - E L_i(theta^n) of one client")
OWN = word("window_client_loss", "sum over a window and local steps of q_i E L_i(theta^{n,k})")
OTHER = word(
    "window_other_loss",
    "sum over a window and local steps of the losses on the right of the inequality, with weights"
    " q_i(n)",
)
ARRIVED = word(
    "window_weight", "sum over a window and local steps of the weights q_i(n)", nonnegative=True
)
LARGEST_EXPONENT = word(
    "largest_exponent", "largest exponent of N in Theorem 3's bound once the powers are substituted"
)
RATE = word("step_exponent", "c: the local step size falls as N^-c", nonnegative=True)
WINDOW_POWER = word("window_exponent", "a: the balance period grows as N^a", nonnegative=True)
DELAY_POWER = word("delay_exponent", "b: the largest staleness grows as N^b", nonnegative=True)
WHOLE = word("window_is_the_run", "1 where Assumption 6 holds with W = N")
FAILS = word(
    "fails_to_converge",
    "1 where no step size makes the run converge to the optimum, 0 where one does",
)


def _within_learning_rate(scenario: Any) -> bool | None:
    weights, smoothness = scenario.settings.get("weights"), scenario.problem.constants.smoothness
    if weights is None or smoothness is None or isinstance(scenario.local_step_size, tuple):
        return None
    steps = int(scenario.trace.local_steps.max())
    total = max(
        1,
        *(
            sum(w for w, here in zip(weights, row, strict=True) if here)
            for row in scenario.trace.delivers
        ),
    )
    values = {
        "largest_total_weight": total,
        "server_step_size": scenario.server_step_size,
        "local_steps": steps,
        "smoothness": smoothness,
        "max_staleness": int(pull_delays(scenario.trace).max()),
    }
    return bool(
        evaluate(LEARNING_RATE, values)
        >= evaluate(LOCAL, {"local_step_size": scenario.local_step_size})
    )


SLOW = Assumption(
    "learning-rate",
    "eta_l <= 1/(48 K L) min(1, 1/(3 rho^2 eta_g (tau + 1)))",
    _within_learning_rate,
)
HYPOTHESES = (*THEOREM1, SLOW, SAMPLEWISE, INDEPENDENT)
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
            "False as printed: Assumptions 1 to 3 speak of the mean losses, the proof uses them for"
            " every batch. A client whose batches have curvature 1000 once in a thousand and 0"
            " otherwise meets all assumptions with L = 1 and diverges. See also thm1.sampling."
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
        printed=False,
        corrects="thm1",
        assumes=HYPOTHESES,
        note=(
            "The proof does not support all of these constants (see thm1.corrected), but no run"
            " contradicts them."
        ),
    ),
    claim(
        "thm1.corrected",
        "Theorem 1 corrected",
        "Theorem 1 holds for smooth batches with the constants that its proof supports.",
        UpperBound(GAP, SPREAD + CORRECTED),
        printed=False,
        corrects="thm1",
        assumes=HYPOTHESES,
        special_cases=GOLDEN,
    ),
    claim(
        "thm1.hidden_rho",
        "Theorem 1, last line",
        "The O(.) of Theorem 1 hides only numbers and the smoothness L.",
        Order(PRINTED, ORDER),
        note=(
            "False: it also hides powers of rho, the largest total weight of a round, up to rho^3."
        ),
    ),
    claim(
        "eq31",
        "Appendix A, eq. (31)",
        "The explicit bound is of the order of the four printed terms.",
        Order(PRINTED, ORDER_BEFORE_32),
        note="False as rho grows: powers of rho are hidden.",
    ),
    claim(
        "eq31.corrected",
        "Appendix A, eq. (31) corrected",
        "The explicit bound is of the order of rho^3 times the printed terms.",
        Order(PRINTED, RHO**3 * ORDER_BEFORE_32),
        printed=False,
        corrects="eq31",
    ),
    claim(
        "cor1",
        "Corollary 1",
        "When every data type is represented fairly in each round, the federated loss itself is"
        " bounded by the four terms.",
        UpperBound(LOSS_GAP, ALONE),
        assumes=HYPOTHESES,
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
        printed=False,
        corrects="cor1",
        assumes=HYPOTHESES,
    ),
    claim(
        "thm3",
        "Theorem 3, first bound",
        "With balanced windows and bounded gradients, the mean objective's gap is at most the five"
        " vanishing terms.",
        UpperBound(OBJECTIVE_GAP, PRINTED + WINDOW_TERM),
        assumes=HYPOTHESES,
        special_cases=(
            SpecialCase("two clients in turn, W = 2, B = 2", TURNS | AS_ONE, "0.345870"),
        ),
        note=(
            "False as printed for the same reason as Theorem 1 (rough batches); true in every run"
            " with smooth batches."
        ),
    ),
    claim(
        "thm3.corrected",
        "Theorem 3, first bound corrected",
        "Theorem 3's first bound holds for smooth batches with the constants that its proof"
        " supports.",
        UpperBound(OBJECTIVE_GAP, CORRECTED + WINDOW_TERM),
        printed=False,
        corrects="thm3",
        assumes=HYPOTHESES,
    ),
    claim(
        "thm3.gradient",
        "Theorem 3, second bound",
        "With fair mean weights, the mean squared gradient of the federated loss is at most the"
        " same bound.",
        UpperBound(GRADIENTS, PRINTED + WINDOW_TERM),
        assumes=HYPOTHESES,
        note=(
            "False already for one client with L = 10: a squared gradient is bounded by 2 L times a"
            " gap, and that factor is missing."
        ),
    ),
    claim(
        "thm3.gradient.corrected",
        "Theorem 3, second bound corrected",
        "The mean squared gradient is bounded by (8 chi^2 + 4) L over the mean total weight times"
        " the first bound, plus the conflict.",
        UpperBound(
            GRADIENTS,
            (8 * CHI + 4) * L / MEAN_TOTAL * (CORRECTED + WINDOW_TERM)
            + 8 * L / MEAN_TOTAL * CHI * CONFLICT,
        ),
        printed=False,
        corrects="thm3.gradient",
        assumes=HYPOTHESES,
    ),
    claim(
        "eq9",
        "Section 3.4, eq. (9)",
        "In one round a client's loss rises by at most eta_g eta_l q(n) K B^2.",
        UpperBound(RISE, STEP * TOTAL * B**2 * K),
    ),
    claim(
        "eq10",
        "Section 3.4, eq. (10)",
        "Over a window, a client's loss with its mean weight is at most the mean objective with its"
        " weights, plus drift.",
        UpperBound(OWN, OTHER + ARRIVED * STEP * K * (W - 1) * B**2),
        note="False: the loss on the right must be the client's own, summed over clients.",
    ),
    claim(
        "eq10.corrected",
        "Section 3.4, eq. (10) corrected",
        "Over a window, the losses with mean weights are at most the losses with the rounds'"
        " weights, plus drift.",
        UpperBound(OWN, OTHER + ARRIVED * STEP * K * (W - 1) * B**2 * MEAN_TOTAL),
        printed=False,
        corrects="eq10",
    ),
    claim(
        "cor2",
        "Corollary 2",
        "With step size N^-c, windows N^a and staleness N^b, the bound falls at the slowest of four"
        " powers of N.",
        UpperBound(
            LARGEST_EXPONENT,
            sympy.Max(WINDOW_POWER - RATE, RATE - 1, 2 * (DELAY_POWER - RATE), -RATE),
        ),
        note=(
            "So the bound vanishes when max(a, b) < c < 1, as the corollary says; the limit is the"
            " mean objective's optimum."
        ),
    ),
    claim(
        "cor2.window",
        "after Corollary 2",
        "When W = N, no learning rate makes the process converge to the optimum.",
        UpperBound(WHOLE, FAILS),
        note="Only the bound fails there: identical clients converge although W = N is admissible.",
    ),
    claim(
        "W.tau",
        "after Assumption 6",
        "By construction the window is at least as long as the largest staleness.",
        LowerBound(W, STALENESS),
        note="False: a client may be first in one window and last in the next.",
    ),
    claim(
        "W.tau.corrected",
        "after Assumption 6, corrected",
        "If every client delivers in every window, staleness is at most 2 W - 2.",
        UpperBound(STALENESS, 2 * W - 2),
        printed=False,
        corrects="W.tau",
    ),
    claim(
        "ass6",
        "Assumption 6",
        "A window as long as the whole run always satisfies Assumption 6.",
        Identity(
            word("mean_weight_over_windows", "mean of q_i(n) over every window of W = N rounds"),
            symbol("expected_weight"),
        ),
    ),
)
