"""Examples 1 and 2: symbolic runs, exact limit cycles, and counterexamples that anyone can run
again."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import as_expression
from fltheory.core.vocabulary import symbol
from fltheory.engine.arithmetic import named_arithmetic
from fltheory.engine.simulate import simulate
from fltheory.papers.fraboni.statements.examples import MOVE, Q1, Q2, T1, T2
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

F = Fraction
SYMBOLIC = named_arithmetic("symbolic")
IN_TURN, BY_PARITY = [[1, 0], [0, 1]], [[0, 1, 0, 1], [1, 0, 1, 0]]
STEPS = tuple(F(k, 10) for k in (1, 5, 9, 10, 11, 15, 19))


def four_clients(
    start: Any, step_size: Any, optima: Any, *, local_steps: int = 1, rounds: int = 12
) -> Scenario:
    """Example 1: clients 2 and 4 in even rounds, 1 and 3 in odd ones; types (1, 2) and (3, 4)."""
    trace = Trace.continuous(BY_PARITY * (rounds // 2), local_steps=local_steps)
    problem = Quadratic((1,) * 4, (optima[0],) * 2 + (optima[1],) * 2)
    return Scenario("async", problem, trace, start, step_size, settings={"weights": ("1/2",) * 4})


def cycle_of(scenario: Scenario) -> LimitCycle:
    return limit_cycle(
        scenario.method,
        scenario.problem,
        scenario.trace,
        local_step_size=scenario.local_step_size,
        start=scenario.start,
    )


def recurring_models() -> Iterator[Instance]:
    """Step sizes below 2 and one to three local steps; the six-cycle is certified by an exact
    return of the whole state."""
    values = {"first_optimum": F(-1), "second_optimum": F(0)}
    optimum, run = (F(-1), F(0)), four_clients(3, 1, (-1, 0))
    orbit, model = cycle_of(run).orbit, measure(run, ["model:6"])["model:6"]
    if orbit is not None and (model,) in orbit:
        yield Instance(
            values | {"recurring_model": model},
            f"step size 1, one local step, start 3: {len(orbit)} values for ever",
            {
                "run": run.to_json(),
                "measures": {
                    "recurring_model": "model:6",
                    "first_optimum": "optimum:0",
                    "second_optimum": "optimum:2",
                },
            },
        )
    for size, steps in product(STEPS, (1, 2, 3)):
        limit = cycle_of(four_clients(3, size, optimum, local_steps=steps))
        if limit.stable and limit.cycle is not None:
            yield Instance(
                values | {"recurring_model": limit.cycle[0][0]},
                f"step size {size}, {steps} local steps",
            )


def radii() -> Iterator[Instance]:
    for size, steps in product(STEPS, (1, 2)):
        move = 1 - (1 - size) ** steps
        radius = cycle_of(four_clients(0, size, (-1, 1), local_steps=steps)).spectral_radius_exact
        yield Instance(
            {"spectral_radius": radius, "local_move": move},
            f"step size {size}, {steps} local steps",
        )


def on_runs(
    instances: Callable[[], Iterator[Instance]],
    covers: str,
    claim: Claim,
    *,
    complete: bool = False,
) -> Evidence:
    return check_instances(
        claim, instances(), method=Method.EXACT_RUN, covers=covers, complete=complete
    )


def _symbolic_limit(weights: Any, optima: Any, pattern: Any, *, delayed: bool = True) -> Any:
    make = Trace.continuous if delayed else Trace.fresh
    return limit_cycle(
        WeightedAggregation(weights),
        Quadratic((1,) * len(optima), optima),
        make(pattern * 5),
        local_step_size=MOVE,
        arithmetic=SYMBOLIC,
    )


@cache
def two_limits(delayed: bool = True) -> tuple[Any, Any]:
    """The limits at even and odd rounds of Example 2 as formulas in the weights, the optima and
    phi."""
    cycle = _symbolic_limit((Q1, Q2), (T1, T2), IN_TURN, delayed=delayed).cycle
    return cycle[0][0], cycle[1][0]


def as_formula(claim: Claim, derived: dict[str, Any], covers: str) -> Evidence:
    return check_symbolic(claim, derived=derived, covers=covers)


def limits_formula(delayed: bool, claim: Claim) -> Evidence:
    even, odd = two_limits(delayed)
    return as_formula(
        claim,
        {"even_limit": even, "odd_limit": odd, "cycle_gap": odd - even},
        "the exact limit cycle for all weights, optima and phi; one local step of size phi moves as"
        " far as K steps do",
    )


def equal_weights(claim: Claim) -> Evidence:
    even, odd = (point.xreplace({Q2: Q1}) for point in two_limits())
    return as_formula(
        claim,
        {"cycle_mean": (even + odd) / 2},
        "the exact limit cycle with equal weights, for all phi",
    )


def small_steps(claim: Claim) -> Evidence:
    limits = [sympy.limit(point, MOVE, 0) for point in two_limits()]
    if sympy.simplify(limits[0] - limits[1]) != 0:
        raise AssertionError("both points have the same limit")
    return as_formula(
        claim,
        {"limit": limits[0]},
        "the limit of the exact cycle as phi goes to 0, for all weights and optima",
    )


def fair_limit(claim: Claim) -> Evidence:
    """The only resting point, and Jury's conditions on the period map's polynomial, for phi = x /
    (1 + x) with any x > 0."""
    half, x = sympy.Rational(1, 2), sympy.Symbol("x", positive=True)
    limit = _symbolic_limit((half,) * 4, (T1, T1, T2, T2), BY_PARITY)
    _, trace, determinant = (as_expression(c).subs(MOVE, x / (1 + x)) for c in limit.characteristic)
    conditions = (
        1 - determinant,
        1 + determinant,
        1 + trace + determinant,
        1 - trace + determinant,
    )
    covers = (
        "the only resting point for all phi, which attracts by Jury's conditions for all 0 <"
        " phi < 1"
    )
    if not all(sympy.expand(sympy.numer(sympy.together(c))).is_positive for c in conditions):
        return Evidence(
            claim.id, Method.SYMBOLIC, Verdict.UNDECIDED, covers, note="stability not shown"
        )
    return as_formula(claim, {"limit": limit.cycle[0][0]}, covers)


def stable_limits() -> Iterator[Instance]:
    for size, steps in product(STEPS, (1, 2, 3)):
        if 0 < 1 - (1 - size) ** steps < 1:
            limit = cycle_of(four_clients(3, size, (-1, 2), local_steps=steps))
            attained = limit.cycle[0][0] if limit.stable and limit.cycle else F(99)
            yield Instance(
                {"limit": attained, "first_optimum": -1, "second_optimum": 2},
                f"step size {size}, {steps} local steps",
            )


def recursion(claim: Claim) -> Evidence:
    """Six rounds from any start; later rounds use the same two kinds of step, with the same delay,
    so the recursion carries over."""
    start = sympy.Symbol("start", real=True)
    half = sympy.Rational(1, 2)
    models = simulate(
        WeightedAggregation((half,) * 4),
        Quadratic((1,) * 4, (T1, T1, T2, T2)),
        Trace.continuous(BY_PARITY * 3),
        start=start,
        local_step_size=MOVE,
        arithmetic=SYMBOLIC,
    ).models[:, 0]
    found = [
        as_formula(
            claim,
            {"model_now": a, "model_next": b, "model_after_next": c},
            "a symbolic run of six rounds from any start, any phi",
        )
        for a, b, c in zip(models, models[1:], models[2:], strict=False)
    ]
    return next((e for e in found if e.verdict.name != "PROVED"), found[-1])


def local_steps(claim: Claim) -> Evidence:
    """Induction over K: one step covers eta_l, and one more step covers eta_l of what is left."""
    size, steps = symbol("local_step_size"), symbol("local_steps")
    right = claim.statement.right
    first = as_formula(
        claim.planted(right=right.xreplace({steps: sympy.S.One})),
        {"covered_fraction": size},
        "one local step",
    )
    if first.verdict is not Verdict.PROVED:
        return first
    power = sympy.Symbol(
        "power", real=True
    )  # stands for (1 - eta_l)^K, which sympy does not combine by itself
    plain = {(1 - size) ** steps: power, (1 - size) ** (steps + 1): power * (1 - size)}
    now, after = (form.xreplace(plain) for form in (right, right.xreplace({steps: steps + 1})))
    named = replace(
        claim,
        statement=replace(claim.statement, right=after),
        where={**claim.where, "power": "(1 - eta_l)^K"},
    )
    return as_formula(
        named,
        {"covered_fraction": now + size * (1 - now)},
        "induction over the number of local steps, any step size",
    )


def turn_runs() -> Iterator[Instance]:
    """Exact limits at even rounds; the simplest first, each a run that can be repeated."""
    for (q1, q2), move in product(
        ((1, 1), (1, 3), (F(1, 2), F(3, 2))), (F(1, 2), F(1, 10), F(1, 4))
    ):
        scenario = Scenario(
            "async",
            Quadratic((1, 1), (0, 1)),
            Trace.continuous(IN_TURN * 5),
            0,
            move,
            settings={"weights": (q1, q2)},
        )
        values = {
            "limit": cycle_of(scenario).cycle[0][0],
            "first_optimum": 0,
            "second_optimum": 1,
            "first_weight": q1,
            "second_weight": q2,
        }
        measures = {
            "limit": "limit",
            "first_optimum": "optimum:0",
            "second_optimum": "optimum:1",
            "first_weight": "weight:0",
            "second_weight": "weight:1",
        }
        yield Instance(
            values,
            f"weights {q1} and {q2}, phi = {move}",
            {"run": scenario.to_json(), "measures": measures},
        )


def stabilities() -> Iterator[Instance]:
    for q1, q2, move in product(
        (F(1, 2), 1, 2, 3), (F(1, 2), 1, 2), (F(1, 4), F(1, 2), 1, F(3, 2))
    ):
        scenario = Scenario(
            "async",
            Quadratic((1, 1), (0, 1)),
            Trace.continuous(IN_TURN * 5),
            0,
            move,
            settings={"weights": (q1, q2)},
        )
        a, b = q1 * move, q2 * move
        holds = a * b < 1 and (1 - a) * (1 - b) > -1
        yield Instance(
            {"is_stable": int(cycle_of(scenario).stable is True), "condition_holds": int(holds)},
            f"a = {a}, b = {b}",
        )


def conditions(by_window: bool) -> Iterator[Instance]:
    """Which weights satisfy the condition, and which lead to the optimum 1/2 for small steps."""
    for q1, q2 in product((1, 2, 3, F(1, 2)), repeat=2):
        where_to = sympy.limit(two_limits()[0].subs({Q1: q1, Q2: q2, T1: 0, T2: 1}), MOVE, 0)
        holds = F(q1) / (q1 + q2) == F(1, 2) if by_window else (F(q1, q1) + 0) / 2 == F(1, 2)
        yield Instance(
            {
                "condition_holds": int(holds),
                "limit_is_optimum": int(where_to == sympy.Rational(1, 2)),
            },
            f"weights {q1} and {q2}",
        )


def stated_weights() -> Iterator[Instance]:
    """The two values that the example's list gives to q_2^{2n}."""
    yield Instance(
        {"first_stated_value": F(1, 2), "second_stated_value": 0},
        "q_2^{2n} in the two halves of the list",
    )


