"""Where Theorem 1 may fail: FedAvg on Example 1 with any blocks, optima, starts and step sizes."""

from fractions import Fraction

import sympy

from fltheory.algorithms.fedavg import FedAvg
from fltheory.claims.checks.constants import known
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Provenance
from fltheory.claims.scenario import Scenario
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn, given, space_of
from fltheory.core.enclosure import as_expression
from fltheory.core.types import Formula
from fltheory.engine.simulate import simulate
from fltheory.papers.fedlaavg.checks.example1 import TwoBlocks, window_and_staleness
from fltheory.papers.fedlaavg.checks.theorem1 import (
    fedavg_limit,
    limit_as_written,
    on_limit,
    written_trace,
)
from fltheory.traces.trace import Trace

STEP = sympy.Symbol("step", positive=True)
BLOCKS = "first_block second_block first_optimum second_optimum"


def draw_blocks(choices: Choices, *, most: int = 4, equal: bool = False) -> TwoBlocks:
    """Block lengths and optima."""
    first = choices.whole(1, most)
    second = first if equal else choices.whole(1, most)
    return TwoBlocks(first, second, (choices.number(-3, 3), choices.number(-3, 3)))


def _limit(choices: Choices, claim: Claim) -> Instance:
    """The exact limit at period ends; printed claims ask for step sizes below 1/2, corrected ones
    hold below 1."""
    example = draw_blocks(choices, equal=claim.id.endswith("equal_blocks"))
    size = choices.number("1/8", "7/16" if not claim.source.ours else "7/8", max_denominator=8)
    limit = fedavg_limit(example, size)
    choices.require(limit.stable and limit.cycle is not None, "the method converges")
    limits = {
        "limit_at_period_end": known(limit.at_period_end)[0],
        "spectral_radius": known(limit.spectral_radius_exact),
    }
    found = on_limit(example, example.trace(3), size, limits)
    if "spectral_radius" in {s.name for s in claim.symbols}:
        return Instance(found.values, found.says)
    first, second = example.optima
    return Instance(found.values, f"{found.says}, optima {first} and {second}", found.scenario)


def fixed_point(example: TwoBlocks, size: Formula) -> Formula:
    """Where a period of FedAvg ends that begins there, at a step size that may be a symbol."""
    first, second = map(as_expression, example.optima)
    keep = 1 - 2 * size
    last = keep**example.second
    shift = last * (1 - keep**example.first) * first + (1 - last) * second
    return shift / (1 - keep ** (example.first + example.second))


def optimum(example: TwoBlocks) -> Formula:
    """(e1 + e2)/2."""
    first, second = example.optima
    return as_expression(Fraction(first + second, 2))


def _block(choices: Choices, claim: Claim) -> Drawn:
    """A block, or some periods, run round by round."""
    example = draw_blocks(choices, most=3)
    size, start = choices.number("1/8", "7/8", max_denominator=8), choices.number(-3, 3)
    periods = choices.whole(1, 3)
    first, second = [[1, 0]] * example.first, [[0, 1]] * example.second
    rows = {"fedlaavg.thm1.eq1": first, "fedlaavg.thm1.eq2": second}.get(
        claim.id, (first + second) * periods
    )
    run = simulate(FedAvg(), example.problem, Trace.fresh(rows), start=start, local_step_size=size)
    return {
        **example.values,
        "local_step_size": size,
        "model_before_block": start,
        "model_after_block": run.last[0],
        "periods": periods,
    }


def _as_written(choices: Choices, claim: Claim) -> Instance:
    """The printed recursion followed with its indices."""
    example = draw_blocks(choices, most=3)
    size = choices.number("1/8", "7/16", max_denominator=8)
    found = limit_as_written(example, size)
    trace = written_trace(example)
    run = Scenario("fedavg", example.problem, trace, start=0, local_step_size=size)
    measures = {"limit_as_written": "limit", "local_step_size": "local_step_size"}
    return Instance(found.values, found.says, Provenance(run=run.to_json(), measures=measures))


def _vanishing(choices: Choices, claim: Claim) -> Drawn:
    """The fixed point of a period and its slope as the step size vanishes."""
    example = draw_blocks(choices)
    point = sympy.cancel(fixed_point(example, STEP))
    limit, slope = point.subs(STEP, 0), sympy.diff(point, STEP).subs(STEP, 0)
    return {
        **example.values,
        "vanishing_step_limit": limit,
        "iterated_limit": limit,
        "slope": slope,
        "bias": sympy.Abs(limit - optimum(example)),
    }


def _windows(choices: Choices, claim: Claim) -> Drawn:
    """Availability window and staleness on Example 1."""
    example = draw_blocks(choices, most=6)
    return {**example.values, **window_and_staleness(example)}


SPACES = (
    space_of(
        "fedlaavg thm1",
        "Example 1: blocks up to 4, any optima, step sizes up to the printed limit.",
        f"{BLOCKS} local_step_size limit_at_period_end spectral_radius",
        _limit,
        tuple(f"fedlaavg.thm1{end}" for end in (".fixed", ".closed", ".stepsize", ".bias.fixed")),
    ),
    given(
        "Blocks and periods run round by round.",
        f"{BLOCKS} local_step_size model_before_block model_after_block periods",
        ("fedlaavg.thm1.eq1", "fedlaavg.thm1.eq2", "fedlaavg.thm1.periods"),
        _block,
    ),
    space_of(
        "fedlaavg thm1 as written",
        "The printed recursion followed with its indices.",
        f"{BLOCKS} local_step_size limit_as_written",
        _as_written,
        ("fedlaavg.thm1.recursion*",),
    ),
    given(
        "Limits as the step size vanishes.",
        f"{BLOCKS} vanishing_step_limit iterated_limit slope bias",
        ("fedlaavg.thm1", "fedlaavg.thm1.limit", "fedlaavg.thm1.slope", "fedlaavg.thm1.bias"),
        _vanishing,
    ),
    given(
        "Blocks up to 6.",
        f"{BLOCKS} availability_window staleness_bound",
        ("fedlaavg.ex1", "fedlaavg.ex1.staleness"),
        _windows,
    ),
)
