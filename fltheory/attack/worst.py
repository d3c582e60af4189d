"""A lead from semidefinite programming: the worst ratio over a whole class of functions, on the trace and the step sizes of one run.

It is a floating-point number and, where gradients or dissimilarities are bounded, an upper bound that may not be attained: above 1 it says
where to look, below 1 that no function without noise breaks the claim on this trace. It decides nothing by itself.
"""

from collections.abc import Mapping
from typing import Any

import sympy

from fltheory.attack.leads import as_number, compiled
from fltheory.checks.instances import Instance
from fltheory.claims import Claim, UpperBound
from fltheory.enclosure import as_expression
from fltheory.scenario import Scenario

METRICS = {"mean_squared_gradient": "MEAN_SQUARED_GRADIENT", "min_squared_gradient": "MIN_SQUARED_GRADIENT"}
"""Left sides that the semidefinite program can maximise."""

SQUARED = {"gradient_bound": "gradient_bound_squared", "dissimilarity": "dissimilarity_squared"}
"""Symbols of a right side whose squares bound the class."""


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
    value = _solved(scenario, metric, values)
    right = compiled(claim.statement.right)({s.name: as_number(values[s.name]) for s in claim.statement.right.free_symbols})
    return None if value is None or not right else float(value / float(right))


def _solved(scenario: Scenario, metric: str, values: Mapping[str, Any]) -> float | None:
    """The largest metric over the class; solvers are an optional dependency, so they are asked for here."""
    from fltheory.worst_case.answer import worst_case
    from fltheory.worst_case.case import Case
    from fltheory.worst_case.encode import Question
    from fltheory.worst_case.interpolation import FunctionClass
    from fltheory.worst_case.problem import Conditions, Metric

    bounds = {name: sympy.expand(as_expression(values[symbol]) ** 2) for symbol, name in SQUARED.items() if symbol in values}
    positive = {name: str(value) for name, value in bounds.items() if value.is_Rational and value > 0}  # leaving one out keeps a bound
    known = Conditions(loss_gap=values["initial_loss_gap"], **positive)
    question = Question(FunctionClass(values["smoothness"]), known, Metric[metric])
    case = Case(scenario.algorithm, scenario.trace, question, scenario.local_step_size, scenario.server_step_size, scenario.settings)
    return worst_case(case).value
