"""Where Examples 1 and 2 may fail: clients that take turns, with drawn numbers."""

from fractions import Fraction

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.core.enclosure import as_expression
from fltheory.engine.simulate import simulate
from fltheory.papers.fraboni.checks.example1 import BY_PARITY, cycle_of, four_clients
from fltheory.papers.fraboni.checks.example2 import IN_TURN, attracts, two_limits
from fltheory.papers.fraboni.spaces.drawing import F
from fltheory.papers.fraboni.spaces.named import space_of_values
from fltheory.papers.fraboni.statements.examples import MOVE, Q1, Q2, T1, T2
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.trace import Trace


def _example_one(choices: Choices, claim: Claim) -> Drawn:
    """Four clients of two types in two rounds by turns: limits, recurring models, the recursion and
    the period map's radius."""
    size, steps = choices.number(F(1, 10), F(19, 10), max_denominator=10), choices.whole(1, 3)
    optima = (choices.number(-2, 2), choices.number(-2, 2))
    start, move = choices.number(-3, 3), 1 - (1 - size) ** steps
    run = four_clients(start, size, optima, local_steps=steps)
    found: Drawn = {
        "local_move": move,
        "local_step_size": size,
        "local_steps": steps,
        "first_optimum": optima[0],
        "second_optimum": optima[1],
    }
    names = {s.name for s in claim.symbols}
    if "model_now" in names:
        models = simulate(
            run.method, run.problem, run.trace, start=start, local_step_size=size
        ).models[:, 0]
        n = choices.whole(0, len(models) - 3)
        return found | {
            "model_now": models[n],
            "model_next": models[n + 1],
            "model_after_next": models[n + 2],
        }
    if "covered_fraction" in names:
        moved = simulate(
            WeightedAggregation((1,)),
            Quadratic((1,), (0,)),
            Trace.fresh([[1]], local_steps=steps),
            start=1,
            local_step_size=size,
        ).models
        return found | {"covered_fraction": 1 - moved[1, 0]}
    limit = cycle_of(run)
    if "spectral_radius" in names:
        return found | {"spectral_radius": limit.spectral_radius_exact}
    if "recurring_model" in names:
        return found | {"recurring_model": _recurring(choices, limit)}
    choices.require(0 < move < 1 and limit.stable, "0 < phi < 1")
    return found | {"limit": limit.cycle[0][0] if limit.cycle else F(99)}


def _recurring(choices: Choices, limit: LimitCycle) -> Fraction:
    """A model that the run comes back to for ever: on its orbit, or the limit."""
    if limit.orbit is not None:
        return choices.choice(limit.orbit)[0]
    if not limit.stable or limit.cycle is None:
        choices.reject("the run comes back")
    return limit.cycle[0][0]


def _example_two(choices: Choices, claim: Claim) -> Drawn:
    """Two clients by turns with any weights: the exact limits at even and odd rounds, with and
    without delay."""
    weights = [choices.number(F(1, 4), 3) for _ in range(2)]
    names = {s.name for s in claim.symbols}
    if "cycle_mean" in names:
        weights[1] = weights[0]
    move = choices.number(F(1, 10), 1, max_denominator=10)
    optima = (choices.number(-2, 2), choices.number(-2, 2))
    make = Trace.fresh if "fresh" in claim.id else Trace.continuous
    values: Drawn = {
        "first_weight": weights[0],
        "second_weight": weights[1],
        "local_move": move,
        "first_optimum": optima[0],
        "second_optimum": optima[1],
    }
    if claim.id == "fraboni.ex2.small_steps":
        return values | {"limit": _vanishing(weights, optima)}
    limit = limit_cycle(
        WeightedAggregation(tuple(weights)),
        Quadratic((1, 1), optima),
        make(IN_TURN * 5),
        local_step_size=move,
    )
    if claim.id == "fraboni.ex2.stable":
        holds = attracts(weights[0] * move, weights[1] * move)
        return {"is_stable": int(limit.stable is True), "condition_holds": int(holds)}
    if not limit.stable or limit.cycle is None:
        choices.reject("the run has a limit")
    even, odd = limit.cycle[0][0], limit.cycle[1][0]
    return values | {
        "even_limit": even,
        "odd_limit": odd,
        "cycle_gap": odd - even,
        "cycle_mean": (even + odd) / 2,
        "limit": even,
    }


def _vanishing(weights: list[Fraction], optima: tuple[Fraction, ...]) -> Fraction:
    """The limit of the exact cycle for vanishing steps."""
    given = dict(zip((Q1, Q2, T1, T2), map(as_expression, (*weights, *optima)), strict=True))
    return Fraction(str(sympy.limit(two_limits()[0].xreplace(given), MOVE, 0)))


def _weights_that_suffice(choices: Choices, claim: Claim) -> Drawn:
    """Which weights satisfy the condition of Example 2, and which lead to the optimum for small
    steps.

    As printed the condition holds for all weights, as each round's only client has all the
    normalised weight; over a window it does not.
    """
    weights = [choices.choice((F(1), F(2), F(3), F(1, 2))) for _ in range(2)]
    holds = not claim.source.ours or weights[0] / sum(weights) == F(1, 2)
    return {
        "condition_holds": int(holds),
        "limit_is_optimum": int(_vanishing(weights, (F(0), F(1))) == F(1, 2)),
    }


def _stated(choices: Choices, claim: Claim) -> Drawn:
    """What the text of Example 1 gives to q_2 in the two halves of its list, and what is meant."""
    client, delivers = choices.whole(0, 3), Trace.continuous(BY_PARITY * 2).delivers
    mean = sum((F(1, 2) for n in (0, 1) if delivers[n, client]), F(0)) / 2
    return {
        "first_stated_value": F(1, 2),
        "second_stated_value": 0,
        "mean_of_two_rounds": mean,
        "importance": F(1, 4),
    }


SPACES = (
    space_of_values(
        "example-1",
        "Four clients of two types by turns, any step size, local steps and start.",
        _example_one,
        "ex1 ex1.corrected ex1.radius ex1.phi eq8",
    ),
    space_of_values(
        "example-2",
        "Two clients by turns with any weights and optima.",
        _example_two,
        "ex2 ex2.even ex2.odd ex2.gap ex2.fresh_even ex2.fresh_odd ex2.mean ex2.stable"
        " ex2.small_steps",
    ),
    space_of_values(
        "example-2-weights",
        "Two clients by turns, small steps.",
        _weights_that_suffice,
        "ex2.iff ex2.iff.corrected",
    ),
    space_of_values(
        "example-1-weights",
        "The weights that Example 1 states and means.",
        _stated,
        "ex1.weights ex1.weights.corrected",
    ),
)
