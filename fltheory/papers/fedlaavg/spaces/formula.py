"""Where the formulas and orders of Corollary 1 and Theorem 4 may fail: any constants, and paths
along which some of them grow."""

from fractions import Fraction
from typing import NamedTuple

import sympy

from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.spaces.choices import SCALE, Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import as_expression
from fltheory.papers.fedlaavg.spaces.conditions import restated
from fltheory.papers.fedlaavg.statements.corollary1 import SCALE as RATE_SCALE
from fltheory.papers.fedlaavg.statements.corollary1 import STEP_SIZE, TAIL
from fltheory.papers.fedlaavg.statements.theorem3 import BOUND
from fltheory.papers.fedlaavg.statements.theorem4 import BOUND as BOUND_4
from fltheory.papers.fedlaavg.statements.theorem4 import STEP_SIZE as STEP_SIZE_4


class BoundConstants(NamedTuple):
    """Constants of Theorems 3 and 4, under the names of their symbols."""

    num_clients: int
    clients_per_round: int
    availability_window: int
    num_rounds: int
    local_steps: int
    staleness_bound: int
    smoothness: Fraction
    gradient_bound: Fraction
    gradient_noise: Fraction
    initial_loss_gap: Fraction


def draw_constants(choices: Choices) -> BoundConstants:
    """Constants of the theorems in all sizes; sigma is at most G, K at most N."""
    clients, bound = choices.whole(1, 16), choices.number("1/4", 4) * choices.power()
    return BoundConstants(
        num_clients=clients,
        clients_per_round=choices.whole(1, clients),
        availability_window=choices.whole(1, 9),
        num_rounds=choices.whole(1, 1000),
        local_steps=choices.whole(1, 5),
        staleness_bound=choices.whole(0, 12),
        smoothness=choices.number("1/4", 4) * choices.power(),
        gradient_bound=bound,
        gradient_noise=bound * choices.number(0, 1),
        initial_loss_gap=choices.number(0, 4) * choices.power(),
    )


def _formulas(choices: Choices, claim: Claim) -> Drawn:
    """Step sizes below 1/(2L), up to 1/(4L) where the claim says so, up to and including 1/(2L) for
    the boundary."""
    constants = draw_constants(choices)
    values: Drawn = constants._asdict()
    most = "1/4" if claim.id == "fedlaavg.cor1.half" else "1/2"
    share = choices.number("1/8", most, max_denominator=8)
    if claim.id not in ("fedlaavg.thm3.boundary", "fedlaavg.cor1.half"):
        choices.require(share < Fraction(1, 2), "step size below 1/(2L)")
    values["local_step_size"] = share / constants.smoothness
    rest = 1 - 2 * share
    values["factor"] = 1 / rest if rest else 0  # no number will do, 0 stands for any
    values["bound_of_theorem_3"] = evaluate(BOUND, values) if rest else 0
    return values


