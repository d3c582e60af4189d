"""Example 1 for other methods: engine limits, and FedLaAvg's period map in formulas."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import simulate
from fltheory.papers.fedlaavg.paper import GAMMA
from fltheory.papers.fedlaavg.statements.example1 import T1, T2
from fltheory.papers.fedlaavg.statements.variants import DETERMINANT_FORMULA, TRACE_FORMULA
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.availability.alternating import Alternating
from fltheory.traces.trace import Trace

BLOCKS = ((1, 1), (1, 3), (2, 1), (3, 2))
SIZES = (Fraction(1, 4), Fraction(1, 10), Fraction(3, 10))


def turns(first: int, second: int, periods: int, *, local_steps: int = 1) -> Trace:
    """Example 1's trace."""
    return Trace.fresh(
        Alternating(2, (first, second)).matrix(periods * (first + second)), local_steps=local_steps
    )


def known(first: int, second: int, step_size: Any) -> dict[str, Any]:
    return {
        "first_block": first,
        "second_block": second,
        "first_optimum": 0,
        "second_optimum": 1,
        "local_step_size": step_size,
    }


PROBLEM = Quadratic((2, 2), (0, 1))
SHRINKAGE = letter("shrinkage", positive=True)  # a = 1 - gamma


@by_instances(
    Method.EXACT_RUN,
    covers="exact limits: four block pairs, two step sizes, "
    "1 and 3 local steps, three proximal strengths",
)
def fedprox_limits() -> Iterator[Instance]:
    for (first, second), size, steps, strength in product(
        BLOCKS, SIZES[:2], (1, 3), (0, 1, Fraction(1, 3))
    ):
        trace = turns(first, second, 3, local_steps=steps)
        limit = limit_cycle(FedAvg(worker=proximal(strength)), PROBLEM, trace, local_step_size=size)
        assert limit.at_period_end is not None
        yield Instance(
            known(first, second, size)
            | {
                "local_steps": steps,
                "proximal_strength": strength,
                "limit_at_period_end": limit.at_period_end[0],
            }
        )


@by_instances(Method.EXACT_RUN, covers="exact limits: four block pairs, three step sizes")
def partial_work_limits() -> Iterator[Instance]:
    for (first, second), size in product(BLOCKS, SIZES):
        limit = limit_cycle(PartialWork(1), PROBLEM, turns(first, second, 3), local_step_size=size)
        assert limit.at_period_end is not None
        yield Instance(known(first, second, size) | {"limit_at_period_end": limit.at_period_end[0]})


@by_instances(Method.EXACT_RUN, covers="all server models of two periods, 36 settings")
def local_steps_are_one_step() -> Iterator[Instance]:
    for (first, second), size, steps in product(BLOCKS, SIZES, (1, 2, 3)):
        many = simulate(
            FedLaAvg(),
            PROBLEM,
            turns(first, second, 2, local_steps=steps),
            start=3,
            local_step_size=size,
        )
        single = simulate(
            FedLaAvg(),
            PROBLEM,
            turns(first, second, 2),
            start=3,
            local_step_size=(1 - (1 - 2 * size) ** steps) / 2,
        )
        for a, b in zip(many.models[:, 0], single.models[:, 0], strict=True):
            yield Instance({"model_with_local_steps": a, "model_with_one_step": b})


@by_instances(Method.EXACT_RUN, covers="one client, four step sizes, 1 to 5 local steps")
def equivalent_step() -> Iterator[Instance]:
    alone = Quadratic((2,), (0,))
    for size, steps in product((*SIZES, Fraction(1, 20)), range(1, 6)):
        end = simulate(
            FedAvg(),
            alone,
            Trace.fresh([[1]], local_steps=steps),
            start=1,
            local_step_size=size,
        ).last[0]
        yield Instance(
            {
                "local_step_size": size,
                "local_steps": steps,
                "equivalent_step_size": (1 - end) / 2,
            }
        )


@by_instances(
    Method.EXACT_RUN,
    covers="exact limits and spectral radii: blocks up to 3, five step sizes in (0, 1)",
)
def fedlaavg_limits() -> Iterator[Instance]:
    sizes = (*SIZES, Fraction(1, 2), Fraction(9, 10))
    for (first, second), size in product(product(range(1, 4), repeat=2), sizes):
        limit = limit_cycle(FedLaAvg(), PROBLEM, turns(first, second, 4), local_step_size=size)
        assert limit.at_period_end is not None
        yield Instance(
            known(first, second, size)
            | {
                "limit_at_period_end": limit.at_period_end[0],
                "spectral_radius": limit.spectral_radius_exact,
            }
        )


def block_map(length: sympy.Symbol) -> sympy.Matrix:
    """A block on (model, point of the absent client's stored gradient), both as distances from the
    optimum, by linearity.

    Within a block y' = (1 - gamma) y - gamma s, so y_k = a^k y - (1 - a^k) s, and what is stored of
    the active client at the end is the point before its last round, y_{length-1}.
    """
    shrunk, before = SHRINKAGE**length, SHRINKAGE ** (length - 1)
    return sympy.Matrix([[shrunk, shrunk - 1], [before, before - 1]])


