"""Spaces for the claims about the paper's experiments: amplitudes by day and night, FedProx beside
FedAvg, equal optima."""

from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.papers.fedlaavg.checks.experiments import (
    amplitudes,
    daily_ends,
    daily_limits,
    diurnal_limits,
)
from fltheory.problems.quadratic import Quadratic


def _settles(choices: Choices, claim: Claim) -> Drawn:
    """Five clients by day and night, with any optima."""
    half = choices.whole(1, 4)
    day = choices.whole(1, 4)
    size = choices.number("1/8", "1/4", max_denominator=8)
    problem = Quadratic((2,) * 5, choices.many(lambda: choices.number(-3, 3), 5))
    limits = diurnal_limits(problem, half, day, size)
    choices.require(all(limit.stable for limit in limits), "both methods converge")
    return {**amplitudes(limits), "half_period": half}


def _same_optima(choices: Choices, claim: Claim) -> Drawn:
    """Three clients for eight hours a day each, with equal optima."""
    rounds = 3 * choices.whole(1, 3)
    size = choices.number("1/8", "1/3")
    optimum = choices.number(-3, 3)
    problem = Quadratic(choices.many(lambda: choices.number("1/2", 3), 3), (optimum,) * 3)
    limits = daily_limits(problem, rounds, size)
    choices.require(
        all(limit.stable and limit.at_period_end is not None for limit in limits),
        "both methods converge",
    )
    return {**daily_ends(limits), "local_step_size": size}


SPACES = (
    given(
        "Five quadratic clients by day and night, any optima.",
        "fedlaavg_amplitude fedavg_amplitude half_period",
        ("fedlaavg.exp.mnist",),
        _settles,
    ),
    given(
        "Three clients for eight hours a day, equal optima.",
        "fedavg_limit fedlaavg_limit local_step_size",
        ("fedlaavg.exp.sent140",),
        _same_optima,
    ),
)
