"""Where a run of the wide space starts: near the optimum or far away, where it stays, or where it
gets half of the way."""

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any

from fltheory.claims.claim import Claim
from fltheory.claims.measures import Measurements
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.ranges import fixed
from fltheory.claims.spaces.wide_waves import is_wave
from fltheory.core.errors import Diverged, InvalidInput, NotExact
from fltheory.problems.clipped import Clipped
from fltheory.problems.piecewise import PiecewiseQuadratic

SETTLED = 200
"""Clients times rounds up to which a run may start from the model to which it tends."""

DISTANCES = tuple(map(Fraction, ("1", "0", "1", "0", "2", "3", "10", "1/10", "1000")))
"""Distances of the start, where they are free."""


def draw_start(choices: Choices, claim: Claim, problem: Any) -> tuple[Fraction, ...]:
    """A start at the optimum, near it, far away, or where the curvature changes; at the distance
    that a condition sets."""
    optimum = problem.constants.optimum
    kind = choices.index(6)
    base = optimum if optimum is not None and kind < 4 else (Fraction(0),) * problem.dimension
    distance = fixed(claim).get("initial_distance")
    if distance is None and isinstance(problem, PiecewiseQuadratic):
        knots = problem.knots
        if kind >= 4 or (kind and is_wave(problem)):
            return (knots[0 if kind == 5 else -1],)
    if distance is None:
        distance = choices.choice(DISTANCES) * (1 if kind % 2 else -1)
    return (base[0] + distance, *base[1:])


def settled(scenario: Scenario) -> Scenario:
    """The same run from the model to which it tends without noise, where that is known: there it
    stays, however long it goes on."""
    problem = scenario.problem
    short = scenario.trace.num_rounds * problem.num_clients <= SETTLED
    if not short or problem.dimension > 1 or not problem.affine or scenario.participation:
        return scenario
    quiet = replace(scenario, problem=replace(problem, noise_squared=0), relative_noise=0)
    try:
        limit = Measurements(quiet)["limit"]
    except (InvalidInput, NotExact, Diverged):
        return scenario
    return replace(scenario, start=(limit,)) if isinstance(limit, Fraction) else scenario


def travelling(scenario: Scenario, times: int) -> Scenario:
    """The same run with clipped gradients from so far away that they stay clipped: from `times` the
    length of its way. Twice the way makes the gap largest against the squared distance
    of the start, once makes the gap at the start smallest."""
    problem, sizes = scenario.problem, scenario.local_step_size
    optimum = problem.constants.optimum
    if not isinstance(problem, Clipped) or optimum is None:
        return scenario
    listed = sizes if isinstance(sizes, tuple) else (sizes,) * scenario.trace.num_rounds
    steps = int(scenario.trace.local_steps.max())
    length = float(sum(listed)) * float(scenario.server_step_size * steps * problem.bound)
    knee = problem.bound / min(abs(h) for row in problem.curvatures for h in row)
    way = Fraction(ceil(12 * times * length), 12) + knee
    return replace(scenario, start=(optimum[0] + way, *optimum[1:]))
