"""One name per quantity, with each paper's letter beside it: the only place where the papers'
letters live."""

from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from fltheory.core.errors import InvalidInput


class Kind(Enum):
    """What values a quantity takes; the value is what sympy may assume of its symbol."""

    COUNT = (("integer", True), ("positive", True))
    INDEX = (("integer", True), ("nonnegative", True))
    POSITIVE = (("positive", True),)
    NONNEGATIVE = (("nonnegative", True),)


@dataclass(frozen=True)
class Quantity:
    """A name used in signatures, what it means, each paper's letter ("-" if it has none), and how
    we print it."""

    name: str
    says: str
    mifa: str
    fraboni: str
    fedlaavg: str
    afl: str
    letter: str
    kind: Kind


WORDS = (
    Quantity("num_clients", "all clients", "N", "M", "N", "M", "N", Kind.COUNT),
    Quantity("num_rounds", "server updates done", "T-1", "N", "T or R", "T", "T", Kind.COUNT),
    Quantity(
        "local_steps",
        "gradient steps per delivery",
        "K",
        "K",
        "C (1 in Sec. 2-4)",
        "K_{t,i}, max K",
        "K",
        Kind.COUNT,
    ),
    Quantity(
        "clients_per_round",
        "clients used per update, by choice",
        "S",
        "m",
        "K = beta N",
        "m",
        "S",
        Kind.COUNT,
    ),
    Quantity(
        "started_from",
        "index of the model that a delivery began with",
        "t",
        "rho_i(n)",
        "t-1",
        "t - tau_{t,i}",
        r"\rho",
        Kind.INDEX,
    ),
    Quantity(
        "staleness",
        "rounds between that model and the one it moves",
        "tau(t,i)",
        "n - rho_i(n)",
        "t - T_i^t",
        "tau_{t,i}",
        r"\tau",
        Kind.INDEX,
    ),
    Quantity(
        "rounds_since_available",
        "rounds since a client was last available, used or not",
        "tau(t,i)",
        "-",
        "differs if clients_per_round < available",
        "-",
        "a",
        Kind.INDEX,
    ),
    Quantity(
        "max_staleness",
        "largest staleness",
        "tau_max,T, nu_max",
        "tau",
        "at most I",
        "tau",
        r"\tau_{\max}",
        Kind.INDEX,
    ),
    Quantity(
        "mean_staleness",
        "average staleness",
        "taubar_T, nubar",
        "-",
        "-",
        "-",
        r"\bar{\tau}",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "availability_window",
        "every client is available once in every such stretch",
        "-",
        "-",
        "E",
        "-",
        "E",
        Kind.COUNT,
    ),
    Quantity(
        "initial_gap",
        "staleness <= initial_gap + gap_slope * round",
        "t0",
        "-",
        "-",
        "-",
        "t_0",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "gap_slope",
        "growth of the allowed staleness per round",
        "1/b",
        "-",
        "-",
        "-",
        r"\lambda",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "availability_probability",
        "chance that a client is available",
        "p_i",
        "-",
        "-",
        "-",
        "p",
        Kind.POSITIVE,
    ),
    Quantity(
        "importance",
        "weight of a client in the global loss",
        "1/N",
        "p_i",
        "w_i",
        "1/M",
        "w",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "aggregation_weight",
        "weight of a delivery on arrival",
        "1/N",
        "d_i(n)",
        "1/N",
        "1/m (CD), 1/M (CS)",
        "d",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "expected_weight",
        "mean of weight times arrival",
        "-",
        "q_i(n)",
        "-",
        "-",
        "q",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "balance_period",
        "rounds after which mean weights repeat",
        "-",
        "W",
        "-",
        "-",
        "W",
        Kind.COUNT,
    ),
    Quantity(
        "update_time",
        "clock time of one delivery",
        "-",
        "T_i = tau_i",
        "-",
        "-",
        "u",
        Kind.POSITIVE,
    ),
    Quantity(
        "round_duration",
        "clock time of one round",
        "-",
        "Delta t^n",
        "-",
        "-",
        r"\Delta",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "local_step_size",
        "step size of a client",
        "eta_t",
        "eta_l",
        "gamma",
        "eta_L",
        r"\eta_l",
        Kind.POSITIVE,
    ),
    Quantity(
        "server_step_size",
        "step size of the server",
        "-",
        "eta_g",
        "-",
        "eta",
        r"\eta_g",
        Kind.POSITIVE,
    ),
    Quantity(
        "smoothness",
        "Lipschitz constant of every client's gradient",
        "L",
        "L",
        "L",
        "L",
        "L",
        Kind.POSITIVE,
    ),
    Quantity("strong_convexity", "least curvature", "mu", "0", "-", "-", r"\mu", Kind.POSITIVE),
    Quantity(
        "gradient_noise",
        "standard deviation of a stochastic gradient",
        "sigma",
        "-",
        "sigma",
        "sigma_L",
        r"\sigma",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "gradient_bound",
        "root of the bound on E norm^2 of a stochastic gradient",
        "-",
        "B",
        "G",
        "-",
        "G",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "dissimilarity",
        "clients' gradients against the global one, everywhere",
        "alpha, beta_i",
        "R, chi^2",
        "-",
        "sigma_G",
        r"\sigma_G",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "dissimilarity_at_optimum",
        "mean squared client gradient at the optimum",
        "D",
        "-",
        "-",
        "-",
        "D",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "mean_client_max_staleness",
        "average over clients of each one's largest staleness",
        "nubar",
        "-",
        "-",
        "-",
        r"\bar{\nu}",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "initial_distance",
        "distance of the start from the optimum",
        "|w_1 - w*|",
        "|theta^0 - theta*|",
        "-",
        "-",
        "d_0",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "initial_loss_gap",
        "loss at the start above its infimum",
        "f(w_1) - f*",
        "-",
        "f(x^0) - f*",
        "f_0 - f*",
        "B_0",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "mean_squared_gradient",
        "average over rounds of E |grad f|^2 at the model before each round",
        "-",
        "-",
        "(1/T) sum E|grad f(x^{t-1})|^2",
        "(1/T) sum E|grad f(x_t)|^2",
        r"\overline{|\nabla f|^2}",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "min_squared_gradient",
        "least E |grad f|^2 over the models",
        "min_t E|grad f(w_t)|^2",
        "-",
        "-",
        "-",
        r"\min|\nabla f|^2",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "mean_loss_gap",
        "average over rounds and local steps of E f - f*",
        "-",
        "(1/NK) sum E L(theta^{n,k}) - L*",
        "-",
        "-",
        r"\overline{f-f^*}",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "weighted_loss_gap",
        "E f - f* of the weighted average of the models",
        "E f(wbar_T) - f*",
        "-",
        "-",
        "-",
        r"f(\bar w)-f^*",
        Kind.NONNEGATIVE,
    ),
)


def quantity(name: str) -> Quantity:
    """The quantity of that name.

    >>> quantity("balance_period").fraboni
    'W'
    """
    for word in WORDS:
        if word.name == name:
            return word
    raise InvalidInput("quantity", "be a name of the vocabulary", repr(name))


@cache
def symbol(name: str) -> Any:
    """The sympy symbol of a quantity, always the same one, with the assumptions of its kind.

    >>> symbol("num_clients").is_integer, symbol("local_step_size").is_positive
    (True, True)
    """
    import sympy

    return sympy.Symbol(name, **dict(quantity(name).kind.value))


def latex(expression: Any) -> str:
    r"""A formula in LaTeX, each quantity under its letter, other symbols spelled out.

    >>> print(latex(symbol("gradient_noise") ** 2 / symbol("num_clients")))
    \frac{\sigma^{2}}{N}
    """
    import sympy

    letters = {symbol(word.name): word.letter for word in WORDS}
    others = {
        s: r"\text{" + s.name.replace("_", " ") + "}"
        for s in expression.free_symbols
        if s not in letters
    }
    return str(sympy.latex(expression, symbol_names=letters | others))
