"""Workers that take turns: exact second moments of AFA-CS runs, and the noise floor of groups in
turn."""

from fractions import Fraction
from functools import cache

import sympy

from fltheory.claims.checks.bound_on_run import on_scenario
from fltheory.claims.checks.exact_run import tilted
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.measures import MEASURES
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import space_of
from fltheory.claims.spaces.space import Space
from fltheory.papers.afl.checks.speedup import stationary_floor
from fltheory.papers.afl.checks.turns import turns

FLOORS = cache(stationary_floor)


def _floor(choices: Choices, claim: Claim) -> Instance:
    """M workers in turn on x^2/2 from the optimum, everybody in round 0, 1/g whole and above M."""
    clients = choices.whole(1, 3)
    inverse, noise = choices.whole(2, 8), choices.whole(1, 3)
    choices.require(inverse > clients, "1/g is above M")
    problem = tilted(clients, spread=0, noise_squared=noise**2)
    trace = turns(clients, choices.whole(1, 16))
    return on_scenario(
        claim, Scenario("afa-cs", problem, trace, start=0, local_step_size=Fraction(1, inverse))
    )


def _rate(choices: Choices, claim: Claim) -> Instance:
    """M/m groups of m workers in turn: the stationary covariance over g as g vanishes."""
    groups, per_round = choices.whole(1, 2), choices.whole(1, 4)
    values = {
        "clients_per_round": per_round,
        "gradient_noise": choices.number("1/4", 3),
        "num_clients": per_round * groups,
    }
    formula: sympy.Expr = FLOORS(groups)
    return Instance(
        values | {"noise_floor_per_step": evaluate(formula, values)},
        f"{groups} groups of {per_round}",
    )


SPACES = (
    Space(
        "afl workers in turn",
        "Up to three workers that take turns, exact second moments.",
        frozenset(MEASURES),
        _floor,
        ("afl.cor3.floor",),
    ),
    space_of(
        "afl groups in turn",
        "One or two groups of workers in turn, vanishing steps.",
        "clients_per_round gradient_noise num_clients noise_floor_per_step",
        _rate,
        ("afl.cor3.rate",),
    ),
)
