"""Theorem 4 with noise and Corollary 3's step sizes: runs in which its condition (7) can be
decided, round by round."""

from fractions import Fraction
from math import isqrt

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.vocabulary import WORDS
from fltheory.papers.afl.checks.memory import at_rate
from fltheory.papers.afl.statements.memory import condition_4


def _with_noise(choices: Choices, claim: Claim) -> Instance:
    """Everybody arrives, K = 1, f = x^2/2: E x_t^2 = a^t x_0^2 + v (1 - a^t)/(1 - a), a = (1 -
    g)^2, v = g^2 sigma^2/M, g = sqrt(M/T).

    tau = 0, so (5) and (6) hold with beta = 0, and (7) says E x_t^2 >= 2 sigma_L^2/M; E x_t^2 goes
    to its limit in one direction, so its ends decide (7) for every round.
    """
    clients = choices.choice((1, 4, 9))
    rounds = (choices.whole(1, 60) * isqrt(clients)) ** 2
    noise = choices.number(Fraction(1, 4), 2)
    start = choices.number(0, 4) * 10 ** choices.whole(0, 30)
    values = at_rate(clients, rounds) | {"gradient_noise": noise, "initial_loss_gap": start**2 / 2}
    choices.require(bool(evaluate(condition_4(320), values) < 1), "afl.thm4.4")
    keep, fresh = (1 - Fraction(isqrt(clients), isqrt(rounds))) ** 2, Fraction(1, rounds) * noise**2
    limit = fresh / (1 - keep)
    last = keep ** (rounds - 1) * (start**2 - limit) + limit
    needed = 2 * Fraction(noise) ** 2 / clients
    choices.require(bool(evaluate(claim.statement.right, values) < needed), "afl.thm4.long")
    choices.require(min(start**2, last) >= 2 * noise**2 / clients, "afl.thm4.7")
    mean = limit + (start**2 - limit) * (1 - keep**rounds) / ((1 - keep) * rounds)
    return Instance(
        values | {"mean_squared_gradient": mean},
        f"M = {clients}, T = {rounds}, sigma_L = {noise}, x_0 = {start}",
    )


SPACES = (
    Space(
        "afl noisy memory",
        "Up to nine workers that all arrive in every round of up to 3600, f = x^2/2, noise, any"
        " start.",
        frozenset(word.name for word in WORDS) | {"fresh_entries"},
        _with_noise,
        ("afl.thm4.noisy",),
    ),
)
