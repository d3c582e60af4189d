"""Steps of the proofs of Lemmas 1 to 3 in Appendix A: one claim per display, eq. (16) to (23)."""

from fltheory.claims.claim import Authorship, Identity, UpperBound
from fltheory.papers.fraboni.hypotheses import (
    BLIND,
    CERTAIN,
    COVARIANCE,
    SAMPLEWISE,
    SMOOTH,
    UNBIASED,
)
from fltheory.papers.fraboni.paper import ALPHA, KAPPA, LOCAL, STEP, TOTAL, L, claim, word
from fltheory.papers.fraboni.statements.lemmas import (
    CROSS,
    DRIFT,
    MEAN_SQUARED,
    SECOND_MOMENT,
    SIGMA1,
    SQUARES,
    Z,
)

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

CLAIMS = (
    claim(
        "eq16",
        "Appendix A, eq. (16)",
        "Under Assumption 5 the mean square of the aggregate is the own moments plus alpha times"
        " the cross terms.",
        Identity(SECOND_MOMENT, OWN_MOMENTS + ALPHA * CROSS),
        assumes=(COVARIANCE,),
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
        kind=Authorship.OURS,
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
        "For participation without chance the bound holds when the mean gradient carries the factor"
        " eta_g q(n).",
        UpperBound(APART, 2 * LATE + 2 * LOCAL**2 * AGAINST_SCALED),
        kind=Authorship.OURS,
        corrects="eq19",
        assumes=(CERTAIN,),
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
        "For participation without chance the drift bound holds with kappa in front of the earlier"
        " gradients.",
        UpperBound(STEP_DRIFT, 2 * MEAN_DISTANCE + 2 * KAPPA * LOCAL**2 * EARLIER),
        kind=Authorship.OURS,
        corrects="eq20",
        assumes=(CERTAIN,),
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
        kind=Authorship.OURS,
        corrects="eq22",
        assumes=(SMOOTH, UNBIASED, SAMPLEWISE, BLIND),
    ),
    claim(
        "eq23",
        "Appendix A, eq. (23)",
        "For numbers that are not negative, sums of k times the whole sum are at most (K-1)^2 times"
        " the sum of all but the last.",
        UpperBound(CHAIN, (STEPS - 1) ** 2 * SUM),
        note="False so (K = 2, x = (0, 1)): the inner sum must stop at k - 1. Which of the two is"
        " printed, a capital or a small letter, this text cannot tell.",
    ),
    claim(
        "eq23.corrected",
        "Appendix A, eq. (23) corrected",
        "For numbers that are not negative, sums of k times the first k of them are at most"
        " (K-1)^2 times the sum of all but the last.",
        UpperBound(CHAIN, (STEPS - 1) ** 2 * SUM),
        kind=Authorship.OURS,
        corrects="eq23",
    ),
    claim(
        "eq23.sharp",
        "Appendix A, eq. (23) sharpened",
        "For numbers that are not negative, the constant of eq. (23) can be halved: K (K-1) / 2"
        " suffices and is attained.",
        UpperBound(CHAIN, STEPS * (STEPS - 1) / 2 * SUM),
        kind=Authorship.OURS,
        corrects="eq23",
    ),
)
