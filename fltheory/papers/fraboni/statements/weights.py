"""Section 2.5 and Assumptions 5 and 7: weights of clients and data types, objectives, residuals."""

import sympy

from fltheory.claims.claim import Authorship, Identity, LowerBound, UpperBound
from fltheory.core.vocabulary import symbol
from fltheory.papers.fraboni.hypotheses import BOUNDED
from fltheory.papers.fraboni.paper import ALPHA, BETA, MEAN_WEIGHT, STEP, B, K, M, claim, word

MEAN_LOSS = word("mean_of_round_losses", "(1/N) sum_n L^n(theta)")
LOSS_OF_MEANS = word("loss_of_mean_weights", "sum_i q_i L_i(theta)")
TYPES = word("sum_over_types", "sum_j s_j(n) over the data types")
CLIENTS = word("sum_over_clients", "q(n) = sum_i q_i(n)")
SHARES = word(
    "sum_of_normalised_types", "sum_j of s_j(n) / (sum_{i=1}^M s_j(n)), the denominator as printed"
)
PRESENT = word(
    "types_present",
    "P with types: chi^2 (1/q) (L^n(its optimum) - sum_j s_j F_j*), mean over rounds",
)
DEFINED = word("misrepresentation", "P({L^n})", nonnegative=True)
ABSENT = word("unrepresented", "U({L^n})", nonnegative=True)
REST = word(
    "loss_of_absent",
    "(L - sum r_j F_j*) - sum over represented types of r_j (F_j - F_j*), mean over rounds and"
    " steps",
)
POSITIVE = word("residual_is_positive", "1 where Sigma > 0")
DIFFER = word("losses_differ", "1 where the clients' losses differ or gradients are stochastic")
AT_REST = word("all_at_rest", "1 where every stochastic gradient vanishes at the common optimum")
ZERO_NOISE = word("residual_is_zero", "1 where Sigma = 0")
PRINTED_BETA = word("printed_beta", "max of d_i(n) - alpha q_i(n) over all clients and rounds")
PRESENT_BETA = word("beta_of_participants", "the same over clients and rounds with q_i(n) > 0")
SAMPLE = symbol("clients_per_round")
OPEN = word("open_alpha_exists", "1 where some alpha with 0 < alpha < 1 satisfies Assumption 5")
CLOSED = word(
    "closed_alpha_exists",
    "1 where some alpha with 0 <= alpha <= 1 satisfies Assumption 5 for pairs of different clients",
)
SQUARE = word("weight_second_moment", "E omega_i^2")
LENGTH = word("mean_step_length", "E |theta^{n+1} - theta^n|", nonnegative=True)
Q_TOTAL = word(
    "total_weight", "q(n), the sum of the clients' expected weights in a round", positive=True
)
UNIFORM = M * (SAMPLE - 1) / (SAMPLE * (M - 1))

