"""Quantities of the vocabulary that only a run and its losses show, and those of single clients."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What values a quantity takes; the value is what sympy may assume of its symbol."""

    COUNT = (("integer", True), ("positive", True))
    INDEX = (("integer", True), ("nonnegative", True))
    POSITIVE = (("positive", True),)
    NONNEGATIVE = (("nonnegative", True),)
    REAL = (("real", True),)


@dataclass(frozen=True)
class Quantity:
    """A name used in signatures, what it means, and the letter under which it is printed."""

    name: str
    says: str
    letter: str
    kind: Kind


WORDS_OF_RUNS = (
    Quantity(
        "mean_local_steps",
        "gradient steps per delivery, averaged over all deliveries",
        r"\bar{K}",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "first_step_size", "step size of a client in the first round", r"\eta_0", Kind.POSITIVE
    ),
    Quantity("last_step_size", "step size of a client in the last round", r"\eta_T", Kind.POSITIVE),
    Quantity("most_clients_per_round", "most clients used by any update", r"S_{\max}", Kind.INDEX),
    Quantity(
        "clients_in_first_round",
        "clients used by the first update (num_clients of them: a warm start)",
        "S_0",
        Kind.INDEX,
    ),
    Quantity(
        "mean_delay", "rounds of delay, averaged over all deliveries", r"\bar{d}", Kind.NONNEGATIVE
    ),
    Quantity("least_importance", "smallest importance of a client", r"w_{\min}", Kind.NONNEGATIVE),
    Quantity("largest_importance", "largest importance of a client", r"w_{\max}", Kind.POSITIVE),
    Quantity(
        "sum_squared_importance", "sum of the squared importances", r"\sum w_i^2", Kind.POSITIVE
    ),
    Quantity(
        "mean_smoothness",
        "average of the clients' smoothness by importance",
        r"\bar{L}",
        Kind.NONNEGATIVE,
    ),
    Quantity("global_smoothness", "smoothness of the global loss", "L_f", Kind.NONNEGATIVE),
    Quantity(
        "global_strong_convexity",
        "least curvature of the global loss, above 0",
        r"\mu_f",
        Kind.POSITIVE,
    ),
    Quantity(
        "pl_constant",
        "largest mu with |grad f|^2 >= 2 mu (f - f*) everywhere, above 0",
        r"\mu_{PL}",
        Kind.POSITIVE,
    ),
    Quantity(
        "weak_convexity",
        "least c >= 0 such that every client's loss plus c/2 |x|^2 is convex (0: convex)",
        r"\varrho",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "lipschitz",
        "Lipschitz constant of every client's loss, without noise",
        "G_0",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "relative_noise",
        "the noise has variance gradient_noise^2 + relative_noise^2 |grad f_i|^2",
        r"\beta",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "mean_dissimilarity",
        "root of the largest average of |grad f_i - grad f|^2 over the clients, anywhere",
        r"\zeta",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "relative_dissimilarity",
        "least B with average of |grad f_i|^2 <= B^2 |grad f|^2 everywhere",
        "B",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "client_minima_gap",
        "least global loss minus the average of the clients' least losses",
        r"\Gamma",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "initial_squared_gradient",
        "|grad f|^2 at the start",
        r"|\nabla f(x_0)|^2",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "last_loss_gap",
        "E f - f* at the model after the last round",
        r"f(x_T)-f^*",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "last_squared_distance",
        "E |x - x*|^2 at the model after the last round",
        r"|x_T-x^*|^2",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "last_squared_gradient",
        "E |grad f|^2 at the model after the last round",
        r"|\nabla f(x_T)|^2",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "min_loss_gap", "least E f - f* over the models", r"\min f(x_t)-f^*", Kind.NONNEGATIVE
    ),
    Quantity(
        "average_loss_gap",
        "E f - f* averaged over the models before each round",
        r"\frac1T\sum f(x_t)-f^*",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "loss_gap_of_average",
        "E f - f* at the plain average of the models before each round",
        r"f(\bar x_T)-f^*",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "weighted_average_loss_gap",
        "E f - f* averaged over the models before each round with the weights of `averaging`",
        r"\sum w_t(f(x_t)-f^*)/W",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "loss_gap_of_weighted_average",
        "E f - f* at the average of the models before each round with the weights of `averaging`",
        r"f(\sum w_tx_t/W)-f^*",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "weighted_mean_squared_gradient",
        "E |grad f|^2 averaged over the models before each round with the weights of `averaging`",
        r"\sum w_t|\nabla f(x_t)|^2/W",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "average_squared_distance",
        "E |x - x*|^2 averaged over the models before each round",
        r"\frac1T\sum|x_t-x^*|^2",
        Kind.NONNEGATIVE,
    ),
)

CLIENT_WORDS = (
    Quantity("client_smoothness", "Lipschitz constant of its gradient", "L_i", Kind.NONNEGATIVE),
    Quantity("client_curvature", "least curvature of its loss", r"\mu_i", Kind.REAL),
    Quantity("client_importance", "its weight in the global loss", "w_i", Kind.NONNEGATIVE),
    Quantity("client_local_steps", "most gradient steps of its deliveries", "K_i", Kind.INDEX),
    Quantity(
        "client_least_local_steps", "fewest gradient steps of its deliveries", "k_i", Kind.INDEX
    ),
    Quantity("client_availability", "chance that it delivers in a round", "p_i", Kind.NONNEGATIVE),
    Quantity("client_deliveries", "number of its deliveries", "n_i", Kind.INDEX),
    Quantity("client_max_staleness", "its largest staleness", r"\nu_i", Kind.INDEX),
    Quantity("client_max_delay", "its largest delay", "d_i", Kind.INDEX),
    Quantity(
        "client_squared_gradient_at_optimum",
        "|grad f_i|^2 at the minimiser of the global loss",
        r"|\nabla f_i(x^*)|^2",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "client_loss_gap_at_optimum",
        "f_i minus its least value, at the minimiser of the global loss",
        "f_i(x^*)-f_i^*",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "client_initial_squared_gradient",
        "|grad f_i|^2 at the start",
        r"|\nabla f_i(x_0)|^2",
        Kind.NONNEGATIVE,
    ),
)
"""Quantities of one client, for formulas under sum_over_clients, mean_over_clients,
max_over_clients and min_over_clients."""
