"""Where AFL's statements about uniform samples and delays may fail: any vectors, any delays."""

import numpy as np

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.papers.afl.checks.sampling import sample_quantities
from fltheory.papers.afl.spaces.conditions import restated
from fltheory.papers.afl.statements.uniform_arrivals import spread
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import model_reuses


def _samples(choices: Choices, claim: Claim) -> Drawn:
    """Uniform subsets of m among M workers with any vectors in the plane, by enumeration."""
    clients = choices.whole(2, 5)
    size = choices.whole(1, clients)
    vectors = [(choices.number(-3, 3), choices.number(-3, 3)) for _ in range(clients)]
    weight = choices.number("1/4", 4) * choices.power()
    if claim.id == "afl.thm3.bracketc":
        choices.require(2 * (1 - spread(clients, size)) * weight <= 1, "afl.thm3c.ii")
    return {**sample_quantities(vectors, size), "move_weight": weight}


def _delays(choices: Choices, claim: Claim) -> Drawn:
    """Any delays of one worker: how often a model is used, and gradients at the used models against
    all."""
    rounds = choices.whole(1, 6)
    delays = [choices.whole(0, min(t, 3)) for t in range(rounds)]
    squares = [choices.whole(0, 2) for _ in range(rounds)]
    most = max(delays) + choices.whole(0, 1)
    uses = model_reuses(Trace.with_delays(np.ones((rounds, 1), bool), np.array(delays)[:, None]))
    return {
        "uses_of_a_model": int(uses.max()),
        "max_delay": most,
        "windows_over_an_increment": max(
            sum(t - d <= k < t for t, d in enumerate(delays)) for k in range(rounds)
        ),
        "sum_at_used_models": sum(squares[t - d] for t, d in enumerate(delays)),
        "sum_at_all_models": sum(squares),
    }


SPACES = restated(
    (
        given(
            "Uniform subsets with any vectors.",
            "single_probability pair_probability sum_of_squares square_of_sum expected_square"
            " sum_of_pair_differences expected_mean_square square_of_mean mean_of_squares"
            " population_variance num_clients clients_per_round move_weight",
            ("afl.sampling*", "afl.arrivals.independent", "afl.thm3.bracket", "afl.thm3.bracketc"),
            _samples,
        ),
        given(
            "Any delays up to 3 in up to six rounds.",
            "uses_of_a_model max_delay windows_over_an_increment sum_at_used_models"
            " sum_at_all_models",
            ("afl.delay-stats*", "afl.thm2.a12", "afl.thm2.a12c", "afl.thm3.b9*"),
            _delays,
        ),
    )
)