def _at_step_size(choices: Choices, claim: Claim) -> Drawn:
    """The corollaries' step sizes, rounds so many that they are at most 1/(4L); squares and fourth
    powers keep them rational."""
    constants = draw_constants(choices)
    values: Drawn = constants._asdict()
    root, window, share = choices.whole(1, 3), choices.whole(1, 3), Fraction(1, choices.whole(1, 3))
    values["num_clients"] = clients = root**4
    values["availability_window"] = window**2
    values["participation_share"] = share**2
    fourth = claim.id.startswith("fedlaavg.thm4")
    steps = constants.local_steps if fourth else 1
    least = 2 * share * root / (steps * window)  # sqrt of the fewest rounds
    values["num_rounds"] = (-(-least.numerator // least.denominator) * choices.whole(1, 4)) ** 2
    values["local_step_size"] = evaluate(STEP_SIZE_4 if fourth else STEP_SIZE, values)
    values["staleness_bound"] = choices.whole(0, int(2 * window**2 / share**2))
    if claim.id == "fedlaavg.thm3.fullpart":
        rounds = clients * choices.whole(1, 4) ** 2
        smoothness = as_expression(constants.smoothness)
        size = sympy.sqrt(clients) / (2 * smoothness * sympy.sqrt(rounds))
        values |= {"staleness_bound": 0, "num_rounds": rounds, "local_step_size": size}
        choices.require(rounds > clients, "step size below 1/(2L)")
    values["bound_at_step_size"] = evaluate(BOUND_4 if fourth else BOUND, values)
    if claim.id == "fedlaavg.cor1.threshold":
        values["num_rounds"] = int(window**2 * root**6 / share**2) * choices.whole(1, 4)
    one_round: Drawn = {**values, "num_rounds": 1}
    squared = as_expression(constants.gradient_bound) ** 2
    ratio = evaluate(TAIL, one_round) / evaluate(RATE_SCALE, one_round) / squared
    # the second term falls like 1/T, the first like 1/sqrt(T)
    values["balancing_rounds"] = ratio**2
    return values


def _long_slope(choices: Choices, claim: Claim) -> Instance:
    """N clients with the same clipped loss, so far from its minimum that every gradient is the
    bound throughout; any of N, E, R, C grow.

    The models move by gamma times the bound per local step, so x0 = gamma bound C R + bound/L (+
    slack) keeps the slope; then the loss gap is bound x0 - bound^2/(2L), and the mean squared
    gradient is the bound squared, whoever takes part (a client not yet heard from only slows the
    models down). The step size is the corollary's, or any below 1/(2L) where the claim leaves it
    free.
    """
    root, window, rounds, steps = (choices.choice((0, 1, 2)) for _ in range(4))
    clients = SCALE ** (4 * root)
    gaps = SCALE ** (2 * window) if window else sympy.Integer(choices.whole(1, 2) ** 2)
    local = SCALE**steps if claim.id.startswith(("fedlaavg.thm4", "fedlaavg.eq5")) else sympy.S.One
    share = choices.choice((sympy.S.One, 1 / clients))
    bound, smoothness = sympy.Integer(choices.choice((1, 2))), sympy.Integer(choices.choice((1, 2)))
    threshold = gaps * SCALE ** (6 * root) / share
    horizon = 4 * threshold * SCALE ** (2 * rounds)
    free = claim.id.startswith(("fedlaavg.cor1.eq34", "fedlaavg.thm4.eq53"))
    size = sympy.sqrt(share) * SCALE**root / (2 * smoothness * local * sympy.sqrt(gaps * horizon))
    if free:
        size = sympy.Rational(1, 4) / smoothness / SCALE ** choices.whole(0, 2)
    start = size * bound * local * horizon + bound / smoothness
    values = {
        "num_clients": clients,
        "availability_window": gaps,
        "participation_share": share,
        "num_rounds": horizon,
        "local_steps": local,
        "local_step_size": size,
        "smoothness": smoothness,
        "gradient_bound": bound,
        "gradient_noise": sympy.S.Zero,
        "initial_loss_gap": bound * start - bound**2 / (2 * smoothness),
        "mean_squared_gradient": bound**2,
        "mean_squared_end_gradient": bound**2,
        "staleness_bound": gaps / share - 1,
    }
    return Instance(
        {
            name: sympy.powdenest(sympy.expand_power_base(v, force=True), force=True)
            for name, v in values.items()
        },
        "clients with the same gradient, so far from the minimum that it stays at its bound",
    )


def _noisy_descent(choices: Choices, claim: Claim) -> Instance:
    """Everybody in every round on clip(x, -b, b) with +-sigma noise and b >= max(|x0|, sigma): no
    model leaves the linear part.

    E x_t^2 = a^(2t) x0^2 + gamma^2 (sigma^2/N) (1 - a^(2t))/(1 - a^2), a = 1 - gamma; here the mean
    over t < T, one local step.
    """
    size = sympy.Rational(str(choices.number("1/8", "3/8", max_denominator=8)))
    sigma = sympy.Integer(choices.whole(0, 2))
    start = sympy.Integer(choices.whole(0, 2))
    clients = sympy.Integer(choices.whole(1, 4))
    bound = sympy.Max(sigma, start, 1)
    keep, rounds = (1 - size) ** 2, SCALE
    mixed = size**2 * sigma**2 / clients / (1 - keep)
    mean = mixed + (start**2 - mixed) * (1 - keep**rounds) / ((1 - keep) * rounds)
    values = {
        "num_clients": clients,
        "availability_window": sympy.S.One,
        "participation_share": sympy.S.One,
        "num_rounds": rounds,
        "local_steps": sympy.S.One,
        "local_step_size": size,
        "smoothness": sympy.S.One,
        "gradient_noise": sigma,
        "gradient_bound": sympy.sqrt(bound**2 + sigma**2),
        "initial_loss_gap": start**2 / 2,
        "mean_squared_gradient": mean,
        "mean_squared_end_gradient": mean,
        "staleness_bound": sympy.S.Zero,
    }
    return Instance(
        values,
        f"{clients} clients in every round, step size {size}, noise +-{sigma}, start {start},"
        " growing T",
    )


CONSTANTS = (
    "num_clients clients_per_round availability_window num_rounds local_steps staleness_bound"
    " smoothness gradient_bound gradient_noise initial_loss_gap local_step_size"
)
OUTCOMES = {"participation_share", "mean_squared_gradient", "mean_squared_end_gradient"}
ORDERS = frozenset(CONSTANTS.split()) - {"clients_per_round"} | OUTCOMES
FREE_STEP = ("fedlaavg.cor1.eq34*", "fedlaavg.thm4.eq53*")

SPACES = restated(
    (
        given(
            "Any constants, step sizes up to the printed limit.",
            f"{CONSTANTS} factor bound_of_theorem_3",
            (
                "fedlaavg.thm3.chain",
                "fedlaavg.thm3.improved.gap",
                "fedlaavg.thm3.informative",
                "fedlaavg.thm3.boundary",
                "fedlaavg.cor1.half",
                "fedlaavg.thm4.chain",
            ),
            _formulas,
        ),
        given(
            "Any constants at the corollaries' step sizes.",
            f"{CONSTANTS} participation_share bound_at_step_size balancing_rounds",
            (
                "fedlaavg.thm3.fullpart",
                "fedlaavg.cor1.explicit",
                "fedlaavg.cor1.threshold",
                "fedlaavg.cor1.rounds",
                "fedlaavg.thm4.explicit",
            ),
            _at_step_size,
        ),
        Space(
            "fedlaavg long slopes",
            "Paths along which N, E, C and T grow, on a slope so long that the gradient never"
            " changes.",
            ORDERS,
            _long_slope,
            (
                "fedlaavg.cor1",
                "fedlaavg.cor1.speedup",
                "fedlaavg.thm4.rate",
                "fedlaavg.eq55*",
                *FREE_STEP,
            ),
        ),
        Space(
            "fedlaavg noisy descent",
            "Everybody in every round with noise, T grows, any constant step size.",
            ORDERS,
            _noisy_descent,
            FREE_STEP,
        ),
    )
)
