"""The problem, the assumptions and the two boxes of AFA (Sec. 3 and 4; Algorithms 2 and 3)."""

from fltheory.claims.claim import Claim, Identity, Severity, SpecialCase, UpperBound, letter
from fltheory.papers.afl.paper import (
    APART,
    DELAY,
    ERROR,
    GAP,
    INDEPENDENT,
    LOCAL,
    SERVER,
    STEP,
    WHERE,
    K,
    L,
    T,
    printed,
    read,
    repaired,
)

GLOBAL_SLOPE, MEAN_SLOPE = letter("global_slope"), letter("mean_client_slope")
CHANGE, DISTANCE = letter("gradient_change"), letter("distance")
MEAN_UPDATE, MEAN_GRADIENT = letter("mean_update"), letter("mean_gradient")
APARTNESS = letter("gradient_distance")
LEFT_CURVATURE = letter("first_curvature")
RIGHT_CURVATURE = letter("second_curvature")
POINT, START = letter("point"), letter("start")
PAIR, SINGLE = letter("pair_probability"), letter("single_probability")
BOX_STEP = letter("box_server_step", positive=True)
MODEL, SLOPE = letter("model_after_round"), letter("curvature", positive=True)
NOISE_MEAN = letter("mean_noise_of_update")
REUSES = letter("uses_of_a_model", integer=True, nonnegative=True)
WINDOWS = letter("windows_over_an_increment", integer=True, nonnegative=True)
TILTS = letter("first_tilt"), letter("second_tilt")

BOX_BOUND = 4 * GAP / (BOX_STEP * LOCAL * T)
FIRST = START - STEP * (SLOPE * START + (TILTS[0] + TILTS[1]) / 2)

PLACES = {
    "global_slope": "derivative of f, as a central difference of its values (exact for quadratics)",
    "mean_client_slope": "average of the clients' gradients",
    "gradient_change": "|grad f_i(x) - grad f_i(y)|",
    "distance": "|x - y|",
    "mean_update": "expectation of the server's aggregate G_t over the gradient noise",
    "mean_gradient": (
        "average of the exact gradients of the workers in M_t at the model they pulled"
    ),
    "gradient_distance": "|grad f_i(x) - grad f(x)|",
    "first_curvature": "curvature of client 1, whose loss is least at 0",
    "second_curvature": "curvature of client 2, whose loss is least at 0",
    "point": "x",
    "start": "x_0",
    "pair_probability": "chance that two given workers are both in M_t",
    "single_probability": "chance that one given worker is in M_t",
    "box_server_step": "eta in the printed boxes, where x_{t+1} = x_t - eta G_t",
    "model_after_round": "the model after the rounds in question",
    "curvature": "h, common curvature of the losses",
    "mean_noise_of_update": "E[G_i - Delta_i]",
    "uses_of_a_model": "number of rounds that use work started from one and the same model",
    "windows_over_an_increment": (
        "number of rounds t whose delay window [t - delay, t) contains one and the same round"
    ),
    "first_tilt": "b_1, slope of client 1's loss at 0",
    "second_tilt": "b_2, slope of client 2's loss at 0",
} | WHERE

BOX_NOTE = (
    "The box with server step eta makes the same models as the proofs' update with eta / eta_L, so"
    " the run has that server step size. The proofs, the theorems and the experiments' rates need"
    " x_t - eta eta_L G_t."
)

