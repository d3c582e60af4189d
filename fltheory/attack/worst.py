"""Worst functions by semidefinite programming: the largest left/right over a whole class of functions, on one trace with its step sizes.

It is a lead. At most 1 it says that no function without noise breaks the claim on this trace, so nothing is looked for there; above it
quadratic clients that come close are searched, rounded to simple fractions, run, and decided exactly like any other instance.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

import sympy

from fltheory.attack.leads import as_number, compiled
from fltheory.attack.runs import draw_scenario, on_run
from fltheory.attack.source import Source
from fltheory.attack.space import Space
from fltheory.checks.bound_on_run import unmet
from fltheory.checks.instances import Instance
from fltheory.claims import Claim, UpperBound
from fltheory.enclosure import as_expression
from fltheory.measures import MEASURES
from fltheory.problems.quadratic import Quadratic
from fltheory.scenario import Scenario

METRICS = {"mean_squared_gradient": "MEAN_SQUARED_GRADIENT", "min_squared_gradient": "MIN_SQUARED_GRADIENT"}
"""Left sides that the semidefinite program can maximise."""

SQUARED = {"gradient_bound": "gradient_bound_squared", "dissimilarity": "dissimilarity_squared"}
"""Symbols of a right side whose squares bound the class."""

SIMPLE = (1, 4, 64)
"""Denominators that a worst function is rounded to, the simplest first: the first one that breaks the claim is taken."""


def worst_functions(claim: Claim) -> Space | None:
    """Runs of a claim's algorithms on the worst quadratic clients of their class; None where the program cannot maximise the left side."""
    asked = isinstance(claim.statement, UpperBound) and str(claim.statement.left) in METRICS
    if not claim.about or not asked or find_spec("scipy") is None:
        return None
    return Space("worst functions", "Whole runs without noise, on those clients of the class that semidefinite programming finds worst for "
                 "their trace and step sizes.", frozenset(MEASURES), draw_worst)


def draw_worst(source: Source, claim: Claim) -> Instance:
    """A run as in the space of runs; if some function of its class may break the claim on its trace, on the worst clients found."""
    drawn = draw_scenario(source, claim)
    scenario = replace(drawn, problem=replace(drawn.problem, noise_squared=0))
    if unmet(claim, scenario, stated_only=True):
        scenario = drawn
    plain = on_run(source, claim, scenario)
    ratio = worst_over_functions(claim, plain)
    if ratio is None or ratio <= 1:
        return plain
    for problem in _worst_clients(scenario, METRICS[str(claim.statement.left)], plain.values):
        worse = replace(scenario, problem=problem, start=(Fraction(1),))
        if not unmet(claim, worse, stated_only=True):
            found = on_run(source, claim, worse)
            if _ratio(claim, found) > 1:
                return found
    return plain


def worst_over_functions(claim: Claim, instance: Instance) -> float | None:
    """left/right over all L-smooth functions with the instance's constants; None where the question does not fit the program."""
    run = (instance.scenario or {}).get("run")
    metric = METRICS.get(str(claim.statement.left))
    if not isinstance(claim.statement, UpperBound) or run is None or metric is None:
        return None
    scenario = Scenario.from_json(run)
    values = dict(instance.values)
    if scenario.problem.noise_squared or not values.get("smoothness") or "initial_loss_gap" not in values:
        return None
    from fltheory.worst_case.answer import worst_case

    value = worst_case(_case(scenario, metric, values)).value
    right = compiled(claim.statement.right)({s.name: as_number(values[s.name]) for s in claim.statement.right.free_symbols})
    return None if value is None or not right else float(value / float(right))


def _ratio(claim: Claim, instance: Instance) -> Any:
    left, right = (compiled(side)({s.name: as_number(instance.values[s.name]) for s in claim.symbols})
                   for side in (claim.statement.left, claim.statement.right))
    return left / right if right else 0


def _case(scenario: Scenario, metric: str, values: Mapping[str, Any]) -> Any:
    """The question to the program; solvers are an optional dependency, so they are asked for here."""
    from fltheory.worst_case.case import Case
    from fltheory.worst_case.encode import Question
    from fltheory.worst_case.interpolation import FunctionClass
    from fltheory.worst_case.problem import Conditions, Metric

    bounds = {name: sympy.expand(as_expression(values[symbol]) ** 2) for symbol, name in SQUARED.items() if symbol in values}
    positive = {name: str(value) for name, value in bounds.items() if value.is_Rational and value > 0}  # leaving one out keeps a bound
    known = Conditions(loss_gap=values["initial_loss_gap"], **positive)
    question = Question(FunctionClass(values["smoothness"]), known, Metric[metric])
    return Case(scenario.algorithm, scenario.trace, question, scenario.local_step_size, scenario.server_step_size, scenario.settings)


def _worst_clients(scenario: Scenario, metric: str, values: Mapping[str, Any]) -> list[Quadratic]:
    """Quadratic clients of the class that come closest to the worst case, in ever finer fractions; the run starts at 1."""
    from fltheory.worst_case.quadratic_search import best_clients

    found = best_clients(_case(scenario, metric, values).encode())
    if found is None or len(found[0]) != scenario.trace.num_clients:
        return []
    top = Fraction(values["smoothness"])
    curved, optima = (part[:, 0].tolist() for part in found)
    return [Quadratic([min(top, top * _near(h / float(top), q)) for h in curved], [_near(c, q) for c in optima]) for q in SIMPLE]


def _near(x: float, denominator: int) -> Fraction:
    return Fraction(round(x * denominator), denominator)
