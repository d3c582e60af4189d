"""Step sizes at the edges of a claim's conditions, solved for once for each condition."""

from dataclasses import replace
from fractions import Fraction

from fltheory.claims.checks.bound_on_run import measurements
from fltheory.claims.claim import Claim
from fltheory.claims.condition import Condition
from fltheory.claims.measures_of_outcomes import OUTCOMES
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.ranges import formulas
from fltheory.claims.spaces.step_roots import STEP, roots_of

SHARES = tuple(Fraction(a, b) for a, b in ((1, 1), (1, 1), (1, 2), (9, 10), (1, 10), (1, 100)))
"""Parts of the largest admitted step size."""

LONG_STEPS = tuple(Fraction(a, b) for a, b in ((1, 1), (1, 2), (2, 1), (1, 10), (19, 10), (10, 1)))
"""Step sizes over the smoothness where no condition bounds them."""


def draw_step(choices: Choices, claim: Claim, scenario: Scenario) -> Fraction:
    """A step size that conditions set, a share of the largest one that they admit, or one around
    1/smoothness."""
    known = measurements(claim, scenario)
    exact: list[Fraction | float] = []
    most: list[Fraction | float] = []
    for condition in formulas(claim):
        for root in roots_of(condition, known):
            (exact if condition.sign == "=" else most).append(root)
    if exact:
        return _rational(choices, exact[0])
    smoothness = scenario.problem.constants.smoothness or Fraction(1)
    kind = choices.index(3)
    if most and kind < 2:
        edge = min(most, key=float)
        strict = any(c.sign == "<" and roots_of(c, known) for c in formulas(claim))
        share = choices.choice(SHARES)
        if strict and share == 1:
            share = Fraction(999, 1000)
        return share * _below(edge)
    size = choices.choice(LONG_STEPS) / smoothness
    for option in (size, size / 10, size / 1000):
        trial = measurements(claim, replace(scenario, local_step_size=option))
        if all(
            one(trial) is True
            for one in formulas(claim)
            if _is_about_steps(one) and not _needs_run(one)
        ):
            return option
    return _below(min(most, key=float)) if most else size


def _is_about_steps(condition: Condition) -> bool:
    return bool({STEP, "first_step_size"} & {s.name for s in condition.symbols})


def _needs_run(condition: Condition) -> bool:
    return bool(set(OUTCOMES) & {s.name for s in condition.symbols})


def _rational(choices: Choices, value: Fraction | float) -> Fraction:
    if not isinstance(value, Fraction):
        choices.reject("a rational step size")
    return value


def _below(value: Fraction | float) -> Fraction:
    """The number itself, or a short fraction below an irrational one."""
    if isinstance(value, Fraction):
        return value
    near = Fraction(value).limit_denominator(10**6)
    return near if near < value else Fraction(value * (1 - 1e-6)).limit_denominator(10**8)
