"""Section 5: printed numbers, hardware scenarios, and quadratic surrogates of the experiments."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from math import isqrt
from typing import Any

from fltheory.algorithms.weighted import WeightedAggregation
from fltheory.analysis.limits import limit_cycle
from fltheory.claims.checks.check import Check
from fltheory.claims.checks.event_simulation import ClockRun
from fltheory.claims.checks.instances import Instance, check_instances
from fltheory.claims.checks.vacuity import check_vacuous
from fltheory.claims.claim import Claim
from fltheory.claims.evidence import Evidence, Method
from fltheory.engine.simulate import simulate
from fltheory.problems.quadratic import Quadratic
from fltheory.traces.balance import asynchronous_balance, rounds_within
from fltheory.traces.clocks import Asynchronous, FixedWindow, Policy, Synchronous
from fltheory.traces.update_times import FixedTimes
from fltheory.traces.weights import asynchronous_weights, identical_weights, window_weights

F = Fraction
CAPTION, TEXT = F(5, 1000), F(5, 10000)
"""Learning rates of Figure 3, in its caption and in Section 5.2.2."""
BUDGET = 25_000
"""Training time of Figure 3."""


def hardware(num_clients: int) -> tuple[Fraction, ...]:
    """F80: update times evenly spaced from 0.2 to 1."""
    times: tuple[Fraction, ...] = FixedTimes.spread(num_clients, 80).times
    return times


def scenarios() -> Iterator[Instance]:
    for count in (10, 20, 50):
        times, weights = hardware(count), asynchronous_weights(hardware(count))
        yield Instance(
            {
                "slowest_time": max(times),
                "fastest_time": min(times),
                "largest_aggregation_weight": max(weights),
                "smallest_aggregation_weight": min(weights),
                "local_step_size": TEXT,
            },
            f"F80 with {count} clients",
        )


def by_data(instances: Any, covers: str, claim: Claim) -> Evidence:
    return check_instances(claim, instances(), method=Method.DATA, covers=covers)


def printed_rates() -> Iterator[Instance]:
    yield Instance({"caption_value": CAPTION, "text_value": TEXT}, "Figure 3")


def figure3(claim: Claim) -> Evidence:
    times = hardware(10)
    values = {
        "balance_period": asynchronous_balance(times).period,
        "num_rounds": rounds_within(BUDGET, times, Asynchronous()),
    }
    return check_vacuous(
        claim,
        [Instance(values, "F80, ten clients, 25000 units of time")],
        needs="balance_period",
        allows="num_rounds",
        method=Method.DATA,
        covers="F80 as update times evenly spaced from 0.2 to 1, ten clients",
    )


def figure3_steps(rates: tuple[Any, ...]) -> Iterator[Instance]:
    """Staleness counted on 3000 events, total weight from eq. (12)."""
    times = hardware(10)
    delay = ClockRun(times, Asynchronous()).max_staleness(3000)
    for rate, steps in rates:
        yield Instance(
            {
                "local_step_size": rate,
                "local_steps": steps,
                "smoothness": 1,
                "server_step_size": 1,
                "max_staleness": delay,
                "largest_total_weight": max(asynchronous_weights(times)),
            },
            f"learning rate {rate}, {steps} local steps",
        )


def models_of(
    times: tuple[int, ...], policy: Policy, weights: Any, rounds: int, server: int
) -> list[Fraction]:
    trace = ClockRun(times, policy).trace(rounds, local_steps=2)
    problem = Quadratic((1, F(1, 2)), (0, 1))
    run = simulate(
        WeightedAggregation(weights),
        problem,
        trace,
        start=3,
        local_step_size=F(1, 10),
        server_step_size=server,
    )
    return [row[0] for row in run.models]


def half_windows(other: Policy) -> Iterator[Instance]:
    """Two equal clients: FedFix with windows of half their time against another scheme with server
    step 2."""
    window = F(1, 2)
    fixed = models_of((1, 1), FixedWindow(window), window_weights((1, 1), window), 12, 1)
    compared = models_of((1, 1), other, (F(1, 2), F(1, 2)), 6, 2)
    for n in range(1, 7):
        yield Instance(
            {"fedfix_model": fixed[2 * n], "other_model": compared[n]},
            f"after {2 * n} and {n} rounds",
        )


def long_run_losses(surrogate: bool) -> Iterator[Instance]:
    """Mean loss over the limit cycle, for small steps: the federated loss, or the one that
    identical weights minimise."""
    for times, optima, size in product(
        ((1, 2), (1, 3), (2, 3)), ((0, 1), (-1, 2)), (F(1, 20), F(1, 100))
    ):
        run = ClockRun(times, Asynchronous())
        trace = run.trace(6 * run.counted.period)
        weights = run.counted.participation if surrogate else (F(1, 2), F(1, 2))
        losses = []
        for chosen in (asynchronous_weights(times), identical_weights(2)):
            cycle = (
                limit_cycle(
                    WeightedAggregation(chosen),
                    Quadratic((1, 1), optima),
                    trace,
                    local_step_size=size,
                ).cycle
                or ()
            )
            values = [
                sum(w * (x - c) ** 2 / 2 for w, c in zip(weights, optima, strict=True))
                for (x,) in cycle
            ]
            losses.append(sum(values, F(0)) / len(values))
        yield Instance(
            {"time_based_loss": losses[0], "identical_loss": losses[1]},
            f"update times {times}, optima {optima}, step {size}",
        )


def on_runs(instances: Any, covers: str, claim: Claim) -> Evidence:
    return check_instances(claim, instances(), method=Method.EXACT_RUN, covers=covers)


IN_THE_RUN = F(1, isqrt(rounds_within(BUDGET, hardware(10), Asynchronous())) + 1)
"""1/sqrt(N) of Figure 3's run, rounded down."""
SURROGATE = "two quadratic clients with unequal update times and small steps, exact limit cycles"
CHECKS = (
    *(
        Check(f"fraboni.{name}", partial(by_data, scenarios, "F80 with 10, 20 and 50 clients"))
        for name in ("exp.f80", "exp.weights", "exp.weights.fast")
    ),
    Check("fraboni.exp.fig2", partial(on_runs, partial(long_run_losses, False), SURROGATE)),
    Check(
        "fraboni.exp.fig2.surrogate", partial(on_runs, partial(long_run_losses, True), SURROGATE)
    ),
    Check("fraboni.exp.fig3.rate", partial(by_data, printed_rates, "the printed values")),
    Check("fraboni.exp.fig3", figure3),
    Check(
        "fraboni.exp.fig3.step",
        partial(by_data, partial(figure3_steps, ((TEXT, 1), (TEXT, 25))), "F80 with ten clients"),
    ),
    Check(
        "fraboni.exp.rate",
        partial(by_data, partial(figure3_steps, ((IN_THE_RUN, 1),)), "F80 with ten clients"),
    ),
    Check(
        "fraboni.exp.sec523",
        partial(
            on_runs, partial(half_windows, Asynchronous()), "two equal clients, two local steps"
        ),
    ),
    Check(
        "fraboni.exp.sec523.corrected",
        partial(
            on_runs, partial(half_windows, Synchronous()), "two equal clients, two local steps"
        ),
    ),
)
