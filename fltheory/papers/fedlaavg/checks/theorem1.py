"""Theorem 1: exact limits of FedAvg on Example 1, for numbers and for formulas."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import product

import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method, Provenance
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import as_expression
from fltheory.core.errors import InvalidInput
from fltheory.core.types import Formula, Scalar, Values
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.papers import find_claim
from fltheory.papers.fedlaavg.checks.blocks import (
    block_is_geometric,
    by_induction,
    fixed_point,
    period,
)
from fltheory.papers.fedlaavg.checks.example1 import TwoBlocks
from fltheory.papers.fedlaavg.paper import GAMMA
from fltheory.papers.fedlaavg.statements.example1 import BEFORE, E1, E2, T1, T2, Q
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

STEP_SIZES = tuple(Fraction(k, 16) for k in (4, 1, 2, 7, 8, 12, 15))
BLOCKS = tuple(product(range(1, 4), range(1, 4)))
OPTIMA = {"first_optimum": "optimum:0", "second_optimum": "optimum:1"}


@cache
def fedavg_limit(example: TwoBlocks, step_size: Fraction) -> LimitCycle:
    """The exact limit cycle of FedAvg."""
    return limit_cycle(FedAvg(), example.problem, example.trace(3), local_step_size=step_size)


def measured_limit(run: Scenario, name: str) -> Provenance:
    """A run that anyone can repeat, whose limit is the quantity of that name."""
    measures = {name: "limit", "local_step_size": "local_step_size"} | OPTIMA
    return Provenance(run=run.to_json(), measures=measures)


def on_limit(
    example: TwoBlocks, trace: Trace, step_size: Fraction, limits: Mapping[str, Scalar]
) -> Instance:
    """An instance about the limit of FedAvg on the trace, which is the first of `limits`."""
    run = Scenario(
        "fedavg",
        example.problem,
        trace,
        start=0,
        local_step_size=step_size,
        parameters={"first_block": example.first, "second_block": example.second},
    )
    return Instance(
        {**example.values, "local_step_size": step_size, **limits},
        f"{example.says}, step size {step_size}",
        measured_limit(run, next(iter(limits))),
    )


def fedavg_limits(blocks: Iterable[tuple[int, int]]) -> Iterator[Instance]:
    """The exact limit at each period end, for step sizes over the whole stable range (0, 1)."""
    for (first, second), step_size in product(blocks, STEP_SIZES):
        example = TwoBlocks(first, second)
        limit = fedavg_limit(example, step_size)
        quantities = {
            "limit_at_period_end": known(limit.at_period_end)[0],
            "spectral_radius": known(limit.spectral_radius_exact),
        }
        yield on_limit(example, example.trace(3), step_size, quantities)


@by_instances(
    Method.EXACT_RUN, covers="exact limit cycles for blocks up to 3 and seven step sizes in (0, 1)"
)
def limits_equal_the_formula() -> Iterable[Instance]:
    """Where FedAvg ends at period ends, and how fast: against the small-step value, the closed form
    and |1 - 2 gamma|^(t1+t2)."""
    return fedavg_limits(BLOCKS)


def limit_in_formulas(claim: Claim) -> Evidence:
    """The formula for x^{k(t1+t2)} as k grows: |1 - 2 gamma| < 1 for step sizes in (0, 1), so its
    power vanishes; and the limit is the fixed point of the composed block maps."""
    formula = find_claim("fedlaavg.thm1.periods").statement.right
    (counter,) = [s for s in formula.free_symbols if s.name == "periods"]
    limit = formula.xreplace({Q ** ((T1 + T2) * counter): sympy.S.Zero})
    if counter in limit.free_symbols or sympy.simplify(limit - fixed_point(period(BEFORE))) != 0:
        raise InvalidInput("limit of the periods", "be the fixed point of one", limit)
    return check_symbolic(
        claim,
        derived={"limit_at_period_end": limit},
        covers=(
            "all block lengths and optima and all step sizes in (0, 1): limit of the formula for k"
            " periods"
        ),
    )


def symbolic_limit(first: int, second: int, optima: tuple[Scalar, Scalar]) -> Formula:
    """The engine's limit at period ends, as a formula in the step size and the optima."""
    limit = limit_cycle(
        FedAvg(),
        Quadratic((2, 2), optima),
        TwoBlocks(first, second).trace(3),
        local_step_size=GAMMA,
        arithmetic=SYMBOLIC,
    )
    return as_expression(known(limit.at_period_end)[0])


def engine_limits_in_formulas(claim: Claim) -> Evidence:
    """The engine's own limit cycle, symbolic in the step size and the optima, for each pair of
    small blocks."""

    def cases() -> Iterator[Values]:
        for first, second in ((1, 1), (1, 2), (2, 1)):
            limit = symbolic_limit(first, second, (E1, E2))
            yield {"limit_at_period_end": limit, **TwoBlocks(first, second).blocks}

    return check_symbolic_cases(
        claim,
        cases(),
        covers="the engine's limit for three pairs of blocks up to 2, all step sizes and optima",
    )


