"""The setting: objective, assumptions, Algorithms 1, 2 and 3, and what the text says about their
selection."""

import sympy

from fltheory.claims.claim import Claim, Identity, LowerBound, Severity, UpperBound, letter
from fltheory.papers.fedlaavg.paper import SIGMA, STALENESS_WORDS, E, G, L, corrected, printed

LIMIT, OPTIMUM = letter("limit_at_period_end"), letter("optimum")
WEIGHTED = {
    "limit_at_period_end": "limit of Algorithm 1 with everybody available",
    "optimum": "minimiser of f = sum_i w_i ftilde_i",
}
MODELS = {
    "server_model": "x^{rC} of Algorithm 2 (incremental), by the engine",
    "literal_model": "x^{rC} of Algorithm 3, written out",
}
CHOSEN = letter("fewest_selections", integer=True)

CLAIMS = (
    Claim(
        id="fedlaavg.def.objective",
        source=printed(
            "Section 2, scaling",
            "f_i(x) = w_i N ftilde_i(x), f(x) = (1/N) sum f_i(x)",
        ),
        says="With f_i = w_i N ftilde_i the global loss is the plain average of the f_i.",
        statement=Identity(letter("weighted_loss"), letter("average_loss")),
        where={"weighted_loss": "sum_i w_i ftilde_i(x)", "average_loss": "(1/N) sum_i f_i(x)"},
    ),
    Claim(
        id="fedlaavg.def.grad",
        source=printed(
            "Section 2: g_i^t = grad F(x^{t-1}; xi_i^t)",
            "g_i^t = grad F(x^{t-1}; xi_i^t), f_i(x) = w_i N ftilde_i(x)",
        ),
        says=(
            "Algorithm 1 with the gradients of the unscaled local losses tends to the minimiser of"
            " the weighted global loss."
        ),
        statement=Identity(LIMIT, OPTIMUM),
        where=WEIGHTED,
        note=(
            "The losses are rescaled by w_i N but the stochastic gradients, Assumptions 2 and 3 and"
            " Algorithm 1 are not."
        ),
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.def.grad.corrected",
        source=corrected("Section 2 with g_i^t = w_i N grad F(x^{t-1}; xi_i^t)"),
        says=(
            "Where it is stable, Algorithm 1 with rescaled gradients tends to the minimiser of the"
            " weighted global loss, here for two clients that are always available."
        ),
        statement=Identity(LIMIT, OPTIMUM),
        where=WEIGHTED,
        corrects="fedlaavg.def.grad",
    ),
    Claim(
        id="fedlaavg.asm1",
        source=printed(
            "Assumption 1 and its corollary",
            "f_i(v) <= f_i(u) + <v - u, grad f_i(u)> + (L/2)|v - u|^2",
        ),
        says=(
            "A loss with L-Lipschitz gradient lies below every parabola of curvature L that"
            " touches it."
        ),
        statement=UpperBound(
            letter("loss_there"),
            letter("loss_here")
            + letter("slope_here") * letter("displacement")
            + L / 2 * letter("displacement") ** 2,
        ),
        where={
            "loss_there": "f_i(v)",
            "loss_here": "f_i(u)",
            "slope_here": "f_i'(u)",
            "displacement": "v - u",
        },
    ),
    Claim(
        id="fedlaavg.asm2",
        source=printed(
            "Assumption 2",
            "E|grad F(x; xi_i) - grad f_i(x)|^2 <= sigma^2 for all i, x",
        ),
        says="The stochastic gradient of every client has variance at most sigma^2 at every point.",
        statement=UpperBound(letter("noise_second_moment"), SIGMA**2),
        where={"noise_second_moment": "E |grad F - grad f_i|^2 over all outcomes of the noise"},
    ),
    Claim(
        id="fedlaavg.asm3",
        source=printed(
            "Assumption 3",
            "E|grad F(x; xi_i)|^2 <= G^2 for all i, x",
        ),
        says=(
            "The stochastic gradient of every client has second moment at most G^2 at every point."
        ),
        statement=UpperBound(letter("gradient_second_moment"), G**2),
        where={"gradient_second_moment": "E |grad F|^2 over all outcomes of the noise"},
        note="The quadratics of Example 1 do not satisfy it on the whole line; clipped ones do.",
    ),
    Claim(
        id="fedlaavg.asm3.noise",
        source=corrected("Assumptions 2 and 3"),
        says=(
            "Assumption 3 implies Assumption 2: the noise is never larger than the gradient bound."
        ),
        statement=UpperBound(SIGMA**2, G**2),
        where={},
    ),
    Claim(
        id="fedlaavg.asm4",
        source=corrected("Assumption 4, the least E"),
        says=(
            "The least availability window is one more than the longest absence; it is 1 exactly"
            " when everybody is always available."
        ),
        statement=Identity(E, letter("longest_absence", integer=True) + 1),
        where={"longest_absence": "most successive rounds without some client"},
    ),
    Claim(
        id="fedlaavg.asm5",
        source=corrected("Assumption 5, the least E"),
        says=(
            "Counted in rounds of C iterations, a client is available in a round when it is in each"
            " of its iterations."
        ),
        statement=Identity(E, letter("longest_absence", integer=True) + 1),
        where={
            "longest_absence": (
                "most successive rounds in each of which the client misses some iteration"
            )
        },
        note=(
            "Assumption 4 does not imply it: with C = 2, a client that is there in every other"
            " iteration is never there for a round."
        ),
    ),
    Claim(
        id="fedlaavg.alg1",
        source=printed(
            "Algorithm 1",
            "g^t <- g^{t-1}; the K clients of C^t with the lowest T_i^{t-1} send g_i^t - "
            "g_i^{T_i}; g^t <- g^t + (1/N)(g_i^t - g_i^{T_i}); x^t <- x^{t-1} - gamma g^t",
        ),
        says=(
            "Algorithm 1's incremental form gives the models of a line-by-line transcription that"
            " averages the latest gradients."
        ),
        statement=Identity(letter("server_model"), letter("literal_model")),
        where={
            "server_model": "x^t of Algorithm 1, by the engine",
            "literal_model": "x^t with g^t = (1/N) sum_i g_i^{T_i^t}, written out",
        },
        note=(
            "Ties, and rounds with fewer than K available clients, are not specified: all available"
            " clients are used then."
        ),
    ),
    Claim(
        id="fedlaavg.eq3",
        source=printed(
            "Eq. (3)",
            "g^t = (1/N) sum_i g_i^{T_i^t}",
        ),
        says=(
            "The server's running gradient is always the average of every client's latest gradient."
        ),
        statement=Identity(letter("running_gradient"), letter("mean_latest_gradient")),
        where={
            "running_gradient": "g^t after the updates of line 9",
            "mean_latest_gradient": "(1/N) sum_i g_i^{T_i^t}",
        },
    ),
    Claim(
        id="fedlaavg.sec32.period",
        source=printed(
            "Section 3.2",
            "each client is selected at least once during any period with I successive iterations",
        ),
        says="Every client is selected at least once in any I successive iterations.",
        statement=LowerBound(CHOSEN, sympy.S.One),
        where=STALENESS_WORDS
        | {
            "fewest_selections": "least number of selections of a client in a period of that length"
        },
        note="Off by one.",
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.sec32.period.corrected",
        source=corrected("Section 3.2 with I + 1 successive iterations"),
        says=(
            "Every client is selected at least once in any I + 1 = ceil(N/K) E successive"
            " iterations."
        ),
        statement=LowerBound(CHOSEN, sympy.S.One),
        where=STALENESS_WORDS
        | {
            "fewest_selections": "least number of selections of a client in a period of that length"
        },
        corrects="fedlaavg.sec32.period",
    ),
    Claim(
        id="fedlaavg.alg2",
        source=printed(
            "Algorithm 2",
            "u^r <- u^r + (1/N)(u_i^r - u_i^{R_i^{r-1}}); x^{rC} <- x^{rC-C} + u^r",
        ),
        says=(
            "Algorithm 2 sends differences of updates and reaches the server models of Algorithm 3,"
            " which averages latest gradients."
        ),
        statement=Identity(letter("server_model"), letter("literal_model")),
        where=MODELS,
        note="Line 4, u^r <- u^{r-1}, is hard to read in the machine-read text.",
    ),
    Claim(
        id="fedlaavg.alg3",
        source=printed(
            "Eq. (38)",
            "x^t <- x^{t-1} - gamma sum_i g_i^{R_i C - r C + t}",
        ),
        says=(
            "Algorithm 3 as printed, with the sum of the latest gradients, reaches the server"
            " models of Algorithm 2."
        ),
        statement=Identity(letter("server_model"), letter("literal_model")),
        where=MODELS,
        note="The factor 1/N is missing.",
        severity=Severity.SLIP,
    ),
    Claim(
        id="fedlaavg.alg3.corrected",
        source=corrected("Eq. (38) with gamma/N"),
        says=(
            "Algorithm 3 with the average of the latest gradients has the virtual iterates of"
            " Algorithm 2."
        ),
        statement=Identity(letter("server_model"), letter("literal_model")),
        where={
            "server_model": "virtual iterate x^t of Algorithm 2, by the engine",
            "literal_model": "x^t of Algorithm 3, written out",
        },
        corrects="fedlaavg.alg3",
    ),
    Claim(
        id="fedlaavg.sec5.latest",
        source=printed(
            "Section 5: R_i^r is the latest round where client i is available",
            "R_i^r denotes the latest round where client i is available before or in round r",
        ),
        says=(
            "The update of a client that the server uses comes from the latest round in which the"
            " client was available."
        ),
        statement=Identity(
            letter("round_of_update", integer=True), letter("latest_available_round", integer=True)
        ),
        where={
            "round_of_update": "round in which the update in use was computed",
            "latest_available_round": "latest round with the client available",
        },
        note=(
            "It is the latest round in which it took part: an available client need not be"
            " selected."
        ),
        severity=Severity.SLIP,
    ),
)
