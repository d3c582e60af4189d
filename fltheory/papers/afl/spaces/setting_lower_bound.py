"""Where Theorem 1 may fail: any output on the instances of the lower bound."""

from fractions import Fraction

from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.papers.afl.checks.lower_bound import squared_gradients, two_instances
from fltheory.papers.afl.spaces.conditions import restated


def _lower(choices: Choices, claim: Claim) -> Drawn:
    """Any output on the paper's two losses, and on two instances that those who participate cannot
    tell apart."""
    gap, output, slip = choices.number("1/4", 2), choices.number(-2, 2), choices.number(-2, 2)
    clients = 2 if claim.id == "afl.rem1" else choices.whole(1, 6)
    ever = 1 if claim.id == "afl.rem1" else choices.whole(1, clients)
    apart = choices.number("1/4", 2)
    pair = two_instances(clients, ever, apart)
    squares = squared_gradients(pair, output)
    deviations = [choices.whole(-1, 1) for _ in range(clients - 1)]
    last = -sum(deviations)
    admissible = abs(last) <= 1
    if claim.id == "afl.thm1c.upper":
        choices.require(admissible, "no worker further than sigma_G from the global gradient")
    point = slip - gap if claim.id == "afl.thm1.value" else output
    distances: Drawn = {"afl.thm1": 2 * gap, "afl.thm1c.upper": 1}
    largest = max(known(problem.constants.dissimilarity_squared) for problem in pair)
    return {
        "output_error": (2 * point) ** 2,
        "omega_constant": Fraction(1, 1000 * 10 ** choices.whole(0, 3)),
        "half_gap": gap,
        "slip": slip,
        "dissimilarity": distances.get(claim.id, apart),
        "worst_error": max(squares),
        "mean_of_two_errors": sum(squares) / 2,
        "seen_gradient": output,
        "num_clients": clients,
        "ever_participating": ever,
        "gradient_distance": 2 * gap if claim.id == "afl.thm1.distance" else exact_root(largest),
        "bias": abs(Fraction(sum([*deviations, last][:ever]), ever)),
        "clients_per_round": choices.whole(1, ever),
    }


SPACES = restated(
    (
        given(
            "Any output on the lower bound's instances.",
            "output_error omega_constant half_gap slip dissimilarity worst_error mean_of_two_errors"
            " seen_gradient num_clients ever_participating gradient_distance bias"
            " clients_per_round",
            (
                "afl.thm1",
                "afl.thm1.distance",
                "afl.thm1.value",
                "afl.thm1c",
                "afl.thm1c.identity",
                "afl.thm1c.admissible",
                "afl.thm1c.upper",
                "afl.rem1",
            ),
            _lower,
        ),
    )
)
