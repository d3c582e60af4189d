"""Steps of the proofs in Appendices A and B, one claim per numbered display, and Theorem 2 with its
lemma."""

import sympy

from fltheory.claims.claim import Identity, Order, UpperBound
from fltheory.papers.fraboni.paper import (
    ALPHA,
    GAP,
    KAPPA,
    LEAST_TOTAL,
    LOCAL,
    NOISE,
    NOISE1,
    NOISE2,
    SAMPLEWISE,
    SERVER,
    SMOOTH,
    SPREAD,
    STEP,
    THEOREM1,
    TOTAL,
    L,
    claim,
    word,
)
from fltheory.papers.fraboni.statements.bounds import CORRECTED, ORDER
from fltheory.papers.fraboni.statements.lemmas import (
    CROSS,
    DRIFT,
    MEAN_GRADIENT,
    MEAN_SQUARED,
    SECOND_MOMENT,
    SIGMA1,
    SIGMA2,
    SQUARES,
    Z,
)
from fltheory.papers.fraboni.statements.theorems import GRADIENTS, HYPOTHESES

OWN_MOMENTS = word("own_second_moments", "sum_i E[omega_i^2] |x_i|^2")
OWN_SQUARES = word("own_squares", "sum_i q_i^2 |x_i|^2")
AFTER = word("distance_after", "E |theta^{n,k+1} - x|^2 over the choice of participants")
BEFORE = word("distance_before", "|theta^{n,k} - x|^2")
INNER = word("mean_step_inner", "<E[theta^{n,k+1} - theta^{n,k}], theta^{n,k} - x>")
MOVED = word("mean_squared_step", "E |theta^{n,k+1} - theta^{n,k}|^2")
PULL = word("gradient_inner", "<sum_i q_i g_i, theta^{n,k} - x>")
APART = word(
    "local_distance", "|local model of client i after k steps - theta^{n,k}|^2", nonnegative=True
)
LATE = word(
    "model_distance", "|model that the client's work started from - theta^n|^2", nonnegative=True
)
MEAN_DISTANCE = word(
    "mean_model_distance", "the same, weighted mean over the clients", nonnegative=True
)
AGAINST = word(
    "gradient_differences",
    "k sum_{l<k} |g_i - weighted mean gradient|^2 at the local models",
    nonnegative=True,
)
AGAINST_SCALED = word(
    "scaled_gradient_differences",
    "k sum_{l<k} |g_i - eta_g q(n) times the weighted mean gradient|^2",
    nonnegative=True,
)
STEP_DRIFT = word("step_drift", "phi(n, k) of one local step", nonnegative=True)
EARLIER = word("earlier_gradients", "k sum_{l<k} S(n, l)", nonnegative=True)
PARTS = word(
    "three_parts",
    "3 (E|g(local) - g(virtual)|^2 + E|g(virtual) - g(optimum)|^2 + E|g(optimum)|^2)",
    nonnegative=True,
)
CLIENT_SQUARE = word(
    "client_squared_gradient",
    "E |stochastic gradient of one client at its local model|^2",
    nonnegative=True,
)
CHAIN = word(
    "weighted_prefix_sums", "sum_k k times the inner sum, as the display has it", nonnegative=True
)
SUM = word("first_sum", "x_0 + ... + x_{K-2}", nonnegative=True)
STEPS = word("number_of_steps", "K", integer=True, positive=True)
PART_A = word("part_a", "a(n,k): 3 E |weighted mean of g(local) - g(virtual)|^2", nonnegative=True)
PART_B = word("part_b", "b(n,k): 3 E |weighted mean of g(virtual) - its mean|^2", nonnegative=True)
PART_C = word(
    "part_c",
    "c(n,k): 3 |weighted mean of exact gradients at the virtual model|^2",
    nonnegative=True,
)
NORMAL_GAP = word(
    "normalised_gap", "(L^n(theta^{n,k}) - L^n(its optimum)) / q(n)", nonnegative=True
)
LARGEST_SHARE = word(
    "largest_share", "largest normalised weight of a client in a round", nonnegative=True
)
MEAN_LATE = word(
    "mean_sequence",
    "mean of Q(n), Q(n) = A (Q(n-1) + ... + Q(n-tau)) + B(n), with tau A <= 1/2",
    nonnegative=True,
)
MEAN_INPUT = word("mean_input", "mean of B(n)", nonnegative=True)
GAP_TO_MEAN = word(
    "mean_gap_to_common",
    "mean over rounds and local steps of E L^n(theta^{n,k}) - L^n(optimum of the mean objective)",
)
LARGEST_MEAN_WEIGHT = word(
    "largest_weight", "the largest expected weight q_i(n) of a client in a round", nonnegative=True
)
MISMATCH = word(
    "mismatch",
    "chi_n^2 = sum over represented types of (r_j - s_j)^2 / s_j, s normalised",
    nonnegative=True,
)
GRADIENT = word("squared_global_gradient", "|grad L(theta)|^2", nonnegative=True)
GRADIENT_GAP = word(
    "squared_gradient_gap",
    "|grad L(theta) - grad of the normalised round objective|^2",
    nonnegative=True,
)
ROUND_EXCESS = word("round_excess", "L^n(theta) - L^n(its optimum)", nonnegative=True)
TYPES_AT_POINT = word(
    "types_at_point",
    "sum over represented types of s_j (F_j(theta) - F_j*), s normalised",
    nonnegative=True,
)
TYPES_AT_OPTIMUM = word("types_at_optimum", "the same at the optimum of L^n", nonnegative=True)
ABSENT = word("absent_types", "sum over absent types of r_j (F_j(theta) - F_j*)", nonnegative=True)
MEAN_MISREP = word("misrepresentation", "P({L^n})", nonnegative=True)
MEAN_ABSENT = word("unrepresented", "U({L^n})", nonnegative=True)
LARGEST_MISMATCH = word("largest_mismatch", "the largest chi_n^2", nonnegative=True)
POOR = word("poorly_represented", "1 where some round has s_j(n) != r_j")
APART_OBJECTIVES = word("spread_is_positive", "1 where R({L^n}) > 0")

