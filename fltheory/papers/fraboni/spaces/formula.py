"""Where this paper's examples, conditions and orders may fail: small symbolic worlds with drawn
numbers, and growing paths."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import LimitCycle, limit_cycle
from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.space import Space
from fltheory.core.enclosure import as_expression
from fltheory.engine.simulate import simulate
from fltheory.papers.fraboni.checks.examples import (
    BY_PARITY,
    IN_TURN,
    cycle_of,
    four_clients,
    two_limits,
)
from fltheory.papers.fraboni.checks.experiments import (
    CAPTION,
    IN_THE_RUN,
    TEXT,
    figure3_steps,
    hardware,
)
from fltheory.papers.fraboni.paper import LOCAL, STALENESS, N, W
from fltheory.papers.fraboni.spaces.drawing import F, times
from fltheory.papers.fraboni.spaces.setting import space_of
from fltheory.papers.fraboni.statements.bounds import CORRECTED, WINDOW_TERM
from fltheory.papers.fraboni.statements.examples import MOVE, Q1, Q2, T1, T2
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.clocks import Asynchronous, FixedWindow, Synchronous
from fltheory.traces.trace import Trace
from fltheory.traces.trace_statistics import balance_period, max_delay
from fltheory.traces.weights import asynchronous_weights, identical_weights, window_weights

Values = dict[str, Any]


def _example_one(choices: Choices, claim: Claim) -> Values:
    """Four clients of two types in two rounds by turns: limits, recurring models, the recursion and
    the period map's radius."""
    size, steps = choices.number(F(1, 10), F(19, 10), max_denominator=10), choices.whole(1, 3)
    optima = (choices.number(-2, 2), choices.number(-2, 2))
    start, move = choices.number(-3, 3), 1 - (1 - size) ** steps
    run = four_clients(start, size, optima, local_steps=steps)
    found = {
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


def _example_two(choices: Choices, claim: Claim) -> Values:
    """Two clients by turns with any weights: the exact limits at even and odd rounds, with and
    without delay."""
    weights = [choices.number(F(1, 4), 3) for _ in range(2)]
    names = {s.name for s in claim.symbols}
    if "cycle_mean" in names:
        weights[1] = weights[0]
    move, optima = (
        choices.number(F(1, 10), 1, max_denominator=10),
        (choices.number(-2, 2), choices.number(-2, 2)),
    )
    make = Trace.fresh if "fresh" in claim.id else Trace.continuous
    values = {
        "first_weight": weights[0],
        "second_weight": weights[1],
        "local_move": move,
        "first_optimum": optima[0],
        "second_optimum": optima[1],
    }
    if claim.id == "fraboni.ex2.small_steps":
        return values | {"limit": _vanishing(weights, optima)}
    limit = limit_cycle(
        WeightedAggregation(weights),
        Quadratic((1, 1), optima),
        make(IN_TURN * 5),
        local_step_size=move,
    )
    a, b = weights[0] * move, weights[1] * move
    if claim.id == "fraboni.ex2.stable":
        return {
            "is_stable": int(limit.stable is True),
            "condition_holds": int(a * b < 1 and (1 - a) * (1 - b) > -1),
        }
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


def _weights_that_suffice(choices: Choices, claim: Claim) -> Values:
    """Which weights satisfy the condition of Example 2, and which lead to the optimum for small
    steps.

    As printed the condition holds for all weights, as each round's only client has all the
    normalised weight; over a window it does not.
    """
    weights = [choices.choice((F(1), F(2), F(3), F(1, 2))) for _ in range(2)]
    holds = claim.source.as_printed or weights[0] / sum(weights) == F(1, 2)
    return {
        "condition_holds": int(holds),
        "limit_is_optimum": int(_vanishing(weights, (F(0), F(1))) == F(1, 2)),
    }


def _stated(choices: Choices, claim: Claim) -> Values:
    """What the text of Example 1 gives to q_2 in the two halves of its list, and what is meant."""
    client, delivers = choices.whole(0, 3), Trace.continuous(BY_PARITY * 2).delivers
    mean = sum((F(1, 2) for n in (0, 1) if delivers[n, client]), F(0)) / 2
    return {
        "first_stated_value": F(1, 2),
        "second_stated_value": 0,
        "mean_of_two_rounds": mean,
        "importance": F(1, 4),
    }


def _windows(choices: Choices, claim: Claim) -> Values:
    """One client that delivers once in each window, beside one that always does; any place in each
    window."""
    length = choices.whole(1, 5)
    places = [choices.whole(0, length - 1) for _ in range(3)]
    late = [int(n % length == places[n // length]) for n in range(3 * length)]
    trace = Trace.continuous([[1, x] for x in late])
    choices.require(balance_period(trace) == length, "W is the least window")
    return {"balance_period": length, "max_staleness": max_delay(trace)}


def _whole_window(choices: Choices, claim: Claim) -> Values:
    pattern = [choices.whole(0, 1) for _ in range(choices.whole(1, 6))]
    weight = choices.choice((F(1), F(1, 2), F(2)))
    return {
        "mean_weight_over_windows": sum(weight * x for x in pattern) / len(pattern),
        "expected_weight": weight * F(pattern.count(1), len(pattern)),
    }


def _same_losses(choices: Choices, claim: Claim) -> Values:
    """Clients by turns; W = N is always admissible, and with a short step the run tends to the
    optimum or not."""
    optima = (choices.number(-2, 2), choices.number(-2, 2))
    weights = [choices.choice((F(1), F(2))) for _ in range(2)]
    limit = limit_cycle(
        WeightedAggregation(weights),
        Quadratic((1, 1), optima),
        Trace.continuous(IN_TURN * 5),
        local_step_size=F(1, 10),
    )
    reached = (
        limit.stable
        and limit.cycle is not None
        and all(row == (sum(optima) / 2,) for row in limit.cycle)
    )
    return {"window_is_the_run": 1, "fails_to_converge": int(not reached)}


def _residuals(choices: Choices, claim: Claim) -> Values:
    """Two quadratic clients with additive and multiplicative noise: is the residual at the common
    optimum zero?"""
    multiplicative, additive = choices.whole(0, 1), choices.whole(0, 1)
    h, c = choices.whole(1, 3), choices.whole(0, 2)
    best = F(h * c, 1 + h)
    slopes = (best, h * (best - c))
    noise = sum(F(1, 2) * (g**2 * (1 + multiplicative) + additive) for g in slopes)
    return {
        "residual_is_positive": int(noise > 0),
        "residual_is_zero": int(noise == 0),
        "all_at_rest": int(additive == 0 and all(g == 0 for g in slopes)),
        "losses_differ": int(h != 1 or c != 0 or additive or multiplicative),
    }


def _literal_types(choices: Choices, claim: Claim) -> Values:
    """Clients of several types: s_j over (M times s_j), as the printed denominator reads."""
    clients, kinds = choices.whole(1, 4), choices.whole(1, 3)
    choices.require(kinds <= clients, "every type has a client")
    weights = [choices.choice((F(1), F(1, 2))) for _ in range(kinds)]
    return {"sum_of_normalised_types": sum(s / sum(s for _ in range(clients)) for s in weights)}


def _two_types(choices: Choices, claim: Claim) -> Values:
    r, s = (choices.number(F(1, 10), F(9, 10), max_denominator=10) for _ in range(2))
    return {"r1": r, "s1": s, "mismatch": (r - s) ** 2 / s + ((1 - r) - (1 - s)) ** 2 / (1 - s)}


def _prefix_sums(choices: Choices, claim: Claim) -> Values:
    x = [choices.whole(0, 3) for _ in range(choices.whole(1, 5))]
    inner = [sum(x) if claim.id == "fraboni.eq23" else sum(x[:k]) for k in range(len(x))]
    return {
        "weighted_prefix_sums": sum(k * inner[k] for k in range(len(x))),
        "first_sum": sum(x[:-1]),
        "number_of_steps": len(x),
    }


def _fed_sequence(choices: Choices, claim: Claim) -> Values:
    """Sequences that satisfy the hypothesis with equality, tau A <= 1/2."""
    delay, inputs = choices.whole(1, 3), [choices.whole(0, 2) for _ in range(choices.whole(1, 8))]
    part, values = F(1, 2 * delay) * choices.choice((1, F(1, 2), 0)), []
    for given in inputs:
        values.append(part * sum(values[-delay:], F(0)) + given)
    return {
        "mean_sequence": sum(values, F(0)) / len(inputs),
        "mean_input": F(sum(inputs), len(inputs)),
    }


def _at_limit(choices: Choices, claim: Claim) -> Values:
    """The conditions of A.5 at the largest step sizes of Theorem 1: alpha and beta at most 1, or 2
    alpha + beta at most 12 rho."""
    steps, late = (
        choices.whole(1, 6) * choices.choice((1, 100)),
        choices.whole(0, 6) * choices.choice((1, 100)),
    )
    total, top = choices.number(1, 6), choices.number(F(1, 4), 4)
    alpha, beta = choices.number(0, 1), choices.number(0, 1)
    if claim.id == "fraboni.lr.corrected":
        beta = (12 * total - 2 * alpha) * choices.choice((1, F(1, 2), 0))
    return {
        "local_steps": steps,
        "max_staleness": late,
        "largest_total_weight": total,
        "smoothness": top,
        "covariance_factor": alpha,
        "variance_excess": beta,
        "local_step_size": F(1) / (48 * steps * top),
        "effective_step_size": F(1) / (144 * steps * top * total**2 * (late + 1)),
    }


def _exponents(choices: Choices, claim: Claim) -> Values:
    """Powers of N substituted into Theorem 3's bound; the largest exponent is read off its
    terms."""
    a, b, c = (choices.number(0, 1) for _ in range(3))
    powers = {
        LOCAL: N ** as_expression(-c),
        W: N ** as_expression(a),
        STALENESS: N ** as_expression(b),
    }
    terms = sympy.Add.make_args(
        sympy.expand(sympy.expand(CORRECTED + WINDOW_TERM).xreplace(powers))
    )
    largest = max(F(str(term.as_coeff_exponent(N)[1])) for term in terms)
    return {
        "largest_exponent": largest,
        "window_exponent": a,
        "delay_exponent": b,
        "step_exponent": c,
    }


def _exponential(choices: Choices, claim: Claim) -> Values:
    """Exponential update times: chances of winning a race and of ending within a window."""
    rate, others = choices.number(F(1, 4), 4), choices.number(F(1, 4), 4)
    share = choices.number(F(1, 10), 1)
    time, window = choices.number(F(1, 2), 4), choices.number(F(1, 2), 4)
    stays = sympy.exp(-as_expression(window) / as_expression(time))
    return {
        "importance": share,
        "expected_weight": rate / (rate + others) * (rate + others) / rate * share,
        "update_time": time,
        "round_duration": window,
        "other_update_time": choices.number(F(1, 2), 4),
        "mean_rounds": 1 / (1 - stays),
    }


def _hardware(choices: Choices, claim: Claim) -> Values:
    """F80 with any number of clients from ten: update times evenly spaced from 0.2 to 1; the
    printed learning rates."""
    given = hardware(choices.whole(10, 50))
    weights = asynchronous_weights(given)
    return {
        "slowest_time": max(given),
        "fastest_time": min(given),
        "largest_aggregation_weight": max(weights),
        "smallest_aggregation_weight": min(weights),
        "caption_value": CAPTION,
        "text_value": TEXT,
    }


def _figure_steps(choices: Choices, claim: Claim) -> Values:
    """F80 with ten clients, one or 25 local steps, the learning rates of Figure 3 and 1/sqrt(N)."""
    return dict(choices.choice(_steps_of_figure(claim.id == "fraboni.exp.fig3.step")).values)


@cache
def _steps_of_figure(printed: bool) -> tuple[Instance, ...]:
    return tuple(figure3_steps(((TEXT, 1), (TEXT, 25)) if printed else ((IN_THE_RUN, 1),)))


def _half_windows(choices: Choices, claim: Claim) -> Values:
    """Two equal clients: FedFix with windows of half their time against another scheme with server
    step 2."""
    start, size, n = choices.number(-3, 3), choices.number(F(1, 10), F(1, 2)), choices.whole(1, 6)
    problem = Quadratic((1, choices.number(F(1, 2), 2)), (0, choices.number(-1, 1)))

    def models(policy: Any, weights: Any, rounds: int, server: int) -> Any:
        trace = ClockRun((1, 1), policy).trace(rounds, local_steps=2)
        return simulate(
            WeightedAggregation(weights),
            problem,
            trace,
            start=start,
            local_step_size=size,
            server_step_size=server,
        ).models[:, 0]

    half = F(1, 2)
    other = Synchronous() if claim.id.endswith("corrected") else Asynchronous()
    return {
        "fedfix_model": models(FixedWindow(half), window_weights((1, 1), half), 2 * n, 1)[-1],
        "other_model": models(other, (half, half), n, 2)[-1],
    }


def _long_run(choices: Choices, claim: Claim) -> Values:
    """Mean loss over the limit cycle of two quadratic clients with unequal times, for small steps:
    the federated loss, or the surrogate."""
    given = times(choices, least=2, most=2, whole=True)
    choices.require(given[0] != given[1], "update times differ")
    optima = (choices.number(-2, 2), choices.number(-2, 2))
    choices.require(optima[0] != optima[1], "clients differ")
    run = ClockRun(given, Asynchronous())
    trace = run.trace(6 * run.counted.period)
    weights = run.counted.participation if claim.id.endswith("surrogate") else (F(1, 2), F(1, 2))
    losses = []
    for chosen in (asynchronous_weights(given), identical_weights(2)):
        cycle = (
            limit_cycle(
                WeightedAggregation(chosen),
                Quadratic((1, 1), optima),
                trace,
                local_step_size=F(1, 200),
            ).cycle
            or ()
        )
        values = [
            sum(w * (x - c) ** 2 / 2 for w, c in zip(weights, optima, strict=True))
            for (x,) in cycle
        ]
        losses.append(sum(values, F(0)) / len(values))
    return {"time_based_loss": losses[0], "identical_loss": losses[1]}


def _space(name: str, says: str, draw: Callable[[Choices, Claim], Values], claims: str) -> Space:
    return space_of(
        name, says, lambda choices, claim: Instance(draw(choices, claim)), *claims.split()
    )


SPACES = (
    _space(
        "example-1",
        "Four clients of two types by turns, any step size, local steps and start.",
        _example_one,
        "ex1 ex1.corrected ex1.radius ex1.phi eq8",
    ),
    _space(
        "example-2",
        "Two clients by turns with any weights and optima.",
        _example_two,
        "ex2 ex2.even ex2.odd ex2.gap ex2.fresh_even ex2.fresh_odd ex2.mean ex2.stable"
        " ex2.small_steps",
    ),
    _space(
        "example-2-weights",
        "Two clients by turns, small steps.",
        _weights_that_suffice,
        "ex2.iff ex2.iff.corrected",
    ),
    _space(
        "example-1-weights",
        "The weights that Example 1 states and means.",
        _stated,
        "ex1.weights ex1.weights.corrected",
    ),
    _space(
        "placed-windows",
        "One delivery at any place of each of three windows.",
        _windows,
        "W.tau W.tau.corrected",
    ),
    _space(
        "whole-window",
        "Any participation of one client in up to six rounds.",
        _whole_window,
        "ass6",
    ),
    _space(
        "same-losses",
        "Two clients by turns with any optima and weights.",
        _same_losses,
        "cor2.window",
    ),
    _space(
        "residuals",
        "Two clients with and without noise of two kinds.",
        _residuals,
        "def.Sigma def.Sigma.corrected",
    ),
    _space(
        "literal-types",
        "The printed denominator of the normalised types.",
        _literal_types,
        "def.types.normalised",
    ),
    _space("two-types", "Two data types with any weights.", _two_types, "def.chi"),
    _space(
        "prefix-sums",
        "Sequences of up to five small numbers.",
        _prefix_sums,
        "eq23 eq23.corrected eq23.sharp",
    ),
    _space("fed-sequences", "Sequences fed by their own last values.", _fed_sequence, "eq29"),
    _space(
        "largest-steps",
        "All constants at the largest step sizes of Theorem 1.",
        _at_limit,
        "lr.c1 lr.c2 lr.c3 lr.c4 lr.c5 lr.c6 lr.corrected",
    ),
    _space("exponents", "Powers of the number of rounds.", _exponents, "cor2"),
    _space(
        "exponential-times",
        "Exponential update times with any means and windows.",
        _exponential,
        "exponential.async exponential.fedfix exponential.fedfix.corrected",
    ),
    _space(
        "hardware",
        "F80 with ten to fifty clients.",
        _hardware,
        "exp.f80 exp.weights exp.weights.fast exp.fig3.rate",
    ),
    _space(
        "figure-3",
        "The learning rates of Figure 3 on F80 with ten clients.",
        _figure_steps,
        "exp.fig3.step exp.rate",
    ),
    _space(
        "half-windows",
        "Two equal clients, FedFix against another scheme.",
        _half_windows,
        "exp.sec523 exp.sec523.corrected",
    ),
    _space(
        "long-runs",
        "Two quadratic clients with unequal update times.",
        _long_run,
        "exp.fig2 exp.fig2.surrogate",
    ),
)
