"""Tools that several checks of this paper share: known constants, convex slacks, single
instances."""

from typing import TypeVar

import sympy

from fltheory.claims.checks.instances import Instance, check_instances, refuted
from fltheory.claims.claim import Claim, evaluate
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.core.enclosure import Comparison, compare, shown
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Symbol, Values

T = TypeVar("T")


def known(constant: T | None) -> T:
    """A constant of a problem, which must be known."""
    if constant is None:
        raise InvalidInput("constant of the problem", "be known", "none")
    return constant


def check_convex_slack(claim: Claim, variable: Symbol, *, sample: Values, covers: str) -> Evidence:
    """left <= right because right - left is convex in one variable and is at least 0 where it is
    least.

    `sample` gives the other symbols values for a counterexample, should the least slack be
    negative.
    """
    slack = claim.statement.right - claim.statement.left
    bend = sympy.simplify(sympy.diff(slack, variable, 2))
    turning = sympy.solve(sympy.diff(slack, variable), variable)
    if len(turning) == 1 and bend.is_nonnegative:
        least = sympy.simplify(
            sympy.expand_log(sympy.simplify(slack.subs(variable, turning[0])), force=True)
        )
        if least.is_nonnegative:
            left = claim.statement.left.subs(variable, turning[0])
            return Evidence(
                claim.id,
                Method.SYMBOLIC,
                Verdict.PROVED,
                covers,
                shown(left),
                shown(left + least),
                "1" if least == 0 else "",
                note=(
                    f"the slack is convex in {variable} and at least {least}, its value at"
                    f" {turning[0]}"
                ),
            )
    for point in [*turning, sympy.Integer(1), sympy.Integer(10)]:
        values = {**sample, variable.name: evaluate(point, sample) if point.free_symbols else point}
        left, right = (
            evaluate(claim.statement.left, values),
            evaluate(claim.statement.right, values),
        )
        if compare(left, right) is Comparison.ABOVE:
            return refuted(
                claim,
                Instance(values, "where the slack is least"),
                left,
                right,
                method=Method.SYMBOLIC,
                covers=covers,
            )
    return Evidence(
        claim.id,
        Method.SYMBOLIC,
        Verdict.UNDECIDED,
        covers,
        note="the slack was not shown to be convex with a least value",
    )


def one_instance(
    claim: Claim, values: Values, *, says: str, method: Method, covers: str
) -> Evidence:
    """Decide the claim at a single instance, whose values `says` describes."""
    return check_instances(claim, [Instance(values, says)], method=method, covers=covers)