CLAIMS = (
    Claim(
        "afl.def.problem",
        printed(
            "Sec. 3, first paragraph",
            "min f(x) := (1/M) sum_{i=1}^M f_i(x)",
        ),
        "The global loss is the plain average of the workers' losses, so its gradient is the"
        " average of their gradients.",
        Identity(GLOBAL_SLOPE, MEAN_SLOPE),
        where=PLACES,
        note="The paper needs inf f > -infinity as well and does not say so.",
    ),
    Claim(
        "afl.asm1",
        printed(
            "Assumption 1",
            "|grad f_i(x) - grad f_i(y)| <= L |x - y| for all x, y and i in [M]",
        ),
        "Every worker's gradient changes at most L times as much as the point does.",
        UpperBound(CHANGE, L * DISTANCE),
        where=PLACES,
        note="Decided for the constants that this project's problems declare.",
    ),
    Claim(
        "afl.asm2",
        read(
            "Assumption 2",
            '"For all i in [m]" is taken at its word: the first m workers only.',
            "[M] is meant, as in Assumption 3: afl.asm2.everyone.",
        ),
        "It is enough that the stochastic gradients of workers 1 to m are unbiased for the server's"
        " aggregate to be unbiased.",
        Identity(MEAN_UPDATE, MEAN_GRADIENT),
        where=PLACES,
        note="Any m of the M workers may arrive; the assumption must hold for all M.",
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.asm2.everyone",
        repaired("Assumption 2"),
        "If all M workers' stochastic gradients are unbiased, then so is the aggregate of those"
        " that arrive after one local step, provided that their noise does not decide who arrives.",
        Identity(MEAN_UPDATE, MEAN_GRADIENT),
        assumes=(INDEPENDENT,),
        where=PLACES,
        corrects="afl.asm2",
    ),
    Claim(
        "afl.asm3",
        printed(
            "Assumption 3",
            "E|grad f_i(x, xi_i) - grad f_i(x)|^2 <= sigma_L^2, |grad f_i(x) - grad f(x)|^2 <= "
            "sigma_G^2 for all i in [M]",
        ),
        "Every worker's gradient is within sigma_G of the global gradient, at every point.",
        UpperBound(APARTNESS, APART),
        where=PLACES,
        note="Decided for the constants that this project's problems declare.",
    ),
    Claim(
        "afl.asm3.quadratics",
        repaired("Assumption 3"),
        "Two quadratics with different curvatures are ever further apart in gradient, so no sigma_G"
        " fits them.",
        Identity(APARTNESS**2, (LEFT_CURVATURE - RIGHT_CURVATURE) ** 2 * POINT**2 / 4),
        where=PLACES,
    ),
    Claim(
        "afl.asm4-implicit",
        repaired("Lemma 1 and Theorems 2 to 4, unstated"),
        "If the number of local steps is fixed before the gradients are drawn, and every step draws"
        " a new sample, an update's noise has mean zero.",
        Identity(NOISE_MEAN, NOISE_MEAN * 0),
        where=PLACES,
        note=(
            "The paper's only words on arrivals are that workers participate independently of each"
            " other."
        ),
    ),
    Claim(
        "afl.arrivals.independent",
        read(
            "Sec. 3, paragraph before Theorem 1",
            '"Independently" is said of the workers of one round.',
            (
                "Said of the rounds: the sets of different rounds are independent of each other"
                " and of the noise, which is all that the proofs of Theorem 3 use."
            ),
        ),
        "Workers participate independently of each other although exactly m of them are in every"
        " M_t.",
        Identity(PAIR, SINGLE**2),
        where=PLACES,
        note=(
            "With a fixed number m the indicators cannot be independent unless they are constant:"
            " their sum has variance 0."
        ),
        severity=Severity.READING,
    ),
    Claim(
        "afl.delay-stats",
        repaired("Theorem 2, step (a12)"),
        "Work started from one model is used in at most tau + 1 rounds when no delay exceeds tau.",
        UpperBound(REUSES, DELAY + 1),
        where=PLACES,
    ),
    Claim(
        "afl.delay-stats.windows",
        repaired("Theorem 2, term A4"),
        "One round's increment lies in the delay windows of at most tau later rounds.",
        UpperBound(WINDOWS, DELAY),
        where=PLACES,
    ),
    Claim(
        "afl.alg2",
        read(
            "Algorithm 2, server code line 2",
            "Theorem 2 speaks of the update that the box prints, x_{t+1} = x_t - eta G_t.",
            "It speaks of x_t - eta eta_L G_t, as its proof does: afl.alg2.proof.",
        ),
        "The box's update x - eta G of AFA-CD satisfies the bound of Theorem 2 (here without noise,"
        " with equal workers).",
        UpperBound(ERROR, BOX_BOUND),
        where=PLACES,
        note=BOX_NOTE,
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.alg2.proof",
        repaired("Algorithm 2, as used in Appendix B"),
        "One synchronous round of AFA-CD on a quadratic multiplies the model by 1 - (eta/K)(1 - (1"
        " - eta_L h)^K).",
        Identity(MODEL, START * (1 - SERVER * (1 - (1 - LOCAL * SLOPE) ** K) / K)),
        where=PLACES,
        corrects="afl.alg2",
        special_cases=(
            SpecialCase(
                "two steps of 1/10 from 1 on x^2/2 with server step 2",
                {
                    "start": 1,
                    "server_step_size": 2,
                    "local_step_size": "1/10",
                    "local_steps": 2,
                    "curvature": 1,
                },
                "81/100",
            ),
        ),
    ),
    Claim(
        "afl.alg3",
        read(
            "Algorithm 3, server code line 3",
            "Theorem 4 speaks of the update that the box prints, x_{t+1} = x_t - eta G_t.",
            "It speaks of x_t - eta eta_L G_t, as its proof does: afl.alg3.proof.",
        ),
        "The box's update x - eta G of AFA-CS satisfies the bound of Theorem 4 (here without noise,"
        " with all entries fresh).",
        UpperBound(ERROR, BOX_BOUND),
        where=PLACES,
        note=BOX_NOTE,
        severity=Severity.SLIP,
    ),
    Claim(
        "afl.alg3.proof",
        repaired("Algorithm 3, as used in Appendix C"),
        "When client 2 skips the second round of AFA-CS, its remembered update from the first model"
        " is used again.",
        Identity(MODEL, FIRST - STEP * (SLOPE * (FIRST + START) + TILTS[0] + TILTS[1]) / 2),
        where=PLACES,
        corrects="afl.alg3",
        note=(
            "The memory must hold an update from x_0 for everyone; the box does not say how it"
            " starts."
        ),
    ),
)