CLAIMS = (
    claim(
        "def.L",
        "Section 2.5, eq. (6)",
        "The mean of the rounds' objectives is the objective with the mean weights.",
        Identity(MEAN_LOSS, LOSS_OF_MEANS),
    ),
    claim(
        "def.types",
        "Section 2.6",
        "The weights of the data types add up to the weights of the clients.",
        Identity(TYPES, CLIENTS),
    ),
    claim(
        "def.types.normalised",
        "Section 2.6",
        "The normalised weights of the data types add up to one.",
        Identity(SHARES, sympy.S.One),
        note=(
            "With the printed denominator, a sum over M clients of s_j(n), they add up to J/M; the"
            " sum must run over the types."
        ),
    ),
    claim(
        "def.P",
        "Theorem 2, P",
        "P is chi^2 times the normalised excess of the round's optimum over the types' own optima.",
        Identity(DEFINED, PRESENT),
    ),
    claim(
        "def.U",
        "Theorem 2, U",
        "U is the part of the federated excess that belongs to absent types.",
        Identity(ABSENT, REST),
    ),
    claim(
        "def.Sigma",
        "Section 2.5",
        "Sigma vanishes only when clients have the same loss and take exact gradient steps.",
        LowerBound(POSITIVE, DIFFER),
        note=(
            "False: theta^2/2 and theta^2 differ, yet Sigma = 0, for both gradients vanish at the"
            " common optimum."
        ),
    ),
    claim(
        "def.Sigma.corrected",
        "Section 2.5, corrected",
        "Sigma vanishes exactly when, at the common optimum, every stochastic gradient vanishes of"
        " the clients whose mean weight is positive.",
        Identity(ZERO_NOISE, AT_REST),
        kind=Authorship.OURS,
        corrects="def.Sigma",
    ),
    claim(
        "def.alpha",
        "Assumption 5, uniform sampling",
        "Uniform sampling of m from M >= 2 clients has alpha = M (m-1) / (m (M-1)).",
        Identity(ALPHA, UNIFORM),
    ),
    claim(
        "def.alpha.multinomial",
        "Assumption 5, multinomial sampling",
        "Sampling m clients by importance has alpha = 1 - 1/m.",
        Identity(ALPHA, 1 - 1 / SAMPLE),
    ),
    claim(
        "def.beta",
        "Theorem 1, beta, with Table 2",
        "Taken over all clients and rounds, FedFix has beta = 0.",
        Identity(PRINTED_BETA, sympy.S.Zero),
        note=(
            "False: an absent client has q_i(n) = 0 and contributes d_i > 0. Only participants must"
            " count."
        ),
    ),
    claim(
        "def.beta.corrected",
        "Theorem 1, beta, corrected",
        "Taken over participants only, FedFix has beta = 0.",
        Identity(PRESENT_BETA, sympy.S.Zero),
        kind=Authorship.OURS,
        corrects="def.beta",
    ),
    claim(
        "fedfix.independence",
        "Section 4.4",
        "Independent update times, also random ones, give alpha = 1 and beta = 0.",
        Identity(BETA, sympy.S.Zero),
        note=(
            "Independence gives alpha = 1 only; random participation has beta = d_i (1 - chance)"
            " > 0."
            " For fixed times it is right: tab2.beta.fedfix."
        ),
    ),
    claim(
        "ass5",
        "Assumption 5",
        "Every scheme of Section 4 satisfies Assumption 5 with alpha strictly between 0 and 1.",
        LowerBound(OPEN, sympy.S.One),
        note="Synchronous FedAvg and FedFix need alpha = 1, which the open interval excludes.",
    ),
    claim(
        "ass5.corrected",
        "Assumption 5 corrected",
        "Every scheme of Section 4 satisfies Assumption 5 with alpha in [0, 1], for different"
        " clients.",
        LowerBound(CLOSED, sympy.S.One),
        kind=Authorship.OURS,
        corrects="ass5",
    ),
    claim(
        "ass5.diagonal",
        "Assumption 5 with i = j",
        "Assumption 5 also holds for a client with itself.",
        Identity(SQUARE, ALPHA * MEAN_WEIGHT**2),
        note="False: it must be restricted to different clients.",
    ),
    claim(
        "ass7",
        "Assumption 7",
        "Bounded mean gradients keep consecutive models within eta_g eta_l q(n) K B of each other.",
        UpperBound(LENGTH, STEP * Q_TOTAL * K * B),
        note="The steps are stochastic: Assumption 7 must bound E |g_i|, not |grad L_i|.",
    ),
    claim(
        "ass7.corrected",
        "Assumption 7 corrected",
        "Bounded stochastic gradients keep consecutive models within eta_g eta_l q(n) K B of each"
        " other.",
        UpperBound(LENGTH, STEP * Q_TOTAL * K * B),
        kind=Authorship.OURS,
        corrects="ass7",
        assumes=(BOUNDED,),
    ),
)
