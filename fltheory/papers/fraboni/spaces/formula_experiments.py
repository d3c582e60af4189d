"""Where the statements about experiments and random update times may fail."""

import sympy

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.claim import Claim
from fltheory.claims.spaces.choices import Choices
from fltheory.claims.spaces.given import Drawn
from fltheory.core.enclosure import as_expression
from fltheory.engine.simulate import simulate
from fltheory.papers.fraboni.checks.experiments import (
    CAPTION,
    IN_THE_RUN,
    PRINTED_STEPS,
    TEXT,
    extremes,
    figure3_values,
    hardware,
    losses_after,
    losses_of_cycle,
)
from fltheory.papers.fraboni.spaces.drawing import F, times
from fltheory.papers.fraboni.spaces.named import space_of_values
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous
from fltheory.traces.update_times import FixedTimes
from fltheory.traces.weights import window_weights


def _exponential(choices: Choices, claim: Claim) -> Drawn:
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


def _hardware(choices: Choices, claim: Claim) -> Drawn:
    """F80 with any number of clients from ten: update times evenly spaced from 0.2 to 1; the
    printed learning rates."""
    given = hardware(choices.whole(10, 50))
    return extremes(given) | {"caption_value": CAPTION, "text_value": TEXT}


def _figure_steps(choices: Choices, claim: Claim) -> Drawn:
    """F80 with ten clients, one or 25 local steps, the learning rates of Figure 3 and 1/sqrt(N)."""
    printed = claim.id == "fraboni.exp.fig3.step"
    return dict(figure3_values(*choices.choice(PRINTED_STEPS if printed else ((IN_THE_RUN, 1),))))


def _losses_after(choices: Choices, claim: Claim) -> Drawn:
    """Quadratic clients of F80 and a far start, after a short time and for small steps; F0."""
    count, far = choices.whole(2, 6), choices.whole(4, 12)
    optima = tuple(choices.whole(-2, 2) for _ in range(count))
    size, until = F(1, choices.whole(5, 20) * 100), choices.whole(1, 3)
    found = losses_after(hardware(count), optima, far, size, until)
    return found | {"times_differ": int(len(set(FixedTimes.spread(count, 0).times)) > 1)}


def _half_windows(choices: Choices, claim: Claim) -> Drawn:
    """Two equal clients: FedFix with windows of half their time against another scheme with server
    step 2."""
    start, size, n = choices.number(-3, 3), choices.number(F(1, 10), F(1, 2)), choices.whole(1, 6)
    problem = Quadratic((1, choices.number(F(1, 2), 2)), (0, choices.number(-1, 1)))

    half = F(1, 2)
    other: Policy = Synchronous() if claim.id.endswith("corrected") else Asynchronous()
    fixed, equal = window_weights((1, 1), half), (half, half)
    found = []
    for policy, weights, rounds, server in (
        (FixedWindow(half), fixed, 2 * n, 1),
        (other, equal, n, 2),
    ):
        run = simulate(
            WeightedAggregation(weights),
            problem,
            ClockRun((1, 1), policy).trace(rounds, local_steps=2),
            start=start,
            local_step_size=size,
            server_step_size=server,
        )
        found.append(run.models[-1, 0])
    return {"fedfix_model": found[0], "other_model": found[1]}


def _long_run(choices: Choices, claim: Claim) -> Drawn:
    """Mean loss over the limit cycle of two quadratic clients with unequal times, for small steps:
    the federated loss, or the surrogate."""
    given = times(choices, least=2, most=2, whole=True)
    choices.require(given[0] != given[1], "update times differ")
    optima = (choices.number(-2, 2), choices.number(-2, 2))
    choices.require(optima[0] != optima[1], "clients differ")
    surrogate = claim.id.endswith("surrogate")
    return losses_of_cycle(given, optima, F(1, 200), surrogate=surrogate)


SPACES = (
    space_of_values(
        "exponential-times",
        "Exponential update times with any means and windows.",
        _exponential,
        "exponential.async exponential.fedfix exponential.fedfix.corrected",
    ),
    space_of_values(
        "hardware",
        "F80 with ten to fifty clients.",
        _hardware,
        "exp.f80 exp.weights exp.weights.fast exp.fig3.rate",
    ),
    space_of_values(
        "figure-3",
        "The learning rates of Figure 3 on F80 with ten clients.",
        _figure_steps,
        "exp.fig3.step exp.rate",
    ),
    space_of_values(
        "small-steps",
        "Quadratic clients of F80 after a short time.",
        _losses_after,
        "exp.fig4.hardware exp.fig4.small_steps exp.fig4.small_steps.async",
    ),
    space_of_values(
        "half-windows",
        "Two equal clients, FedFix against another scheme.",
        _half_windows,
        "exp.sec523 exp.sec523.corrected",
    ),
    space_of_values(
        "long-runs",
        "Two quadratic clients with unequal update times.",
        _long_run,
        "exp.fig2 exp.fig2.surrogate",
    ),
)
