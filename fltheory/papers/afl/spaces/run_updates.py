"""Where AFL's statements about the memory may fail: skipped deliveries, updates of one round, and
the increment of V."""

from fractions import Fraction
from itertools import product

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.papers.afl.checks.memory import increment_of_v
from fltheory.papers.afl.checks.speedup import most_skipped
from fltheory.papers.afl.spaces.conditions import restated


def _skipped(choices: Choices, claim: Claim) -> Drawn:
    """Most deliveries that are skipped on traces of this size on which every memory entry is always
    fresh."""
    clients, rounds = choices.whole(1, 3), choices.whole(1, 2)
    return {"skipped_deliveries": most_skipped(clients, rounds), "num_clients": clients}


def _updates(choices: Choices, claim: Claim) -> Drawn:
    """One round of AFA-CS from any start, everybody arrives, noise +-sigma: E |G|^2 = |grad f|^2 +
    sigma^2/M, by enumeration."""
    clients, scale, start = choices.whole(1, 5), choices.number("1/4", 2), choices.number(-2, 2)
    moves = [
        (start + scale * Fraction(sum(signs), clients)) ** 2
        for signs in product((-1, 1), repeat=clients)
    ]
    return {
        "squared_update": sum(moves, Fraction(0)) / len(moves),
        "gradient_noise": scale,
        "num_clients": clients,
    }


def _increments(choices: Choices, claim: Claim) -> Drawn:
    """V along any models, f(x) = x^2/2 + c, beta_u = tau - u; and a stationary round of the same
    loss."""
    oldest = choices.whole(1, 3)
    t, shift = oldest + 2, choices.number(-2, 2)
    models = choices.many(lambda: choices.number(-3, 3), t + 2)
    parts = increment_of_v(models, oldest, t)
    if claim.id == "afl.thm4.eq12":
        parts["loss_change"] = 0
    return {**parts, "current_loss": shift, "other_terms": 0}


SPACES = restated(
    (
        given(
            "All participation patterns of one size.",
            "skipped_deliveries num_clients",
            ("afl.rem7.lag",),
            _skipped,
        ),
        given(
            "One round of AFA-CS from any start.",
            "squared_update gradient_noise num_clients",
            ("afl.rem5",),
            _updates,
        ),
        given(
            "V along any models.",
            "increment_of_v loss_change change_of_middle_terms newest_term dropped_term"
            " printed_dropped_term current_loss other_terms",
            ("afl.thm4.increment*", "afl.thm4.eq12"),
            _increments,
        ),
    )
)