def meant_weights() -> Iterator[Instance]:
    delivers = Trace.continuous(BY_PARITY * 2).delivers
    for client in range(4):
        mean = sum(F(1, 2) for n in (0, 1) if delivers[n, client]) / 2
        yield Instance({"mean_of_two_rounds": mean, "importance": F(1, 4)}, f"client {client + 1}")


GRID = "step sizes from 1/10 to 19/10, one to three local steps"
CHECKS = (
    Check("fraboni.ex1", partial(on_runs, recurring_models, GRID)),
    Check("fraboni.ex1.corrected", fair_limit),
    Check("fraboni.ex1.corrected", partial(on_runs, stable_limits, f"exact stable limits: {GRID}")),
    Check("fraboni.ex1.radius", partial(on_runs, radii, GRID)),
    Check("fraboni.ex1.phi", local_steps),
    Check("fraboni.eq8", recursion),
    Check(
        "fraboni.ex1.weights",
        lambda claim: check_instances(
            claim, stated_weights(), method=Method.DATA, covers="the printed list"
        ),
    ),
    Check(
        "fraboni.ex1.weights.corrected",
        partial(on_runs, meant_weights, "the four clients of Example 1", complete=True),
    ),
    Check(
        "fraboni.ex2", partial(on_runs, turn_runs, "exact limit cycles for several weights and phi")
    ),
    *(
        Check(f"fraboni.{name}", partial(limits_formula, True))
        for name in ("ex2.even", "ex2.odd", "ex2.gap")
    ),
    *(
        Check(f"fraboni.{name}", partial(limits_formula, False))
        for name in ("ex2.fresh_even", "ex2.fresh_odd")
    ),
    Check("fraboni.ex2.mean", equal_weights),
    Check("fraboni.ex2.small_steps", small_steps),
    Check(
        "fraboni.ex2.stable",
        partial(on_runs, stabilities, "exact stability over a grid of weights and phi"),
    ),
    Check("fraboni.ex2.iff", partial(on_runs, partial(conditions, False), "weights from 1/2 to 3")),
    Check(
        "fraboni.ex2.iff.corrected",
        partial(on_runs, partial(conditions, True), "weights from 1/2 to 3"),
    ),
)