def periods_by_induction(claim: Claim) -> Evidence:
    """The formula for x^{k(t1+t2)}, by induction on the number k of periods."""
    (counter,) = [s for s in claim.symbols if s.name == "periods"]
    return by_induction(
        claim,
        counter,
        first=0,
        base=BEFORE,
        advance=period,
        covers=(
            "all block lengths, step sizes, optima, starts and numbers of periods, by induction on"
            " the periods"
        ),
    )


def _closed_form() -> Formula:
    return find_claim("fedlaavg.thm1.closed").statement.right


def vanishing_step_size(claim: Claim) -> Evidence:
    """The limit of the closed form as the step size vanishes."""
    limit = sympy.limit(_closed_form(), GAMMA, 0)
    return check_symbolic(
        claim,
        derived={"vanishing_step_limit": limit, "iterated_limit": limit},
        covers="all block lengths and optima: limit of the closed form",
    )


def first_order(claim: Claim) -> Evidence:
    """The derivative of the closed form in the step size, at step size 0."""
    slope = sympy.series(_closed_form(), GAMMA, 0, 2).removeO().coeff(GAMMA, 1)
    return check_symbolic(
        claim,
        derived={"slope": slope},
        covers="all block lengths and optima: series of the closed form",
    )


def small_step_bias(claim: Claim) -> Evidence:
    """The distance of the small-step limit from the optimum (e1 + e2)/2."""
    limit = sympy.limit(_closed_form(), GAMMA, 0)
    miss = sympy.Abs(sympy.factor(limit - (E1 + E2) / 2))
    return check_symbolic(
        claim,
        derived={"bias": miss},
        covers="all block lengths and optima: limit of the closed form and (e1 + e2)/2",
    )


def written_trace(example: TwoBlocks) -> Trace:
    """x^{t+1} from x^t with round t's client: between two period ends client 2 moves once, client 1
    t1 times, client 2 t2 - 1 times."""
    order = [[0, 1]] + [[1, 0]] * example.first + [[0, 1]] * (example.second - 1)
    return Trace.fresh(order * 3)


def limit_as_written(example: TwoBlocks, step_size: Fraction) -> Instance:
    """Where FedAvg ends when the printed indices are followed."""
    trace = written_trace(example)
    limit = limit_cycle(FedAvg(), example.problem, trace, local_step_size=step_size)
    end = known(limit.at_period_end)[0]
    return on_limit(example, trace, step_size, {"limit_as_written": end})


@by_instances(Method.EXACT_RUN, covers="the printed indices followed literally, blocks up to 3")
def as_written() -> Iterator[Instance]:
    """The recursion above eq. (1), followed with its printed indices."""
    for (first, second), step_size in product(BLOCKS, STEP_SIZES[:3]):
        yield limit_as_written(TwoBlocks(first, second), step_size)


PERIODS, CLOSED = ("fedlaavg.thm1.periods",), ("fedlaavg.thm1.closed",)
CONVERGES = "the limit of k periods, for all values of its symbols with a step size in (0, 1)"
CHECKS = (
    Check("fedlaavg.thm1.fixed", limits_equal_the_formula),
    Check(
        "fedlaavg.thm1",
        vanishing_step_size,
        rests_on=CLOSED,
        everything="the limit of a formula, for all values of its symbols",
    ),
    Check("fedlaavg.thm1.closed", limits_equal_the_formula),
    Check("fedlaavg.thm1.closed", limit_in_formulas, rests_on=PERIODS, everything=CONVERGES),
    Check("fedlaavg.thm1.closed", engine_limits_in_formulas, slow=True),
    Check(
        "fedlaavg.thm1.periods",
        periods_by_induction,
        everything="an induction over the periods, for all values of its symbols",
    ),
    Check(
        "fedlaavg.thm1.eq1",
        block_is_geometric(0, T1),
        everything="an induction over the rounds of the block, for all values of its symbols",
    ),
    Check(
        "fedlaavg.thm1.eq2",
        block_is_geometric(1, T2),
        everything="an induction over the rounds of the block, for all values of its symbols",
    ),
    Check("fedlaavg.thm1.recursion", as_written),
    Check("fedlaavg.thm1.recursion.corrected", as_written),
    Check(
        "fedlaavg.thm1.limit",
        vanishing_step_size,
        rests_on=CLOSED,
        everything="the limit of a formula, for all values of its symbols",
    ),
    Check(
        "fedlaavg.thm1.slope",
        first_order,
        rests_on=CLOSED,
        everything="the derivative of a formula, for all values of its symbols",
    ),
    Check("fedlaavg.thm1.stepsize", limits_equal_the_formula),
    Check(
        "fedlaavg.thm1.bias",
        small_step_bias,
        rests_on=CLOSED,
        everything="an identity in all its symbols",
    ),
    Check("fedlaavg.thm1.bias.fixed", limits_equal_the_formula),
    Check("fedlaavg.thm1.bias.fixed", limit_in_formulas, rests_on=PERIODS, everything=CONVERGES),
)
