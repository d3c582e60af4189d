"""Example 1 for other methods: engine limits, and FedLaAvg's period map in formulas."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.algorithms.fedlaavg import FedLaAvg
from fltheory.algorithms.fedprox import proximal
from fltheory.algorithms.partial_work import PartialWork
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.by_instances import by_instances
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.instances import Instance
from fltheory.claims.checks.symbolic import check_symbolic, check_symbolic_cases
from fltheory.claims.claim import Claim, letter
from fltheory.claims.evidence import Evidence, Method
from fltheory.core.types import Array, ExactLike, Formula, Scalar, Values
from fltheory.engine.arithmetic.symbolic import SYMBOLIC
from fltheory.engine.simulate import Algorithm, simulate
from fltheory.papers.fedlaavg.checks.example1 import TwoBlocks
from fltheory.papers.fedlaavg.paper import GAMMA
from fltheory.papers.fedlaavg.statements.example1 import T1, T2
from fltheory.papers.fedlaavg.statements.variants import DETERMINANT_FORMULA, TRACE_FORMULA
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace

EXAMPLES = tuple(TwoBlocks(*blocks) for blocks in ((1, 1), (1, 3), (2, 1), (3, 2)))
SIZES = (Fraction(1, 4), Fraction(1, 10), Fraction(3, 10))


FIRST_SCALED = letter("first_scaled_block", positive=True)
SECOND_SCALED = letter("second_scaled_block", positive=True)
SHRINKAGE = letter("shrinkage", positive=True)  # a = 1 - gamma


def limit_on(
    example: TwoBlocks, method: Algorithm, size: Fraction, *, periods: int = 3, local_steps: int = 1
) -> LimitCycle:
    """Where a method ends on Example 1."""
    trace = example.trace(periods, local_steps=local_steps)
    return limit_cycle(method, example.problem, trace, local_step_size=size)


def end_of(limit: LimitCycle) -> dict[str, Scalar]:
    """The limit at period ends, by symbol."""
    return {"limit_at_period_end": known(limit.at_period_end)[0]}


@by_instances(
    Method.EXACT_RUN,
    covers="exact limits: four block pairs, two step sizes, "
    "1 and 3 local steps, three proximal strengths",
)
def fedprox_limits() -> Iterator[Instance]:
    """FedProx and FedAvg with C local steps: the closed form of Theorem 1 with their
    contraction."""
    strengths = (Fraction(0), Fraction(1), Fraction(1, 3))
    for example, size, steps, strength in product(EXAMPLES, SIZES[:2], (1, 3), strengths):
        limit = limit_on(example, FedAvg(worker=proximal(strength)), size, local_steps=steps)
        settings: dict[str, Scalar] = {
            "local_step_size": size,
            "local_steps": steps,
            "proximal_strength": strength,
        }
        yield Instance(example.values | settings | end_of(limit))


@by_instances(Method.EXACT_RUN, covers="exact limits: four block pairs, three step sizes")
def partial_work_limits() -> Iterator[Instance]:
    """Appendix A: where the rescaling of Ruan et al. ends."""
    for example, size in product(EXAMPLES, SIZES):
        limit = limit_on(example, PartialWork(1), size)
        yield Instance(example.values | {"local_step_size": size} | end_of(limit))


def models_on(
    example: TwoBlocks, start: ExactLike, size: Fraction, *, local_steps: int = 1
) -> Array:
    """All server models of two periods of FedLaAvg."""
    trace = example.trace(2, local_steps=local_steps)
    run = simulate(FedLaAvg(), example.problem, trace, start=start, local_step_size=size)
    return run.models[:, 0]


@by_instances(Method.EXACT_RUN, covers="all server models of two periods, 36 settings")
def local_steps_are_one_step() -> Iterator[Instance]:
    """Algorithm 2 with C local steps against one step of size (1 - (1 - 2 gamma)^C)/2."""
    for example, size, steps in product(EXAMPLES, SIZES, (1, 2, 3)):
        many = models_on(example, 3, size, local_steps=steps)
        single = models_on(example, 3, (1 - (1 - 2 * size) ** steps) / 2)
        for a, b in zip(many, single, strict=True):
            yield Instance({"model_with_local_steps": a, "model_with_one_step": b})


def equivalent_size(size: Fraction, steps: int) -> Fraction:
    """The size of one step on x^2 that moves as far as C steps do, by the engine."""
    alone, trace = Quadratic((2,), (0,)), Trace.fresh([[1]], local_steps=steps)
    end = simulate(FedAvg(), alone, trace, start=1, local_step_size=size).last[0]
    return Fraction(1 - end) / 2


@by_instances(Method.EXACT_RUN, covers="one client, four step sizes, 1 to 5 local steps")
def equivalent_step() -> Iterator[Instance]:
    """The equivalent step size (1 - (1 - 2 gamma)^C)/2."""
    for size, steps in product((*SIZES, Fraction(1, 20)), range(1, 6)):
        yield Instance(
            {
                "local_step_size": size,
                "local_steps": steps,
                "equivalent_step_size": equivalent_size(size, steps),
            }
        )


@by_instances(
    Method.EXACT_RUN,
    covers="exact limits and spectral radii: blocks up to 3, five step sizes in (0, 1)",
)
def fedlaavg_limits() -> Iterator[Instance]:
    """Where FedLaAvg ends on Example 1, and how fast."""
    sizes = (*SIZES, Fraction(1, 2), Fraction(9, 10))
    for (first, second), size in product(product(range(1, 4), repeat=2), sizes):
        example = TwoBlocks(first, second)
        limit = limit_on(example, FedLaAvg(), size, periods=4)
        rate = {"local_step_size": size, "spectral_radius": known(limit.spectral_radius_exact)}
        yield Instance(example.values | rate | end_of(limit))


def block_map(length: sympy.Symbol) -> sympy.Matrix:
    """A block on (model, point of the absent client's stored gradient), both as distances from the
    optimum, by linearity.

    Within a block y' = (1 - gamma) y - gamma s, so y_k = a^k y - (1 - a^k) s, and what is stored of
    the active client at the end is the point before its last round, y_{length-1}.
    """
    shrunk, before = SHRINKAGE**length, SHRINKAGE ** (length - 1)
    return sympy.Matrix([[shrunk, shrunk - 1], [before, before - 1]])


def period_map_in_formulas(claim: Claim) -> Evidence:
    """Trace and determinant of the product of the two block maps."""
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

    def cases() -> Iterator[Values]:
        for first, second in ((1, 2), (2, 1)):
            example = TwoBlocks(first, second)
            limit = limit_cycle(
                FedLaAvg(),
                Quadratic((2, 2), (letter("left_end"), 1)),
                example.trace(4),
                local_step_size=GAMMA,
                arithmetic=SYMBOLIC,
            )
            _, trace, determinant = [*limit.characteristic, sympy.S.Zero, sympy.S.Zero][:3]
            polynomial = {"trace_of_period": -trace, "determinant_of_period": determinant}
            yield polynomial | example.blocks

    return check_symbolic_cases(
        claim,
        cases(),
        covers="the engine's period map for two pairs of blocks up to 2, all step sizes",
    )


@cache
def scaled_limits() -> tuple[Formula, Formula]:
    """Trace and determinant of one period as the step size vanishes with gamma t_i = s_i fixed."""
    scaled = {T1: FIRST_SCALED / GAMMA, T2: SECOND_SCALED / GAMMA}
    trace = sympy.limit(sympy.expand_power_exp(sympy.expand(TRACE_FORMULA)).subs(scaled), GAMMA, 0)
    return trace, sympy.limit(DETERMINANT_FORMULA.subs(scaled), GAMMA, 0)


def scaling_limit(claim: Claim) -> Evidence:
    """det -> 0 and trace -> (1 - 2 e^-s1)(1 - 2 e^-s2), so the larger eigenvalue tends to the
    trace."""
    trace, determinant = scaled_limits()
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
    """Appendix A: z_r by its definition: does some client contribute another expected multiple of
    its weight than the others?"""
    for example, full in product(EXAMPLES, (1, 2, 5)):
        yield Instance(bias_of_turns(example, full), example.says)


def bias_of_turns(example: TwoBlocks, full: int) -> dict[str, Scalar]:
    """The share of rounds with z_r = 1, and the fewest local steps of a client, when those present
    take `full` steps."""
    steps = example.trace(3, local_steps=full).local_steps.tolist()
    biased = [len({full if done else 0 for done in row}) > 1 for row in steps]
    return {
        "bias_rate": Fraction(sum(biased), len(biased)),
        "steps_of_absent_client": min(map(min, steps)),
    }


def bias_indicator(chance: Fraction) -> int:
    """z_r for a client that is away with a chance, beside one that never is: do the expected shares
    E[w_i s_i]/(w_i C) differ?"""
    return int(len({1 - chance, Fraction(1)}) > 1)


@by_instances(Method.PROBABILITY, covers="one client away with probability 1/2 or 1/4")
def indicator() -> Iterator[Instance]:
    """Appendix A: z_r when one client is away with a chance."""
    for chance in (Fraction(1, 2), Fraction(1, 4)):
        yield Instance(
            {"bias_indicator": bias_indicator(chance), "absence_probability": chance},
            f"p_i = {chance}",
        )


CHECKS = (
    Check("fedlaavg.ex1.variants", fedprox_limits),
    Check("fedlaavg.ex1.variants.fedlaavg", local_steps_are_one_step),
    Check("fedlaavg.ex1.variants.step", equivalent_step),
    Check("fedlaavg.ex1.limit", fedlaavg_limits),
    Check("fedlaavg.ex1.stability", fedlaavg_limits),
    Check(
        "fedlaavg.ex1.stability.determinant",
        period_map_in_formulas,
        everything="an identity in all its symbols; the sign follows from 0 < a < 1",
    ),
    Check("fedlaavg.ex1.stability.determinant", engine_period_map, slow=True),
    Check(
        "fedlaavg.ex1.stability.trace",
        period_map_in_formulas,
        everything="an identity in all its symbols",
    ),
    Check("fedlaavg.ex1.stability.trace", engine_period_map, slow=True),
    Check(
        "fedlaavg.ex1.stability.low",
        period_map_in_formulas,
        everything="an identity in all its symbols; the sign follows from 0 < a < 1",
    ),
    Check(
        "fedlaavg.ex1.stability.high",
        period_map_in_formulas,
        everything="an identity in all its symbols; the sign follows from 0 < a < 1",
    ),
    Check(
        "fedlaavg.ex1.stability.slow",
        scaling_limit,
        everything="limits of two formulas, for all s1 and s2",
        rests_on=("fedlaavg.ex1.stability.trace", "fedlaavg.ex1.stability.determinant"),
    ),
    Check("fedlaavg.appA", contributions),
    Check("fedlaavg.appA.absent", contributions),
    Check("fedlaavg.appA.indicator", indicator),
    Check("fedlaavg.appA.limit", partial_work_limits),
)
