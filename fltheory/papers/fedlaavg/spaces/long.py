"""FedLaAvg with much local work, and Example 1 in the limit of short steps and long blocks."""

from fractions import Fraction

import sympy

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.measures import MEASURES
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.runs import draw_problem, draw_trace, on_run
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import as_expression
from fltheory.papers.fedlaavg.checks.variants import FIRST_SCALED as FIRST
from fltheory.papers.fedlaavg.checks.variants import SECOND_SCALED as SECOND
from fltheory.papers.fedlaavg.checks.variants import scaled_limits


def _long_work(choices: Choices, claim: Claim) -> Instance:
    """Up to six rounds of up to six local steps, steps up to the edge of 1/(2 L)."""
    trace = draw_trace(choices, most_clients=2, most_rounds=6, most_steps=6)
    problem = draw_problem(choices, trace.num_clients)
    smoothness = problem.constants.smoothness
    choices.require(bool(smoothness), "the losses are smooth")
    shares = (Fraction(49, 100), Fraction(1, 4), Fraction(1, 10), Fraction(1, 100))
    size = choices.choice(shares) / known(smoothness)
    scenario = Scenario(
        "fedlaavg", problem, trace, start=choices.number(-3, 3), local_step_size=size
    )
    failing = unmet(claim, scenario, stated_only=True)
    if failing:
        choices.reject(failing[0])
    return on_run(choices, claim, scenario)


def _scaled(choices: Choices, claim: Claim) -> Instance:
    """The spectral radius of one period of FedLaAvg for gamma t_i = s_i, as gamma vanishes."""
    blocks = {
        FIRST: as_expression(choices.number("1/4", 4)),
        SECOND: as_expression(choices.number("1/4", 4)),
    }
    trace, determinant = (limit.xreplace(blocks) for limit in scaled_limits())
    return Instance(
        {
            FIRST.name: blocks[FIRST],
            SECOND.name: blocks[SECOND],
            "scaled_radius": (sympy.Abs(trace) + sympy.sqrt(trace**2 - 4 * determinant)) / 2,
        },
        "blocks long against the step size",
    )


SPACES = (
    Space(
        "fedlaavg long work",
        "Runs of up to six rounds with up to six local steps.",
        frozenset(MEASURES),
        _long_work,
        ("fedlaavg.thm4.server",),
    ),
    Space(
        "fedlaavg scaled blocks",
        "Example 1 with short steps and long blocks.",
        frozenset((FIRST.name, SECOND.name, "scaled_radius")),
        _scaled,
        ("fedlaavg.ex1.stability.slow",),
    ),
)
