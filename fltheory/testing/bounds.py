"""The assertion behind every property test of a bound."""

from fltheory.claims.checks.bound_on_run import on_scenario, unmet
from fltheory.claims.checks.instances import violated
from fltheory.claims.claim import Claim, Order, evaluate
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import compare
from fltheory.core.errors import InvalidInput


def assert_bound_holds(claim: Claim, scenario: Scenario) -> None:
    """Raise AssertionError where an admissible scenario contradicts the claim, in exact arithmetic.

    A scenario that fails one of the claim's assumptions, stated or not, is refused: it says nothing
    about the claim.
    """
    if isinstance(claim.statement, Order):
        raise InvalidInput(
            f"claim {claim.id}",
            "have explicit constants to be asserted on one scenario",
            "an order",
        )
    failing = unmet(claim, scenario)
    if failing:
        raise InvalidInput(
            f"scenario for {claim.id}", "meet all its assumptions", f"{', '.join(failing)} not met"
        )
    instance = on_scenario(claim, scenario)
    left, right = (
        evaluate(claim.statement.left, instance.values),
        evaluate(claim.statement.right, instance.values),
    )
    comparison = compare(left, right)
    if violated(claim, comparison):
        sides = f"left = {left}, right = {right}, but it says left {claim.statement.sign} right"
        raise AssertionError(f"{claim.id} is contradicted: {sides}; {scenario.to_json()}")
