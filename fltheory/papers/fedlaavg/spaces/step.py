"""Where the steps behind Theorems 3 and 4 may fail: every iteration of runs of Algorithm 3, exact
expectations over all noise."""

from fractions import Fraction
from itertools import pairwise

from fltheory.claims.checks.constants import exact_root, known
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given
from fltheory.claims.spaces.scoring import worst
from fltheory.claims.spaces.space import Space
from fltheory.papers.fedlaavg.checks.literal import Line
from fltheory.papers.fedlaavg.checks.steps import NUMBERS, instances_of, mean_of
from fltheory.papers.fedlaavg.checks.theorem3 import skipping_client
from fltheory.papers.fedlaavg.spaces.conditions import restated
from fltheory.papers.fedlaavg.spaces.setting import (
    draw_clients,
    draw_noise,
    draw_participation,
)
from fltheory.papers.fedlaavg.statements.steps import EXPECTATIONS

SINGLE = (
    *(f"fedlaavg.eq{number}" for number in range(21, 33)),
    "fedlaavg.eq22.d",
    "fedlaavg.eq22.d.corrected",
    "fedlaavg.lem3",
)
COLD = ("fedlaavg.eq27.cold", "fedlaavg.eq30.cold")
ROUNDS = (
    *(f"fedlaavg.eq{number}" for number in range(41, 52)),
    *(f"fedlaavg.eq{number}.corrected" for number in range(45, 51)),
    "fedlaavg.eq46.equality",
    "fedlaavg.lem7",
)
SHARES = (Fraction(1, 4), Fraction(1, 8), Fraction(2, 5), Fraction(49, 100), Fraction(1, 100))
"""Step sizes below 1/2, in units of 1/L."""


def stationary_point(line: Line) -> Fraction | None:
    """A point where the slope of the mean loss changes its sign, or is 0; slopes are linear between
    the ends of the clipped pieces."""
    problem = line.problem
    pieces = list(zip(problem.centres, problem.curvatures, strict=True))
    ends = sorted({c[0] + side * problem.bound / h[0] for c, h in pieces for side in (-1, 1)})
    for low, high in pairwise(ends):
        a, b = line.mean_slope(low), line.mean_slope(high)
        if a * b <= 0 and a != b:
            return low - a * (high - low) / (b - a)
    return None


def _run(choices: Choices, claim: Claim) -> list[Instance]:
    """All iterations of one run; printed bounds may be larger than they need be, and the step size
    is below 1/(2L)."""
    clients = choices.whole(1, 3)
    steps = choices.whole(1, 3) if claim.id in ROUNDS or claim.id == "fedlaavg.thm4" else 1
    warm = claim.id in SINGLE or claim.id in ROUNDS
    table = draw_participation(choices, clients, most_rounds=4, warm=warm)
    if claim.id == "fedlaavg.eq37":
        choices.require(all(map(all, table)), "full participation")
    scale, problem = draw_noise(choices, table, steps), draw_clients(choices, clients)
    start = stationary_point(Line(problem)) if choices.flag() else choices.number(-3, 3)
    choices.require(start is not None, "a stationary point to start from")
    overstated = choices.choice((1, 2))
    choices.require(
        problem.constants.smoothness is not None and problem.constants.infimum is not None,
        "the loss is smooth and bounded below",
    )
    smoothness = known(problem.constants.smoothness) * overstated
    size = choices.choice(SHARES) / smoothness
    found = instances_of(problem, table, steps, size, known(start), scale)
    sigma = scale * choices.choice((1, 2))
    constants: Drawn = {
        "smoothness": smoothness,
        "gradient_noise": sigma,
        "gradient_bound": exact_root(problem.bound**2 + sigma**2),
    }
    says = f"participation {table}, start {start}, {problem}"
    return [Instance({**one.values, **constants}, f"{one.says}, {says}") for one in found]


def _iteration(choices: Choices, claim: Claim) -> Instance:
    """The iteration that comes closest to a contradiction."""
    return worst(claim, _run(choices, claim))


def _whole_run(choices: Choices, claim: Claim) -> Instance:
    """Averages over the rounds: at the last virtual iterate of each (Theorem 4), at the server's
    models (Theorem 3)."""
    found = _run(choices, claim)
    steps = int(found[0].values["local_steps"])
    means: Drawn = {
        "mean_squared_end_gradient": mean_of(found[steps - 1 :: steps], "squared_end_gradient"),
        "mean_squared_gradient": mean_of(found[::steps], "squared_gradient"),
    }
    return Instance({**found[0].values, **means}, found[0].says)


def _adversary(choices: Choices, claim: Claim) -> Drawn:
    """One client that skips a round after positive noise; f' = clip(x, -1, 1), +-1 noise, x0 = 0,
    any step size up to 1/2, any horizon."""
    size = Fraction(1, choices.choice((3, 4, 10, 30, 100, 300, 1000)))
    rounds = choices.choice((1, 2, 4, 8, 16, 32, 64, 128, 256, 512))
    return {**skipping_client(size, rounds), "local_steps": 1}


SHARED = (*NUMBERS, "initial_loss_gap", "overall_squared_old_gradient")
EVERY: frozenset[str] = frozenset([*SHARED, *EXPECTATIONS])
MEANS: frozenset[str] = frozenset([*SHARED, "mean_squared_end_gradient", "mean_squared_gradient"])

SPACES = restated(
    (
        Space(
            "fedlaavg steps",
            "Every iteration of runs of up to four rounds, three clients and three local steps:"
            " clipped losses, any participation, all outcomes of +-noise, constants as large as"
            " needed or larger.",
            EVERY - {"mean_squared_end_gradient"},
            _iteration,
            (*SINGLE, *COLD, *ROUNDS, "fedlaavg.eq37"),
        ),
        Space(
            "fedlaavg thm4",
            "Runs of up to four rounds, cold starts and all outcomes of +-noise included.",
            MEANS,
            _whole_run,
            ("fedlaavg.thm4", "fedlaavg.thm3", "fedlaavg.thm4.server"),
        ),
        given(
            "One client that skips a round after positive noise (left side rounded down).",
            "mean_squared_gradient local_step_size num_rounds num_clients staleness_bound"
            " smoothness gradient_noise gradient_bound initial_loss_gap local_steps",
            ("fedlaavg.thm3.adaptive",),
            _adversary,
        ),
    )
)
