"""One name per quantity, what it means, and the letter under which it is printed.

A paper's own letters live with the paper (`fltheory.claims.claim.Paper.letters`).
"""

from difflib import get_close_matches
from functools import cache

from fltheory.core.errors import InvalidInput
from fltheory.core.quantities import CLIENT_WORDS, WORDS_OF_RUNS, Kind, Quantity
from fltheory.core.types import Symbol

__all__ = ["CLIENT_WORDS", "MEASURED", "WORDS", "Kind", "Quantity", "quantity", "symbol"]

WORDS = (
    Quantity("num_clients", "all clients", "N", Kind.COUNT),
    Quantity("num_rounds", "server updates done", "T", Kind.COUNT),
    Quantity("local_steps", "gradient steps per delivery", "K", Kind.COUNT),
    Quantity("clients_per_round", "clients used per update, by choice", "S", Kind.COUNT),
    Quantity("started_from", "index of the model that a delivery began with", r"\rho", Kind.INDEX),
    Quantity("staleness", "rounds between that model and the one it moves", r"\tau", Kind.INDEX),
    Quantity(
        "rounds_since_available",
        "rounds since a client was last available, used or not",
        "a",
        Kind.INDEX,
    ),
    Quantity("max_staleness", "largest staleness", r"\tau_{\max}", Kind.INDEX),
    Quantity("mean_staleness", "average staleness", r"\bar{\tau}", Kind.NONNEGATIVE),
    Quantity(
        "availability_window",
        "every client is available once in every such stretch",
        "E",
        Kind.COUNT,
    ),
    Quantity(
        "initial_gap",
        "staleness in round t is at most this plus slope * t",
        "t_0",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "gap_slope", "growth of the allowed staleness per round", r"\lambda", Kind.NONNEGATIVE
    ),
    Quantity("availability_probability", "chance that a client is available", "p", Kind.POSITIVE),
    Quantity("importance", "weight of a client in the global loss", "w", Kind.NONNEGATIVE),
    Quantity("aggregation_weight", "weight of a delivery on arrival", "d", Kind.NONNEGATIVE),
    Quantity("expected_weight", "mean of weight times arrival", "q", Kind.NONNEGATIVE),
    Quantity("balance_period", "rounds after which mean weights repeat", "W", Kind.COUNT),
    Quantity("update_time", "clock time of one delivery", "u", Kind.POSITIVE),
    Quantity("round_duration", "clock time of one round", r"\Delta", Kind.NONNEGATIVE),
    Quantity("local_step_size", "step size of a client", r"\eta_l", Kind.POSITIVE),
    Quantity("server_step_size", "step size of the server", r"\eta_g", Kind.POSITIVE),
    Quantity("smoothness", "Lipschitz constant of every client's gradient", "L", Kind.POSITIVE),
    Quantity("strong_convexity", "least curvature", r"\mu", Kind.POSITIVE),
    Quantity(
        "gradient_noise", "standard deviation of a stochastic gradient", r"\sigma", Kind.NONNEGATIVE
    ),
    Quantity(
        "gradient_bound",
        "root of the bound on E norm^2 of a stochastic gradient",
        "G",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "dissimilarity",
        "clients' gradients against the global one, everywhere",
        r"\sigma_G",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "dissimilarity_at_optimum",
        "mean squared client gradient at the optimum",
        "D",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "mean_client_max_staleness",
        "average over clients of each one's largest staleness",
        r"\bar{\nu}",
        Kind.NONNEGATIVE,
    ),
    Quantity("initial_distance", "distance of the start from the optimum", "d_0", Kind.NONNEGATIVE),
    Quantity("initial_loss_gap", "loss at the start above its infimum", "B_0", Kind.NONNEGATIVE),
    Quantity(
        "mean_squared_gradient",
        "average over rounds of E |grad f|^2 at the model before each round",
        r"\overline{|\nabla f|^2}",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "min_squared_gradient",
        "least E |grad f|^2 over the models",
        r"\min|\nabla f|^2",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "mean_loss_gap",
        "average over rounds and local steps of E f - f*",
        r"\overline{f-f^*}",
        Kind.NONNEGATIVE,
    ),
    Quantity(
        "weighted_loss_gap",
        "E f - f* of the weighted average of the models",
        r"f(\bar w)-f^*",
        Kind.NONNEGATIVE,
    ),
    *WORDS_OF_RUNS,
)


MEASURED = (
    Quantity(
        "max_delay",
        "most rounds between the model that a delivery began with and its arrival",
        r"\tau_{\max}",
        Kind.INDEX,
    ),
    Quantity("staleness_bound", "availability_window - 1", "t_0", Kind.INDEX),
    Quantity(
        "least_local_steps", "fewest local steps of a delivery that is used", "K_{min}", Kind.COUNT
    ),
    Quantity(
        "fresh_entries",
        "fewest clients of any round whose entry in the server's memory is new",
        "m",
        Kind.INDEX,
    ),
    Quantity("optimum", "minimiser of the global loss, its first coordinate", "x^*", Kind.REAL),
    Quantity(
        "limit",
        "where the models tend to if the trace is repeated for ever, first coordinate at the end of"
        " a period",
        r"x_\infty",
        Kind.REAL,
    ),
    Quantity(
        "limit_error",
        "|grad f|^2 there, averaged over the period",
        r"\overline{|\nabla f(x_\infty)|^2}",
        Kind.NONNEGATIVE,
    ),
)
"""What a run shows beyond these words; a claim that uses one explains it without being told. A
letter of one's own must have another name, or it would be measured."""


def quantity(name: str) -> Quantity:
    """The quantity of that name.

    >>> quantity("balance_period").letter
    'W'
    """
    for word in (*WORDS, *MEASURED):
        if word.name == name:
            return word
    near = get_close_matches(str(name)[:60], [word.name for word in (*WORDS, *MEASURED)], n=3)
    hint = f" (near: {', '.join(near)})" if near else ""
    rule = f"be one that `fltheory list quantities` names{hint}, or a letter that `where` explains"
    raise InvalidInput("quantity", rule, repr(name)[:60])


@cache
def symbol(name: str) -> Symbol:
    """The sympy symbol of a quantity, always the same one, with the assumptions of its kind.

    >>> symbol("num_clients").is_integer, symbol("local_step_size").is_positive
    (True, True)
    """
    import sympy

    return sympy.Symbol(name, **dict(quantity(name).kind.value))
