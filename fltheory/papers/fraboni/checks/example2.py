"""Example 2: its two limits as formulas, exact limit cycles, and a counterexample that anyone can
run again."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import product

import sympy

from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.core.types import Formula
from fltheory.papers.fraboni.checks.example1 import cycle_of, symbolic_limit
from fltheory.papers.fraboni.checks.path_run import Number
from fltheory.papers.fraboni.statements.examples import MOVE, Q1, Q2, T1, T2
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

F = Fraction
IN_TURN = [[1, 0], [0, 1]]


@cache
def two_limits(delayed: bool = True) -> tuple[Formula, Formula]:
    """The limits at even and odd rounds of Example 2 as formulas in the weights, the optima and
    phi."""
    cycle = symbolic_limit((Q1, Q2), (T1, T2), IN_TURN, delayed=delayed).cycle
    assert cycle is not None
    return cycle[0][0], cycle[1][0]


def limits_formula(delayed: bool, claim: Claim) -> Evidence:
    """The two limits of Example 2 and their distance, for all weights, optima and phi."""
    even, odd = two_limits(delayed)
    return check_symbolic(
        claim,
        derived={"even_limit": even, "odd_limit": odd, "cycle_gap": odd - even},
        covers=(
            "the exact limit cycle for all weights, optima and phi; one local step of size phi"
            " moves as far as K steps do"
        ),
    )


def equal_weights(claim: Claim) -> Evidence:
    """The mean of the two limits of Example 2 with equal weights."""
    even, odd = (point.xreplace({Q2: Q1}) for point in two_limits())
    return check_symbolic(
        claim,
        derived={"cycle_mean": (even + odd) / 2},
        covers="the exact limit cycle with equal weights, for all phi",
    )


def small_steps(claim: Claim) -> Evidence:
    """The limit of both points of Example 2 as phi goes to 0."""
    limits = [sympy.limit(point, MOVE, 0) for point in two_limits()]
    if sympy.simplify(limits[0] - limits[1]) != 0:
        raise AssertionError("both points have the same limit")
    return check_symbolic(
        claim,
        derived={"limit": limits[0]},
        covers="the limit of the exact cycle as phi goes to 0, for all weights and optima",
    )


def in_turn(weights: tuple[Number, Number], move: Number) -> Scenario:
    """Example 2: two clients with optima 0 and 1 that take turns."""
    trace, problem = Trace.continuous(IN_TURN * 5), Quadratic((1, 1), (0, 1))
    return Scenario("async", problem, trace, 0, move, settings={"weights": weights})


MEASURES = {
    "limit": "limit",
    "first_optimum": "optimum:0",
    "second_optimum": "optimum:1",
    "first_weight": "weight:0",
    "second_weight": "weight:1",
}


@by_instances(Method.EXACT_RUN, "exact limit cycles for several weights and phi")
def turn_runs() -> Iterator[Instance]:
    """Exact limits of Example 2 at even rounds; the simplest first, each a run that can be
    repeated."""
    pairs: tuple[tuple[Number, Number], ...] = ((1, 1), (1, 3), (F(1, 2), F(3, 2)))
    for weights, move in product(pairs, (F(1, 2), F(1, 10), F(1, 4))):
        scenario = in_turn(weights, move)
        cycle = cycle_of(scenario).cycle
        assert cycle is not None
        values = {
            "limit": cycle[0][0],
            "first_optimum": 0,
            "second_optimum": 1,
            "first_weight": weights[0],
            "second_weight": weights[1],
        }
        yield Instance(
            values,
            f"weights {weights[0]} and {weights[1]}, phi = {move}",
            {"run": scenario.to_json(), "measures": dict(MEASURES)},
        )


@by_instances(Method.EXACT_RUN, "exact stability over a grid of weights and phi")
def stabilities() -> Iterator[Instance]:
    """Whether the two points of Example 2 attract, and the condition on a = q_1 phi, b = q_2
    phi."""
    grid = (("1/2", "1", "2", "3"), ("1/2", "1", "2"), ("1/4", "1/2", "1", "3/2"))
    for q1, q2, move in product(*(tuple(map(F, texts)) for texts in grid)):
        a, b = q1 * move, q2 * move
        stable = cycle_of(in_turn((q1, q2), move)).stable is True
        yield Instance(
            {"is_stable": int(stable), "condition_holds": int(attracts(a, b))}, f"a = {a}, b = {b}"
        )


def attracts(a: Fraction, b: Fraction) -> bool:
    """ab < 1 and (1 - a)(1 - b) > -1 (Example 2)."""
    return a * b < 1 and (1 - a) * (1 - b) > -1


def conditions(by_window: bool) -> Iterator[Instance]:
    """Which weights satisfy the condition of Example 2, round by round or over the window, and
    which lead to the optimum 1/2 for small steps."""
    for q1, q2 in product(map(F, ("1", "2", "3", "1/2")), repeat=2):
        where_to = sympy.limit(two_limits()[0].subs({Q1: q1, Q2: q2, T1: 0, T2: 1}), MOVE, 0)
        holds = q1 / (q1 + q2) == F(1, 2) if by_window else (q1 / q1 + 0) / 2 == F(1, 2)
        yield Instance(
            {
                "condition_holds": int(holds),
                "limit_is_optimum": int(where_to == sympy.Rational(1, 2)),
            },
            f"weights {q1} and {q2}",
        )


@by_instances(Method.EXACT_RUN, "weights from 1/2 to 3")
def printed_condition() -> Iterator[Instance]:
    """Weights that are normalised round by round (Example 2, last line)."""
    return conditions(by_window=False)


@by_instances(Method.EXACT_RUN, "weights from 1/2 to 3")
def corrected_condition() -> Iterator[Instance]:
    """Weights that are normalised over the window (Example 2, last line, corrected)."""
    return conditions(by_window=True)


POINTS = (
    "the two resting points are solved for with all weights and phi; where the claim's condition"
    " holds the model tends to them"
)

CHECKS = (
    Check("fraboni.ex2", turn_runs),
    Check("fraboni.ex2.even", partial(limits_formula, True)),
    Check("fraboni.ex2.odd", partial(limits_formula, True)),
    Check("fraboni.ex2.gap", partial(limits_formula, True), everything=POINTS),
    Check("fraboni.ex2.fresh_even", partial(limits_formula, False), everything=POINTS),
    Check("fraboni.ex2.fresh_odd", partial(limits_formula, False), everything=POINTS),
    Check("fraboni.ex2.mean", equal_weights, everything=POINTS),
    Check("fraboni.ex2.small_steps", small_steps, everything=POINTS),
    Check("fraboni.ex2.stable", stabilities),
    Check("fraboni.ex2.iff", printed_condition),
    Check("fraboni.ex2.iff.corrected", corrected_condition),
)