def period_map_in_formulas(claim: Claim) -> Evidence:
    period = block_map(T2) * block_map(T1)
    derived = {
        "trace_of_period": sympy.expand(period.trace()),
        "determinant_of_period": sympy.expand(period.det()),
        "local_step_size": 1 - SHRINKAGE,
    }
    return check_symbolic(
        claim,
        derived=derived,
        covers="all block lengths and step sizes below 1: product of the two block maps",
    )


def engine_period_map(claim: Claim) -> Evidence:
    """Trace and determinant from the characteristic polynomial of the engine's period map, symbolic
    in the step size."""

    def cases() -> Iterator[dict[str, Any]]:
        for first, second in ((1, 2), (2, 1)):
            limit = limit_cycle(
                FedLaAvg(),
                Quadratic((2, 2), (letter("left_end"), 1)),
                turns(first, second, 4),
                local_step_size=GAMMA,
                arithmetic=SYMBOLIC,
            )
            coefficients = [*limit.characteristic, sympy.S.Zero, sympy.S.Zero][:3]
            yield {
                "trace_of_period": -coefficients[1],
                "determinant_of_period": coefficients[2],
                "first_block": first,
                "second_block": second,
            }

    return check_symbolic_cases(
        claim,
        cases(),
        covers="the engine's period map for two pairs of blocks up to 2, all step sizes",
    )


def scaling_limit(claim: Claim) -> Evidence:
    """det -> 0 and trace -> (1 - 2 e^-s1)(1 - 2 e^-s2), so the larger eigenvalue tends to the
    trace."""
    s1 = letter("first_scaled_block", positive=True)
    s2 = letter("second_scaled_block", positive=True)
    scaled = {T1: s1 / GAMMA, T2: s2 / GAMMA}
    trace = sympy.limit(sympy.expand_power_exp(sympy.expand(TRACE_FORMULA)).subs(scaled), GAMMA, 0)
    determinant = sympy.limit(DETERMINANT_FORMULA.subs(scaled), GAMMA, 0)
    root = (
        sympy.Abs(sympy.factor(trace)) + sympy.sqrt(sympy.factor(trace) ** 2 - 4 * determinant)
    ) / 2
    return check_symbolic(
        claim,
        derived={"scaled_radius": sympy.simplify(root)},
        covers="all s1, s2: limits of trace and determinant",
    )


@by_instances(Method.EXACT_RUN, covers="four block pairs, three periods, 1, 2 and 5 local steps")
def contributions() -> Iterator[Instance]:
    """z_r by its definition: does some client contribute another expected multiple of its weight
    than the others?"""
    for (first, second), full in product(BLOCKS, (1, 2, 5)):
        steps = turns(first, second, 3, local_steps=full).local_steps
        biased = [len({full if done else 0 for done in row}) > 1 for row in steps.tolist()]
        absent = int(np.min(steps))
        yield Instance(
            {"bias_rate": Fraction(sum(biased), len(biased)), "steps_of_absent_client": absent},
            f"t1={first}, t2={second}",
        )


@by_instances(Method.PROBABILITY, covers="one client away with probability 1/2 or 1/4")
def indicator() -> Iterator[Instance]:
    for chance in (Fraction(1, 2), Fraction(1, 4)):
        expected = {
            1 - chance,
            Fraction(1),
        }  # E[w_i s_i]/w_i over C, for the flaky client and for one that never fails
        yield Instance(
            {"bias_indicator": int(len(expected) > 1), "absence_probability": chance},
            f"p_i = {chance}",
        )


CHECKS = (
    Check("fedlaavg.ex1.variants", fedprox_limits),
    Check("fedlaavg.ex1.variants.fedlaavg", local_steps_are_one_step),
    Check("fedlaavg.ex1.variants.step", equivalent_step),
    Check("fedlaavg.ex1.limit", fedlaavg_limits),
    Check("fedlaavg.ex1.stability", fedlaavg_limits),
    Check("fedlaavg.ex1.stability.determinant", period_map_in_formulas),
    Check("fedlaavg.ex1.stability.determinant", engine_period_map, slow=True),
    Check("fedlaavg.ex1.stability.trace", period_map_in_formulas),
    Check("fedlaavg.ex1.stability.trace", engine_period_map, slow=True),
    Check("fedlaavg.ex1.stability.low", period_map_in_formulas),
    Check("fedlaavg.ex1.stability.high", period_map_in_formulas),
    Check("fedlaavg.ex1.stability.slow", scaling_limit),
    Check("fedlaavg.appA", contributions),
    Check("fedlaavg.appA.absent", contributions),
    Check("fedlaavg.appA.indicator", indicator),
    Check("fedlaavg.appA.limit", partial_work_limits),
)
