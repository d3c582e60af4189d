"""Quantities of the standard runs with which claims of one's own are measured: losses of curvature
1, unit distance, and step sizes at the edge of the claim's conditions."""

from collections.abc import Mapping
from fractions import Fraction

from fltheory.claims.claim import Claim
from fltheory.claims.fast_evaluation import Number, as_number, compiled
from fltheory.claims.spaces.ranges import fixed, formulas
from fltheory.claims.spaces.step_roots import STEP, solutions
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Scalar


def step_at(claim: Claim, values: Mapping[str, Scalar]) -> Number:
    """The step size that a condition sets, or else the largest one that all of them admit."""
    set_by: list[Number] = []
    most: list[Number] = []
    for condition in formulas(claim):
        for solution in solutions(condition):
            if not {s.name for s in solution.free_symbols} <= set(values):
                continue
            try:
                numbers = {s.name: as_number(values[s.name]) for s in solution.free_symbols}
                root = compiled(solution)(numbers)
            except (ZeroDivisionError, ValueError, OverflowError):
                continue
            if root > 0:
                (set_by if condition.sign == "=" else most).append(root)
    found = set_by[:1] or sorted(most, key=float)[:1]
    if not found:
        raise InvalidInput(
            f"conditions of {claim.id}",
            f"set or bound {STEP} by a formula of degree 1 or 2 in it, so that there is a step size"
            " to run with",
            "none that does",
        )
    return found[0]


def server_step(claim: Claim) -> Fraction:
    """The step size of the server that a condition sets, or 1."""
    return fixed(claim).get("server_step_size", Fraction(1))


def failing(claim: Claim, values: Mapping[str, Scalar]) -> str:
    """The first condition that does not hold at these values, or that speaks of another quantity;
    empty if all hold."""
    for condition in formulas(claim):
        known = condition.names <= set(values)
        if not known or (condition.sign != "=" and condition(values) is not True):
            return condition.text
        if condition.sign == "=" and not _equal(condition.left, condition.right, values):
            return condition.text
    return ""


def _equal(left: object, right: object, values: Mapping[str, Scalar]) -> bool:
    """Are both sides equal, up to the rounding of a root?"""
    numbers = {name: as_number(value) for name, value in values.items()}
    a, b = float(compiled(left)(numbers)), float(compiled(right)(numbers))
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-300)
