"""Orders of FedLaAvg along paths: what the server does and stores (Appendix D), and how slowly
Example 1 can begin (Theorem 2)."""

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.given import space_of


def _server(choices: Choices, claim: Claim) -> Instance:
    """Any of N, K and Q grow, K at most N; every comparison sort needs N log2 N - 2 N comparisons
    for some order of the clients, which is at least N log N - 2 N with the natural logarithm."""
    number, speed = choices.whole(1, 4), choices.whole(0, 3)
    used = number * SCALE ** choices.whole(0, speed)
    clients = (number + choices.whole(0, 3)) * SCALE**speed
    parameters = choices.whole(2, 5) * SCALE ** choices.whole(0, 3)
    compared = clients * sympy.log(clients) - 2 * clients
    values = {
        "num_clients": clients,
        "clients_per_round": used,
        "num_parameters": parameters,
        "server_operations": compared + (used + 1) * parameters,
        "server_numbers": clients + 2 * parameters,
    }
    return Instance(values, f"N = {clients}, K = {used}, Q = {parameters}")


def _client(choices: Choices, claim: Claim) -> Instance:
    """Any of C, P and Q grow, P at least Q: C gradients, C moves and sums, one difference."""
    steps = choices.whole(1, 3) * SCALE ** choices.whole(0, 3)
    parameters = choices.whole(1, 5) * SCALE ** choices.whole(0, 3)
    cost = parameters * choices.whole(1, 3) * SCALE ** choices.whole(0, 2)
    values = {
        "local_steps": steps,
        "num_parameters": parameters,
        "gradient_cost": cost,
        "client_operations": steps * cost + 2 * steps * parameters + parameters,
        "client_numbers": parameters,
    }
    return Instance(values, f"C = {steps}, P = {cost}, Q = {parameters}")


def slow_beginning(start_distance: sympy.Expr, rounds: sympy.Expr) -> sympy.Expr:
    """At most the mean squared gradient of FedLaAvg on Example 1 with gamma = 1/(2 sqrt T), if |x_0
    - x*| >= |e_1 - e_2|.

    While d = x - x* is in [d_0/2, d_0], a round moves the model towards x* by at most 2 gamma d_0
    (a client not yet heard from only slows it down), so d stays there for the first sqrt(T)/2
    rounds; there |grad f|^2 = 4 d^2 >= d_0^2, and the mean is at least d_0^2/(2 sqrt T).
    """
    return start_distance**2 / (2 * sympy.sqrt(rounds))


def _example(choices: Choices, claim: Claim) -> Instance:
    """T = 4 n^2 grows, the start stays where it is."""
    root = choices.whole(1, 4) * SCALE ** choices.whole(1, 3)
    distance = sympy.Rational(str(choices.number(1, 4)))
    return Instance(
        {"num_rounds": 4 * root**2, "mean_squared_gradient": slow_beginning(distance, 4 * root**2)},
        f"T = {4 * root**2}, |x_0 - x*| = {distance}: at least so much by its first rounds alone",
    )


SPACES = (
    space_of(
        "fedlaavg server",
        "A server that sorts its clients and adds up what they send; N, K and Q grow at any"
        " speeds.",
        "num_clients clients_per_round num_parameters server_operations server_numbers",
        _server,
        ("fedlaavg.appD", "fedlaavg.appD.memory"),
    ),
    space_of(
        "fedlaavg client",
        "A client that takes C gradients of cost P at least Q; C, P and Q grow at any speeds.",
        "local_steps num_parameters gradient_cost client_operations client_numbers",
        _client,
        ("fedlaavg.appD.client", "fedlaavg.appD.client_memory"),
    ),
    space_of(
        "fedlaavg slow beginning",
        "Example 1 from far away, T growing.",
        "num_rounds mean_squared_gradient",
        _example,
        ("fedlaavg.thm2",),
    ),
)
