"""Example 1: exact limits of FedAvg on two clients that take turns, for numbers and for
formulas."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, cast

import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.claims.scenario import Scenario
from fltheory.core.enclosure import Comparison, compare
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.papers import find_claim
from fltheory.papers.fedlaavg.checks.blocks import (
    block_is_geometric,
    by_induction,
    fixed_point,
    period,
)
from fltheory.papers.fedlaavg.paper import GAMMA
from fltheory.papers.fedlaavg.statements.example1 import BEFORE, E1, E2, T1, T2
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.selection import longest_absent
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import availability_window

STEP_SIZES = tuple(Fraction(k, 16) for k in (4, 1, 2, 7, 8, 12, 15))
BLOCKS = tuple(product(range(1, 4), repeat=2))
OPTIMA = {"first_optimum": "optimum:0", "second_optimum": "optimum:1"}


@cache
def fedavg_limit(
    first: int, second: int, step_size: Fraction, optima: tuple[int, int] = (0, 1)
) -> LimitCycle:
    """The exact limit cycle for one pair of blocks."""
    trace = Trace.fresh(Alternating(2, (first, second)).matrix(3 * (first + second)))
    return limit_cycle(FedAvg(), Quadratic((2, 2), optima), trace, local_step_size=step_size)


def on_limit(
    values: dict[str, Any], first: int, second: int, step_size: Fraction, optima: tuple[int, int]
) -> Instance:
    """An instance whose limit comes from a run that anyone can repeat."""
    trace = Trace.fresh(Alternating(2, (first, second)).matrix(3 * (first + second)))
    run = Scenario(
        "fedavg",
        Quadratic((2, 2), optima),
        trace,
        start=0,
        local_step_size=step_size,
        parameters={"first_block": first, "second_block": second},
    )
    scenario = {
        "run": run.to_json(),
        "measures": {"limit_at_period_end": "limit", "local_step_size": "local_step_size"} | OPTIMA,
    }
    return Instance(values, f"t1={first}, t2={second}, step size {step_size}", scenario)


def fedavg_limits(blocks: Any = BLOCKS, optima: tuple[int, int] = (0, 1)) -> Iterator[Instance]:
    """The exact limit at each period end, for step sizes over the whole stable range (0, 1)."""
    for (first, second), step_size in product(blocks, STEP_SIZES):
        limit = fedavg_limit(first, second, step_size, optima)
        values = {
            "first_block": first,
            "second_block": second,
            "first_optimum": optima[0],
            "second_optimum": optima[1],
            "local_step_size": step_size,
            "limit_at_period_end": limit.cycle[0][0] if limit.cycle else None,
            "spectral_radius": limit.spectral_radius_exact,
        }
        yield on_limit(values, first, second, step_size, optima)


@by_instances(
    Method.EXACT_RUN, covers="exact limit cycles for blocks up to 3 and seven step sizes in (0, 1)"
)
def limits_equal_the_formula() -> Iterable[Instance]:
    return fedavg_limits()


@by_instances(Method.EXACT_RUN, covers="exact limit cycles for equal blocks up to 4")
def equal_blocks() -> Iterable[Instance]:
    return fedavg_limits(blocks=[(k, k) for k in range(1, 5)])


def limit_in_formulas(claim: Claim) -> Evidence:
    """Compose the two block maps, whose exponents stay symbols, and solve for the fixed point."""
    return check_symbolic(
        claim,
        derived={"limit_at_period_end": fixed_point(period(BEFORE))},
        covers="all block lengths, step sizes and optima: fixed point of the composed block maps",
    )


def engine_limits_in_formulas(claim: Claim) -> Evidence:
    """The engine's own limit cycle, symbolic in the step size and the optima, for each pair of
    small blocks."""

    def cases() -> Iterator[dict[str, Any]]:
        for first, second in ((1, 1), (1, 2), (2, 1)):
            trace = Trace.fresh(Alternating(2, (first, second)).matrix(3 * (first + second)))
            limit = limit_cycle(
                FedAvg(),
                Quadratic((2, 2), (E1, E2)),
                trace,
                local_step_size=GAMMA,
                arithmetic=SYMBOLIC,
            )
            assert limit.cycle is not None
            yield {
                "limit_at_period_end": limit.cycle[0][0],
                "first_block": first,
                "second_block": second,
            }

    return check_symbolic_cases(
        claim,
        cases(),
        covers="the engine's limit for three pairs of blocks up to 2, all step sizes and optima",
    )


def periods_by_induction(claim: Claim) -> Evidence:
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


def _closed_form() -> sympy.Expr:
    return find_claim("fedlaavg.thm1.closed").statement.right


def vanishing_step_size(claim: Claim) -> Evidence:
    limit = sympy.limit(_closed_form(), GAMMA, 0)
    return check_symbolic(
        claim,
        derived={"vanishing_step_limit": limit},
        covers="all block lengths and optima: limit of the closed form",
    )


def first_order(claim: Claim) -> Evidence:
    slope = sympy.series(_closed_form(), GAMMA, 0, 2).removeO().coeff(GAMMA, 1)
    return check_symbolic(
        claim,
        derived={"slope": slope},
        covers="all block lengths and optima: series of the closed form",
    )


def small_step_bias(claim: Claim) -> Evidence:
    limit = sympy.limit(_closed_form(), GAMMA, 0)
    miss = sympy.Abs(sympy.factor(limit - (E1 + E2) / 2))
    return check_symbolic(
        claim,
        derived={"bias": miss},
        covers="all block lengths and optima: limit of the closed form and (e1 + e2)/2",
    )


@by_instances(Method.SYMBOLIC, covers="three step sizes, one of them irrational")
def misses_the_optimum() -> Iterator[Instance]:
    """Unequal blocks with optima 0 and 1; the golden step size is a root of 2 q^t2 = 1 +
    q^(t1+t2)."""
    golden = (3 - sympy.sqrt(5)) / 4
    for first, second, step_size in (
        (1, 2, sympy.Rational(1, 4)),
        (2, 1, sympy.Rational(1, 4)),
        (2, 1, golden),
    ):
        trace = Trace.fresh(Alternating(2, (first, second)).matrix(3 * (first + second)))
        limit = limit_cycle(
            FedAvg(),
            Quadratic((2, 2), (0, 1)),
            trace,
            local_step_size=GAMMA,
            arithmetic=SYMBOLIC,
        )
        assert limit.cycle is not None
        formula = cast(sympy.Expr, limit.cycle[0][0])
        model = sympy.simplify(formula.subs(GAMMA, step_size))
        missed = compare(model, "1/2") is not Comparison.EQUAL
        yield Instance(
            {"misses": int(missed)},
            f"t1={first}, t2={second}, e=(0, 1), step size {step_size}: limit {model}",
        )


@by_instances(Method.EXACT_RUN, covers="the printed indices followed literally, blocks up to 3")
def as_written() -> Iterator[Instance]:
    """x^{t+1} from x^t with round t's client: between two period ends client 2 moves once, client 1
    t1 times, client 2 t2 - 1 times."""
    for (first, second), step_size in product(BLOCKS, STEP_SIZES[:3]):
        order = [[0, 1]] + [[1, 0]] * first + [[0, 1]] * (second - 1)
        run = Scenario(
            "fedavg",
            Quadratic((2, 2), (0, 1)),
            Trace.fresh(order * 3),
            start=0,
            local_step_size=step_size,
            parameters={"first_block": first, "second_block": second},
        )
        limit = limit_cycle(FedAvg(), run.problem, run.trace, local_step_size=step_size)
        assert limit.cycle is not None
        yield Instance(
            {
                "first_block": first,
                "second_block": second,
                "first_optimum": 0,
                "second_optimum": 1,
                "local_step_size": step_size,
                "limit_as_written": limit.cycle[0][0],
            },
            f"t1={first}, t2={second}, step size {step_size}",
            {
                "run": run.to_json(),
                "measures": (
                    {"limit_as_written": "limit", "local_step_size": "local_step_size"} | OPTIMA
                ),
            },
        )


@by_instances(Method.EXACT_RUN, covers="all blocks up to 6, four periods")
def windows() -> Iterator[Instance]:
    """Scan for absences, and run the selection of Algorithm 1 with one client per round."""
    for first, second in product(range(1, 7), repeat=2):
        available = Alternating(2, (first, second)).matrix(4 * (first + second))
        used = longest_absent(available, 1)
        yield Instance(
            {
                "first_block": first,
                "second_block": second,
                "availability_window": availability_window(available),
                "staleness_bound": availability_window(used) - 1,
            },
            f"t1={first}, t2={second}",
        )


CHECKS = (
    Check("fedlaavg.ex1", windows),
    Check("fedlaavg.ex1.staleness", windows),
    Check("fedlaavg.thm1", limits_equal_the_formula),
    Check("fedlaavg.thm1.closed", limits_equal_the_formula),
    Check("fedlaavg.thm1.closed", limit_in_formulas),
    Check("fedlaavg.thm1.closed", engine_limits_in_formulas, slow=True),
    Check("fedlaavg.thm1.periods", periods_by_induction),
    Check("fedlaavg.thm1.eq1", block_is_geometric(0, T1)),
    Check("fedlaavg.thm1.eq2", block_is_geometric(1, T2)),
    Check("fedlaavg.thm1.recursion", as_written),
    Check("fedlaavg.thm1.recursion.corrected", as_written),
    Check("fedlaavg.thm1.limit", vanishing_step_size),
    Check("fedlaavg.thm1.slope", first_order),
    Check("fedlaavg.thm1.stepsize", limits_equal_the_formula),
    Check("fedlaavg.thm1.bias", small_step_bias),
    Check("fedlaavg.thm1.bias.equal_blocks", equal_blocks),
    Check("fedlaavg.thm1.bias.unequal_blocks", misses_the_optimum),
    Check("fedlaavg.thm1.bias.fixed", limits_equal_the_formula),
    Check("fedlaavg.thm1.bias.fixed", limit_in_formulas),
)
