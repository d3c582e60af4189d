"""Worst functions by semidefinite programming: the largest left/right over a whole class of
functions, on one trace with its step sizes.

The number only guides the search: if it exceeds the ratio of the drawn clients, quadratic clients
close to it are sought (and clipped ones, for bounded gradients), rounded to simple fractions, run,
and decided exactly. So each trace is represented by its worst instance, and the search moves from
trace to trace.
"""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import sympy

from fltheory.claims.checks.bound_on_run import unmet
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim, UpperBound
from fltheory.claims.fast_evaluation import as_number, compiled
from fltheory.claims.measures import MEASURES
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.runs import draw_scenario, on_run
from fltheory.claims.spaces.scoring import look, ratio_of, worst
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import as_expression
from fltheory.core.extras import available
from fltheory.core.types import Values
from fltheory.problems.clipped import Clipped
from fltheory.problems.quadratic import Quadratic

if TYPE_CHECKING:
    from fltheory.analysis.worst_case.case import Case

WORST = "worst functions"

METRICS = {
    "mean_squared_gradient": "MEAN_SQUARED_GRADIENT",
    "min_squared_gradient": "MIN_SQUARED_GRADIENT",
}
"""Left sides that the semidefinite program can maximise."""

SQUARED = {"gradient_bound": "gradient_bound_squared", "dissimilarity": "dissimilarity_squared"}
"""Symbols of the right side whose squares bound the class."""

WORST_WITHIN = 1e-4
"""A run within this relative distance of its worst case counts as worst, and is not followed up."""

MOST_GRADIENTS = 15
"""Maximum number of gradients in a run that is followed up: the program grows with its square."""

SIMPLE_DENOMINATORS = (1, 4, 64)
"""Denominators to which a worst function is rounded; the first one that breaks the claim is
used."""


def worst_functions(claim: Claim) -> Space | None:
    """Runs of a claim's algorithms on the worst quadratic clients of their class; None if the
    program cannot maximise the left side."""
    asked = isinstance(claim.statement, UpperBound) and str(claim.statement.left) in METRICS
    if not claim.about or not asked or not available("worst-case"):
        return None
    return Space(
        WORST,
        "Whole runs without noise, on those clients of the class that semidefinite programming"
        " finds worst for their trace and step sizes.",
        frozenset(MEASURES),
        draw_worst,
    )


def draw_worst(choices: Choices, claim: Claim) -> Instance:
    """A run as in the space of runs, on the worst clients found if some function of the class may
    break the claim on its trace."""
    drawn = draw_scenario(choices, claim)
    scenario = replace(drawn, problem=replace(drawn.problem, noise_squared=0))
    if unmet(claim, scenario, stated_only=True):
        scenario = drawn
    plain = on_run(choices, claim, scenario)
    ratio = (
        worst_over_functions(claim, plain)
        if scenario.trace.local_steps.sum() <= MOST_GRADIENTS
        else None
    )
    if ratio is None or ratio <= (1 + WORST_WITHIN) * ratio_of(look(claim, plain).score):
        return plain
    found = [plain]
    for problem in _worst_clients(scenario, METRICS[str(claim.statement.left)], plain.values):
        worse = replace(scenario, problem=problem, start=(Fraction(1),))
        if not unmet(claim, worse, stated_only=True):
            found.append(on_run(choices, claim, worse))
            if look(claim, found[-1]).score > 0:
                break
    return worst(claim, found)


def worst_over_functions(claim: Claim, instance: Instance) -> float | None:
    """The largest left/right over all L-smooth functions with the instance's constants; None if the
    program does not apply."""
    run = (instance.scenario or {}).get("run")
    metric = METRICS.get(str(claim.statement.left))
    if not isinstance(claim.statement, UpperBound) or run is None or metric is None:
        return None
    scenario = Scenario.from_json(run)
    values = dict(instance.values)
    if (
        scenario.problem.noise_squared
        or not values.get("smoothness")
        or "initial_loss_gap" not in values
    ):
        return None
    from fltheory.analysis.worst_case.answer import worst_case

    value = worst_case(_case(scenario, metric, values)).value
    right = compiled(claim.statement.right)(
        {s.name: as_number(values[s.name]) for s in claim.statement.right.free_symbols}
    )
    return None if value is None or not right else float(value / float(right))


def _case(scenario: Scenario, metric: str, values: Values) -> "Case":
    """The question to the program; it needs an optional dependency, so the imports are here."""
    from fltheory.analysis.worst_case.case import Case
    from fltheory.analysis.worst_case.function_classes import FunctionClass
    from fltheory.analysis.worst_case.question import Conditions, Metric, Question

    bounds = {
        name: sympy.expand(as_expression(values[symbol]) ** 2)
        for symbol, name in SQUARED.items()
        if symbol in values
    }
    positive = {
        name: str(value) for name, value in bounds.items() if value.is_Rational and value > 0
    }  # leaving one out keeps a bound
    known = Conditions(loss_gap=values["initial_loss_gap"], **positive)
    question = Question(FunctionClass(values["smoothness"]), known, Metric[metric])
    return Case(
        scenario.algorithm,
        scenario.trace,
        question,
        scenario.local_step_size,
        scenario.server_step_size,
        scenario.settings,
    )


def _worst_clients(
    scenario: Scenario, metric: str, values: Values
) -> Iterator[Quadratic | Clipped]:
    """Quadratic clients of the class that come closest to the worst case, in finer and finer
    fractions; the run starts at 1.

    For claims that need bounded gradients, each is repeated with gradients clipped at the largest
    gradient of the start.
    """
    from fltheory.analysis.worst_case.quadratic_search import best_clients

    found = best_clients(_case(scenario, metric, values).encode())
    if found is None or len(found[0]) != scenario.trace.num_clients:
        return
    top = Fraction(values["smoothness"])
    shares, optima = (found[0][:, 0] / float(top)).tolist(), found[1][:, 0].tolist()
    for q in SIMPLE_DENOMINATORS:
        curvatures, centres = (
            [top * min(_near(h, q), Fraction(1)) for h in shares],
            [_near(c, q) for c in optima],
        )
        yield Quadratic(curvatures, centres)
        steepest = max(abs(h * (1 - c)) for h, c in zip(curvatures, centres, strict=True))
        if steepest and all(curvatures):
            yield Clipped(centres, steepest, curvatures)


def _near(x: float, denominator: int) -> Fraction:
    return Fraction(round(x * denominator), denominator)
