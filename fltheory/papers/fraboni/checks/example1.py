"""Example 1: symbolic runs, exact limit cycles, and a counterexample that anyone can run again."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Verdict
from fltheory.claims.measures import measure
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import as_expression
from fltheory.core.exact import exact
from fltheory.core.types import Formula
from fltheory.core.vocabulary import symbol
from fltheory.engine.arithmetic import named_arithmetic
from fltheory.engine.simulate import simulate
from fltheory.papers.fraboni.checks.path_run import Number
from fltheory.papers.fraboni.statements.examples import MOVE, T1, T2
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

F = Fraction
SYMBOLIC = named_arithmetic("symbolic")
BY_PARITY = [[0, 1, 0, 1], [1, 0, 1, 0]]
STEPS = tuple(F(k, 10) for k in (1, 5, 9, 10, 11, 15, 19))
GRID = "step sizes from 1/10 to 19/10, one to three local steps"


def four_clients(
    start: Number,
    step_size: Number,
    optima: tuple[Number, Number],
    *,
    local_steps: int = 1,
    rounds: int = 12,
) -> Scenario:
    """Example 1: clients 2 and 4 in even rounds, 1 and 3 in odd ones; types (1, 2) and (3, 4)."""
    trace = Trace.continuous(BY_PARITY * (rounds // 2), local_steps=local_steps)
    problem = Quadratic((1,) * 4, (optima[0],) * 2 + (optima[1],) * 2)
    settings = {"weights": ("1/2",) * 4}
    return Scenario("async", problem, trace, start, step_size, settings=settings)


def cycle_of(scenario: Scenario) -> LimitCycle:
    """The exact limit cycle of a scenario."""
    return limit_cycle(
        scenario.method,
        scenario.problem,
        scenario.trace,
        local_step_size=scenario.local_step_size,
        start=scenario.start,
    )


@by_instances(Method.EXACT_RUN, GRID)
def recurring_models() -> Iterator[Instance]:
    """Models to which Example 1 comes back for ever, for step sizes below 2 and one to three local
    steps; the six-cycle is certified by an exact return of the whole state."""
    values = {"first_optimum": F(-1), "second_optimum": F(0)}
    optimum, run = (F(-1), F(0)), four_clients(3, 1, (-1, 0))
    orbit, model = cycle_of(run).orbit, exact(measure(run, ["model:6"])["model:6"])
    if orbit is not None and (model,) in orbit:
        measures = {
            "recurring_model": "model:6",
            "first_optimum": "optimum:0",
            "second_optimum": "optimum:2",
        }
        yield Instance(
            values | {"recurring_model": model},
            f"step size 1, one local step, start 3: {len(orbit)} values for ever",
            {"run": run.to_json(), "measures": measures},
        )
    for size, steps in product(STEPS, (1, 2, 3)):
        limit = cycle_of(four_clients(3, size, optimum, local_steps=steps))
        if limit.stable and limit.cycle is not None:
            yield Instance(
                values | {"recurring_model": limit.cycle[0][0]},
                f"step size {size}, {steps} local steps",
            )


@by_instances(Method.EXACT_RUN, GRID)
def radii() -> Iterator[Instance]:
    """The spectral radius of two rounds of Example 1, and phi = 1 - (1 - eta_l)^K."""
    for size, steps in product(STEPS, (1, 2)):
        move = 1 - (1 - size) ** steps
        radius = cycle_of(four_clients(0, size, (-1, 1), local_steps=steps)).spectral_radius_exact
        yield Instance(
            {"spectral_radius": radius, "local_move": move},
            f"step size {size}, {steps} local steps",
        )


def symbolic_limit(
    weights: Sequence[Formula],
    optima: Sequence[Formula],
    pattern: list[list[int]],
    *,
    delayed: bool = True,
) -> LimitCycle:
    """The limit cycle of clients with curvature 1 that take turns, as formulas in phi."""
    make = Trace.continuous if delayed else Trace.fresh
    return limit_cycle(
        WeightedAggregation(tuple(weights)),
        Quadratic((1,) * len(optima), tuple(optima)),
        make(pattern * 5),
        local_step_size=MOVE,
        arithmetic=SYMBOLIC,
    )


def fair_limit(claim: Claim) -> Evidence:
    """The only resting point, and Jury's conditions on the period map's polynomial, for phi = x /
    (1 + x) with any x > 0."""
    half, x = sympy.Rational(1, 2), sympy.Symbol("x", positive=True)
    limit = symbolic_limit((half,) * 4, (T1, T1, T2, T2), BY_PARITY)
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
    assert limit.cycle is not None
    return check_symbolic(claim, derived={"limit": limit.cycle[0][0]}, covers=covers)


@by_instances(Method.EXACT_RUN, f"exact stable limits: {GRID}")
def stable_limits() -> Iterator[Instance]:
    """The limit of Example 1 where 0 < phi < 1."""
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
        check_symbolic(
            claim,
            derived={"model_now": a, "model_next": b, "model_after_next": c},
            covers="a symbolic run of six rounds from any start, any phi",
        )
        for a, b, c in zip(models, models[1:], models[2:], strict=False)
    ]
    return next((e for e in found if e.verdict.name != "PROVED"), found[-1])


def local_steps(claim: Claim) -> Evidence:
    """Induction over K: one step covers eta_l, and one more step covers eta_l of what is left."""
    size, steps = symbol("local_step_size"), symbol("local_steps")
    right = claim.statement.right
    first = check_symbolic(
        claim.planted(right=right.xreplace({steps: sympy.S.One})),
        derived={"covered_fraction": size},
        covers="one local step",
    )
    if first.verdict is not Verdict.PROVED:
        return first
    # stands for (1 - eta_l)^K, which sympy does not combine by itself
    power = sympy.Symbol("power", real=True)
    plain = {(1 - size) ** steps: power, (1 - size) ** (steps + 1): power * (1 - size)}
    now, after = (form.xreplace(plain) for form in (right, right.xreplace({steps: steps + 1})))
    named = replace(
        claim,
        statement=replace(claim.statement, right=after),
        where={**claim.where, "power": "(1 - eta_l)^K"},
    )
    return check_symbolic(
        named,
        derived={"covered_fraction": now + size * (1 - now)},
        covers="induction over the number of local steps, any step size",
    )


@by_instances(Method.DATA, "the printed list")
def stated_weights() -> Iterator[Instance]:
    """The two values that the example's list gives to q_2^{2n}."""
    yield Instance(
        {"first_stated_value": F(1, 2), "second_stated_value": 0},
        "q_2^{2n} in the two halves of the list",
    )


@by_instances(Method.EXACT_RUN, "the four clients of Example 1", complete=True)
def meant_weights() -> Iterator[Instance]:
    """The mean weight of each client over an even and an odd round of Example 1."""
    delivers = Trace.continuous(BY_PARITY * 2).delivers
    for client in range(4):
        mean = sum((F(1, 2) for n in (0, 1) if delivers[n, client]), F(0)) / 2
        yield Instance({"mean_of_two_rounds": mean, "importance": F(1, 4)}, f"client {client + 1}")


CHECKS = (
    Check("fraboni.ex1", recurring_models),
    Check(
        "fraboni.ex1.corrected",
        fair_limit,
        everything="the only resting point, and Jury's conditions for all 0 < phi < 1",
    ),
    Check("fraboni.ex1.corrected", stable_limits),
    Check("fraboni.ex1.radius", radii),
    Check(
        "fraboni.ex1.phi",
        local_steps,
        everything="an induction over the local steps, for every step size",
    ),
    Check("fraboni.eq8", recursion),
    Check("fraboni.ex1.weights", stated_weights),
    Check(
        "fraboni.ex1.weights.corrected",
        meant_weights,
        everything="the four clients of Example 1 are all that it speaks of",
    ),
)