CLAIMS = (
    claim(
        "eq16",
        "Appendix A, eq. (16)",
        "Under Assumption 5 the mean square of the aggregate is the own moments plus alpha times"
        " the cross terms.",
        Identity(SECOND_MOMENT, OWN_MOMENTS + ALPHA * CROSS),
    ),
    claim(
        "eq17",
        "Appendix A, eq. (17)",
        "The cross terms are the square of the mean aggregate minus the own squares.",
        Identity(CROSS, MEAN_SQUARED - OWN_SQUARES),
    ),
    claim(
        "eq18",
        "Appendix A, eq. (18)",
        "The new squared distance splits into the old one, twice an inner product and the squared"
        " step.",
        Identity(AFTER, BEFORE + 2 * INNER + MOVED),
        note=(
            "True at a fixed theta^{n,k}; for k >= 1 the participants are no longer random there"
            " (see lem2.local_steps)."
        ),
    ),
    claim(
        "lem2.display",
        "proof of Lemma 2",
        "The inner product enters with plus 2 eta times the mean gradient.",
        Identity(AFTER, BEFORE + 2 * STEP * PULL + MOVED),
        note="A sign slip: the step is minus eta times the gradient.",
    ),
    claim(
        "lem2.display.corrected",
        "proof of Lemma 2, corrected",
        "The inner product enters with minus 2 eta times the mean gradient.",
        Identity(AFTER, BEFORE - 2 * STEP * PULL + MOVED),
        printed=False,
        corrects="lem2.display",
    ),
    claim(
        "eq19",
        "Appendix A, eq. (19)",
        "A local model's distance from the virtual one is bounded by the delay and the gradient"
        " differences.",
        UpperBound(APART, 2 * LATE + 2 * LOCAL**2 * AGAINST),
        note=(
            "False unless eta_g q(n) = 1: the virtual model moves with eta_g omega, not with the"
            " normalised weights."
        ),
    ),
    claim(
        "eq19.corrected",
        "Appendix A, eq. (19) corrected",
        "The bound holds when the mean gradient carries the factor eta_g q(n).",
        UpperBound(APART, 2 * LATE + 2 * LOCAL**2 * AGAINST_SCALED),
        printed=False,
        corrects="eq19",
    ),
    claim(
        "eq20",
        "Appendix A, eq. (20)",
        "The drift is bounded by the delay and the gradients of the earlier local steps.",
        UpperBound(STEP_DRIFT, 2 * MEAN_DISTANCE + 2 * LOCAL**2 * EARLIER),
        note="False for a large server step size, as eq. (19).",
    ),
    claim(
        "eq20.corrected",
        "Appendix A, eq. (20) corrected",
        "The drift bound holds with kappa in front of the earlier gradients.",
        UpperBound(STEP_DRIFT, 2 * MEAN_DISTANCE + 2 * KAPPA * LOCAL**2 * EARLIER),
        printed=False,
        corrects="eq20",
    ),
    claim(
        "eq21",
        "Appendix A, eq. (21)",
        "A stochastic gradient is bounded by three parts: local drift, gap and noise at the"
        " optimum.",
        UpperBound(CLIENT_SQUARE, PARTS),
    ),
    claim(
        "eq22",
        "Appendix A, eq. (22)",
        "The mean squared stochastic gradient is bounded by drift, gap and noise.",
        UpperBound(SQUARES, 3 * L**2 * DRIFT + 6 * L * Z / TOTAL + 3 * SIGMA1),
        assumes=(SMOOTH, SAMPLEWISE),
        note=(
            "False when single batches are rougher than the mean loss; Assumption 1 is needed for"
            " almost every batch."
        ),
    ),
    claim(
        "eq22.corrected",
        "Appendix A, eq. (22) corrected",
        "For smooth batches the mean squared stochastic gradient is bounded by drift, gap and"
        " noise.",
        UpperBound(SQUARES, 3 * L**2 * DRIFT + 6 * L * Z / TOTAL + 3 * SIGMA1),
        printed=False,
        corrects="eq22",
        assumes=(SMOOTH, SAMPLEWISE),
    ),
    claim(
        "eq23",
        "Appendix A, eq. (23)",
        "Sums of k times the whole sum are at most (K-1)^2 times the sum of all numbers but the"
        " last.",
        UpperBound(CHAIN, (STEPS - 1) ** 2 * SUM),
        note="False as printed (K = 2, x = (0, 1)): the inner sum must stop at k - 1.",
    ),
    claim(
        "eq23.corrected",
        "Appendix A, eq. (23) corrected",
        "Sums of k times the first k numbers are at most (K-1)^2 times the sum of all but the"
        " last.",
        UpperBound(CHAIN, (STEPS - 1) ** 2 * SUM),
        printed=False,
        corrects="eq23",
    ),
    claim(
        "eq23.sharp",
        "Appendix A, eq. (23) sharpened",
        "The constant of eq. (23) can be halved: K (K-1) / 2 suffices and is attained.",
        UpperBound(CHAIN, STEPS * (STEPS - 1) / 2 * SUM),
        printed=False,
        corrects="eq23",
    ),
    claim(
        "eq24",
        "Appendix A, eq. (24)",
        "The mean stochastic gradient is bounded by three parts.",
        UpperBound(MEAN_GRADIENT, PART_A + PART_B + PART_C),
    ),
    claim(
        "eq25",
        "Appendix A, eq. (25)",
        "The first part is at most 3 L^2 times the drift.",
        UpperBound(PART_A, 3 * L**2 * STEP_DRIFT),
        assumes=(SMOOTH, SAMPLEWISE),
        note="False for rough batches.",
    ),
    claim(
        "eq25.corrected",
        "Appendix A, eq. (25) corrected",
        "For smooth batches the first part is at most 3 L^2 times the drift.",
        UpperBound(PART_A, 3 * L**2 * STEP_DRIFT),
        printed=False,
        corrects="eq25",
        assumes=(SMOOTH, SAMPLEWISE),
    ),
    claim(
        "eq26",
        "Appendix A, eq. (26)",
        "The second part is at most 12 L times the largest share times the gap, plus 6 sigma_2.",
        UpperBound(PART_B, 12 * L * LARGEST_SHARE * NORMAL_GAP + 6 * SIGMA2),
        assumes=(SMOOTH, SAMPLEWISE),
        note="False for rough batches.",
    ),
    claim(
        "eq26.corrected",
        "Appendix A, eq. (26) corrected",
        "For smooth batches the second part is bounded by the gap and sigma_2.",
        UpperBound(PART_B, 12 * L * LARGEST_SHARE * NORMAL_GAP + 6 * SIGMA2),
        printed=False,
        corrects="eq26",
        assumes=(SMOOTH, SAMPLEWISE),
    ),
    claim(
        "eq27",
        "Appendix A, eq. (27)",
        "The third part is at most 6 L times the normalised gap.",
        UpperBound(PART_C, 6 * L * NORMAL_GAP),
    ),
    claim(
        "eq29",
        "Appendix A, eq. (29)",
        "A sequence fed by its own last tau values is on average at most twice its input.",
        UpperBound(MEAN_LATE, 2 * MEAN_INPUT),
    ),
    claim(
        "eq30",
        "Appendix A, eq. (30)",
        "The mean gap is the mean gap to the common optimum plus the spread.",
        Identity(GAP, GAP_TO_MEAN + SPREAD),
    ),
    claim(
        "eq32",
        "Appendix A, eq. (32), first inequality",
        "Sigma_2 is at most the largest weight q_i(n) times Sigma_1.",
        UpperBound(NOISE2, LARGEST_MEAN_WEIGHT * NOISE1),
        note="False when q(n) < 1: the weights must be normalised.",
    ),
    claim(
        "eq32.corrected",
        "Appendix A, eq. (32) corrected",
        "Sigma_2 is at most the largest normalised weight times Sigma_1.",
        UpperBound(NOISE2, LARGEST_SHARE * NOISE1),
        printed=False,
        corrects="eq32",
    ),
    claim(
        "eq32.optimum",
        "Appendix A, eq. (32), second inequality",
        "Sigma_1 is at most 4 L R + 2 Sigma.",
        UpperBound(NOISE1, 4 * L * SPREAD + 2 * NOISE),
        note="False when q(n) < 1, which happens in every heterogeneous asynchronous run.",
    ),
    claim(
        "eq32.optimum.corrected",
        "Appendix A, eq. (32) corrected",
        "Sigma_1 is at most 4 L R + 2 Sigma over the least total weight.",
        UpperBound(NOISE1, (4 * L * SPREAD + 2 * NOISE) / LEAST_TOTAL),
        printed=False,
        corrects="eq32.optimum",
    ),
    claim(
        "lem7",
        "Lemma 7",
        "Gradients of the federated and of the round's objective differ by at most the mismatch and"
        " the absent types.",
        UpperBound(GRADIENT_GAP, 4 * L * MISMATCH * TYPES_AT_POINT + 4 * L * ABSENT),
        assumes=THEOREM1,
    ),
    claim(
        "thm2.display",
        "proof of Theorem 2",
        "The squared gradient of the federated loss is bounded by gap, mismatch and absent types.",
        UpperBound(
            GRADIENT,
            4
            * L
            * (
                (MISMATCH / TOTAL + 1 / TOTAL**2) * ROUND_EXCESS
                + MISMATCH * TYPES_AT_OPTIMUM
                + ABSENT
            ),
        ),
        note="False for q(n) > 2 (L^n is q(n) L-smooth), and twice Lemma 7 gives 8 L, not 4 L.",
    ),
    claim(
        "thm2.display.corrected",
        "proof of Theorem 2, corrected",
        "The squared gradient is bounded with (8 chi_n^2 + 4) L / q(n) in front of the gap.",
        UpperBound(
            GRADIENT,
            (8 * MISMATCH + 4) * L / TOTAL * ROUND_EXCESS
            + 8 * L * MISMATCH * TYPES_AT_OPTIMUM
            + 8 * L * ABSENT,
        ),
        printed=False,
        corrects="thm2.display",
    ),
    claim(
        "thm2",
        "Theorem 2",
        "The mean squared gradient of the federated loss is of the order of R, P, U and Theorem 1's"
        " terms.",
        Order(GRADIENTS, SPREAD + MEAN_MISREP + MEAN_ABSENT + ORDER),
        assumes=HYPOTHESES,
        note="False: the order hides 1/q(n), which is unbounded (one client of small weight).",
    ),
    claim(
        "thm2.corrected",
        "Theorem 2 corrected",
        "The mean squared gradient is bounded with explicit constants and the least total weight.",
        UpperBound(
            GRADIENTS,
            (8 * LARGEST_MISMATCH + 4) * L / LEAST_TOTAL * (SPREAD + CORRECTED)
            + 8 * L * (MEAN_MISREP + MEAN_ABSENT),
        ),
        printed=False,
        corrects="thm2",
        assumes=HYPOTHESES,
    ),
    claim(
        "thm2.remark",
        "after Theorem 2",
        "If a data type is poorly represented, then R({L^n}) is positive.",
        UpperBound(POOR, APART_OBJECTIVES),
        note="False: constant wrong weights give the same objective in every round, so R = 0.",
    ),
    claim(
        "def.R",
        "Theorem 1, R({L^n})",
        "The spread is the mean objective's minimum minus the mean of the rounds' minima.",
        Identity(
            SPREAD,
            word("mean_minimum", "Lbar at its optimum")
            - word("mean_of_minima", "mean over rounds of L^n at its own optimum"),
        ),
    ),
    claim(
        "def.chi",
        "Theorem 2, chi_n^2",
        "For two represented types, chi^2 is the sum of r_j^2 / s_j minus 1.",
        Identity(
            MISMATCH,
            word("r1", "r_1", positive=True) ** 2 / word("s1", "s_1", positive=True)
            + (1 - sympy.Symbol("r1", positive=True)) ** 2 / (1 - sympy.Symbol("s1", positive=True))
            - 1,
        ),
    ),
    claim(
        "def.aux",
        "Appendix A.2",
        "The squared distance of consecutive models is the squared sum of the round's K virtual"
        " steps.",
        Identity(
            word("move", "Q(n) = E |theta^{n+1} - theta^n|^2", nonnegative=True),
            SERVER**2
            * word(
                "squared_total_delivery",
                "E |sum_i omega_i (local model after K steps - the model it started from)|^2",
            ),
        ),
    ),
)
